#include "engine/measure/runner/rig.h"

#include "engine/base/cpu.h"

#include <atomic>

namespace nw::runner {

Evictor::Evictor(Team& team)
    : m_team(team)
{}

void Evictor::evict()
{
    if (!m_buffer) {
        const std::int64_t bytes = std::max<std::int64_t>(2 * thisMachine().l3Bytes, std::int64_t{64} << 20);
        Result<Region> region = Region::create(static_cast<std::size_t>(bytes));
        if (!region) {
            return;
        }
        m_buffer.emplace(*std::move(region));
        std::fill(m_buffer->begin(), m_buffer->end(), std::byte{1}); // untouched pages would all be the same zeros
    }
    std::atomic<std::int64_t> total{0}; // so that the reads are not left out
    m_team.run([&](int) {
        std::int64_t sum = 0;
        for (const std::byte* at = m_buffer->begin(); at < m_buffer->end(); at += 64) {
            sum += static_cast<std::int64_t>(*at);
        }
        total += sum;
    });
    ENSURE(total > 0, "eviction read nothing");
}

bool isClean(const Surroundings& around, const Best& best, int threads)
{
    const double allowedDelay = threads > 1 ? 0.01 : 0.005;
    return around.runDelayShare <= allowedDelay && around.leastAddsPerClock() >= 0.97 * best.addsPerClock &&
        std::min(around.before.peakFlops, around.after.peakFlops) >= 0.93 * best.peakFlops;
}

} // namespace nw::runner
