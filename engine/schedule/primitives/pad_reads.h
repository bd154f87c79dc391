#pragma once

#include "engine/schedule/analysis/window.h"
#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw::schedule {

// What a block reads in steps behind the end of an axis, for pad.

// An iteration variable that runs on from `end` (the axis' extent) to `past` - 1.
struct PaddedAxis {
    std::string name;
    std::int64_t end = 0;
    std::int64_t past = 0;
};

struct SafeReads {
    Expr value;
    std::vector<Buffer> constants; // that need a wider border of zeros now
};
// The block's value with reads that stay where something can be read in padded steps, too, and are the same as ever in
// the others. What is read there is of no account. `place` is of the nest, whose loops have all their steps.
SafeReads safeReads(const LoopNest& nest, const Place& place, const std::vector<PaddedAxis>& axes);

// Ranges of the block's iteration variables when these axes run on.
Ranges rangesWith(const LoopNest& nest, const Block& block, const std::vector<PaddedAxis>& axes);
// A conjunct or the ranges say that `need`, a comparison, holds.
bool follows(const Expr& need, const std::vector<Expr>& known, const Ranges& ranges);
// Every element of the buffer is written by the time that the block first reads one: in the same step of the loop that
// the buffer belongs to, and by one block in all of its steps.
bool filledBefore(const LoopNest& nest, const Buffer& buffer, const Place& reader);
// An argument that the kernel only reads.
bool isOnlyRead(const LoopNest& nest, const Buffer& buffer);

} // namespace nw::schedule
