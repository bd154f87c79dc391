#include "engine/tune/bench.h"

#include <algorithm>

namespace nw::tune {

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
                measured = m_device->measure(task, some[i], "search", false, stop);
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
