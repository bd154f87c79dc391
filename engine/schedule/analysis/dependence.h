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
Meeting whereTheyMeet(const Access& a, const Access& b, const std::set<std::string>& fixed,
                      const std::set<std::string>& shared, const Ranges& ranges);

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
// that is allocated at or inside the innermost of them is private and does not count. `withItself` also compares a block's writes with its
// own (false where the order of a reduction's steps may change).
std::optional<Carried> carriedBy(const LoopNest& nest, const std::vector<const Loop*>& loops, bool withItself);

} // namespace nw::schedule
