#pragma once

#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw::views {

// The script lines that gestures on a nest write. An empty line: the gesture means nothing there.

// The loops around and inside `loop` that hold one another and nothing else, outermost first.
std::vector<std::string> chainAround(const schedule::LoopNest& nest, const std::string& loop);
// What moves together when `loop` is dragged as a chain: it and the loops of its chain below it, down to the innermost that
// walks the same axis (parts of a split, a loop that was fused with one); when there is none, down to the innermost of all.
std::vector<std::string> chainedWith(const schedule::LoopNest& nest, const std::string& loop);
// `moved`, neighbours in a chain, put into a gap of the chain: 0 is before the outermost, 1 behind it and so on. Only the
// loops that change places are named.
std::string reorderLine(const schedule::LoopNest& nest, const std::vector<std::string>& moved, int gap);
std::vector<std::int64_t> splitFactors(const schedule::LoopNest& nest, const std::string& loop);
std::string splitLine(const schedule::LoopNest& nest, const std::string& loop, std::int64_t factor);
// The two in their order in the nest; empty unless one stands directly inside the other.
std::string fuseLine(const schedule::LoopNest& nest, const std::string& a, const std::string& b);
// compute_at and reverse_compute_at, the more sensible one first.
std::vector<std::string> computeAtLines(const schedule::LoopNest& nest, const std::string& block, const std::string& loop);
// One line for each place that a tile or a copy may have, the most usual first.
std::vector<std::string> cacheWriteLines(const schedule::LoopNest& nest, const std::string& block, const std::string& loop);
std::vector<std::string> cacheReadLines(const schedule::LoopNest& nest, const std::string& buffer, const std::string& loop);
// The first block that writes the buffer.
std::string writerOf(const schedule::LoopNest& nest, const std::string& buffer);

} // namespace nw::views
