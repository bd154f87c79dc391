#pragma once

#include "engine/base/expr.h"
#include "engine/base/index_map.h"
#include "engine/base/result.h"
#include "engine/base/simplify.h"
#include "engine/plan/plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nw::compute {

using plan::PortKind;

// What one group computes, over logical axes; says nothing about order or memory.

struct Port {
    std::string name; // unique among ports and stages
    PortKind kind = PortKind::Input;
    DType type = DType::F32;
    std::vector<Expr> shape; // logical extents
    // Values that make sense here (indices of a Gather, a variance): test data stays inside. Closed interval.
    std::optional<std::pair<double, double>> range;
};

struct Axis {
    std::string name;
    Expr extent; // literal, or an expression over symbols with range >= 0
};

enum class Combiner { None, Sum, Prod, Max, Min };

// buffer[spatial...] = body, or, with a combiner,
// buffer[spatial...] = combine over the reduction axes, starting from init, of body.
// `body` may load ports and earlier stages' buffers at any in-range index; reading outside is prevented by a select
// around the load (padding). A stage writes every element of its buffer exactly once.
struct Stage {
    std::string name;   // operator kind, "conv", "relu"; unique, ".2" when taken
    std::string buffer; // name of the output port it defines, or its own name for an internal tensor
    DType type = DType::F32;
    std::vector<Axis> spatial;
    std::vector<Axis> reduction;
    Combiner combiner = Combiner::None;
    Expr init; // set when there is a combiner
    Expr body;
};

struct Definition {
    std::string kind; // anchor operator in lower case: "conv", "matmul", "softmax", "add"
    std::vector<Port> ports; // order of the kernel's pointer arguments
    std::vector<Stage> stages;

    const Port* port(std::string_view name) const;
    const Stage* stage(std::string_view name) const;       // by stage name
    const Stage* writerOf(std::string_view buffer) const;  // by buffer name
    std::optional<std::vector<std::int64_t>> staticShape(std::string_view buffer) const; // of a port or stage buffer
};

// Canonical text, one line a port and stage; equal workloads give equal text whatever the model called its nodes:
//   definition conv
//   input X f32 [1, 64, 56, 56]
//   constant W f32 [64, 64, 3, 3]
//   output Y f32 [1, 64, 56, 56]
//   stage conv f32 [n:1, oc:64, oh:56, ow:56] sum [ic:64, kh:3, kw:3] from 0.0 =
//     select(oh + kh >= 1 && ..., X[n, ic, oh + kh - 1, ow + kw - 1], 0.0) * W[oc, ic, kh, kw]
//   stage relu -> Y f32 [n:1, oc:64, oh:56, ow:56] =
//     max(conv[n, oc, oh, ow] + B[oc], 0.0)
// A port's range prints as "range 0 9" after its shape.
std::string toText(const Definition& definition);
Result<Definition> parseDefinition(std::string_view text);
// contentHash of the canonical text.
std::string identity(const Definition& definition);
// Every invariant (names unique, loads in range under the axes' extents or guarded, types agree); empty when fine.
std::string verify(const Definition& definition);

// Axis names used by the operator families, so that scripts read alike:
// conv n oc oh ow / ic kh kw (grouped: g before oc, oc within the group); matmul m n / k with leading b0, b1, ...;
// pools n c oh ow / kh kw; element-wise and the rest by rank: 4-d n c h w, else d0, d1, ...; reductions r0, r1, ...
// Stages: contraction first, then one stage for the whole element-wise epilogue, named by its last operator.
// A stage of the epilogue keeps the anchor's spatial axis names. Convolutions of single pixels are defined over one row of
// all pixels (merge_pixels.h).
Result<Definition> defineGroup(const graph::Graph& graph, const plan::Group& group);

// Work of the algorithm that the definition writes down. `flops` counts taps on real elements only (padding excluded,
// exactly); nominalFlops counts them all, and of a convolution by tiles (kind "winograd") those of the direct one. An add,
// multiply, compare or max is 1, an FMA 2, a transcendental, division or square root 1.
struct Work {
    double flops = 0;
    double nominalFlops = 0;
    std::int64_t inputBytes = 0;    // each input port once
    std::int64_t constantBytes = 0; // each constant port once
    std::int64_t outputBytes = 0;
    double bytes() const { return static_cast<double>(inputBytes + constantBytes + outputBytes); }
};
Work workOf(const Definition& definition); // needs static extents

// True when integer data gives exact sums in any order: only Sum combiners of products of loads, adds and selects of
// such, and piecewise-linear epilogues (max, min, abs, adds), in float or integer types.
bool isExactOnIntegers(const Definition& definition);

} // namespace nw::compute
