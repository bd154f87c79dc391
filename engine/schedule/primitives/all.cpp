#include "engine/schedule/primitives/all.h"

namespace nw::schedule {

std::span<const Primitive* const> allPrimitives()
{
    // In the order in which a person meets them: shape of the loops, their kinds, then places and memory.
    static constexpr const Primitive* kAll[] = {
        &split,      &fuse,      &reorder,          &tile,      // loops
        &pad,
        &fission,    &merge,     &partition,        &specialize, // loops beside each other
        &vectorize,  &unroll,    &parallel,                     // kinds
        &rfactor,    &decomposeReduction,                       // what is computed when
        &cacheWrite, &computeAt, &reverseComputeAt, &setLayout, // places and memory
        &cacheRead,  &computeInline, &reverseComputeInline, &storageAlign,
        &storeAt,    &rollingBuffer,                            // homes of buffers
        &prefetch,   &stream,    &annotate,                     // how the code runs
    };
    return kAll;
}

} // namespace nw::schedule
