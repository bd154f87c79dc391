#pragma once

#include "engine/schedule/primitive.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nw::schedule {

// How the part of a buffer that a step of a loop uses moves on from step to step; for `rolling_buffer`.
struct RollingWindow {
    std::size_t dimension = 0; // the one in which it moves
    std::int64_t extent = 1;   // elements along it that a step reads or writes
    Expr fresh;                // holds for elements that no earlier step of the loop wrote; null: for all
};
// The window, or why there is none that moves on by a fixed number of elements and overlaps ("rolling_buffer.same",
// ".diagonal", ".window", ".not_monotone", ".no_overlap", ".gaps", ".value", ".guard"). One block writes the buffer, all
// its users stand inside of the loop, and its elements have the same numbers in each step.
std::optional<Check> rollingWindow(const LoopNest& nest, const std::string& buffer, const std::string& at, RollingWindow& window);

} // namespace nw::schedule
