#pragma once

#include "engine/graph/evaluate/evaluate.h"

#include <cstdint>
#include <vector>

namespace nw::graph {

// A walk over a box of elements by several operands at once, each with its own element strides. Axes that all operands
// cross with one stride are merged and axes of extent 1 dropped, so that the innermost row is as long as it can be.
struct Loops {
    std::vector<std::int64_t> extents;              // outermost first; the last is the row; never empty
    std::vector<std::vector<std::int64_t>> strides; // by operand, then by axis

    static Loops make(const std::vector<std::int64_t>& shape, const std::vector<std::vector<std::int64_t>>& strides);
};

// Row-major strides of a shape.
std::vector<std::int64_t> stridesOf(const std::vector<std::int64_t>& shape);
// Strides that read `shape` as if broadcast to `to`: 0 along axes of extent 1 and absent ones.
std::vector<std::int64_t> broadcastStrides(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& to);

// Calls row(offsets, n) for every row; `offsets` are the operands' element offsets at its begin. The strides within a
// row are loops.strides[operand].back(). No call when an extent is 0.
template <typename Row>
void forEachRow(const Loops& loops, Row row)
{
    for (const std::int64_t extent : loops.extents) {
        if (extent == 0) {
            return;
        }
    }
    const std::size_t operands = loops.strides.size();
    const std::size_t outer = loops.extents.size() - 1;
    std::vector<std::int64_t> index(outer, 0);
    std::vector<std::int64_t> offsets(operands, 0);
    while (true) {
        row(offsets.data(), loops.extents.back());
        std::size_t axis = outer;
        while (axis > 0) {
            --axis;
            const bool wraps = ++index[axis] == loops.extents[axis];
            for (std::size_t k = 0; k < operands; ++k) {
                offsets[k] += wraps ? -loops.strides[k][axis] * (loops.extents[axis] - 1) : loops.strides[k][axis];
            }
            if (!wraps) {
                break;
            }
            index[axis] = 0;
            if (axis == 0) {
                return;
            }
        }
        if (outer == 0) {
            return;
        }
    }
}

// Copies a box of elements of `elementBytes` (1, 2, 4 or 8): target and source bytes are the elements at offset 0.
void copyBox(std::byte* target, const std::vector<std::int64_t>& targetStrides, const std::byte* source,
             const std::vector<std::int64_t>& sourceStrides, const std::vector<std::int64_t>& shape,
             std::size_t elementBytes);

} // namespace nw::graph
