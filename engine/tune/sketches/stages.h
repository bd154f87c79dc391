#pragma once

#include "engine/tune/sketches/draft.h"
#include "engine/tune/sketches/tiles.h"
#include "engine/tune/sketches/view.h"

#include <string>

namespace nw::tune::sketches {

// One element-wise block on its own: loops in the order of the memory that it writes, neighbours that walk as one fused, whole
// vectors, a few at a time. `turned`: a tile of columns where it reads across what it writes.
void scheduleMap(Draft& draft, const std::string& block, const std::string& prefix, bool turned);

// Values that are cheap to make again go into what reads them.
void inlineCheapProducers(Draft& draft);

// One vector of partial results along the axis that is summed over, put together at its end, all blocks one after another in
// a step of the last one's rows. False when nothing could be split so or moved.
enum class RowKind {
    Partial, // vectors along the axis that is summed over
    Across   // vectors along another axis
};
bool rows(Draft& draft, RowKind kind);

// The outermost loops of a block, or of every one, shared out among threads.
void shareOut(Draft& draft, const std::string& block);
void shareOut(Draft& draft);

} // namespace nw::tune::sketches
