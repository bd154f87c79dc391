#pragma once

#include "engine/measure/runner/clock.h"

#include <cstdint>
#include <functional>

namespace nw::runner {

// How often a subject must run in a row so that it lasts `targetNs`.
struct Repeats {
    std::int64_t count = 1;
    double nsPerRun = 0;          // estimate; of a clock that shows nothing, the bound: never zero
    bool belowResolution = false; // the clock shows less than 100 of its steps for the largest count
};

// Grows the count by at most ten at a step, never beyond ten million, and stops after a run that took the target or
// when `limitNs` is used up. A clock that stands still or runs backwards counts as showing nothing.
Repeats chooseRepeats(const std::function<void(std::int64_t)>& run, Clock& clock, double targetNs, double limitNs);

} // namespace nw::runner
