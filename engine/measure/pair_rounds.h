#pragma once

#include "engine/measure/device.h"

namespace nw::measure {

// Runs a pair job and words its answer. On one thread one run decides. On several, three fresh processes alternate, and
// the difference that can be decided is at least what they disagree by.
PairResult pairRounds(LocalDevice& device, const wire::RunJob& job, const StopToken& stop);

// "A is faster by 4.1 %", "B is faster by 4.1 %", "no difference above 2.0 %".
std::string pairVerdict(double ratio, double decidable);

} // namespace nw::measure
