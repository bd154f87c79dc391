#pragma once

#include "engine/schedule/primitive.h"

namespace nw::schedule {

// Each stands in the file of its name; all.cpp lists them.
extern const Primitive cacheWrite;
extern const Primitive computeAt;
extern const Primitive fuse;
extern const Primitive parallel;
extern const Primitive reorder;
extern const Primitive reverseComputeAt;
extern const Primitive setLayout;
extern const Primitive split;
extern const Primitive tile;
extern const Primitive unroll;
extern const Primitive vectorize;

} // namespace nw::schedule
