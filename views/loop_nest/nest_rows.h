#pragma once

#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw::views {

// A nest as rows, one per loop or block in program order, with all that a row says as data; the words are the view's.

struct NestAccess {
    enum class Pattern { Contiguous, Broadcast, Strided, Gather };
    std::string buffer;
    Pattern pattern = Pattern::Contiguous;
    std::int64_t stride = 1; // in elements, of Strided
    bool operator==(const NestAccess&) const = default;
};

struct NestBuffer {
    std::string name;
    schedule::Scope scope = schedule::Scope::Heap;
    std::int64_t bytes = 0;
    bool operator==(const NestBuffer&) const = default;
};

// A buffer's name in a statement, which can be taken in the hand.
struct NestOperand {
    std::string buffer;
    std::size_t at = 0; // where it begins
    bool written = false;
    bool operator==(const NestOperand&) const = default;
};

// What a loop or block tells the code generator: "grain 64"; a prefetch names what it fetches and for whom.
struct NestHint {
    std::string key; // of an annotation, or "prefetch"
    std::int64_t value = 0; // of a prefetch: steps ahead
    std::string buffer, block;
    bool operator==(const NestHint&) const = default;
};

struct NestRow {
    // Reduction: a serial loop that only counts steps of reductions.
    enum class Kind { Serial, Parallel, Vector, Unrolled, Reduction, Block };
    Kind kind = Kind::Serial;
    std::string name;
    int depth = 0;
    int parent = -1; // row of the loop around it
    std::string extent;
    bool hasTail = false;
    std::string lanes;     // of a vector loop: "f32x8"
    std::string statement; // of a block: "C += X * W"
    std::vector<NestOperand> operands; // in the statement
    bool guarded = false;  // a block that runs only where its guard holds
    bool streams = false;  // a block whose stores go past the caches
    std::vector<NestHint> hints;      // of a loop
    std::vector<NestBuffer> buffers;  // that live for one step of this loop
    std::vector<NestAccess> accesses; // of the blocks directly in this loop, from one of its steps to the next
    bool changed = false;             // against the nest before

    bool isLoop() const { return kind != Kind::Block; }
};

std::vector<NestRow> nestRows(const schedule::LoopNest& nest, const schedule::LoopNest* before);
// The row of this name; -1 when there is none.
int rowOf(const std::vector<NestRow>& rows, const std::string& name);

} // namespace nw::views
