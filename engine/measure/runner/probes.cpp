#include "engine/measure/runner/probes.h"

#include "engine/measure/runner/clock.h"
#include "engine/measure/runner/statistics.h"

#include <algorithm>

namespace nw::runner {
namespace {

double timeNs(void (*loop)(std::int64_t), std::int64_t rounds)
{
    const std::int64_t begin = Clock::monotonicNs();
    loop(rounds);
    return std::max(1.0, static_cast<double>(Clock::monotonicNs() - begin));
}

// Rounds that take about `ns`.
std::int64_t roundsFor(void (*loop)(std::int64_t), double ns)
{
    constexpr std::int64_t kTrial = 200;
    double best = timeNs(loop, kTrial);
    for (int i = 0; i < 8; ++i) {
        best = std::min(best, timeNs(loop, kTrial));
    }
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(ns / best * kTrial));
}

constexpr double kChunkNs = 40000;
constexpr int kFmaChunks = 12;
constexpr int kAddChunks = 4; // of each kind

} // namespace

Probes::Probes(Team& team)
    : m_team(team)
    , m_fma(fmaProbe())
{}

void Probes::calibrate()
{
    m_fmaRounds = roundsFor(m_fma.run, kChunkNs);
    m_independentRounds = roundsFor(&independentAdds, kChunkNs);
    m_dependentRounds = roundsFor(&dependentAdds, kChunkNs / 2);
}

Probes::PerThread Probes::probeHere() const
{
    std::vector<double> independent, dependent, fma;
    for (int i = 0; i < kAddChunks; ++i) {
        independent.push_back(kAddsPerRound * static_cast<double>(m_independentRounds) /
                              timeNs(&independentAdds, m_independentRounds));
        dependent.push_back(kAddsPerRound * static_cast<double>(m_dependentRounds) /
                            timeNs(&dependentAdds, m_dependentRounds));
    }
    for (int i = 0; i < kFmaChunks; ++i) {
        fma.push_back(m_fma.flopsPerRound * static_cast<double>(m_fmaRounds) / timeNs(m_fma.run, m_fmaRounds));
    }
    return {median(fma), median(independent), median(dependent)};
}

Probe Probes::measure()
{
    std::vector<PerThread> found(static_cast<std::size_t>(m_team.threads()));
    m_team.run([&](int index) { found[static_cast<std::size_t>(index)] = probeHere(); });
    Probe probe;
    bool first = true;
    for (const PerThread& one : found) {
        if (one.flops == 0) {
            continue; // the runtime gave fewer threads
        }
        const double perClock = one.independent / one.dependent;
        probe.peakFlops += one.flops * 1e9;
        probe.addsPerNs = first ? one.independent : std::min(probe.addsPerNs, one.independent);
        probe.addsPerClock = first ? perClock : std::min(probe.addsPerClock, perClock);
        first = false;
    }
    return probe;
}

} // namespace nw::runner
