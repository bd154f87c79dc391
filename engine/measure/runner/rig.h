#pragma once

#include "engine/measure/runner/clock.h"
#include "engine/measure/runner/probes.h"
#include "engine/measure/runner/region.h"
#include "engine/measure/runner/team.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace nw::runner {

// Empties the caches by reading more than the last one holds, on every thread of the team.
class Evictor {
public:
    explicit Evictor(Team& team);
    void evict();

private:
    Team& m_team;
    std::optional<Region> m_buffer;
};

// Everything that timing needs besides the subject; lives as long as the process.
struct Rig {
    Team& team;
    Probes& probes;
    Clock& clock;
    Evictor& evictor;
    // Most adds per clock that were ever seen here: what an undisturbed core does.
    double bestAddsPerClock = 0;
};

// Probes and run delay around a stretch of work. `before` and `after` may be shared with the neighbouring stretches.
struct Surroundings {
    Probe before, after;
    double runDelayShare = 0;

    double peakFlops() const { return (before.peakFlops + after.peakFlops) / 2; }
    double addsPerNs() const { return (before.addsPerNs + after.addsPerNs) / 2; }
    double leastAddsPerClock() const { return std::min(before.addsPerClock, after.addsPerClock); }
};

// The limits of MEASURING.md 5, against the best that was seen.
struct Best {
    double addsPerClock = 0;
    double peakFlops = 0;
    void see(const Probe& probe)
    {
        addsPerClock = std::max(addsPerClock, probe.addsPerClock);
        peakFlops = std::max(peakFlops, probe.peakFlops);
    }
};
bool isClean(const Surroundings& around, const Best& best, int threads);

} // namespace nw::runner
