// Steps that were refused, done all the same and judged by what comes out.

#include "engine/base/text.h"
#include "engine/lower/lowered.h"
#include "engine/schedule/hints.h"
#include "engine/session/fuzz/fuzz.h"
#include "engine/session/fuzz/steps.h"

#include <algorithm>
#include <array>

namespace nw::session::fuzz {

namespace {

constexpr int kOrders = 4;            // a race that no order shows is seen by the interpreter anyway
constexpr double kMostRuns = 120000;  // of a nest that a refused step leaves

// Of these no result can say whether they were needed, since none could differ. Nothing else belongs here.
//   The memory of a kernel's arguments belongs to whoever calls it. The interpreter fills and reads it by the layout that
//   the nest states, so that it finds every layout right; a caller would not.
//   Hints to the code generator change nothing that is computed, wherever they stand.
constexpr std::array<std::string_view, 5> kAgreements{
    "set_layout.activation", // the plan chose it for both sides of the tensor
    "storage_align.port",    // the caller's memory has no room between its rows
    "annotate.",             // a hint
    "prefetch.",             // a hint
    "stream.",               // a hint
};

using Ruling = std::uint64_t RefusalCounts::*; // what it counts as

// The refusal is about the kinds of loops, and the step would drop one.
bool dropsKind(const std::string& rule, const schedule::LoopNest& before, const schedule::Applied& applied)
{
    if (rule.ends_with(".hint")) { // an annotation or a prefetch
        return true;
    }
    if (!rule.ends_with(".has_kind") && !rule.ends_with(".kinds")) {
        return false;
    }
    for (const schedule::Loop* loop : before.allLoops()) {
        const auto to = applied.forward.loops.find(loop->id);
        if (loop->kind == schedule::LoopKind::Serial || to == applied.forward.loops.end()) {
            continue;
        }
        const bool kept = std::any_of(to->second.begin(), to->second.end(), [&](schedule::LoopId id) {
            const schedule::LoopNest::Path now = applied.nest.findLoop(id);
            return now && now.loop->kind == loop->kind;
        });
        if (!kept) {
            return true;
        }
    }
    return false;
}

// A nest made by force may be beyond what the interpreter and the passes were written for.
bool isWrong(const schedule::LoopNest& nest, const Judge& rules)
{
    try {
        return !rules.faultOf(nest, kOrders).empty();
    } catch (const std::exception&) {
        return true;
    }
}

bool canBeLowered(const schedule::LoopNest& nest, const Target& target)
{
    try {
        std::vector<lower::StageText> stages; // with it every pass's result is verified
        return lower::lower(nest, target, &stages).has_value();
    } catch (const std::exception&) {
        return false;
    }
}

Ruling rulingOf(const schedule::LoopNest& nest, const DrawnStep& step, const std::string& rule, const schedule::Context& context,
                const Judge& rules)
{
    if (std::any_of(kAgreements.begin(), kAgreements.end(), [&](std::string_view agreed) { return rule.starts_with(agreed); })) {
        return &RefusalCounts::agreed;
    }
    schedule::Applied applied;
    try {
        applied = step.primitive->rewrite(nest, step.args, context);
        schedule::carryHints(nest, applied);
    } catch (const std::exception&) { // it cannot be done: what the refusal is for
        return &RefusalCounts::impossible;
    }
    if (!schedule::verify(applied.nest).empty() || dropsKind(rule, nest, applied)) {
        return &RefusalCounts::impossible;
    }
    if (runsOf(applied.nest) > kMostRuns) {
        return &RefusalCounts::tooLong;
    }
    if (isWrong(applied.nest, rules)) {
        return &RefusalCounts::wrong;
    }
    return canBeLowered(applied.nest, *context.target) ? &RefusalCounts::needless : &RefusalCounts::impossible;
}

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
              const schedule::Context& context, const Judge& rules, const Case& drawn, const std::string& script)
    {
        m_report.primitives[step.primitive->name].count(check.verdict);
        if (check.verdict != schedule::Verdict::Illegal && check.verdict != schedule::Verdict::Unproven) {
            return;
        }
        const std::string& rule = check.why.rule;
        std::vector<RefusalCounts*> counts;
        if (check.verdict == schedule::Verdict::Illegal) {
            counts = {&m_report.rules[rule], &m_report.illegal[step.primitive->name]};
        } else {
            counts = {&m_report.unproven[rule]};
        }
        const Ruling ruling = rulingOf(nest, step, rule, context, rules);
        for (RefusalCounts* one : counts) {
            ++one->met;
            ++(one->*ruling);
            if (ruling == &RefusalCounts::needless && one->example.empty()) {
                Case example = drawn;
                example.script = script; // ends with the refused step
                one->example = toText(example);
            }
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
