#pragma once

#include "engine/schedule/analysis/access.h"
#include "engine/schedule/loop_nest.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nw::schedule {

// Loops whose value must be the same whenever two accesses meet at one element. Loops in `fixed` are taken as equal on
// both sides; `shared` ones may differ; all others belong to one side alone and may be anything.
struct Meeting {
    std::set<std::string> same; // of `shared`: proved equal
    bool gaveUp = false;        // an index was not quasi-affine, so that `same` may lack some
};
// Where they never meet, all of `shared` is the same.
Meeting whereTheyMeet(const Access& a, const Access& b, const std::set<std::string>& fixed,
                      const std::set<std::string>& shared, const Ranges& ranges);

// Of the loops around the block, one of whose steps several may write the same element while those in `fixed` stand
// still; null when there is none.
const Loop* revisits(const LoopNest& nest, const Block& block, const std::vector<const Loop*>& loops,
                     const std::set<std::string>& fixed);

// Whether one block finds elements of the buffer that another one left there in another step of `at` or of a loop around
// it, so that the buffer cannot be kept for one step. Its blocks all stand inside of `at`.
bool handedOn(const LoopNest& nest, const std::string& buffer, const std::string& at);

// Two blocks (or one with itself) beneath `loops` may touch one element in different iterations of them, and one of the
// two writes it.
struct Carried {
    const Block* first = nullptr;
    const Block* second = nullptr;
    std::string buffer;
    std::string loop;     // one over which they differ
    bool gaveUp = false;  // not shown, only not excluded
};
// `loops` are nested perfectly, outermost first; loops of extent 1 do not matter. A buffer on the stack or in registers
// that is allocated at or inside the innermost of them is private and does not count; nor, without `withItself`, does one
// on the heap of which nothing is handed on from step to step. `withItself` also compares a block's writes with its
// own; without, the order of a reduction's steps may change, and so may that of two which add to the same elements.
std::optional<Carried> carriedBy(const LoopNest& nest, const std::vector<const Loop*>& loops, bool withItself);

// Two parts of a loop's body, or of two loops that count alike: `first` runs before `second` in each step.
struct Parts {
    std::string loop; // the variable of both; the accesses are over it
    std::set<std::string> around;
    std::vector<Access> first, second;
    Ranges ranges;
};
// Some step of `second` may touch an element that `first` touches in a later step, and one of the two writes it: then
// it matters whether the parts take turns or run one after the other. A starting value of `second` that the loop's
// reduction stores ahead of the loop counts as such, too. With `exactly`, an earlier step counts as well.
std::optional<Carried> orderMatters(const Parts& parts, bool exactly);

} // namespace nw::schedule
