#include "engine/tune/bench.h"

#include <algorithm>

namespace nw::tune {

// A disturbance between a sample and its probes can make a candidate look faster than it is. The search would follow it for
// long, therefore one that seems to be the best is measured twice and its slower time counts.
measure::Measurement DeviceBench::timed(const schedule::Task& task, const std::string& script, const StopToken& stop)
{
    measure::Measurement first = m_device->measure(task, script, "search", false, stop);
    double& best = m_best[task.identity()];
    if (first.outcome != wire::Outcome::Ok || (best > 0 && first.medianNs >= best)) {
        return first;
    }
    measure::Measurement second = m_device->measure(task, script, "search", false, stop);
    measure::Measurement& slower
        = second.outcome != wire::Outcome::Ok || second.medianNs > first.medianNs ? second : first;
    if (slower.outcome == wire::Outcome::Ok && (best == 0 || slower.medianNs < best)) {
        best = slower.medianNs;
    }
    return slower;
}

void DeviceBench::measureAll(const schedule::Task& task, const std::vector<std::string>& scripts,
                             const std::function<bool(std::size_t, const measure::Measurement&)>& onEach, const StopToken& stop)
{
    // So many that the builders are busy, and so few that a stop does not wait long.
    constexpr std::size_t kAtOnce = 16;
    for (std::size_t from = 0; from < scripts.size() && !stop.stopRequested(); from += kAtOnce) {
        const std::size_t to = std::min(scripts.size(), from + kAtOnce);
        const std::vector<std::string> some(scripts.begin() + static_cast<std::ptrdiff_t>(from),
                                            scripts.begin() + static_cast<std::ptrdiff_t>(to));
        const std::vector<measure::JobResult<wire::BuildReply>> built = m_device->buildAll(task, some, stop);
        for (std::size_t i = 0; i < some.size() && !stop.stopRequested(); ++i) {
            measure::Measurement measured;
            if (built[i]) {
                measured = timed(task, some[i], stop);
            } else {
                measured.outcome = built[i].outcome;
                measured.error = built[i].error;
                measured.logTail = built[i].logTail;
            }
            if (measured.outcome == wire::Outcome::Stopped || !onEach(from + i, measured)) {
                return;
            }
        }
    }
}

std::vector<measure::Measurement> DeviceBench::confirm(const schedule::Task& task, const std::vector<std::string>& scripts,
                                                       const StopToken& stop)
{
    return m_device->measureTogether(task, scripts, {}, "confirm", stop).scripts;
}

} // namespace nw::tune
