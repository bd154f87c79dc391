// What a tuner knows when it begins: what the journal has of its task, and what others of its kind found best.
#include "engine/tune/task_tuner_state.h"

#include <algorithm>
#include <map>

namespace nw::tune {

TaskTuner::State::State(TaskInput given, const Settings& wanted, record::TuneJournal kept, Bench& where, Space made,
                        schedule::LoopNest initial)
    : input(std::move(given))
    , settings(wanted)
    , journal(kept)
    , bench(&where)
    , space(std::make_unique<Space>(std::move(made)))
    , candidates(*space, input.task, std::move(initial))
    , history(*space)
    , learner(settings.seed, input.kin)
{
    // The fastest of each kin is worth a try.
    std::map<std::string, const record::TuneKin*> fastest;
    for (const record::TuneKin& kin : input.kin) {
        const record::TuneKin*& best = fastest[kin.task];
        if (kin.ns > 0 && (best == nullptr || kin.ns < best->ns)) {
            best = &kin;
        }
    }
    for (const auto& [task, kin] : fastest) {
        if (kin != nullptr) {
            addSeed(kin->sketch, kin->values);
        }
    }
}

void TaskTuner::State::addSeed(const std::string& sketch, const std::string& values)
{
    for (std::size_t i = 0; i < space->members().size(); ++i) {
        if (space->members()[i].name != sketch) {
            continue;
        }
        // A kin's numbers may be none of this task's choices: the nearest ones then.
        if (Point point = space->nearest(static_cast<int>(i), readValues(values)); !history.wasTried(point)) {
            seeds.push_back(std::move(point));
        }
    }
}

void TaskTuner::State::restore(const std::vector<record::TuneTrial>& trials, const std::vector<record::TuneRound>& rounds)
{
    for (const record::TuneTrial& trial : trials) {
        const std::optional<Point> point = space->parse(trial.sketch, trial.values);
        if (!point) {
            continue; // of a space that this version does not make any more
        }
        const Result<schedule::Script> script = space->script(*point);
        history.add(trial, *point, script ? script->identity() : std::string());
        takeFigures(trial, {}, space->members()[static_cast<std::size_t>(trial.sketch)].name);
    }
    // A tuner that was killed within a round had written its trials, but not yet the row.
    takeHistory();
    history.forgive(); // whoever goes on with it wants it tried again
    number = trials.empty() ? 0 : trials.back().number + 1;
    nextRound = trials.empty() ? 0 : trials.back().round + 1;
    for (const record::TuneRound& round : rounds) {
        const auto measured = std::count_if(trials.begin(), trials.end(), [&](const auto& trial) { return trial.round == round.round; });
        if (round.trained > 0) {
            learner.sawQuality({round.correlation, round.recall}, static_cast<std::size_t>(measured));
        }
    }
}

} // namespace nw::tune
