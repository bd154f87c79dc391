#include "engine/tune/task_scheduler.h"

#include <algorithm>
#include <cmath>

namespace nw::tune {

std::size_t nextTask(std::span<const TaskOutlook> tasks, int batch)
{
    std::size_t chosen = tasks.size();
    double most = -1;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const TaskOutlook& task = tasks[i];
        if (!task.isOpen) {
            continue;
        }
        double expected = 0;
        if (task.trials == 0) {
            expected = 1e30 * (1 + task.weight / (1 + task.weight));
        } else if (task.bestNs > 0) {
            const double room = task.boundNs > 0 ? std::max(0.02, 1 - task.boundNs / task.bestNs) : 0.3;
            const double hope = room * std::pow(0.5, static_cast<double>(task.sinceGain) / std::max(1, 2 * batch));
            expected = task.weight * task.bestNs * std::max(task.lastGain, 0.3 * hope);
        } else {
            expected = 0; // all failed so far: when nothing else is open
        }
        if (expected > most) {
            most = expected;
            chosen = i;
        }
    }
    return chosen;
}

} // namespace nw::tune
