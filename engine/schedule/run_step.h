#pragma once

#include "engine/schedule/script.h"

namespace nw::schedule {

// Checks and applies one step to `nest`. Refused with the check's refusal at the step's line and column.
Result<Step> runStep(const LoopNest& nest, const ScriptStep& step, const Args& args, const Context& context,
                     bool allowUnproven);

// A step that its knob leaves out.
Step offStep(const LoopNest& nest, const ScriptStep& step);

} // namespace nw::schedule
