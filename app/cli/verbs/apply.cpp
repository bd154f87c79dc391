#include "app/cli/verbs/schedule.h"

#include "engine/base/text.h"

#include <memory>

namespace nw::app {
namespace {

struct Options {
    std::string group;
    std::vector<std::string> lines;
    bool dryRun = false, reset = false, allowUnproven = false;
};

int applySteps(const CommonOptions& options, const Options& wanted)
{
    Session session(options);
    const Result<Scheduled> scheduled = openScheduled(session, wanted.group, "", wanted.dryRun, true);
    if (!scheduled) {
        return session.fail(scheduled.error());
    }
    const session::Operator& op = *scheduled->op;
    // The fallback's steps are not the person's: the first edit starts from the plain nest.
    std::string text = wanted.reset || scheduled->chosen.from == "default" ? "" : scheduled->chosen.script;
    if (!text.empty() && !text.ends_with('\n')) {
        text += '\n';
    }
    for (const std::string& line : wanted.lines) {
        text += line + "\n";
    }
    const Result<schedule::Script> script = schedule::parseScript(text, schedule::allPrimitives(), contextOf(op));
    if (!script) {
        return session.fail(script.error());
    }
    const Result<schedule::Replay> replayed =
        schedule::replay(scheduled->plain, *script, {}, contextOf(op), wanted.allowUnproven);
    if (!replayed) {
        return session.fail(replayed.error());
    }
    std::int64_t revision = 0;
    std::string branch;
    if (!wanted.dryRun) {
        const Result<record::Revision> kept = scheduled->project->edit(op, scheduled->chosen.revision, text);
        if (!kept) {
            return session.fail(kept.error());
        }
        revision = kept->id;
        branch = kept->branch;
    }
    session.say(toText(replayed->nest()));
    for (const schedule::Step& step : replayed->steps) {
        if (step.check.verdict != schedule::Verdict::Legal) {
            session.say(format("# line {}: {}: {}", step.line, verdictText(step.check),
                               fillWords(step.check.why.words, step.check.why.operands)));
        }
    }
    session.emit({{"group", op.name}, {"script", text}, {"nest", toText(replayed->nest())}, {"revision", revision},
                  {"branch", branch}, {"unproven", replayed->unproven}});
    return Fine;
}

int replayFile(const CommonOptions& options, const std::string& group, const std::string& file, bool keep, bool allowUnproven)
{
    Session session(options);
    const Result<Scheduled> scheduled = openScheduled(session, group, file, !keep, allowUnproven);
    if (!scheduled) {
        return session.fail(scheduled.error());
    }
    std::int64_t revision = 0;
    if (keep) {
        const Result<std::optional<record::Revision>> head = scheduled->project->database()->head(scheduled->op->scriptName());
        if (!head) {
            return session.fail(head.error());
        }
        const Result<record::Revision> kept =
            scheduled->project->edit(*scheduled->op, *head ? (*head)->id : 0, scheduled->chosen.script);
        if (!kept) {
            return session.fail(kept.error());
        }
        revision = kept->id;
    }
    for (const schedule::Step& step : scheduled->replay.steps) {
        session.say(format("{:>4}  {:<10} {}", step.line, verdictText(step.check), step.text));
    }
    session.say(toText(scheduled->replay.nest()));
    session.emit({{"group", scheduled->op->name}, {"steps", scheduled->replay.steps.size()}, {"nest", toText(scheduled->replay.nest())},
                  {"script", scheduled->script.canonicalText()}, {"revision", revision}, {"unproven", scheduled->replay.unproven}});
    return Fine;
}

} // namespace

void addApply(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("apply", "append steps to an operator's script");
    addCommon(verb, options);
    const auto wanted = std::make_shared<Options>();
    verb.option("GROUP", wanted->group, "the operator, e.g. conv.0").required();
    verb.option("STEP", wanted->lines, "script lines, each one argument").required();
    verb.flag("--dry-run", wanted->dryRun, "show the result and keep nothing");
    verb.flag("--reset", wanted->reset, "start from the plain nest instead of the current script");
    verb.flag("--unproven", wanted->allowUnproven, "allow steps that could not be proved");
    verb.run([&options, &exitCode, wanted] { exitCode = applySteps(options, *wanted); });
}

void addReplay(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("replay", "run a script file on an operator; --keep makes it the operator's script");
    addCommon(verb, options);
    const auto group = std::make_shared<std::string>();
    const auto file = std::make_shared<std::string>();
    const auto keep = std::make_shared<bool>(false);
    const auto unproven = std::make_shared<bool>(false);
    verb.option("GROUP", *group, "the operator, e.g. conv.0").required();
    verb.option("SCRIPT", *file, "a script file, - for standard input, @template for the expert's, @default for the plain rule; the operator's own when absent");
    verb.flag("--keep", *keep, "make it the operator's script");
    verb.flag("--unproven", *unproven, "allow steps that could not be proved");
    verb.run(
        [&options, &exitCode, group, file, keep, unproven] { exitCode = replayFile(options, *group, *file, *keep, *unproven); });
}

} // namespace nw::app
