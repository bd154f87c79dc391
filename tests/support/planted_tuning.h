#pragma once

#include "engine/record/tune_journal.h"

#include <vector>

namespace nw::test {

// What a tuner would have written, drawn at random from a seed: times that fall and scatter, failures of every kind, a model
// that gets better.
struct PlantedTask {
    record::TuneTask row;
    std::vector<record::TuneSketch> sketches;
    std::vector<record::TuneTrial> trials;
    std::vector<record::TuneRound> rounds;
    std::vector<record::TuneFinal> finals;
};
struct PlantedSession {
    record::TuneSession session;
    std::vector<PlantedTask> tasks;
};

// `script`: with knobs; `values` are drawn from `choices`, texts as the journal has them.
PlantedTask plantedTask(const record::TuneTask& row, const std::string& script, const std::vector<std::string>& choices, int trials,
                        std::uint64_t seed);
// The tasks and the session in `planted` get their ids.
Status plant(record::TuneJournal& journal, PlantedSession& planted);

} // namespace nw::test
