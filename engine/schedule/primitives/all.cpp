#include "engine/schedule/primitives/all.h"

#include <array>

namespace nw::schedule {

std::span<const Primitive* const> allPrimitives()
{
    // In the order in which a person meets them: shape of the loops, their kinds, then places and memory.
    static constexpr std::array<const Primitive*, 11> kAll = {
        &split,       &fuse,       &reorder,   &tile,       // loops
        &vectorize,   &unroll,     &parallel,               // kinds
        &cacheWrite,  &computeAt,  &reverseComputeAt, &setLayout, // places and memory
    };
    return kAll;
}

} // namespace nw::schedule
