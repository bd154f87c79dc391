#include "app/cli/verbs/schedule.h"

#include "engine/base/line_diff.h"
#include "engine/base/text.h"

#include <memory>

namespace nw::app {
namespace {

int undo(const CommonOptions& options, const std::string& group, std::int64_t to, bool list)
{
    Session session(options);
    const Result<session::Project*> project = session.project();
    if (!project) {
        return session.fail(project.error());
    }
    const Result<const session::Operator*> op = operatorOrOnly(**project, group);
    if (!op) {
        return session.fail(op.error());
    }
    record::Database& database = *(*project)->database();
    const Result<std::optional<record::Revision>> head = database.head((*op)->scriptName());
    if (!head) {
        return session.fail(head.error());
    }
    if (list) {
        const Result<std::vector<record::Revision>> all = database.revisions((*op)->scriptName());
        if (!all) {
            return session.fail(all.error());
        }
        for (const record::Revision& revision : *all) {
            const bool current = *head && (*head)->id == revision.id;
            const std::vector<std::string> lines = splitText(trim(revision.script), '\n');
            session.say(format("{} {:>4}  from {:>4}  {:<8}  {}", current ? "*" : " ", revision.id, revision.parent, revision.branch,
                               lines.empty() ? "" : lines.back()));
            session.emit({{"revision", revision.id}, {"parent", revision.parent}, {"branch", revision.branch},
                          {"script", revision.script}, {"current", current}});
        }
        return Fine;
    }
    if (!*head && to < 0) {
        return session.fail(failed("There is nothing to undo: " + (*op)->name + " has no steps of yours."));
    }
    const std::int64_t target = to >= 0 ? to : (*head)->parent;
    const Status moved = database.moveHead((*op)->scriptName(), target);
    if (!moved) {
        return session.fail(moved.error());
    }
    const Result<session::Project::Chosen> chosen = (*project)->script(**op);
    if (!chosen) {
        return session.fail(chosen.error());
    }
    session.say(format("{} is at revision {} (script from {}):\n{}", (*op)->name, target, chosen->from, chosen->script));
    session.emit({{"group", (*op)->name}, {"revision", target}, {"from", chosen->from}, {"script", chosen->script}});
    return Fine;
}

std::vector<std::string> shown(const std::vector<DiffLine>& lines)
{
    std::vector<std::string> rows;
    for (const DiffLine& line : lines) {
        rows.push_back(toText(line));
    }
    return rows;
}

int diff(const CommonOptions& options, const std::string& group, const std::string& one, const std::string& two)
{
    Session session(options);
    const Result<Scheduled> first = openScheduled(session, group, one, true, true);
    if (!first) {
        return session.fail(first.error());
    }
    const Result<Scheduled> second = openScheduled(session, group, two, two.empty() ? false : true, true);
    if (!second) {
        return session.fail(second.error());
    }
    const std::vector<std::string> script = shown(diffTexts(first->chosen.script, second->chosen.script));
    const std::vector<std::string> nest = shown(diffTexts(toText(first->replay.nest()), toText(second->replay.nest())));
    session.say(join(script, "\n") + "\n\n" + join(nest, "\n"));
    session.emit({{"script", script}, {"nest", nest}});
    return Fine;
}

} // namespace

void addUndo(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("undo", "go back one edit of an operator's script, or to any revision");
    addCommon(verb, options);
    const auto group = std::make_shared<std::string>();
    const auto to = std::make_shared<std::int64_t>(-1);
    const auto list = std::make_shared<bool>(false);
    verb.option("GROUP", *group, "the operator, e.g. conv.0").required();
    verb.option("--to", *to, "this revision instead (0: no steps); also redoes");
    verb.flag("--list", *list, "the revisions, the current one marked");
    verb.run([&options, &exitCode, group, to, list] { exitCode = undo(options, *group, *to, *list); });
}

void addDiff(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("diff", "two scripts of an operator and the nests they make");
    addCommon(verb, options);
    const auto group = std::make_shared<std::string>();
    const auto one = std::make_shared<std::string>();
    const auto two = std::make_shared<std::string>();
    verb.option("GROUP", *group, "the operator, e.g. conv.0").required();
    verb.option("A", *one, "a script file").required();
    verb.option("B", *two, "a script file; the operator's own when absent");
    verb.run([&options, &exitCode, group, one, two] { exitCode = diff(options, *group, *one, *two); });
}

} // namespace nw::app
