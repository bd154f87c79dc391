#pragma once

#include "engine/schedule/analysis/window.h"
#include "engine/schedule/primitive.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nw::schedule {

// What cache_read copies of a buffer in a step of a loop, and for whom.
struct ReadCopy {
    std::vector<Place> readers;        // inside of the loop; the rest is empty when there is none
    std::vector<Window> windows;       // a whole dimension includes the border
    std::vector<std::pair<std::int64_t, std::int64_t>> border; // zeros that a port has around it, a pair each dimension
    std::vector<std::string> axes;     // a name for each dimension, no two the same
    std::vector<Expr> indices;         // the first reader's read, over loops
    std::set<std::string> inside;      // loops around the first reader inside of the loop
    bool everything = false;           // of all dimensions
    // Of a buffer that a guarded block writes: 0 <= index + rest (where there is no end), index + rest < end. The rest is
    // over loops around the buffer's own.
    struct Limit {
        std::optional<std::size_t> dimension;
        Expr rest, end;
    };
    std::vector<Limit> limits;
    std::string unknownWriter; // a block that may not have written all of it by then
};
// `only`: the one block that shall read the copy; empty for all.
ReadCopy readCopy(const LoopNest& nest, const Buffer& buffer, const std::string& only, const std::string& at);

} // namespace nw::schedule
