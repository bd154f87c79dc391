#include "engine/measure/runner/alternation.h"

#include <algorithm>

namespace nw::runner {
namespace {

// Batches of nearly equal kernels are equally long: an interruption would weigh more in the shorter one.
constexpr double kNearlyEqual = 1.3;
constexpr double kProbeNs = 1e6;

} // namespace

Alternation::Alternation(Rig& rig, std::vector<Subject*> subjects, double sampleNs)
    : m_rig(rig)
    , m_subjects(std::move(subjects))
    , m_sampleNs(sampleNs)
    , m_delay(rig.team.threadIds())
    , m_repeats(m_subjects.size())
{
    m_best.addsPerClock = rig.bestAddsPerClock;
}

void Alternation::chooseCounts()
{
    for (std::size_t s = 0; s < m_subjects.size(); ++s) {
        m_subjects[s]->run(1);
        m_repeats[s] = chooseRepeats([&](std::int64_t count) { m_subjects[s]->run(count); }, m_rig.clock, m_sampleNs,
                                     2 * m_sampleNs);
    }
}

void Alternation::balance()
{
    std::vector<double> best;
    for (const Repeats& repeats : m_repeats) {
        best.push_back(repeats.nsPerRun);
    }
    for (int i = 0; i < 5; ++i) {
        for (std::size_t s = 0; s < m_subjects.size(); ++s) {
            const std::int64_t count = std::max<std::int64_t>(1, m_repeats[s].count / 4);
            const std::int64_t begin = m_rig.clock.now();
            m_subjects[s]->run(count);
            const double elapsed = static_cast<double>(m_rig.clock.now() - begin);
            best[s] = elapsed > 0 ? std::min(best[s], elapsed / static_cast<double>(count)) : best[s];
        }
    }
    std::int64_t most = 1;
    for (std::size_t s = 0; s < m_subjects.size(); ++s) {
        if (!m_repeats[s].belowResolution) {
            m_repeats[s].nsPerRun = best[s];
            m_repeats[s].count = std::clamp<std::int64_t>(static_cast<std::int64_t>(m_sampleNs / best[s]), 1, 10000000);
        }
        most = std::max(most, m_repeats[s].count);
    }
    const auto [least, greatest] = std::minmax_element(best.begin(), best.end());
    if (*greatest <= kNearlyEqual * *least) {
        for (Repeats& repeats : m_repeats) {
            repeats.count = most;
        }
    }
}

double Alternation::turnsNs(const std::vector<std::size_t>& order, bool warm) const
{
    double sum = 0;
    for (const std::size_t s : order) {
        sum += m_repeats[s].nsPerRun * static_cast<double>(m_repeats[s].count + (warm ? 1 : 0)) + kProbeNs;
    }
    return sum;
}

std::vector<Taken> Alternation::takeTurns(const std::vector<std::size_t>& order, bool warm)
{
    if (!m_hasProbe) {
        m_last = probe();
        m_hasProbe = true;
    }
    std::vector<Taken> turns;
    for (const std::size_t s : order) {
        if (warm) {
            m_subjects[s]->run(1);
        }
        const std::int64_t delay = m_delay.nanoseconds();
        const std::int64_t begin = m_rig.clock.now();
        m_subjects[s]->run(m_repeats[s].count);
        const double elapsed = static_cast<double>(std::max<std::int64_t>(m_rig.clock.now() - begin, 1));
        Taken taken;
        taken.around.runDelayShare = static_cast<double>(m_delay.nanoseconds() - delay) / elapsed / m_rig.team.threads();
        taken.around.before = m_last;
        taken.around.after = m_last = probe();
        taken.ns = elapsed / static_cast<double>(m_repeats[s].count);
        turns.push_back(taken);
    }
    return turns;
}

Probe Alternation::probe()
{
    const Probe found = m_rig.probes.measure();
    m_best.see(found);
    return found;
}

} // namespace nw::runner
