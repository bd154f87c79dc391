#include "app/cli/verbs/measured.h"

#include "app/cli/verbs/schedule.h"

#include "engine/base/text.h"
#include "engine/session/algorithms.h"
#include "engine/session/workbench.h"

#include <memory>

namespace nw::app {

Json measurementJson(const measure::Measurement& m)
{
    Json object{{"ok", m.outcome == wire::Outcome::Ok}, {"outcome", std::string(wire::toText(m.outcome))}};
    if (m.outcome != wire::Outcome::Ok) {
        object["error"] = m.error.message;
        return object;
    }
    object.update({{"median_ns", m.medianNs}, {"spread", m.spread}, {"n", m.run.clean}, {"total", m.run.total}, {"noisy", m.noisy},
                   {"protocol", m.protocol}, {"cold", m.cold}, {"max_abs_diff", m.run.verdict.maxAbsDiff},
                   {"max_rel_diff", m.run.verdict.maxRelDiff}, {"share_of_peak", m.shareOfPeak}, {"share_of_bound", m.shareOfBound},
                   {"bound_ns", m.bound.ns}, {"bound_by", m.bound.by}, {"device", "local"}, {"build_ms", m.buildMs},
                   {"total_ms", m.totalMs}, {"spills", m.listing.spills}, {"note", m.run.note}});
    return object;
}

std::string measurementText(const measure::Measurement& m)
{
    std::string text = format("{} ± {}", timeText(m.medianNs), percentText(m.spread));
    if (m.shareOfPeak > 0.0005) {
        text += format("  {} of peak", percentText(m.shareOfPeak));
    }
    if (m.shareOfBound > 0) {
        text += format("  {} of bound ({}, {})", percentText(m.shareOfBound), timeText(m.bound.ns), m.bound.by);
    }
    text += format("  {} clean of {} samples{}", m.run.clean, m.run.total, m.noisy ? "  NOISY" : "");
    return text;
}

namespace {

struct Options {
    std::string group, script, rival;
    std::string protocol = "confirm";
    bool cold = false, onlyDefault = false;
};

int pair(Session& session, const session::Operator& op, const std::string& script, const std::string& rivalFile)
{
    const Result<std::string> rivalText = readScript(rivalFile);
    if (!rivalText) {
        return session.fail(rivalText.error());
    }
    const Result<std::string> rival = session::plainScript(*rivalText, op);
    if (!rival) {
        return session.fail(rival.error());
    }
    const Result<measure::LocalDevice*> device = session.device();
    if (!device) {
        return session.fail(device.error());
    }
    const measure::PairResult result = (*device)->pair(op.task, script, *rival, session.stop());
    if (result.outcome != wire::Outcome::Ok) {
        return session.fail(result.outcome, result.error);
    }
    session.say(format("{}: time of B / time of A = {:.4f} ± {:.4f} ({} clean of {} pairs); this run can decide {} or more", result.verdict,
                       result.ratio, result.halfWidth, result.clean, result.total, percentText(result.decidable)));
    session.emit({{"group", op.name}, {"ratio", result.ratio}, {"half_width", result.halfWidth}, {"decidable", result.decidable},
                  {"n", result.clean}, {"total", result.total}, {"verdict", result.verdict}});
    return Fine;
}

int bench(const CommonOptions& options, const Options& wanted)
{
    Session session(options);
    const Result<Scheduled> scheduled = openScheduled(session, wanted.group, wanted.onlyDefault ? "@default" : wanted.script, false, true);
    if (!scheduled) {
        return session.fail(scheduled.error());
    }
    const session::Operator& op = *scheduled->op;
    const record::Origin origin = session::originOf(scheduled->chosen);
    const Result<std::string> plain = session::plainScript(scheduled->chosen.script, op);
    if (!plain) {
        return session.fail(plain.error());
    }
    if (!wanted.rival.empty()) {
        return pair(session, op, *plain, wanted.rival);
    }
    const Result<measure::LocalDevice*> device = session.device();
    if (!device) {
        return session.fail(device.error());
    }
    session.progress("measuring " + op.name);
    const measure::Measurement m = (*device)->measure(op.task, *plain, wanted.protocol, wanted.cold, session.stop());
    session.progress("");
    if (scheduled->project->database() != nullptr && m.outcome != wire::Outcome::Stopped && wanted.protocol != "none") {
        const Result<std::int64_t> added =
            scheduled->project->database()->addRecord(session::toRecord(op, *plain, origin, m));
        if (!added) {
            return session.fail(added.error());
        }
    }
    Json object = measurementJson(m);
    object["group"] = op.name;
    object["task"] = op.taskId;
    object["algorithm"] = op.task.algorithm;
    if (m.outcome != wire::Outcome::Ok) {
        return session.fail(m.outcome, m.error);
    }
    const bool isDirect = op.task.algorithm == "direct";
    session.say(format("{}{}  {}", op.name, isDirect ? "" : " by " + op.task.algorithm, measurementText(m)));
    const std::vector<std::string> unproven = session::unprovenSteps(scheduled->replay);
    for (const std::string& step : unproven) {
        session.say("  NOT PROVED, so never the best: " + step);
    }
    object["unproven"] = !unproven.empty();
    if (!m.run.note.empty()) {
        session.say("  " + m.run.note);
    }
    session.emit(std::move(object));
    return Fine;
}

} // namespace

void addBench(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("bench", "check and time an operator with its script");
    addCommon(verb, options);
    const auto wanted = std::make_shared<Options>();
    verb.option("GROUP", wanted->group, "the operator; may be left out when there is one");
    verb.option("--script", wanted->script, "a script file instead of the project's; - for standard input, @template for the expert's, @default for the plain rule");
    verb.option("--protocol", wanted->protocol, "quick, search, confirm or none (check only)")
        .oneOf({"quick", "search", "confirm", "none"});
    verb.flag("--cold", wanted->cold, "with the data evicted from the caches before each run");
    verb.flag("--default", wanted->onlyDefault, "the fallback schedule");
    verb.option("--pair", wanted->rival, "a second script file: alternate the two and say which is faster");
    verb.run([&options, &exitCode, wanted] { exitCode = bench(options, *wanted); });
}

} // namespace nw::app
