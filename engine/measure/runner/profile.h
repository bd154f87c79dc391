#pragma once

#include "engine/measure/runner/kernel.h"

#include <cstdint>
#include <vector>

namespace nw::runner {

// Median nanoseconds of each call inside a model, over `runs` runs that write their time stamps; stops early at
// `deadlineNs` (monotonic). Empty when the entry writes no stamps.
std::vector<double> profileCalls(Call& model, int runs, std::int64_t deadlineNs);

} // namespace nw::runner
