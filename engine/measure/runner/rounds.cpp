// Rounds of several subjects: A B C, B C A, C A B, then the same mirrored, so that nobody is always first nor always
// behind the same one. Each sample lies between its own probes, as in a measurement of one; what drifts meanwhile drifts
// for all of them.
#include "engine/measure/runner/alternation.h"
#include "engine/measure/runner/timing.h"

#include <algorithm>
#include <numeric>

namespace nw::runner {
namespace {

constexpr double kWarmUpNs = 5e6;
constexpr double kWarmUpConfirmNs = 100e6;
constexpr std::size_t kMostRounds = 2000; // a clock that stands still must not make it endless
// A subject runs this often before its first sample is there: warmed up, counted, warmed up again, timed.
constexpr double kRunsOfFirstSample = 4.5;

// Those that there is time for; the slowest go first.
std::vector<Contender> fitting(Rig& rig, std::vector<Contender> contenders, std::int64_t deadlineNs)
{
    std::stable_sort(contenders.begin(), contenders.end(), [](const Contender& a, const Contender& b) { return a.guessNs < b.guessNs; });
    const auto needed = [&] {
        return std::accumulate(contenders.begin(), contenders.end(), 0.0,
                               [](double sum, const Contender& c) { return sum + kRunsOfFirstSample * c.guessNs; });
    };
    while (!contenders.empty() && static_cast<double>(rig.clock.now()) + needed() > static_cast<double>(deadlineNs)) {
        reportGuess(rig, contenders.back().guessNs, *contenders.back().reply);
        contenders.pop_back();
    }
    return contenders;
}

std::vector<std::size_t> orderOf(std::size_t round, std::size_t count)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < count; ++i) {
        order.push_back((i + round) % count);
    }
    if ((round / count) % 2 == 1) {
        std::reverse(order.begin(), order.end());
    }
    return order;
}

void warmUp(Rig& rig, const std::vector<Contender>& contenders, double wantedNs)
{
    for (const Contender& contender : contenders) {
        const std::int64_t begin = rig.clock.now();
        std::int64_t before = begin;
        do {
            contender.subject->run(1);
            const std::int64_t now = rig.clock.now();
            if (now <= before) {
                break; // a clock that shows nothing would never end this
            }
            before = now;
        } while (static_cast<double>(before - begin) + contender.guessNs < wantedNs);
    }
}

} // namespace

std::vector<bool> timeRounds(Rig& rig, const std::vector<Contender>& all, const wire::Protocol& protocol, std::int64_t deadlineNs)
{
    const std::int64_t end =
        std::min(deadlineNs, rig.clock.now() + static_cast<std::int64_t>(protocol.limitMs * 1e6 * static_cast<double>(all.size())));
    std::vector<Contender> contenders = fitting(rig, all, deadlineNs);
    // In the order given: `fitting` only sorted to find the slowest.
    std::vector<Subject*> subjects;
    std::vector<wire::RunReply*> replies;
    std::vector<bool> ran;
    for (const Contender& contender : all) {
        ran.push_back(std::any_of(contenders.begin(), contenders.end(), [&](const Contender& c) { return c.reply == contender.reply; }));
        if (ran.back()) {
            subjects.push_back(contender.subject);
            replies.push_back(contender.reply);
        }
    }
    if (subjects.empty()) {
        return ran;
    }
    warmUp(rig, contenders, protocol.name == "confirm" ? kWarmUpConfirmNs : kWarmUpNs);
    Alternation alternation(rig, subjects, protocol.sampleMs * 1e6);
    alternation.chooseCounts();
    std::vector<Samples> samples(subjects.size(), Samples(protocol, rig.team.threads()));
    const auto isDone = [&] {
        return std::all_of(samples.begin(), samples.end(), [&](const Samples& s) { return s.isDone(alternation.best()); });
    };
    std::size_t rounds = 0;
    double roundNs = 0;
    do {
        const std::vector<std::size_t> order = orderOf(rounds, subjects.size());
        const std::vector<Taken> turns = alternation.takeTurns(order, true);
        for (std::size_t i = 0; i < order.size(); ++i) {
            samples[order[i]].add(turns[i]);
        }
        roundNs = alternation.turnsNs(order, true);
    } while (++rounds < kMostRounds && !isDone() && static_cast<double>(rig.clock.now()) + roundNs < static_cast<double>(end));
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        samples[i].report(alternation.best(), alternation.repeats(i), rig, *replies[i]);
    }
    return ran;
}

} // namespace nw::runner
