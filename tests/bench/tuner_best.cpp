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

// Whoever is fastest beyond the spread of both; the champion keeps its place otherwise.
void challenge(Champion& champion, const std::vector<std::string>& scripts, const measure::Together& together)
{
    const measure::Measurement& first = together.scripts.front();
    std::size_t best = 0;
    for (std::size_t i = 1; i < scripts.size(); ++i) {
        const measure::Measurement& m = together.scripts[i];
        if (m.outcome != wire::Outcome::Ok || m.noisy) {
            continue;
        }
        const bool isFirst = first.outcome != wire::Outcome::Ok;
        const double margin = 1 - std::max(first.spread, m.spread);
        const bool beats = isFirst || m.medianNs < margin * first.medianNs;
        const bool leads = best == 0 || m.medianNs < together.scripts[best].medianNs;
        best = beats && leads ? i : best;
    }
    champion = {scripts[best], together.scripts[best]};
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
    const StopToken& stop = work.state->stop();
    for (std::size_t from = first; from < challengers.size() || from == first; from += kTogether - 1) {
        std::vector<std::string> scripts{champion.script};
        for (std::size_t i = from; i < std::min(challengers.size(), from + kTogether - 1); ++i) {
            scripts.push_back(challengers[i]);
        }
        const measure::Together together = work.device->measureTogether(op->task, scripts, {}, "confirm", stop);
        if (stop.stopRequested()) {
            return stopped("stopped: the best stays");
        }
        if (!together.together) {
            return failed("the scripts could not be measured in turns: " + together.scripts.front().error.message);
        }
        challenge(champion, scripts, together);
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
