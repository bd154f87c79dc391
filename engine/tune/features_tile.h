#pragma once

#include "engine/tune/features_walk.h"

namespace nw::tune {

// What the innermost vector and unrolled loops of a block become: straight code.
struct TileCode {
    double steps = 1;       // executions of the block in it
    double instructions = 1; // of arithmetic: one for each operation
    double vectorLoads = 0, broadcasts = 0, gathers = 0, stores = 0; // instructions; what is reused is loaded once
    double accumulators = 0; // registers that keep sums
    double live = 0;         // registers in use at a time
    double chains = 1;       // sums that do not wait for each other
    double loads() const { return vectorLoads + broadcasts + gathers; }
};
TileCode tileCodeOf(const BlockWalk& walk);

// Cycles of one thread by rough weights of a core of today: a first guess that orders candidates. What it is wrong about
// the trees learn.
struct CycleGuess {
    double arithmetic = 0, loads = 0, memory = 0, loops = 0;
    double chunks = 1;  // pieces that threads share
    double entries = 0; // how often threads are called together
    double cycles = 0;  // with threads
};
CycleGuess guessCycles(const BlockWalk& walk, const Target& target, int threads);

} // namespace nw::tune
