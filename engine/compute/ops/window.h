#pragma once

#include "engine/compute/ops/context.h"
#include "engine/compute/ops/index.h"

#include <vector>

namespace nw::compute {

// The sliding window of a convolution or pool along its spatial axes: output axes od oh ow, window axes kd kh kw,
// and the place in the input that a tap reads. 1-d windows run along w, 2-d along h and w.
struct Window {
    std::vector<Axis> out;        // od oh ow
    std::vector<Axis> taps;       // kd kh kw
    std::vector<Expr> in;         // input extents
    std::vector<std::int64_t> strides, dilations, before, after; // pads before and after

    std::size_t rank() const { return out.size(); }
    // Input index of each axis at (out, tap).
    std::vector<Expr> places() const;
    // Comparisons that keep a tap on real elements; those that can never fail are left out.
    std::vector<Expr> guards() const;
    // `read` where the guards hold, else `otherwise`.
    Expr guarded(const Expr& read, const Expr& otherwise) const;
    // Number of taps at an output element that read real elements (or, with `countPads`, declared padding too; a
    // window that hangs over the far end because of ceil_mode counts only up to there).
    Expr tapCount(bool countPads) const;
};

// From the node's attributes; `kernel` are the window's extents.
Result<Window> makeWindow(const OpContext& context, const std::vector<std::int64_t>& kernel);

} // namespace nw::compute
