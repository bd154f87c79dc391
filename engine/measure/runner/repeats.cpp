#include "engine/measure/runner/repeats.h"

#include <algorithm>
#include <cmath>

namespace nw::runner {
namespace {

constexpr std::int64_t kMostRuns = 10000000;
constexpr double kGrowth = 10;
constexpr double kResolutionNs = 30; // a reading of the clock

} // namespace

Repeats chooseRepeats(const std::function<void(std::int64_t)>& run, Clock& clock, double targetNs, double limitNs)
{
    std::int64_t count = 1;
    double spent = 0;
    while (true) {
        const std::int64_t begin = clock.now();
        run(count);
        const double elapsed = static_cast<double>(std::max<std::int64_t>(clock.now() - begin, 0));
        spent += elapsed;
        const double perRun = elapsed / static_cast<double>(count);
        if (elapsed >= targetNs / 2 || spent >= limitNs || count >= kMostRuns) {
            if (elapsed < 100 * kResolutionNs && count >= kMostRuns) {
                return {count, std::max(elapsed, kResolutionNs) / static_cast<double>(count), true};
            }
            const double wanted = perRun > 0 ? targetNs / perRun : 1;
            const double most = static_cast<double>(std::min(kMostRuns, count * static_cast<std::int64_t>(kGrowth)));
            return {static_cast<std::int64_t>(std::clamp(std::round(wanted), 1.0, most)),
                    std::max(perRun, kResolutionNs / static_cast<double>(count)), false};
        }
        const double growth = elapsed > 0 ? std::clamp(targetNs / elapsed, 2.0, kGrowth) : kGrowth;
        count = std::min(kMostRuns, static_cast<std::int64_t>(static_cast<double>(count) * growth));
    }
}

} // namespace nw::runner
