#pragma once

#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/window.h"
#include "engine/schedule/loop_nest.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nw::schedule {

// An iteration variable as the place of an element tells it: the index of a dimension plus `rest`, or `rest` alone.
// `rest` is over loops that are the same for all who use the element.
struct Told {
    std::optional<std::size_t> dimension;
    Expr rest;
};
// For each iteration variable that `needed` names, from an access at `indices` (over the block's iteration variables).
// Nothing when one of them does not follow from the element.
std::optional<std::map<std::string, Told>> toldByElement(const Block& block, const std::vector<Expr>& indices,
                                                         const std::set<std::string>& needed,
                                                         const std::set<std::string>& fixed, const Ranges& ranges);

// The loop a buffer belongs to and those around it: the same for all users of one element. Empty for the kernel's own.
std::set<std::string> lifetimeLoops(const LoopNest& nest, const Buffer& buffer);

// Loops of several steps around both places, without `fixed`.
std::vector<const Loop*> sharedLoops(const Place& a, const Place& b, const std::set<std::string>& fixed);
// Where the two accesses meet at an element they do so in the same step of each such loop.
bool meetInOneStep(const Place& a, const Access& first, const Place& b, const Access& second,
                   const std::set<std::string>& fixed, const Ranges& ranges);

} // namespace nw::schedule
