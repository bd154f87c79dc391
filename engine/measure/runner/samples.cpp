#include "engine/measure/runner/samples.h"

#include "engine/base/text.h"
#include "engine/measure/runner/statistics.h"

#include <algorithm>

namespace nw::runner {
namespace {

constexpr double kNoisySpread = 0.03;
constexpr int kFewestCleanSamples = 5; // fewer clean samples tell nothing about their interval
constexpr std::size_t kMostSamples = 2000; // a clock that stands still must not make it endless

} // namespace

std::int64_t Samples::countClean(const Best& best) const
{
    return std::count_if(m_taken.begin(), m_taken.end(), [&](const Taken& taken) { return clean(taken, best); });
}

// Times with the clock's drift divided out, and the peak that they are normalised to.
std::vector<double> Samples::normalized(const Best& best, bool cleanOnly, double& peak) const
{
    std::vector<double> peaks;
    for (const Taken& taken : m_taken) {
        if (!cleanOnly || clean(taken, best)) {
            peaks.push_back(taken.around.peakFlops());
        }
    }
    peak = median(peaks);
    std::vector<double> times;
    for (const Taken& taken : m_taken) {
        if (!cleanOnly || clean(taken, best)) {
            times.push_back(taken.ns * taken.around.peakFlops() / peak);
        }
    }
    return times;
}

bool Samples::isOut(const Best& best) const
{
    if (m_protocol.enoughNs <= 0 || m_taken.empty()) {
        return false;
    }
    const auto slow = [&](const Taken& taken) { return taken.ns > m_protocol.enoughNs; };
    // The shortest run of a slice stands for little when the slice was disturbed: another one has to say the same.
    return std::all_of(m_taken.begin(), m_taken.end(), slow) && (m_taken.size() > 1 || clean(m_taken.front(), best));
}

bool Samples::isDone(const Best& best) const
{
    if (m_taken.size() >= kMostSamples || isOut(best)) {
        return true;
    }
    const bool enough = m_protocol.name == "confirm" ? countClean(best) >= m_protocol.samples
                                                     : static_cast<std::int64_t>(m_taken.size()) >= m_protocol.samples;
    if (!enough || m_protocol.name != "confirm") {
        return enough;
    }
    double peak = 0;
    return spreadOf(normalized(best, true, peak)) <= kNoisySpread;
}

void Samples::report(const Best& best, const Repeats& repeats, Rig& rig, wire::RunReply& reply) const
{
    for (const Taken& taken : m_taken) {
        reply.samples.push_back({taken.ns, taken.around.peakFlops() / 1e9, taken.around.addsPerNs(),
                                 taken.around.runDelayShare, clean(taken, best)});
    }
    reply.total = static_cast<std::int32_t>(m_taken.size());
    reply.clean = static_cast<std::int32_t>(countClean(best));
    const int needed = std::min<int>(kFewestCleanSamples, m_protocol.samples);
    const bool useClean = reply.clean >= (m_protocol.name == "confirm" ? needed : 1);
    double peak = 0;
    const std::vector<double> times = normalized(best, useClean, peak);
    reply.medianNs = m_protocol.name == "search" ? quantile(times, 0) : median(times);
    reply.spread = spreadOf(times);
    reply.noisy = reply.clean < needed || reply.spread > kNoisySpread;
    reply.shareOfPeakDenominator = peak;
    std::vector<double> adds;
    for (const Taken& taken : m_taken) {
        adds.push_back(taken.around.after.addsPerClock);
    }
    // Not the largest: one reading may be wrong, and the limit would then refuse everything after it.
    rig.bestAddsPerClock = std::max(rig.bestAddsPerClock, quantile(adds, 0.75));
    if (repeats.belowResolution || reply.medianNs <= 0) {
        reply.medianNs = std::max(reply.medianNs, repeats.nsPerRun);
        reply.noisy = true;
        addNote(reply, format("below resolution: under {:.3g} ns a run", reply.medianNs));
    }
    if (reply.clean < needed) {
        addNote(reply, format("only {} of {} samples were undisturbed", reply.clean, reply.total));
    }
}

void reportGuess(Rig& rig, double guessNs, wire::RunReply& reply)
{
    reply.medianNs = guessNs;
    reply.total = 1;
    reply.noisy = true;
    const Probe probe = rig.probes.measure();
    reply.shareOfPeakDenominator = probe.peakFlops;
    reply.samples.push_back({guessNs, probe.peakFlops / 1e9, probe.addsPerNs, 0, false});
    addNote(reply, "too slow for the time limit: the time is that of the check");
}

void addNote(wire::RunReply& reply, const std::string& note)
{
    reply.note += (reply.note.empty() ? "" : "; ") + note;
}

} // namespace nw::runner
