#include "engine/measure/runner/profile.h"

#include "engine/measure/runner/clock.h"
#include "engine/measure/runner/statistics.h"

#include <algorithm>
#include <cstddef>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace nw::runner {
namespace {

constexpr std::size_t kMostStamps = std::size_t{1} << 18;
constexpr std::int64_t kCalibrationNs = 20000000;

// The counter that generated code reads.
std::uint64_t counter()
{
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t value;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return static_cast<std::uint64_t>(Clock::monotonicNs());
#endif
}

} // namespace

std::vector<double> profileCalls(Call& model, int runs, std::int64_t deadlineNs)
{
    std::vector<std::uint64_t> stamps(kMostStamps, 0);
    std::vector<std::vector<double>> ticks;
    const std::int64_t beginNs = Clock::monotonicNs();
    const std::uint64_t beginTicks = counter();
    for (int run = 0; run < runs; ++run) {
        if (run > 0 && Clock::monotonicNs() >= deadlineNs) {
            break;
        }
        model.runStamped(stamps.data());
        std::size_t count = 0; // the entry writes one more than it has calls, and the counter is never zero
        while (count < stamps.size() && stamps[count] != 0) {
            ++count;
        }
        if (count < 2) {
            return {};
        }
        ticks.resize(count - 1);
        for (std::size_t i = 0; i + 1 < count; ++i) {
            ticks[i].push_back(static_cast<double>(stamps[i + 1] - stamps[i]));
        }
        std::fill(stamps.begin(), stamps.begin() + static_cast<std::ptrdiff_t>(count), 0);
    }
    while (Clock::monotonicNs() - beginNs < kCalibrationNs) {
    }
    const double nsPerTick = static_cast<double>(Clock::monotonicNs() - beginNs) / static_cast<double>(counter() - beginTicks);
    std::vector<double> medians;
    for (const std::vector<double>& one : ticks) {
        medians.push_back(median(one) * nsPerTick);
    }
    return medians;
}

} // namespace nw::runner
