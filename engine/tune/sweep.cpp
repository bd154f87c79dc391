#include "engine/tune/sweep.h"

#include "engine/base/text.h"

#include <algorithm>
#include <numeric>

namespace nw::tune {
namespace {

// Replays first: an illegal choice costs microseconds, not a build.
std::string reasonAgainst(const schedule::LoopNest& initial, const schedule::Script& plain, const schedule::Context& context)
{
    const Result<schedule::Replay> replayed = schedule::replay(initial, plain, {}, context);
    return replayed ? std::string() : replayed.error().message;
}

Trial tryOne(measure::LocalDevice& device, const schedule::Task& task, const schedule::LoopNest& initial,
             const schedule::Script& script, const schedule::KnobValues& values, const StopToken& stop)
{
    const schedule::Context context{&task.target};
    Trial trial{values, "", "", {}};
    const Result<schedule::Script> plain = schedule::bindKnobs(script, values, context);
    if (!plain) {
        trial.refused = plain.error().message;
        return trial;
    }
    trial.script = plain->toText();
    trial.refused = reasonAgainst(initial, *plain, context);
    if (trial.refused.empty()) {
        trial.quick = device.measure(task, trial.script, "search", false, stop);
        if (trial.quick.outcome != wire::Outcome::Ok) {
            trial.refused = std::string(wire::toText(trial.quick.outcome)) + ": " + trial.quick.error.message;
        }
    }
    return trial;
}

} // namespace

Result<Sweep> sweep(measure::LocalDevice& device, const schedule::Task& task, const schedule::Script& script, std::size_t limit,
                    int finalists, const std::function<void(const Trial&, std::size_t, std::size_t)>& onTrial, const StopToken& stop)
{
    const Result<std::vector<schedule::KnobValues>> choices = schedule::allChoices(script, limit);
    if (!choices) {
        return choices.error();
    }
    const Result<schedule::LoopNest> initial = schedule::initialNest(task);
    if (!initial) {
        return initial.error();
    }
    Sweep made;
    for (const schedule::KnobValues& values : *choices) {
        if (stop.stopRequested()) {
            return stopped(format("The sweep was stopped after {} of {} combinations.", made.trials.size(), choices->size()));
        }
        made.trials.push_back(tryOne(device, task, *initial, script, values, stop));
        onTrial(made.trials.back(), made.trials.size() - 1, choices->size());
    }

    std::vector<int> order(made.trials.size());
    std::iota(order.begin(), order.end(), 0);
    std::erase_if(order, [&](int i) { return !made.trials[static_cast<std::size_t>(i)].refused.empty(); });
    std::sort(order.begin(), order.end(), [&](int a, int b) {
        return made.trials[static_cast<std::size_t>(a)].quick.medianNs < made.trials[static_cast<std::size_t>(b)].quick.medianNs;
    });
    order.resize(std::min(order.size(), static_cast<std::size_t>(std::max(1, finalists))));
    for (const int candidate : order) {
        if (stop.stopRequested()) {
            return stopped(format("The sweep was stopped after all {} combinations, before its winner was confirmed.",
                                  choices->size()));
        }
        const measure::Measurement confirmed =
            device.measure(task, made.trials[static_cast<std::size_t>(candidate)].script, "confirm", false, stop);
        const bool valid = confirmed.outcome == wire::Outcome::Ok;
        if (valid && (made.best < 0 || confirmed.medianNs < made.confirmed.medianNs)) {
            made.best = candidate;
            made.confirmed = confirmed;
            made.bestScript = made.trials[static_cast<std::size_t>(candidate)].script;
        }
    }
    return made;
}

} // namespace nw::tune
