// What a tuner makes of its history: the model, the winner, and what other tasks can learn.
#include "engine/base/text.h"
#include "engine/tune/features.h"
#include "engine/tune/task_tuner_state.h"

#include <algorithm>
#include <set>

namespace nw::tune {

void TaskTuner::State::learn()
{
    if (!settings.model) {
        return;
    }
    std::set<int> places;
    for (const int place : history.fastest(kLearned / 2)) {
        places.insert(place);
    }
    const int from = std::max(0, history.trials() - static_cast<int>(kLearned / 2));
    for (int place = from; place < history.trials(); ++place) {
        places.insert(place);
    }
    std::vector<Point> points;
    for (const int place : places) {
        points.push_back(history.known()[static_cast<std::size_t>(place)].point);
    }
    candidates.look(points);
    std::vector<std::vector<float>> features;
    std::vector<double> ns;
    for (const int place : places) {
        const Known& known = history.known()[static_cast<std::size_t>(place)];
        if (const Candidate* candidate = candidates.find(known.point)) {
            features.push_back(candidate->features);
            ns.push_back(known.ns);
        }
    }
    learner.train(features, ns);
}

Status TaskTuner::confirm(const Keep& keep, const StopToken& stop)
{
    State& state = *m_state;
    const std::vector<Known>& known = state.history.known();
    std::vector<int> finalists = state.history.fastest(static_cast<std::size_t>(state.settings.finalists));
    if (finalists.empty()) {
        return Done{};
    }
    const auto isOld = [&](int place) {
        const std::string& name = state.space->members()[static_cast<std::size_t>(known[static_cast<std::size_t>(place)].point.sketch)].name;
        return name == "default" || name == "template" || name == "hand";
    };
    // Nothing that is slower than what was there before may win by luck: the best of that is measured beside them.
    const std::vector<int> order = state.history.fastest(known.size());
    const auto old = std::find_if(order.begin(), order.end(), [&](int place) {
        const Point& point = known[static_cast<std::size_t>(place)].point;
        return isOld(place) && state.space->defaults(point.sketch) == point;
    });
    if (old != order.end() && std::find(finalists.begin(), finalists.end(), *old) == finalists.end()) {
        finalists.push_back(*old);
    }
    std::vector<std::string> scripts;
    for (const int place : finalists) {
        const Result<schedule::Script> script = state.space->script(known[static_cast<std::size_t>(place)].point);
        scripts.push_back(script ? script->toText() : std::string());
    }
    const std::vector<measure::Measurement> confirmed = state.bench->confirm(state.input.task, scripts, stop);
    if (stop.stopRequested()) {
        return stopped("The tuner was stopped before its winner was confirmed.");
    }
    std::size_t best = scripts.size();
    for (std::size_t i = 0; i < confirmed.size(); ++i) {
        const measure::Measurement& m = confirmed[i];
        const bool fine = m.outcome == wire::Outcome::Ok;
        const record::TuneFinal final{state.input.row.id, finalists[i], known[static_cast<std::size_t>(finalists[i])].ns, fine ? m.medianNs : 0,
                                      m.spread, m.noisy, std::string(wire::toText(m.outcome)), m.error.message, scripts[i]};
        if (const Status kept = state.journal.addFinal(final); !kept) {
            return kept;
        }
        if (fine && (best == scripts.size() || m.medianNs < confirmed[best].medianNs)) {
            best = i;
        }
    }
    if (best == scripts.size()) {
        return Done{};
    }
    const std::string& name = state.space->members()[static_cast<std::size_t>(known[static_cast<std::size_t>(finalists[best])].point.sketch)].name;
    const bool wasThere = old != order.end() && finalists[best] == *old;
    // What the tuner ends with is its answer, a template that nothing beat too; only the user's own script stays the user's.
    const record::Origin origin = wasThere && name == "hand" ? record::Origin::Edit : record::Origin::Tune;
    const Result<std::int64_t> record = keep(scripts[best], origin, confirmed[best]);
    if (!record) {
        return record.error();
    }
    record::TuneTask& row = state.input.row;
    row.confirmedNs = confirmed[best].medianNs;
    row.confirmedSpread = confirmed[best].spread;
    row.confirmedNoisy = confirmed[best].noisy;
    row.confirmedRecord = *record;
    row.bestTrial = finalists[best];
    return state.journal.updateTask(row);
}

Status TaskTuner::endByBudget()
{
    record::TuneTask& row = m_state->input.row;
    if (!m_state->open()) {
        return Done{};
    }
    row.state = row.trials > 0 ? "done" : "waiting";
    row.message = row.trials > 0 ? "the session's budget is spent" : "the session's budget was spent before its turn";
    return m_state->journal.updateTask(row);
}

std::optional<TaskTuner::Best> TaskTuner::best() const
{
    const State& state = *m_state;
    if (state.history.best() < 0) {
        return std::nullopt;
    }
    const Known& known = state.history.known()[static_cast<std::size_t>(state.history.best())];
    const Result<schedule::Script> script = state.space->script(known.point);
    return Best{state.space->members()[static_cast<std::size_t>(known.point.sketch)].name, state.space->valuesText(known.point),
                script ? script->toText() : std::string(), known.ns};
}

std::vector<record::TuneKin> TaskTuner::kin(std::size_t most)
{
    State& state = *m_state;
    const std::vector<Known>& known = state.history.known();
    std::set<int> places;
    for (const int place : state.history.fastest(most / 2)) {
        places.insert(place);
    }
    const std::size_t step = std::max<std::size_t>(1, known.size() / std::max<std::size_t>(1, most / 2));
    for (std::size_t place = 0; place < known.size() && places.size() < most; place += step) {
        places.insert(static_cast<int>(place));
    }
    std::vector<Point> points;
    for (const int place : places) {
        points.push_back(known[static_cast<std::size_t>(place)].point);
    }
    state.candidates.look(points);
    std::vector<record::TuneKin> kin;
    for (const int place : places) {
        const Known& measured = known[static_cast<std::size_t>(place)];
        const Candidate* candidate = state.candidates.find(measured.point);
        if (candidate == nullptr) {
            continue;
        }
        record::TuneKin one;
        one.kind = kindOf(state.input.task);
        one.task = state.input.row.task;
        one.target = state.input.task.target.toText();
        one.threads = state.input.row.threads;
        one.featureVersion = kFeatureVersion;
        one.sketch = state.space->members()[static_cast<std::size_t>(measured.point.sketch)].name;
        one.values = state.space->valuesText(measured.point);
        one.features = candidate->features;
        one.ns = measured.ns;
        kin.push_back(std::move(one));
    }
    return kin;
}

} // namespace nw::tune
