#pragma once

#include "engine/base/simplify.h"
#include "engine/schedule/analysis/window.h"
#include "engine/schedule/loop_nest.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nw::schedule {

// What the place of an element in its buffer tells about the block that writes it there, for buffers whose memory is
// shared by steps of loops.

// In each step of the loop one block makes all that others use of the buffer afterwards: nothing is handed on, also where
// steps make elements again.
bool stepMakesAll(const LoopNest& nest, const std::string& buffer, const std::string& at);

// Whether a guard of the block that writes `indices` (over loops) holds depends, as far as steps of `steps` and of what is
// inside of them go, on the element alone: it is a multiple of one of the element's numbers and what stands still.
bool guardTellsElement(const Expr& guard, const std::vector<Expr>& indices, const std::set<std::string>& steps,
                       const std::set<std::string>& inside);

// A variable that what the block computes for an element depends on and that the element's place and the loops in `fixed`
// do not tell: the place holds one value after the other. Or a loop, when the value comes out of memory that is another's in
// each of its steps.
std::optional<std::string> untold(const LoopNest& nest, const Place& writer, const std::set<std::string>& fixed);

// Several of the block's elements, as its axes count them, take the same place one after the other: it must take turns
// with those that read them.
bool writesRing(const LoopNest& nest, const Block& block);
// It reads what such a block writes and must take turns with that.
bool readsRing(const LoopNest& nest, const Block& block);

// Blocks whose guards over the loops around both differ: one of them may run where the other does not.
bool guardsApart(const Place& a, const Place& b);

} // namespace nw::schedule
