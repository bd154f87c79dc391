#include "engine/measure/runner/timing.h"

#include "engine/measure/runner/disturbance.h"
#include "engine/measure/runner/repeats.h"
#include "engine/measure/runner/samples.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace nw::runner {
namespace {

constexpr double kSingleRunNs = 5000; // shorter runs are timed several at once, or the clock's own cost would show

class Sampler {
public:
    Sampler(Rig& rig, Subject& subject, const wire::Protocol& protocol, double guessNs, std::int64_t deadlineNs)
        : m_rig(rig)
        , m_subject(subject)
        , m_protocol(protocol)
        , m_guessNs(guessNs)
        , m_endNs(std::min(deadlineNs, rig.clock.now() + static_cast<std::int64_t>(protocol.limitMs * 1e6)))
        , m_delay(rig.team.threadIds())
        , m_samples(protocol, rig.team.threads())
    {
        m_best.addsPerClock = rig.bestAddsPerClock;
    }

    bool hasTimeFor(double ns) const { return static_cast<double>(m_rig.clock.now()) + ns < static_cast<double>(m_endNs); }
    void warmUp();
    void chooseCount();
    void sample();
    bool isDone() const { return m_samples.isDone(m_best); }
    void report(wire::RunReply& reply) const { m_samples.report(m_best, m_repeats, m_rig, reply); }
    // What the last sample took, with probes and eviction.
    double sampleNs() const { return m_sampleNs; }

private:
    double timeRuns(std::int64_t count);
    double timeBest();
    bool isSearch() const { return m_protocol.name == "search"; }

    Rig& m_rig;
    Subject& m_subject;
    const wire::Protocol& m_protocol;
    double m_guessNs;
    std::int64_t m_endNs;
    RunDelay m_delay;
    Best m_best;
    Repeats m_repeats;
    double m_sampleNs = 0;
    std::optional<Probe> m_before;
    Samples m_samples;
};

// Nanoseconds of `count` runs together.
double Sampler::timeRuns(std::int64_t count)
{
    if (!m_protocol.cold) {
        const std::int64_t begin = m_rig.clock.now();
        m_subject.run(count);
        return static_cast<double>(std::max<std::int64_t>(m_rig.clock.now() - begin, 0));
    }
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        m_rig.evictor.evict();
        const std::int64_t begin = m_rig.clock.now();
        m_subject.run(1);
        sum += static_cast<double>(std::max<std::int64_t>(m_rig.clock.now() - begin, 0));
    }
    return sum;
}

// The shortest single run of a slice.
double Sampler::timeBest()
{
    const double wanted = m_protocol.sampleMs * 1e6;
    const std::int64_t inOne =
        m_protocol.cold ? 1 : std::max<std::int64_t>(1, static_cast<std::int64_t>(kSingleRunNs / m_repeats.nsPerRun));
    double best = std::numeric_limits<double>::infinity();
    const std::int64_t begin = m_rig.clock.now();
    do {
        best = std::min(best, timeRuns(inOne) / static_cast<double>(inOne));
    } while (static_cast<double>(m_rig.clock.now() - begin) < wanted && hasTimeFor(m_repeats.nsPerRun));
    return best;
}

void Sampler::warmUp()
{
    // A search comes from the check, whose last runs were this very code on these data.
    const double wanted = m_protocol.name == "confirm" ? 100e6 : isSearch() ? 2e6 : 5e6;
    const std::int64_t begin = m_rig.clock.now();
    while (static_cast<double>(m_rig.clock.now() - begin) < wanted && hasTimeFor(4 * m_guessNs)) {
        const std::int64_t before = m_rig.clock.now();
        m_subject.run(1);
        if (m_rig.clock.now() <= before) {
            break; // a clock that shows nothing would never end this
        }
    }
}

void Sampler::chooseCount()
{
    const double target = m_protocol.sampleMs * 1e6;
    if (m_guessNs >= target && !hasTimeFor(4 * m_guessNs)) {
        m_repeats = {1, m_guessNs, false};
    } else if (m_protocol.cold) {
        const std::int64_t begin = m_rig.clock.now();
        timeRuns(1);
        const double each = std::max(1.0, static_cast<double>(m_rig.clock.now() - begin));
        m_repeats = {std::max<std::int64_t>(1, static_cast<std::int64_t>(target / each)), std::max(m_guessNs, 1.0), false};
    } else {
        // A search times single runs; their count is asked for only when one is too short for the clock.
        const double enough = isSearch() ? std::min(target, 100 * kSingleRunNs) : target;
        m_repeats = chooseRepeats([this](std::int64_t count) { m_subject.run(count); }, m_rig.clock, enough, 2 * enough);
    }
}

void Sampler::sample()
{
    const std::int64_t start = m_rig.clock.now();
    if (!m_before) {
        m_before = m_rig.probes.measure();
        m_best.see(*m_before);
    }
    const std::int64_t delayBefore = m_delay.nanoseconds();
    const std::int64_t begin = m_rig.clock.now();
    Taken taken;
    taken.ns = isSearch() ? timeBest() : timeRuns(m_repeats.count) / static_cast<double>(m_repeats.count);
    const double wall = static_cast<double>(std::max<std::int64_t>(m_rig.clock.now() - begin, 1));
    taken.around.runDelayShare =
        static_cast<double>(m_delay.nanoseconds() - delayBefore) / wall / static_cast<double>(m_rig.team.threads());
    taken.around.before = *m_before;
    taken.around.after = m_rig.probes.measure();
    m_before = taken.around.after;
    m_best.see(taken.around.after);
    m_samples.add(taken);
    m_sampleNs = static_cast<double>(m_rig.clock.now() - start);
}

} // namespace

bool timeSubject(Rig& rig, Subject& subject, const wire::Protocol& protocol, double guessNs, std::int64_t deadlineNs,
                 wire::RunReply& reply)
{
    if (static_cast<double>(rig.clock.now()) + 1.2 * guessNs > static_cast<double>(deadlineNs)) {
        reportGuess(rig, guessNs, reply);
        return false;
    }
    Sampler sampler(rig, subject, protocol, guessNs, deadlineNs);
    sampler.warmUp();
    sampler.chooseCount();
    do {
        sampler.sample();
    } while (!sampler.isDone() && sampler.hasTimeFor(sampler.sampleNs()));
    sampler.report(reply);
    return true;
}

} // namespace nw::runner
