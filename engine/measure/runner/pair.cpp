#include "engine/base/text.h"
#include "engine/measure/runner/disturbance.h"
#include "engine/measure/runner/repeats.h"
#include "engine/measure/runner/statistics.h"
#include "engine/measure/runner/timing.h"

#include <algorithm>
#include <array>
#include <vector>

namespace nw::runner {
namespace {

constexpr std::size_t kMostQuads = 1000;
constexpr std::size_t kFewestClean = 5;
// What a pair can decide at best. On one thread identical kernels stayed within 0.4 % beside a busy process and within
// 1.4 % at the worst (MEASURING.md); what shares the core disturbs both sides of a round alike, so rounds that were not
// undisturbed but were never interrupted still tell something. On several threads they do not.
constexpr double kFloor = 0.02;
constexpr double kFloorUninterrupted = 0.025;
constexpr double kFloorOfSeveral = 0.03;
constexpr double kFloorInterrupted = 0.10;
constexpr std::size_t kFewestUninterrupted = 20;
// Batches of nearly equal kernels are equally long: an interruption would weigh more in the shorter one.
constexpr double kNearlyEqual = 1.3;

// A B B A with the probes between them.
struct Quad {
    std::array<double, 4> ns{};
    std::array<Surroundings, 4> around;
    double ratio() const { return (ns[1] + ns[2]) / (ns[0] + ns[3]); }
};

class Alternation {
public:
    Alternation(Rig& rig, Subject& a, Subject& b, const wire::Protocol& protocol)
        : m_rig(rig)
        , m_subjects{&a, &b}
        , m_sampleNs(protocol.sampleMs * 1e6)
        , m_delay(rig.team.threadIds())
    {
        m_best.addsPerClock = rig.bestAddsPerClock;
    }

    void prepare()
    {
        for (std::size_t s = 0; s < 2; ++s) {
            m_subjects[s]->run(1);
            m_repeats[s] = chooseRepeats([&](std::int64_t count) { m_subjects[s]->run(count); }, m_rig.clock, m_sampleNs,
                                         2 * m_sampleNs);
        }
        balance();
        m_last = probe();
    }
    double quadNs() const
    {
        return 2 * (m_repeats[0].nsPerRun * static_cast<double>(m_repeats[0].count) +
                    m_repeats[1].nsPerRun * static_cast<double>(m_repeats[1].count)) +
            4e6;
    }
    void takeQuad();
    std::size_t taken() const { return m_quads.size(); }
    std::vector<const Quad*> clean() const;
    void report(wire::RunReply& reply) const;

private:
    void balance();
    bool uninterrupted(const Quad& quad) const
    {
        return std::all_of(quad.around.begin(), quad.around.end(),
                           [&](const Surroundings& around) { return around.runDelayShare <= 0.01; });
    }
    Probe probe()
    {
        const Probe found = m_rig.probes.measure();
        m_best.see(found);
        return found;
    }

