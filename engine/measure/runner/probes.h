#pragma once

#include "engine/measure/runner/probe_kernels.h"
#include "engine/measure/runner/team.h"

#include <vector>

namespace nw::runner {

// What the processors in use can do just now.
struct Probe {
    double peakFlops = 0;    // FLOP/s of all threads together
    double addsPerNs = 0;    // independent adds, of the slowest thread
    double addsPerClock = 0; // the same by dependent adds: falls when a neighbour shares the core's units
};

// Short loops on every thread of the team at once: about 0.25 ms of adds and 0.5 ms of fused multiply-adds, each in
// chunks of some 40 us of which the median counts, so that a single interruption does not.
class Probes {
public:
    explicit Probes(Team& team);
    // Chooses the lengths of the loops for the processor's present speed. After Team::bind.
    void calibrate();
    Probe measure();
    const char* fmaName() const { return m_fma.name; }

private:
    struct PerThread {
        double flops = 0, independent = 0, dependent = 0; // per ns
    };
    PerThread probeHere() const;

    Team& m_team;
    FmaProbe m_fma;
    std::int64_t m_fmaRounds = 1000, m_independentRounds = 1000, m_dependentRounds = 1000;
};

} // namespace nw::runner
