#pragma once

#include "engine/schedule/script.h"

#include <functional>
#include <set>

namespace nw::schedule {

// Checks and applies one step to `nest`. Refused with the check's refusal at the step's line and column.
Result<Step> runStep(const LoopNest& nest, const ScriptStep& step, const Args& args, const Context& context,
                     bool allowUnproven);

// A step that its knob leaves out.
Step offStep(const LoopNest& nest, const ScriptStep& step);

// Replays from a start; `units` are the loops of one step that were added to it. When a step is refused, `missing` takes
// the loops that it names and that are not there.
using ReplayFrom = std::function<Result<Replay>(const LoopNest& start, const std::set<std::string>& units, std::set<std::string>& missing)>;
// From the plain nest, and when a step names a loop that is missing because its axis has one step, again with that loop.
Result<Replay> withUnitLoops(const LoopNest& plain, const ReplayFrom& replayFrom);

} // namespace nw::schedule
