#pragma once

#include "engine/base/stop.h"
#include "engine/measure/device.h"
#include "engine/schedule/script.h"
#include "engine/schedule/task.h"

#include <functional>
#include <string>
#include <vector>

namespace nw::tune {

// One choice of the script's numbers and what came of it.
struct Trial {
    schedule::KnobValues values;
    std::string script;        // without knobs
    std::string refused;       // why it could not be built or was illegal; empty when measured
    measure::Measurement quick; // "search" protocol
};
struct Sweep {
    std::vector<Trial> trials;    // every combination, in order
    int best = -1;                // index of the winner; -1: no valid choice
    measure::Measurement confirmed; // the winner under "confirm"
    std::string bestScript;
};

// Measures every combination of the script's knobs, choice lists and alternatives that its constraints allow under
// "search", then the `finalists` fastest again under "confirm", and names the fastest of those. A refused, wrong or
// failed combination is kept with its reason and never wins. Refused when there are more than `limit` combinations; a
// script without a choice has one.
Result<Sweep> sweep(measure::LocalDevice& device, const schedule::Task& task, const schedule::Script& script, std::size_t limit,
                    int finalists, const std::function<void(const Trial&, std::size_t index, std::size_t total)>& onTrial,
                    const StopToken& stop);

} // namespace nw::tune
