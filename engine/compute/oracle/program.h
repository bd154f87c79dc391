#pragma once

#include "engine/compute/definition.h"
#include "engine/compute/oracle/buffer.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace nw::compute::oracle {

// The body of a stage as a flat list of nodes, operands before their users. A node is evaluated for a block of output
// elements (lanes) at a time.
struct Node {
    enum class Kind {
        Constant,
        Place, // constant + coefficients * axis indices: an affine index expression
        Load,  // of the element at the flat place that node `a` gives
        Unary,
        Binary,
        Select, // a ? b : c
        Cast
    };

    Kind kind = Kind::Constant;
    DType type = DType::I64;
    int a = -1;
    int b = -1;
    int c = -1;
    UnaryOp unary{};
    BinaryOp binary{};
    double real = 0;                                // Constant of a float type
    std::int64_t whole = 0;                         // Constant of another type; constant part of a Place
    std::vector<std::int64_t> spatial, reduction;   // Place: coefficients, one an axis
    const Buffer* buffer = nullptr;                 // Load
    bool mayLeave = false;  // Load: its place may be outside while a select around it chooses the other side
    bool varies = false;    // from one reduction step to the next
    bool isInlined = false; // a Place that only loads use
};

struct Program {
    std::vector<Node> nodes;
    int root = -1;
};

using BufferOf = std::function<const Buffer*(const std::string& name)>;

// Extents must be literals; the buffers must exist. The program keeps pointers to them.
Program compileBody(const Stage& stage, const BufferOf& bufferOf);

std::vector<std::int64_t> extentsOf(const std::vector<Axis>& axes);
std::int64_t pointsOf(const std::vector<std::int64_t>& extents);

} // namespace nw::compute::oracle
