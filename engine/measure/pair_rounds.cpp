#include "engine/measure/pair_rounds.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cmath>

namespace nw::measure {
namespace {

constexpr int kRoundsOfSeveral = 3;

PairResult ofRun(const wire::RunReply& run)
{
    PairResult result;
    result.ratio = run.pairRatio;
    result.halfWidth = run.pairHalfWidth;
    result.decidable = run.pairDecidable;
    result.clean = run.pairClean;
    result.total = run.pairTotal;
    return result;
}

// The middle of the rounds; what they disagree by widens what can be decided.
PairResult combine(const std::vector<PairResult>& rounds)
{
    std::vector<double> ratios;
    PairResult all;
    for (const PairResult& round : rounds) {
        ratios.push_back(round.ratio);
        all.halfWidth = std::max(all.halfWidth, round.halfWidth);
        all.decidable = std::max(all.decidable, round.decidable);
        all.clean += round.clean;
        all.total += round.total;
    }
    std::sort(ratios.begin(), ratios.end());
    all.ratio = ratios[ratios.size() / 2];
    const double apart = (ratios.back() - ratios.front()) / all.ratio;
    all.halfWidth = std::max(all.halfWidth, apart / 2);
    all.decidable = std::max(all.decidable, 1.5 * apart);
    return all;
}

} // namespace

std::string pairVerdict(double ratio, double decidable)
{
    // How much less time the faster one takes.
    const double gain = ratio >= 1 ? 1 - 1 / ratio : 1 - ratio;
    if (std::abs(ratio - 1) <= decidable) {
        return format("no difference above {:.1f} %", decidable * 100);
    }
    return format("{} is faster by {:.1f} %", ratio > 1 ? "A" : "B", gain * 100);
}

PairResult pairRounds(LocalDevice& device, const wire::RunJob& job, const StopToken& stop)
{
    const int count = job.threads > 1 ? kRoundsOfSeveral : 1;
    std::vector<PairResult> rounds;
    for (int i = 0; i < count; ++i) {
        wire::RunJob round = job;
        round.protocol.samples = std::max(5, job.protocol.samples / count);
        round.protocol.limitMs = job.protocol.limitMs / count;
        if (i > 0) {
            device.runner().restart();
        }
        JobResult<wire::RunReply> run = device.run(std::move(round), stop);
        if (!run) {
            PairResult result;
            result.outcome = run.outcome;
            result.error = std::move(run.error);
            return result;
        }
        rounds.push_back(ofRun(run.value));
    }
    PairResult result = combine(rounds);
    result.verdict = pairVerdict(result.ratio, result.decidable);
    return result;
}

} // namespace nw::measure
