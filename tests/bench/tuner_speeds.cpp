#include "tests/bench/tuner_speeds.h"

#include "engine/base/hash.h"
#include "engine/base/text.h"

#include <algorithm>
#include <cstdlib>

namespace nw::bench {
namespace {

struct Gain {
    int trial = 0; // so many were needed
    double ns = 0; // under search
    std::string script;
};

// Each trial that was the fastest so far.
Result<std::vector<Gain>> gainsOf(const session::Operator& op, const Tuned& tuned)
{
    const Result<tune::Space> space = spaceOf(tuned.sketches, op.task);
    if (!space) {
        return space.error();
    }
    std::vector<Gain> gains;
    for (std::size_t i = 0; i < tuned.trials.size(); ++i) {
        const record::TuneTrial& trial = tuned.trials[i];
        if (trial.outcome != "ok" || (!gains.empty() && trial.ns >= gains.back().ns)) {
            continue;
        }
        const std::optional<tune::Point> point = space->parse(trial.sketch, trial.values);
        const Result<schedule::Script> script = point ? space->script(*point) : Result<schedule::Script>(failed("a trial is not of its session's space"));
        if (!script) {
            return script.error();
        }
        gains.push_back({static_cast<int>(i) + 1, trial.ns, script->toText()});
    }
    return gains;
}

} // namespace

Result<std::vector<std::optional<double>>> Speeds::of(const session::Operator& op, const std::vector<std::string>& scripts,
                                                      const std::string& reference)
{
    const auto keyOf = [&](const std::string& script) {
        return "speed " + contentHash(op.taskId + "\n" + script + "\nbeside\n" + reference);
    };
    std::vector<std::optional<double>> speeds(scripts.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < scripts.size(); ++i) {
        if (std::string(trim(scripts[i])) == trim(reference)) {
            speeds[i] = 1;
            continue;
        }
        const Result<std::optional<std::string>> known = m_state->database().text(keyOf(scripts[i]));
        if (!known) {
            return known.error();
        }
        if (*known) {
            speeds[i] = std::strtod((*known)->c_str(), nullptr);
        } else {
            open.push_back(i);
        }
    }
    const StopToken& stop = m_state->stop();
    for (std::size_t from = 0; from < open.size() && !m_state->onlyReads() && !stop.stopRequested(); from += kTogether - 1) {
        const std::size_t to = std::min(open.size(), from + kTogether - 1);
        std::vector<std::string> some{reference};
        for (std::size_t i = from; i < to; ++i) {
            some.push_back(scripts[open[i]]);
        }
        const measure::Together together = m_device->measureTogether(op.task, some, {}, "confirm", stop);
        if (stop.stopRequested()) {
            break;
        }
        const measure::Measurement& kept = together.scripts.front();
        if (kept.outcome != wire::Outcome::Ok) {
            return failed("what it is to be compared with does not run: " + kept.error.message);
        }
        if (!together.together) {
            return failed("the scripts could not be measured in turns; start again to go on");
        }
        for (std::size_t i = from; i < to; ++i) {
            const measure::Measurement& m = together.scripts[i - from + 1];
            const double speed = m.outcome == wire::Outcome::Ok ? kept.medianNs / m.medianNs : 0;
            if (const Status written = m_state->database().setText(keyOf(scripts[open[i]]), shortestDouble(speed)); !written) {
                return written.error();
            }
            speeds[open[i]] = speed;
        }
    }
    return speeds;
}

Result<Speeds::Reached> Speeds::trialsTo(const session::Operator& op, const Tuned& tuned, double share, const std::string& reference)
{
    const Result<std::vector<Gain>> gains = gainsOf(op, tuned);
    if (!gains) {
        return gains.error();
    }
    if (gains->empty()) {
        return Reached{true, std::nullopt};
    }
    // The last says what the reference would take in the session's own times, and so which of the others are in question:
    // those were picked for a time that was measured once, and may be slower than it says.
    const Result<std::vector<std::optional<double>>> last = of(op, {gains->back().script}, reference);
    if (!last) {
        return last.error();
    }
    if (!last->front()) {
        return Reached{};
    }
    constexpr double kUnsure = 1.1;
    const double wantedNs = gains->back().ns * std::max(*last->front(), 0.01) / share;
    std::vector<Gain> near;
    std::copy_if(gains->begin(), gains->end(), std::back_inserter(near), [&](const Gain& gain) { return gain.ns <= kUnsure * wantedNs; });
    for (std::size_t from = 0; from < near.size(); from += kTogether - 1) {
        const std::size_t to = std::min(near.size(), from + kTogether - 1);
        std::vector<std::string> scripts;
        for (std::size_t i = from; i < to; ++i) {
            scripts.push_back(near[i].script);
        }
        const Result<std::vector<std::optional<double>>> speeds = of(op, scripts, reference);
        if (!speeds) {
            return speeds.error();
        }
        for (std::size_t i = from; i < to; ++i) {
            const std::optional<double>& speed = (*speeds)[i - from];
            if (!speed) {
                return Reached{};
            }
            if (*speed >= share) {
                return Reached{true, near[i].trial};
            }
        }
    }
    return Reached{true, std::nullopt};
}

} // namespace nw::bench
