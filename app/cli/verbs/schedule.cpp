#include "app/cli/verbs/schedule.h"

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/session/algorithms.h"

#include <iostream>
#include <iterator>

namespace nw::app {

schedule::Context contextOf(const session::Operator& op)
{
    return {&op.task.target};
}

Result<std::string> readScript(const std::string& path)
{
    if (path == "-") {
        return std::string(std::istreambuf_iterator<char>(std::cin), {});
    }
    return readFile(path, std::size_t{16} << 20);
}

Result<const session::Operator*> operatorOrOnly(session::Project& project, const std::string& group)
{
    if (!group.empty()) {
        return project.find(group);
    }
    const Result<std::vector<const session::Operator*>> all = project.operators();
    if (!all) {
        return all.error();
    }
    // Layout conversions stand around the one operator of a sample; they are not what is meant.
    const session::Operator* only = nullptr;
    int count = 0;
    for (const session::Operator* op : *all) {
        if (!op->nodeNames.empty()) {
            only = op;
            ++count;
        }
    }
    if (count != 1) {
        return failed(format("This model has {} operators: name one. `nestw ops` lists them.", count));
    }
    return only;
}

// An algorithm asked for without a group is for all that it suits; the one that is looked at must be among them.
Status hasAlgorithm(const Session& session, session::Project& project, const session::Operator& op)
{
    for (const std::string& wanted : session.options().algorithm) {
        if (wanted.find('=') == std::string::npos) {
            if (const Result<session::Operator> other = session::operatorBy(project, op, wanted); !other) {
                return other.error();
            }
        }
    }
    return Done{};
}

Result<Scheduled> openScheduled(Session& session, const std::string& group, const std::string& scriptFile, bool ephemeral,
                                bool allowUnproven)
{
    const Result<session::Project*> project = session.project(ephemeral);
    if (!project) {
        return project.error();
    }
    const Result<const session::Operator*> op = operatorOrOnly(**project, group);
    if (!op) {
        return op.error();
    }
    if (const Status fits = hasAlgorithm(session, **project, **op); !fits) {
        return fits.error();
    }
    session::Project::Chosen chosen;
    if (scriptFile.empty()) {
        Result<session::Project::Chosen> own = (*project)->script(**op);
        if (!own) {
            return own.error();
        }
        chosen = *std::move(own);
    } else if (scriptFile == "@template") {
        const std::optional<std::string> expert = session::templateScript(**op);
        if (!expert) {
            return failed(format("No template fits {}; start from its default script instead.", (*op)->name));
        }
        chosen = {*expert, "template", 0};
    } else if (scriptFile == "@default") {
        const Result<std::string> rule = session::defaultScript(**op);
        if (!rule) {
            return rule.error();
        }
        chosen = {*rule, "default", 0};
    } else {
        const Result<std::string> text = readScript(scriptFile);
        if (!text) {
            return text.error();
        }
        chosen = {*text, "file", 0};
    }
    const Result<schedule::LoopNest> nest = schedule::initialNest((*op)->task);
    if (!nest) {
        return nest.error();
    }
    const Result<schedule::Script> script =
        schedule::parseScript(chosen.script, schedule::allPrimitives(), contextOf(**op));
    if (!script) {
        return script.error();
    }
    Result<schedule::Replay> replay = schedule::replay(*nest, *script, {}, contextOf(**op), allowUnproven);
    if (!replay) {
        return replay.error();
    }
    return Scheduled{*project, *op, chosen, *nest, *script, *std::move(replay)};
}

std::string verdictText(const schedule::Check& check)
{
    switch (check.verdict) {
    case schedule::Verdict::Legal:
        return "legal";
    case schedule::Verdict::Pointless:
        return "pointless";
    case schedule::Verdict::Unproven:
        return "unproven";
    case schedule::Verdict::Illegal:
        return "illegal";
    }
    return "illegal";
}

} // namespace nw::app
