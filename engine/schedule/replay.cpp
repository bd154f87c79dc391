#include "engine/schedule/script.h"

#include "engine/base/text.h"
#include "engine/schedule/hints.h"
#include "engine/schedule/run_step.h"
#include "engine/schedule/script_line.h"
#include "engine/schedule/unit_loops.h"

#include <utility>

namespace nw::schedule {

namespace {

// `missing`: loops that the refused step takes and that are not there.
Result<Replay> replayFrom(const LoopNest& start, const Script& script, const KnobLookup& knobs, const Context& context,
                          bool allowUnproven, std::set<std::string>& missing)
{
    Replay result{start, {}, false};
    result.steps.reserve(script.steps.size());
    for (const ScriptStep& step : script.steps) {
        if (!knobs.isOn(step)) {
            result.steps.push_back(offStep(result.nest(), step));
            continue;
        }
        const Result<Args> args = evaluateArgs(step, knobs, context);
        if (!args) {
            return args.error();
        }
        Result<Step> done = runStep(result.nest(), step, *args, context, allowUnproven);
        if (!done) {
            missing = missingLoops(result.nest(), *step.primitive, *args);
            return done.error();
        }
        result.unproven = result.unproven || done->check.verdict == Verdict::Unproven;
        result.steps.push_back(*std::move(done));
    }
    return result;
}

} // namespace

Result<Step> runStep(const LoopNest& nest, const ScriptStep& step, const Args& args, const Context& context,
                     bool allowUnproven)
{
    Check check = step.primitive->check(nest, args, context);
    const bool forbidden = check.verdict == Verdict::Illegal || (check.verdict == Verdict::Unproven && !allowUnproven);
    if (forbidden) {
        return refused(std::move(check.why)).at(step.line, step.column);
    }
    Applied applied = step.primitive->rewrite(nest, args, context);
    carryHints(nest, applied);
    return Step{step.text, step.line, std::move(check), std::move(applied.nest), std::move(applied.forward)};
}

Step offStep(const LoopNest& nest, const ScriptStep& step)
{
    Check check{Verdict::Pointless, {"script.off", NW_WORDS("this step is off: {0} is 0"), {step.condition}, {}, {}}};
    return Step{step.text, step.line, std::move(check), nest, {}};
}

Result<Replay> withUnitLoops(const LoopNest& plain, const ReplayFrom& replayFrom)
{
    std::set<std::string> missing;
    Result<Replay> done = replayFrom(plain, {}, missing);
    if (done || missing.empty()) {
        return done;
    }
    UnitLoops loops(plain);
    while (!done && loops.add(std::exchange(missing, {}))) {
        Result<Replay> again = replayFrom(loops.start(), loops.names(), missing);
        if (!again && again.error().line < done.error().line) {
            break; // the step that was refused first says more
        }
        done = std::move(again);
    }
    return done;
}

Result<Replay> replay(const LoopNest& initial, const Script& script, const KnobValues& values, const Context& context,
                      bool allowUnproven)
{
    const Result<KnobLookup> knobs = KnobLookup::create(script, values);
    if (!knobs) {
        return knobs.error();
    }
    return withUnitLoops(initial, [&](const LoopNest& start, const std::set<std::string>&, std::set<std::string>& missing) {
        return replayFrom(start, script, *knobs, context, allowUnproven, missing);
    });
}

} // namespace nw::schedule
