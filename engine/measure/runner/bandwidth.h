#pragma once

#include "engine/base/result.h"
#include "engine/measure/runner/kernel.h"
#include "engine/measure/runner/team.h"

#include <cstdint>
#include <memory>
#include <string>

namespace nw::runner {

// One run goes once over a working set of `bytes` on every thread of the team, each its own: "read" adds it up, "copy"
// copies one half to the other.
Result<std::unique_ptr<Subject>> makeBandwidth(Team& team, const std::string& kind, std::int64_t bytes);

} // namespace nw::runner
