#pragma once

#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw::schedule {

// What pad makes of a nest.
struct Padded {
    // Why a block stays guarded.
    enum class Reason {
        Port,     // it writes an argument of the kernel
        Shared,   // others write its buffer or go on with it
        Division, // by a number that may be 0 where nothing was read
        Steps     // steps behind the end would do over what it does in others, or its elements have no room
    };
    struct Guarded {
        std::string block;
        Reason reason;
    };

    LoopNest nest;
    std::vector<std::string> open; // blocks that compute in steps which a guard left out, or would have
    std::vector<Guarded> guarded;
};
// The loop with `extent` steps, at least as many as it has. Each block beneath computes in the padded steps, too, or is
// guarded. Axes that the loop moves have a constant extent.
Padded padded(const LoopNest& nest, const Loop& loop, std::int64_t extent);

} // namespace nw::schedule
