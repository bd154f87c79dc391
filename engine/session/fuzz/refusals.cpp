// Steps that were refused, done all the same and judged by what comes out.

#include "engine/base/text.h"
#include "engine/session/fuzz/fuzz.h"
#include "engine/session/fuzz/steps.h"

namespace nw::session::fuzz {

namespace {

constexpr int kOrders = 4;            // a race that no order shows is seen by the interpreter anyway
constexpr double kMostRuns = 120000;  // of a nest that a refused step leaves

class RefusalRun {
public:
    explicit RefusalRun(const Options& options)
        : m_options(options)
    {}

    void run(std::uint64_t index)
    {
        ++m_report.cases;
        std::optional<Case> one;
        Walked walked;
        try {
            Random random = streamOf(m_options, index);
            one = randomCase(random);
            const Result<schedule::Task> task = one->task();
            ENSURE(task.has_value(), task ? "" : task.error().message);
            const Result<schedule::LoopNest> initial = schedule::initialNest(*task);
            ENSURE(initial.has_value(), initial ? "" : "the first nest: " + initial.error().message);
            const Result<Judge> rules = Judge::create(one->definition);
            ENSURE(rules.has_value(), "the oracle: " + (rules ? "" : rules.error().message));
            walked.nest = *initial;
            const schedule::Context context{&task->target};
            StepLimits limits;
            limits.length = static_cast<int>(random.between(1, 8));
            const std::string& script = walked.script;
            walk(walked, random, limits, m_options.primitives, context,
                 [&](const schedule::LoopNest& nest, const DrawnStep& step, const schedule::Check& check) {
                     look(nest, step, check, context, *rules, *one, script);
                 });
        } catch (const std::exception& thrown) {
            if (one) {
                one->script = walked.script;
            }
            m_report.failures.push_back({m_options.seed, index, Fault::Bug, thrown.what(), one, {}});
        }
    }

    RefusalReport report() { return std::move(m_report); }

private:
    void look(const schedule::LoopNest& nest, const DrawnStep& step, const schedule::Check& check,
              const schedule::Context& context, const Judge& rules, const Case& one, const std::string& script)
    {
        m_report.primitives[step.primitive->name].count(check.verdict);
        if (check.verdict != schedule::Verdict::Illegal && check.verdict != schedule::Verdict::Unproven) {
            return;
        }
        RefusalCounts& rule = (check.verdict == schedule::Verdict::Illegal ? m_report.rules : m_report.unproven)[check.why.rule];
        ++rule.met;
        std::optional<schedule::LoopNest> after;
        try {
            after = step.primitive->rewrite(nest, step.args, context).nest;
            if (!schedule::verify(*after).empty() || runsOf(*after) > kMostRuns) {
                after.reset();
            }
        } catch (const std::exception&) { // it cannot be done: what the refusal is for
            after.reset();
        }
        if (!after) {
            ++rule.impossible;
        } else if (isWrong(*after, rules)) {
            ++rule.wrong;
        } else {
            ++rule.needless;
            if (rule.example.empty()) {
                Case example = one;
                example.script = script; // ends with the refused step
                rule.example = toText(example);
            }
        }
    }

    // A nest made by force may be beyond what the interpreter was written for.
    static bool isWrong(const schedule::LoopNest& nest, const Judge& rules)
    {
        try {
            return !rules.faultOf(nest, kOrders).empty();
        } catch (const std::exception&) {
            return true;
        }
    }

    const Options& m_options;
    RefusalReport m_report;
};

} // namespace

Result<RefusalReport> fuzzRefusals(const Options& options, const OnCase& onCase, const StopToken& stop)
{
    RefusalRun run(options);
    for (std::uint64_t i = 0; i < options.count && !stop.stopRequested(); ++i) {
        if (onCase) {
            onCase(options.first + i);
        }
        run.run(options.first + i);
    }
    return run.report();
}

} // namespace nw::session::fuzz
