#pragma once

#include "engine/plan/plan.h"

#include <set>

namespace nw::plan {

// Concatenations that need no kernel: each operand is written where it stands in the result.
struct Joined {
    struct Part {
        graph::ValueId whole = graph::kNoValue;
        std::int64_t offset = 0; // bytes from the beginning of the whole
    };
    std::map<graph::ValueId, Part> parts;    // operands
    std::map<graph::ValueId, Layout> wholes; // results, in the layout that all share; one may be a part of another
    std::set<std::string> groups;            // names of those that fall away
};

// A concatenation falls away when its operands lie one behind the other in its result (nothing but single steps stands
// before the axis in memory, blocks of channels are whole), each is computed by a group in that layout, is no model
// output and no part of another result, and begins at a multiple of 64 bytes.
Joined joinedConcats(const graph::Graph& graph, const std::vector<Group>& groups);

} // namespace nw::plan
