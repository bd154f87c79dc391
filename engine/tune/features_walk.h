#pragma once

#include "engine/base/target.h"
#include "engine/schedule/loop_nest.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nw::tune {

// What the features are read from. A depth is a place on the way to a block: at depth d the loops from d on walk and those
// before it stand still, so depth 0 is the whole kernel and the last depth one execution of the block.

// Operations of one execution, index arithmetic aside.
struct Arithmetic {
    double sums = 0, products = 0, quotients = 0, functions = 0, comparisons = 0, choices = 0, loads = 0, others = 0;
    double weight() const; // in simple operations
};

// One read or write of a block. Counts are estimates from the indices: exact where they are sums of digits of loops.
struct Touch {
    const schedule::Buffer* buffer = nullptr;
    bool isWrite = false;
    bool isKnown = true; // false: some index is read from memory
    bool isMemory() const { return buffer->scope != schedule::Scope::Registers; }
    double elementBytes = 4;
    std::vector<char> moves;      // per loop: it changes the place
    std::vector<double> strides;  // per loop: elements of memory from one of its steps to the next
    std::vector<double> elements; // per depth: different ones
    std::vector<double> bytes;    // per depth: of the cache lines they lie in
};

struct BlockWalk {
    const schedule::Block* block = nullptr;
    std::vector<const schedule::Loop*> loops; // outermost first
    std::vector<schedule::LoopKind> kinds;
    std::vector<double> extents;
    std::vector<char> reduces;   // per loop: the block's reduction is bound to it
    std::vector<double> inside;  // per depth: product of the extents from there on
    std::vector<double> bytes;   // per depth: lines of memory of this block and of what else runs in a step at that depth
    std::vector<Touch> touches;  // the write first
    Arithmetic arithmetic;
    double needed = 0;   // points of its iteration variables; executions beyond are recomputed or guarded away
    int guards = 0;
    bool guardsVector = false; // the innermost vector loop's tail is masked
    std::size_t tile = 0;      // depth where the innermost run of vector and unrolled loops begins
    std::size_t core = 0;      // depth inside the last reduction loop
    int vector = -1;           // loop
    double lanes = 1;          // elements that one instruction computes, on average
    double vectorsPerStep = 1; // registers that the vector loop takes
    bool hasRegisters = false; // it sums in registers

    double executions() const { return inside.front(); }
    double work() const { return executions() * arithmetic.weight(); }
    // Bytes that come into a cache of this size, walking once; lines are kept from step to step of the innermost loop
    // whose steps do not fit together.
    double traffic(double cache) const;
    double traffic(const Touch& touch, double cache) const;
    double innermostStride(const Touch& touch) const; // of the vector loop, else of the innermost; 0 without loops
    std::size_t fits(double cache) const; // the smallest depth whose lines lie in it together
};

struct NestWalk {
    std::vector<BlockWalk> blocks; // in program order
    std::size_t anchor = 0;        // the one with the most work; only when there are blocks
    double work = 0;
};
NestWalk walkOf(const schedule::LoopNest& nest, const Target& target);

} // namespace nw::tune
