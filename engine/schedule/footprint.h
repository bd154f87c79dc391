#pragma once

#include "engine/base/target.h"
#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw::schedule {

// How much memory one whole run of a loop touches: it and the loops inside it walk all their steps, those around it stand
// still. Counted from the indices, not measured: every element once however often it is used, never too few, and
// exactly where accesses walk boxes with even steps. Bytes of elements, not of whole cache lines.
struct LoopFootprint {
    struct Part {
        std::string buffer;
        std::int64_t bytes = 0;
        bool isMemory = true; // false: kept in registers
    };
    std::string loop;
    std::vector<Part> parts; // buffers in the order of their first use
    std::int64_t bytes = 0;  // of the parts in memory together
};
std::vector<LoopFootprint> footprintsOf(const LoopNest& nest); // in program order

// The smallest cache level (1 to 3) of the target that holds so many bytes; 0 when none does.
int smallestCache(std::int64_t bytes, const Target& target);
std::int64_t cacheBytes(int level, const Target& target); // level 1 to 3

} // namespace nw::schedule
