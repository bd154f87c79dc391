#pragma once

#include "engine/tune/sketches/view.h"

#include <string>
#include <vector>

namespace nw::tune::sketches {

// Loops that are summed over in the order of the memory of the first input; `windowsOutside`: those that slide over an input
// around the others.
std::vector<std::string> reductionOrder(const BlockView& view, bool windowsOutside);
// An index of the access is the sum of a loop that counts results and one that is summed over: windows overlap.
bool slidesOver(const BlockView& view, const BlockAccess& access);
// What the block reads alike along `lanes` takes at most so many bytes.
bool staysNear(const BlockView& view, const schedule::LoopNest& nest, const std::string& lanes, std::int64_t bytes);

} // namespace nw::tune::sketches
