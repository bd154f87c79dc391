#pragma once

#include "engine/compute/definition.h"
#include "engine/graph/winograd.h"

#include <optional>

namespace nw::compute {

// The convolution that a definition of kind "winograd" computes; nothing for other kinds.
struct WinogradShape {
    std::int64_t tile = 0, n = 0, ic = 0, oc = 0, oh = 0, ow = 0;
};
std::optional<WinogradShape> winogradOf(const Definition& definition); // needs static extents

// The stage whose sum over channels is left of the direct one, and the last that is a transform alone: what reads this is
// the output's transform with the epilogue around it.
inline constexpr std::string_view kWinogradSums = "conv";
inline constexpr std::string_view kWinogradColumns = "columns";

// The declared error: how far the result of a float program for `shape` can be from the direct convolution in exact
// arithmetic, when inputs are at most `x` and weights at most `w` in size. The terms of a sum are `worst` times as large as
// those of the direct convolution (graph::winogradError), and each has been through
//   the sum over K channels, (4 + sqrt(K)) * eps as any sum (definition of the contract),
//   four transforms of at most tile + 2 terms a row (two of the input, two of the sums), half an ulp a term, and
//   the rounding of its weight.
// The oracle's own bound, which follows the values through the stages (interpret.h), is what a kernel is checked with; it
// is never larger. Source of the row sums: the standard analysis of bilinear algorithms, each stage's error at most its row
// sum times what came in.
double winogradErrorBound(const WinogradShape& shape, double x, double w);

} // namespace nw::compute
