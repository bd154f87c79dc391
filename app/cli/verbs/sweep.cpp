#include "app/cli/verbs/measured.h"
#include "app/cli/verbs/schedule.h"
#include "app/cli/verbs/sweep_algorithms.h"

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/tune/sweep.h"

#include <memory>

namespace nw::app {
namespace {

struct Options {
    std::string group, script, write;
    std::string protocol = "confirm";
    bool algorithms = false;
    std::uint64_t limit = 1000;
    int finalists = 3;
};

std::string valuesText(const schedule::KnobValues& values)
{
    std::vector<std::string> parts;
    for (const auto& [name, value] : values) {
        parts.push_back(format("{}={}", name, value));
    }
    return parts.empty() ? "(no choice)" : join(parts, " ");
}

Json valuesJson(const schedule::KnobValues& values)
{
    Json object = Json::object();
    for (const auto& [name, value] : values) {
        object[name] = value;
    }
    return object;
}

// The first steps of a script with a choice list need not replay, so the script is read without replaying it.
Result<std::string> textOf(session::Project& project, const session::Operator& op, const std::string& file)
{
    if (!file.empty()) {
        return readScript(file);
    }
    const Result<session::Project::Chosen> chosen = project.script(op);
    return chosen ? Result<std::string>(chosen->script) : Result<std::string>(chosen.error());
}

int runSweep(const CommonOptions& options, const Options& wanted)
{
    Session session(options);
    const Result<session::Project*> project = session.project();
    if (!project) {
        return session.fail(project.error());
    }
    const Result<const session::Operator*> found = operatorOrOnly(**project, wanted.group);
    if (!found) {
        return session.fail(found.error());
    }
    const session::Operator& op = **found;
    const Result<std::string> text = textOf(**project, op, wanted.script);
    if (!text) {
        return session.fail(text.error());
    }
    const Result<schedule::Script> script = schedule::parseScript(*text, schedule::allPrimitives(), contextOf(op));
    if (!script) {
        return session.fail(script.error());
    }
    const Result<measure::LocalDevice*> device = session.device();
    if (!device) {
        return session.fail(device.error());
    }
    const std::string count = schedule::countChoices(*script).toText();
    session.say(format("{} combinations", count));
    const auto onTrial = [&](const tune::Trial& trial, std::size_t index, std::size_t total) {
        const bool fine = trial.refused.empty();
        session.say(format("{:>4}/{}  {:<40} {}", index + 1, total, valuesText(trial.values),
                           fine ? measurementText(trial.quick) : trial.refused));
        Json object = fine ? measurementJson(trial.quick) : Json{{"ok", false}, {"error", trial.refused}};
        object["values"] = valuesJson(trial.values);
        session.emit(std::move(object));
    };
    const Result<tune::Sweep> swept = tune::sweep(**device, op.task, *script, wanted.limit, wanted.finalists, onTrial, session.stop());
    if (!swept) {
        return session.fail(swept.error());
    }
    if (swept->best < 0) {
        return session.fail(failed("No choice of this script is valid: every one was refused, wrong or failed (see above)."));
    }
    const Result<std::int64_t> kept =
        (*project)->database()->addRecord(session::toRecord(op, swept->bestScript, record::Origin::Sweep, swept->confirmed));
    if (!kept) {
        return session.fail(kept.error());
    }
    if (!wanted.write.empty()) {
        const Status written = writeFile(wanted.write, swept->bestScript);
        if (!written) {
            return session.fail(written.error());
        }
    }
    session.say(format("best: {}\n{}\n{}", valuesText(swept->trials[static_cast<std::size_t>(swept->best)].values),
                       measurementText(swept->confirmed), swept->bestScript));
    Json object = measurementJson(swept->confirmed);
    object["best"] = true;
    object["combinations"] = swept->trials.size();
    object["values"] = valuesJson(swept->trials[static_cast<std::size_t>(swept->best)].values);
    object["script"] = swept->bestScript;
    session.emit(std::move(object));
    return Fine;
}

} // namespace

void addSweep(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("sweep", "measure every choice in a script; the winner is kept as the auto figure");
    addCommon(verb, options);
    const auto wanted = std::make_shared<Options>();
    verb.option("GROUP", wanted->group, "the operator; may be left out when there is one");
    verb.option("--script", wanted->script, "a script file with choices: split k into ko ki:{4, 8, 16}");
    verb.option("-o,--output", wanted->write, "write the winner's plain script here");
    verb.option("--limit", wanted->limit, "most combinations that are measured");
    verb.option("--finalists", wanted->finalists, "how many are measured again under confirm").between(1, 100);
    verb.flag("--algorithms", wanted->algorithms,
              "measure the algorithms that operators have instead, and print (or with -o write) the choices with the fastest");
    verb.option("--protocol", wanted->protocol, "of --algorithms: quick, search or confirm").oneOf({"quick", "search", "confirm"});
    verb.run([&options, &exitCode, wanted] {
        const bool hasBoth = wanted->algorithms && (!wanted->group.empty() || !wanted->script.empty());
        exitCode = hasBoth ? Session(options).fail(refused("--algorithms measures every operator that has several; leave the operator and --script out."))
            : wanted->algorithms ? sweepAlgorithms(options, wanted->protocol, wanted->write)
                                 : runSweep(options, *wanted);
    });
}

} // namespace nw::app
