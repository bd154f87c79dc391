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
    // The fastest few of each kin are worth a try, the best of all first: which of them is the best in another shape cannot be
    // known, and one alone may be measured in a slow moment.
    constexpr std::size_t kOfEach = 4, kSeeds = 8;
    std::map<std::string, std::vector<const record::TuneKin*>> fastest;
    for (const record::TuneKin& kin : input.kin) {
        if (kin.ns > 0) {
            fastest[kin.task].push_back(&kin);
        }
    }
    for (auto& [task, few] : fastest) {
        std::stable_sort(few.begin(), few.end(), [](const record::TuneKin* a, const record::TuneKin* b) { return a->ns < b->ns; });
    }
    for (std::size_t place = 0; place < kOfEach; ++place) {
        for (const auto& [task, few] : fastest) {
            if (place < few.size() && seeds.size() < kSeeds) {
                addSeed(few[place]->sketch, few[place]->values);
            }
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
        Point point = space->nearest(static_cast<int>(i), readValues(values));
        if (!history.wasTried(point) && std::find(seeds.begin(), seeds.end(), point) == seeds.end()) {
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
