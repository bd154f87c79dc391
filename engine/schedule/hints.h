#pragma once

#include "engine/schedule/primitive.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nw::schedule {

// What steers the code of a loop or block and never what is computed: annotations and prefetches of loops, stores past
// the caches of blocks. Here stands what each may stand on, and where it goes when a step changes what it stands on.

// One that a loop may carry:
//   grain        parallel: at most steps / grain threads
//   unroll_hint  serial: copies of the body for each turn of the loop in the code; 1: none but the one
//   align        serial or parallel: the loop's code starts at a multiple of so many bytes
struct AnnotationKey {
    std::string name;
    std::vector<LoopKind> kinds;
    std::int64_t least = 1, most = 1;
    bool powerOfTwo = false;

    bool fits(LoopKind kind) const;
    bool takes(std::int64_t value) const { return value >= least && value <= most && (!powerOfTwo || (value & (value - 1)) == 0); }
};
const std::vector<AnnotationKey>& annotationKeys();
const AnnotationKey* annotationKey(std::string_view name); // null: not known
bool annotationFits(std::string_view name, LoopKind kind); // a known key on a loop of this kind

// The buffer is in memory for longer than a step of the loop, a block beneath reads it at a place that can be told
// without reading, and the loop is no vector loop.
bool prefetchFits(const LoopNest& nest, const Loop& loop, const Prefetch& prefetch);
// A step of the loop has the buffer anew: where it belongs to that loop or to one inside.
bool madeAnewIn(const LoopNest& nest, const Loop& loop, const Buffer& buffer);
// An index of the block's reads of the buffer is itself read from memory.
bool indexIsRead(const Block& block, const std::string& buffer);
// Each element is stored once and not read by the block, and the buffer is in memory.
bool canStream(const LoopNest& nest, const Block& block);

// After a step: what loops and blocks of the nest before carried goes on to those that came of them.
//   of a loop     to the innermost of the loops that took its place and can carry it (a split: a part; copies: each)
//   of a read     to the block that does it now (a copy; the block that fills a cache)
//   of a store    to the block that does it now (a write-back)
// What fits nowhere any more is gone from the nest, as its text shows.
void carryHints(const LoopNest& before, Applied& applied);

} // namespace nw::schedule
