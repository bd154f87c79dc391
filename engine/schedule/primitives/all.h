#pragma once

#include "engine/schedule/primitive.h"

namespace nw::schedule {

// Each stands in the file of its name; all.cpp lists them.
extern const Primitive annotate;
extern const Primitive cacheRead;
extern const Primitive cacheWrite;
extern const Primitive computeAt;
extern const Primitive computeInline;
extern const Primitive decomposeReduction;
extern const Primitive fission;
extern const Primitive fuse;
extern const Primitive merge;
extern const Primitive pad;
extern const Primitive parallel;
extern const Primitive partition;
extern const Primitive prefetch;
extern const Primitive reorder;
extern const Primitive reverseComputeAt;
extern const Primitive reverseComputeInline;
extern const Primitive rfactor;
extern const Primitive rollingBuffer;
extern const Primitive setLayout;
extern const Primitive specialize;
extern const Primitive split;
extern const Primitive storageAlign;
extern const Primitive storeAt;
extern const Primitive stream;
extern const Primitive tile;
extern const Primitive unroll;
extern const Primitive vectorize;

} // namespace nw::schedule
