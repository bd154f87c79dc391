#pragma once

#include "engine/tune/sketches/draft.h"
#include "engine/tune/sketches/view.h"

#include <map>
#include <string>
#include <vector>

namespace nw::tune::sketches {

// What the steps of a plain nest's loop were split into, as far as memory should follow it, outermost first.
struct AxisPart {
    std::string loop;  // the outermost loop of the part
    std::string steps; // of all inner parts together, an expression of a script: "?wide*lanes(f32)"; empty for the innermost
};
using AxisParts = std::map<std::string, std::vector<AxisPart>>; // by the plain nest's loop; absent: one part

// Lays each constant that the block reads so that its loops in `order` read it from element to element. `plain` is the
// block's nest before it was tiled.
void packConstants(Draft& draft, const schedule::LoopNest& plain, const std::string& block, const AxisParts& parts,
                   const std::vector<std::string>& order);

// Of a block that writes a buffer of the kernel's own: the axis that `lanes` walks becomes the last one in memory.
void layAlong(Draft& draft, const BlockView& view, const std::string& lanes);

// Copies of an input in the order in which the loops inside `at` read it, made in whole vectors.
bool copyInput(Draft& draft, const std::string& buffer, const std::string& block, const std::string& at, const std::string& scope,
               const std::string& lanes, std::int64_t laneCount);

} // namespace nw::tune::sketches
