#pragma once

#include <cstddef>
#include <span>

namespace nw::tune {

// What the scheduler knows of a task of a model.
struct TaskOutlook {
    bool isOpen = true;
    int trials = 0;
    double weight = 1;   // how often the model runs it: operators of this task, or its share of the model's time over bestNs
    double bestNs = 0;   // 0: nothing ran yet
    double boundNs = 0;  // 0: not known
    int sinceGain = 0;   // trials since the last gain
    double lastGain = 0; // share that the last round took off
};

// The task on which the next batch is best spent: first every task once, the heaviest first; then where the model's time is
// expected to fall most, by what its last round gained and by how far it still is from its bound, a hope that fades the longer
// nothing came of it. The place among `tasks`; their number when none is open.
std::size_t nextTask(std::span<const TaskOutlook> tasks, int batch);

} // namespace nw::tune
