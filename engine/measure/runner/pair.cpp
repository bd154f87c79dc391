#include "engine/base/text.h"
#include "engine/measure/runner/alternation.h"
#include "engine/measure/runner/statistics.h"
#include "engine/measure/runner/timing.h"

#include <algorithm>
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
const std::vector<std::size_t> kOrder{0, 1, 1, 0};

// A B B A with the probes between them.
struct Quad {
    std::vector<Taken> turns;
    double ratio() const { return (turns[1].ns + turns[2].ns) / (turns[0].ns + turns[3].ns); }
    bool uninterrupted() const
    {
        return std::all_of(turns.begin(), turns.end(), [](const Taken& turn) { return turn.around.runDelayShare <= 0.01; });
    }
};

class Pair {
public:
    Pair(Rig& rig, Subject& a, Subject& b, const wire::Protocol& protocol)
        : m_rig(rig)
        , m_alternation(rig, {&a, &b}, protocol.sampleMs * 1e6)
    {
        m_alternation.chooseCounts();
        m_alternation.balance();
    }

    double quadNs() const { return m_alternation.turnsNs(kOrder, false); }
    void takeQuad() { m_quads.push_back({m_alternation.takeTurns(kOrder, false)}); }
    std::size_t taken() const { return m_quads.size(); }
    std::vector<const Quad*> clean() const;
    void report(wire::RunReply& reply) const;

private:
    bool clean(const Taken& turn) const { return isClean(turn.around, m_alternation.best(), m_rig.team.threads()); }

    Rig& m_rig;
    Alternation m_alternation;
    std::vector<Quad> m_quads;
};

std::vector<const Quad*> Pair::clean() const
{
    std::vector<const Quad*> found;
    for (const Quad& quad : m_quads) {
        if (std::all_of(quad.turns.begin(), quad.turns.end(), [&](const Taken& turn) { return clean(turn); })) {
            found.push_back(&quad);
        }
    }
    return found;
}

void Pair::report(wire::RunReply& reply) const
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
            if (quad.uninterrupted()) {
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
        for (const std::size_t i : {std::size_t{0}, std::size_t{3}}) {
            const Taken& turn = quad->turns[i];
            const Surroundings& around = turn.around;
            times.push_back(turn.ns * around.peakFlops());
            peaks.push_back(around.peakFlops());
            adds.push_back(around.after.addsPerClock);
            reply.samples.push_back(
                {turn.ns, around.peakFlops() / 1e9, around.addsPerNs(), around.runDelayShare, clean(turn)});
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
    if (m_alternation.repeats(0).belowResolution || m_alternation.repeats(1).belowResolution) {
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
    Pair pair(rig, a, b, protocol);
    do {
        pair.takeQuad();
    } while (pair.clean().size() < static_cast<std::size_t>(std::max(protocol.samples, 1)) && pair.taken() < kMostQuads &&
             hasTimeFor(pair.quadNs()));
    pair.report(reply);
    return true;
}

} // namespace nw::runner
