#include "engine/session/fuzz/fuzz.h"

#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/session/fuzz/definitions.h"
#include "engine/session/fuzz/shrink.h"
#include "engine/session/fuzz/steps.h"

namespace nw::session::fuzz {

void StepCounts::count(schedule::Verdict verdict)
{
    switch (verdict) {
    case schedule::Verdict::Legal: ++applied; break;
    case schedule::Verdict::Pointless: ++pointless; break;
    case schedule::Verdict::Illegal: ++refused; break;
    case schedule::Verdict::Unproven: ++unproven; break;
    }
}

std::string toText(const Failure& failure)
{
    std::string text = format("# seed {} case {}: {}\n", failure.seed, failure.index, failure.fault == Fault::Wrong ? "wrong" : "bug");
    for (const std::string& line : splitText(failure.message, '\n')) {
        text += "#   " + line + "\n";
    }
    return text + (failure.input ? toText(*failure.input) : failure.text);
}

Random streamOf(const Options& options, std::uint64_t index)
{
    return Random(hash64(format("fuzz {} {}", options.seed, index)));
}

Case randomCase(Random& random)
{
    // The same everywhere, so that a case can be run again on another machine.
    constexpr const char* kTargets[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    Case one;
    one.target = kTargets[random.below(std::size(kTargets))];
    one.threads = 1 + static_cast<int>(random.below(2));
    one.definition = std::make_shared<const compute::Definition>(randomDefinition(random));
    one.layouts = randomLayouts(*one.definition, random);
    return one;
}

namespace {

class ScheduleRun {
public:
    ScheduleRun(const Options& options, WorkerCheck* worker, const StopToken& stop)
        : m_options(options)
        , m_worker(worker)
        , m_stop(stop)
    {}

    // Failed when the workers cannot be used.
    Status run(std::uint64_t index)
    {
        ++m_report.cases;
        std::optional<Case> one;
        Finding finding;
        std::optional<Judge> rules;
        try {
            Random random = streamOf(m_options, index);
            one = randomCase(random);
            Result<Judge> made = Judge::create(one->definition);
            ENSURE(made.has_value(), "the oracle: " + (made ? "" : made.error().message));
            rules = *std::move(made);
            drawScript(*one, random);
        } catch (const std::exception& thrown) {
            finding = {Fault::Bug, thrown.what()};
        }
        if (finding.fault == Fault::None) {
            finding = checked(*one, *rules);
        }
        if (finding.fault == Fault::Device) {
            return m_stop.stopRequested() ? stopped("stopped") : failed(finding.message);
        }
        m_report.limited += finding.fault == Fault::Limit ? 1 : 0;
        if (finding.fault == Fault::Illegal) {
            finding = {Fault::Bug, "a script whose steps were all legal is refused: " + finding.message};
        }
        if (finding.isFailure()) {
            keep(index, finding, one, rules);
        }
        return Done{};
    }

    ScheduleReport report() { return std::move(m_report); }

private:
    void drawScript(Case& one, Random& random)
    {
        const Result<schedule::Task> task = one.task();
        ENSURE(task.has_value(), task ? "" : task.error().message);
        const Result<schedule::LoopNest> initial = schedule::initialNest(*task);
        ENSURE(initial.has_value(), initial ? "" : "the first nest: " + initial.error().message);
        Walked walked{*initial, {}};
        StepLimits limits;
        limits.length = static_cast<int>(random.between(1, 12));
        const auto count = [&](const schedule::LoopNest&, const DrawnStep& step, const schedule::Check& check) {
            m_report.primitives[step.primitive->name].count(check.verdict);
        };
        try {
            walk(walked, random, limits, m_options.primitives, schedule::Context{&task->target}, count);
        } catch (const std::exception&) {
            one.script = walked.script; // with the step that threw
            throw;
        }
        one.script = walked.script;
    }

    Finding checked(const Case& one, const Judge& rules)
    {
        Finding finding = judge(one, rules, m_options.primitives);
        if (finding.fault == Fault::None && m_worker != nullptr && WorkerCheck::canRun(one)) {
            ++m_report.run;
            finding = m_worker->check(one, m_stop);
        }
        return finding;
    }

    // With data for the case's own definition.
    Finding checkedAnew(const Case& one)
    {
        try {
            const Result<Judge> rules = Judge::create(one.definition);
            return rules ? checked(one, *rules) : Finding{Fault::Device, rules.error().message};
        } catch (const std::exception& thrown) {
            return {Fault::Device, thrown.what()}; // the oracle, not the case
        }
    }

    void keep(std::uint64_t index, const Finding& finding, const std::optional<Case>& one, const std::optional<Judge>& rules)
    {
        Failure failure{m_options.seed, index, finding.fault, finding.message, one, {}};
        if (one && rules) {
            const std::uint64_t ran = m_report.run;
            // What was thrown while steps were drawn may show otherwise when they are replayed.
            const Finding whole = checked(*one, *rules);
            if (whole.isFailure()) {
                failure.fault = whole.fault;
                failure.input = shrink(*one, [&](const Case& smaller) { return checkedAnew(smaller).fault == whole.fault; });
                failure.message = checkedAnew(*failure.input).message;
            }
            m_report.run = ran;
        }
        m_report.failures.push_back(std::move(failure));
    }

    const Options& m_options;
    WorkerCheck* m_worker;
    const StopToken& m_stop;
    ScheduleReport m_report;
};

} // namespace

Result<ScheduleReport> fuzzSchedules(const Options& options, WorkerCheck* worker, const OnCase& onCase, const StopToken& stop)
{
    ScheduleRun run(options, worker, stop);
    for (std::uint64_t i = 0; i < options.count && !stop.stopRequested(); ++i) {
        if (onCase) {
            onCase(options.first + i);
        }
        if (const Status ran = run.run(options.first + i); !ran) {
            return ran.error();
        }
    }
    return run.report();
}

} // namespace nw::session::fuzz
