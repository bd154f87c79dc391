#include "engine/tune/bench.h"

#include <algorithm>

namespace nw::tune {
namespace {

// Most candidates are far from the best: the time that a second look at them would take is better spent on another one.
constexpr double kOut = 1.2;

} // namespace

void DeviceBench::lookAtMachine(const schedule::Task& task, Known& known, const StopToken& stop)
{
    if (!known.reference.empty()) {
        const measure::Measurement now = m_device->measure(task, known.reference, "search", false, stop);
        known.drift.see(now.outcome == wire::Outcome::Ok ? now.medianNs : 0);
    }
}

measure::Measurement DeviceBench::search(const schedule::Task& task, const std::string& script, const Known& known, const StopToken& stop)
{
    return m_device->measure(task, script, "search", false, stop, kOut * known.bestNs * known.drift.factor());
}

// A disturbance between a sample and its probes can make a candidate look faster than it is, and so can one that hit the
// reference alone. The search would follow it for long; therefore one that seems to be the best is measured twice with the
// reference before and behind it, the smaller drift of these is divided out, and its slower time counts.
measure::Measurement DeviceBench::timed(const schedule::Task& task, const std::string& script, Known& known, const StopToken& stop)
{
    const auto corrected = [](measure::Measurement m, double factor) {
        if (m.outcome == wire::Outcome::Ok && factor != 1) {
            m.medianNs /= factor;
            m.noisy = true;
        }
        return m;
    };
    const double before = known.drift.factor();
    const measure::Measurement raw = search(task, script, known, stop);
    const measure::Measurement first = corrected(raw, before);
    if (first.outcome != wire::Outcome::Ok || (known.bestNs > 0 && first.medianNs >= known.bestNs)) {
        return first;
    }
    lookAtMachine(task, known, stop);
    const double between = known.drift.factor();
    const measure::Measurement second = search(task, script, known, stop);
    lookAtMachine(task, known, stop);
    const measure::Measurement one = corrected(raw, std::min(before, between));
    const measure::Measurement other = corrected(second, std::min(between, known.drift.factor()));
    const measure::Measurement& slower = other.outcome != wire::Outcome::Ok || other.medianNs > one.medianNs ? other : one;
    if (slower.outcome == wire::Outcome::Ok && (known.bestNs == 0 || slower.medianNs < known.bestNs)) {
        known.bestNs = slower.medianNs;
    }
    return slower;
}

std::string DeviceBench::takeNote()
{
    std::string note;
    for (auto& [task, known] : m_known) {
        const std::string words = known.drift.takeNote();
        note = words.empty() ? note : words;
    }
    return note;
}

void DeviceBench::measureAll(const schedule::Task& task, const std::vector<std::string>& scripts,
                             const std::function<bool(std::size_t, const measure::Measurement&)>& onEach, const StopToken& stop)
{
    // So many that the builders are busy, and so few that a stop does not wait long.
    constexpr std::size_t kAtOnce = 16;
    Known& known = m_known[task.identity()];
    for (std::size_t from = 0; from < scripts.size() && !stop.stopRequested(); from += kAtOnce) {
        const std::size_t to = std::min(scripts.size(), from + kAtOnce);
        const std::vector<std::string> some(scripts.begin() + static_cast<std::ptrdiff_t>(from),
                                            scripts.begin() + static_cast<std::ptrdiff_t>(to));
        const std::vector<measure::JobResult<wire::BuildReply>> built = m_device->buildAll(task, some, stop);
        lookAtMachine(task, known, stop);
        const std::string* fastest = nullptr;
        double fastestNs = 0;
        for (std::size_t i = 0; i < some.size() && !stop.stopRequested(); ++i) {
            measure::Measurement measured;
            if (built[i]) {
                measured = timed(task, some[i], known, stop);
                if (measured.outcome == wire::Outcome::Ok && (fastest == nullptr || measured.medianNs < fastestNs)) {
                    fastest = &some[i];
                    fastestNs = measured.medianNs;
                }
            } else {
                measured.outcome = built[i].outcome;
                measured.error = built[i].error;
                measured.logTail = built[i].logTail;
            }
            if (measured.outcome == wire::Outcome::Stopped || !onEach(from + i, measured)) {
                return;
            }
        }
        if (known.reference.empty() && fastest != nullptr) {
            known.reference = *fastest; // not the first: a plain schedule may take many times as long
            known.drift.see(fastestNs);
        }
    }
}

std::vector<measure::Measurement> DeviceBench::confirm(const schedule::Task& task, const std::vector<std::string>& scripts,
                                                       const StopToken& stop)
{
    return m_device->measureTogether(task, scripts, {}, "confirm", stop).scripts;
}

} // namespace nw::tune