    Rig& m_rig;
    std::array<Subject*, 2> m_subjects;
    double m_sampleNs;
    RunDelay m_delay;
    Best m_best;
    std::array<Repeats, 2> m_repeats;
    Probe m_last;
    std::vector<Quad> m_quads;
};

// The counts again, from the shortest of a few batches each, taken in turn.
void Alternation::balance()
{
    std::array<double, 2> best{m_repeats[0].nsPerRun, m_repeats[1].nsPerRun};
    for (int i = 0; i < 5; ++i) {
        for (std::size_t s = 0; s < 2; ++s) {
            const std::int64_t count = std::max<std::int64_t>(1, m_repeats[s].count / 4);
            const std::int64_t begin = m_rig.clock.now();
            m_subjects[s]->run(count);
            const double elapsed = static_cast<double>(m_rig.clock.now() - begin);
            best[s] = elapsed > 0 ? std::min(best[s], elapsed / static_cast<double>(count)) : best[s];
        }
    }
    for (std::size_t s = 0; s < 2; ++s) {
        if (!m_repeats[s].belowResolution) {
            m_repeats[s].nsPerRun = best[s];
            m_repeats[s].count = std::clamp<std::int64_t>(static_cast<std::int64_t>(m_sampleNs / best[s]), 1, 10000000);
        }
    }
    if (std::max(best[0], best[1]) <= kNearlyEqual * std::min(best[0], best[1])) {
        m_repeats[0].count = m_repeats[1].count = std::max(m_repeats[0].count, m_repeats[1].count);
    }
}

void Alternation::takeQuad()
{
    constexpr std::array<std::size_t, 4> kOrder{0, 1, 1, 0};
    Quad quad;
    for (std::size_t i = 0; i < kOrder.size(); ++i) {
        const Repeats& repeats = m_repeats[kOrder[i]];
        const std::int64_t delay = m_delay.nanoseconds();
        const std::int64_t begin = m_rig.clock.now();
        m_subjects[kOrder[i]]->run(repeats.count);
        const double elapsed = static_cast<double>(std::max<std::int64_t>(m_rig.clock.now() - begin, 1));
        Surroundings& around = quad.around[i];
        around.runDelayShare = static_cast<double>(m_delay.nanoseconds() - delay) / elapsed / m_rig.team.threads();
        around.before = m_last;
        around.after = m_last = probe();
        quad.ns[i] = elapsed / static_cast<double>(repeats.count);
    }
    m_quads.push_back(quad);
}

std::vector<const Quad*> Alternation::clean() const
{
    std::vector<const Quad*> found;
    for (const Quad& quad : m_quads) {
        if (std::all_of(quad.around.begin(), quad.around.end(),
                        [&](const Surroundings& around) { return isClean(around, m_best, m_rig.team.threads()); })) {
            found.push_back(&quad);
        }
    }
    return found;
}

void Alternation::report(wire::RunReply& reply) const
{
    std::vector<const Quad*> used = clean();
    reply.pairClean = static_cast<std::int32_t>(used.size());
    reply.pairTotal = static_cast<std::int32_t>(m_quads.size());
    const bool several = m_rig.team.threads() > 1;
    double floor = several ? kFloorOfSeveral : kFloor;
    const bool disturbed = used.size() < std::min(kFewestClean, m_quads.size());
    if (disturbed) {
        addNote(reply, format("only {} of {} rounds were undisturbed", reply.pairClean, reply.pairTotal));
        used.clear();
        for (const Quad& quad : m_quads) {
            if (uninterrupted(quad)) {
                used.push_back(&quad);
            }
        }
        floor = several ? kFloorInterrupted : kFloorUninterrupted;
        if (used.size() < kFewestUninterrupted) {
            floor = kFloorInterrupted;
            used.clear();
            for (const Quad& quad : m_quads) {
                used.push_back(&quad);
            }
        }
    }
    std::vector<double> ratios, times, peaks, adds;
    for (const Quad* quad : used) {
        ratios.push_back(quad->ratio());
        for (const std::size_t i : {0, 3}) {
            const Surroundings& around = quad->around[i];
            times.push_back(quad->ns[i] * around.peakFlops());
            peaks.push_back(around.peakFlops());
            adds.push_back(around.after.addsPerClock);
            reply.samples.push_back({quad->ns[i], around.peakFlops() / 1e9, around.addsPerNs(), around.runDelayShare,
                                     isClean(around, m_best, m_rig.team.threads())});
        }
    }
    reply.shareOfPeakDenominator = median(peaks);
    reply.medianNs = median(times) / std::max(reply.shareOfPeakDenominator, 1.0);
    reply.spread = spreadOf(times);
    reply.total = static_cast<std::int32_t>(reply.samples.size());
    reply.clean = static_cast<std::int32_t>(
        std::count_if(reply.samples.begin(), reply.samples.end(), [](const wire::Sample& sample) { return sample.clean; }));
    reply.pairRatio = median(ratios);
    reply.pairHalfWidth = medianHalfWidth(ratios);
    reply.pairDecidable = std::max(floor, 2 * reply.pairHalfWidth);
    reply.noisy = disturbed;
    m_rig.bestAddsPerClock = std::max(m_rig.bestAddsPerClock, quantile(adds, 0.75));
    if (m_repeats[0].belowResolution || m_repeats[1].belowResolution) {
        reply.noisy = true;
        addNote(reply, "below resolution");
    }
}

} // namespace

bool timePair(Rig& rig, Subject& a, Subject& b, const wire::Protocol& protocol, double guessNs, std::int64_t deadlineNs,
              wire::RunReply& reply)
{
    const std::int64_t end =
        std::min(deadlineNs, rig.clock.now() + static_cast<std::int64_t>(protocol.limitMs * 1e6));
    const auto hasTimeFor = [&](double ns) { return static_cast<double>(rig.clock.now()) + ns < static_cast<double>(end); };
    if (!hasTimeFor(8 * guessNs)) {
        reply.noisy = true;
        reply.pairRatio = 1;
        reply.pairHalfWidth = reply.pairDecidable = 1;
        addNote(reply, "too slow for the time limit: nothing was compared");
        return false;
    }
    Alternation alternation(rig, a, b, protocol);
    alternation.prepare();
    do {
        alternation.takeQuad();
    } while (alternation.clean().size() < static_cast<std::size_t>(std::max(protocol.samples, 1)) &&
             alternation.taken() < kMostQuads && hasTimeFor(alternation.quadNs()));
    alternation.report(reply);
    return true;
}

} // namespace nw::runner
