// Keeps the fastest script known up to date.
#include "engine/base/text.h"
#include "tests/bench/tuner_parts.h"

#include <algorithm>

namespace nw::bench {
namespace {

struct Champion {
    std::string script;
    measure::Measurement measured;
};

constexpr int kAgain = 2;

Result<measure::Together> inTurns(PartWork& work, const session::Operator& op, const std::vector<std::string>& scripts)
{
    measure::Together together = work.device->measureTogether(op.task, scripts, {}, "confirm", work.state->stop());
    if (work.state->stop().stopRequested()) {
        return stopped("stopped: the best stays");
    }
    if (!together.together) {
        return failed("the scripts could not be measured in turns: " + together.scripts.front().error.message);
    }
    return together;
}

bool isFaster(const measure::Measurement& m, const measure::Measurement& than)
{
    return m.outcome == wire::Outcome::Ok && (than.outcome != wire::Outcome::Ok || m.medianNs < kAlike * than.medianNs);
}

// The fastest of these takes the place when it is faster in this run and in each of two more, beside the champion alone. The
// spread of the samples does not decide: on a machine that is never quiet nothing would ever be beyond it.
Status challenge(PartWork& work, const session::Operator& op, Champion& champion, const std::vector<std::string>& challengers)
{
    std::vector<std::string> scripts{champion.script};
    scripts.insert(scripts.end(), challengers.begin(), challengers.end());
    const Result<measure::Together> first = inTurns(work, op, scripts);
    if (!first) {
        return first.error();
    }
    champion.measured = first->scripts.front();
    std::size_t best = 0;
    for (std::size_t i = 1; i < scripts.size(); ++i) {
        best = isFaster(first->scripts[i], first->scripts[best]) ? i : best;
    }
    if (best == 0) {
        return Done{};
    }
    measure::Measurement last = first->scripts[best];
    for (int again = 0; again < kAgain; ++again) {
        const Result<measure::Together> both = inTurns(work, op, {champion.script, scripts[best]});
        if (!both) {
            return both.error();
        }
        if (!isFaster(both->scripts[1], both->scripts[0])) {
            return Done{};
        }
        last = both->scripts[1];
    }
    champion = {scripts[best], last};
    return Done{};
}

} // namespace

Result<std::string> updateBest(PartWork& work, const TunerCase& wanted)
{
    const Result<session::Operator> op = work.open(wanted.op);
    const Result<std::vector<std::string>> winners = op ? work.state->winners(op->taskId) : op.error();
    if (!winners) {
        return winners.error();
    }
    const BestKnown* kept = work.best->find(op->taskId);
    std::vector<std::string> challengers;
    const auto add = [&](const std::string& script) {
        const auto isSame = [&](const std::string& other) { return trim(other) == trim(script); };
        const bool isKept = kept != nullptr && isSame(kept->script);
        if (!isKept && std::none_of(challengers.begin(), challengers.end(), isSame)) {
            challengers.push_back(script);
        }
    };
    for (const std::string& script : *winners) {
        add(script);
    }
    if (const std::optional<std::string> expert = session::templateScript(*op)) {
        if (const Result<std::string> plain = session::plainScript(*expert, *op)) {
            add(*plain);
        }
    }
    if (challengers.empty() && (kept == nullptr || !kept->isNoisy)) {
        return std::string(kept != nullptr ? "nothing new in the state: the best stays" : "there is no script yet: tune it first");
    }
    Champion champion{kept != nullptr ? kept->script : challengers.front(), {}};
    const std::size_t first = kept != nullptr ? 0 : 1;
    for (std::size_t from = first; from < challengers.size() || from == first; from += kTogether - 1) {
        const std::size_t to = std::min(challengers.size(), from + kTogether - 1);
        const std::vector<std::string> some(challengers.begin() + static_cast<std::ptrdiff_t>(std::min(from, to)),
                                            challengers.begin() + static_cast<std::ptrdiff_t>(to));
        if (const Status done = challenge(work, *op, champion, some); !done) {
            return done.error();
        }
    }
    const measure::Measurement& m = champion.measured;
    if (m.outcome != wire::Outcome::Ok) {
        return failed("no script ran: " + m.error.message);
    }
    const std::string figure = format("{:.1f} us, {:.1f} % of peak, {:.1f} % of what {} allows{}", m.medianNs / 1000, 100 * m.shareOfPeak,
                                      100 * m.shareOfBound, m.bound.by, m.noisy ? " ~" : "");
    const bool stays = kept != nullptr && champion.script == kept->script;
    const std::size_t others = challengers.size() - (kept != nullptr ? 0 : 1);
    if (!stays || (kept->isNoisy && !m.noisy)) {
        const bool isOfPeak = m.bound.by == "peak";
        const BestKnown best{op->taskId, wanted.op.title, op->task.target.toText(), isOfPeak ? m.shareOfPeak : 0, m.medianNs, m.noisy,
                             champion.script};
        if (const Status written = work.best->keep(best); !written) {
            return written.error();
        }
    }
    return format("{}: {}, {} beside it", figure, stays ? "the best stays" : "a new best", others);
}

} // namespace nw::bench
