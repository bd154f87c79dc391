#pragma once

#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nw::tune::sketches {

// How an access moves with one loop.
struct Movement {
    bool moves = false;
    std::optional<std::int64_t> stride; // elements of memory from the first step to the second; nothing where that is no number
};

struct BlockAccess {
    std::string buffer;
    bool isWrite = false;
    bool isConstant = false; // a port that is known when the model is loaded
    bool isInternal = false; // the kernel's own
    std::vector<Expr> indices; // over loop variables
    std::vector<Movement> by;  // parallel to the view's loops
};

struct BlockLoop {
    std::string name;
    std::int64_t extent = 1;
    bool isReduction = false;
};

// A block as rules see it: its loops outermost first and what they move. No names of operators: a convolution, a pooling and
// a product differ in how their reads move.
struct BlockView {
    std::string block;
    std::string stage;
    DType type = DType::F32; // of the elements that it writes
    bool isReduction = false;
    double operations = 1; // of one step
    std::vector<BlockLoop> loops;
    std::vector<BlockAccess> accesses;

    const BlockAccess& written() const;
    std::size_t indexOf(const std::string& loop) const; // loops.size() when it is none
    const BlockLoop* loop(const std::string& name) const;
    double points() const; // steps of all loops
    double terms() const;  // steps of those that are summed over
    // Width of the blocks in which some tensor lies along the loop, and by which it walks from element to element; 0: none.
    std::int64_t blockWidth(const schedule::LoopNest& nest, std::size_t loop) const;
    // Steps of the loop between which reads of some tensor do not move, though they do over all of them; 0: none.
    std::int64_t groupOf(std::size_t loop) const;
};
BlockView viewOf(const schedule::LoopNest& nest, const std::string& block);

// "f32": type whose lanes the block's vectors have; truth values go along with what they are made of.
DType laneType(DType type);

} // namespace nw::tune::sketches
