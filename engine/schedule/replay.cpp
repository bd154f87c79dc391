#include "engine/schedule/script.h"

#include "engine/base/text.h"
#include "engine/schedule/run_step.h"
#include "engine/schedule/script_line.h"

namespace nw::schedule {

Result<Step> runStep(const LoopNest& nest, const ScriptStep& step, const Args& args, const Context& context,
                     bool allowUnproven)
{
    
    Check check = step.primitive->check(nest, args, context);
    const bool forbidden = check.verdict == Verdict::Illegal || (check.verdict == Verdict::Unproven && !allowUnproven);
    if (forbidden) {
        return refused(std::move(check.why)).at(step.line, step.column);
    }
    Applied applied = step.primitive->rewrite(nest, args, context);
    return Step{step.text, step.line, std::move(check), std::move(applied.nest), std::move(applied.forward)};
}

Step offStep(const LoopNest& nest, const ScriptStep& step)
{
    Check check{Verdict::Pointless, {"script.off", NW_WORDS("this step is off: {0} is 0"), {step.condition}, {}, {}}};
    return Step{step.text, step.line, std::move(check), nest, {}};
}

Result<Replay> replay(const LoopNest& initial, const Script& script, const KnobValues& values, const Context& context,
                      bool allowUnproven)
{
    const Result<KnobLookup> knobs = KnobLookup::create(script, values);
    if (!knobs) {
        return knobs.error();
    }
    Replay result{initial, {}, false};
    result.steps.reserve(script.steps.size());
    for (const ScriptStep& step : script.steps) {
        if (!knobs->isOn(step)) {
            result.steps.push_back(offStep(result.nest(), step));
            continue;
        }
        const Result<Args> args = evaluateArgs(step, *knobs, context);
        if (!args) {
            return args.error();
        }
        Result<Step> done = runStep(result.nest(), step, *args, context, allowUnproven);
        if (!done) {
            return done.error();
        }
        result.unproven = result.unproven || done->check.verdict == Verdict::Unproven;
        result.steps.push_back(*std::move(done));
    }
    return result;
}

} // namespace nw::schedule
