#include "engine/graph/evaluate/loops.h"

#include <algorithm>
#include <cstring>

namespace nw::graph {
namespace {

template <typename T>
void copyRow(T* target, std::int64_t targetStride, const T* source, std::int64_t sourceStride, std::int64_t n)
{
    if (targetStride == 1 && sourceStride == 1) {
        std::memcpy(target, source, static_cast<std::size_t>(n) * sizeof(T));
    } else if (targetStride == 1 && sourceStride == 0) {
        std::fill_n(target, n, *source);
    } else {
        for (std::int64_t i = 0; i < n; ++i) {
            target[i * targetStride] = source[i * sourceStride];
        }
    }
}

// The two innermost axes in square tiles, so that a transpose reads and writes whole cache lines.
template <typename T>
void copyTiled(T* target, const T* source, std::int64_t rows, std::int64_t columns, std::int64_t targetRow,
               std::int64_t sourceRow, std::int64_t sourceColumn)
{
    constexpr std::int64_t kTile = 16;
    for (std::int64_t r = 0; r < rows; r += kTile) {
        for (std::int64_t c = 0; c < columns; c += kTile) {
            for (std::int64_t i = r; i < std::min(rows, r + kTile); ++i) {
                for (std::int64_t j = c; j < std::min(columns, c + kTile); ++j) {
                    target[i * targetRow + j] = source[i * sourceRow + j * sourceColumn];
                }
            }
        }
    }
}

template <typename T>
void copyLoops(std::byte* targetBytes, const std::byte* sourceBytes, const Loops& loops)
{
    T* const target = reinterpret_cast<T*>(targetBytes);
    const T* const source = reinterpret_cast<const T*>(sourceBytes);
    const std::int64_t targetStep = loops.strides[0].back();
    const std::int64_t sourceStep = loops.strides[1].back();
    const std::size_t rank = loops.extents.size();
    if (rank >= 2 && targetStep == 1 && sourceStep > 1 && loops.strides[1][rank - 2] == 1) {
        Loops outer = loops;
        const std::int64_t rows = outer.extents[rank - 2];
        const std::int64_t columns = outer.extents[rank - 1];
        outer.extents[rank - 2] = columns == 0 ? 0 : std::min<std::int64_t>(rows, 1);
        outer.extents[rank - 1] = 1;
        forEachRow(outer, [&](const std::int64_t* at, std::int64_t) {
            copyTiled(target + at[0], source + at[1], rows, columns, loops.strides[0][rank - 2], 1, sourceStep);
        });
        return;
    }
    forEachRow(loops, [&](const std::int64_t* at, std::int64_t n) {
        copyRow(target + at[0], targetStep, source + at[1], sourceStep, n);
    });
}

} // namespace

Loops Loops::make(const std::vector<std::int64_t>& shape, const std::vector<std::vector<std::int64_t>>& strides)
{
    Loops loops;
    loops.strides.resize(strides.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) {
            continue;
        }
        bool merges = !loops.extents.empty();
        for (std::size_t k = 0; merges && k < strides.size(); ++k) {
            merges = loops.strides[k].back() == strides[k][axis] * shape[axis];
        }
        if (merges) {
            loops.extents.back() *= shape[axis];
        } else {
            loops.extents.push_back(shape[axis]);
        }
        for (std::size_t k = 0; k < strides.size(); ++k) {
            if (merges) {
                loops.strides[k].back() = strides[k][axis];
            } else {
                loops.strides[k].push_back(strides[k][axis]);
            }
        }
    }
    if (loops.extents.empty()) {
        loops.extents.push_back(1);
        for (std::vector<std::int64_t>& operand : loops.strides) {
            operand.push_back(0);
        }
    }
    return loops;
}

std::vector<std::int64_t> stridesOf(const std::vector<std::int64_t>& shape)
{
    std::vector<std::int64_t> strides(shape.size());
    std::int64_t stride = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        strides[i] = stride;
        stride *= shape[i];
    }
    return strides;
}

std::vector<std::int64_t> broadcastStrides(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& to)
{
    const std::vector<std::int64_t> own = stridesOf(shape);
    std::vector<std::int64_t> strides(to.size(), 0);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        strides[to.size() - shape.size() + i] = shape[i] == 1 ? 0 : own[i];
    }
    return strides;
}

void copyBox(std::byte* target, const std::vector<std::int64_t>& targetStrides, const std::byte* source,
             const std::vector<std::int64_t>& sourceStrides, const std::vector<std::int64_t>& shape,
             std::size_t elementBytes)
{
    const Loops loops = Loops::make(shape, {targetStrides, sourceStrides});
    switch (elementBytes) {
    case 1:
        return copyLoops<std::uint8_t>(target, source, loops);
    case 2:
        return copyLoops<std::uint16_t>(target, source, loops);
    case 4:
        return copyLoops<std::uint32_t>(target, source, loops);
    default:
        return copyLoops<std::uint64_t>(target, source, loops);
    }
}

} // namespace nw::graph
