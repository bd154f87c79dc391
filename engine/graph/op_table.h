#pragma once

#include "engine/base/result.h"
#include "engine/graph/graph.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nw::graph {

// How an operator may join a fused group (DESIGN.md 1.1, plan).
enum class OpClass {
    Elementwise, // one output element from the broadcast input elements at the same place
    Injective,   // moves data: Transpose, Concat, Slice, Gather, Expand, Pad, Tile
    Reduction,   // several stages ending in an element-wise one: Softmax, LayerNormalization, pools, Reduce*
    Contraction, // Conv, MatMul, Gemm
    View         // same bytes, other shape: Reshape, Squeeze, Unsqueeze, Flatten, Identity: no kernel
};

struct ShapeContext {
    const Graph* graph = nullptr; // types of the inputs
    const Node* node = nullptr;
};
using ShapeFunction = Result<std::vector<TensorType>> (*)(const ShapeContext&);
// Runs the operator's own semantics on constants: integers exactly, floats rounded as the element type rounds.
// `node` carries types of its outputs through `types`. Refused words when it has no folding (Conv and pools).
using EvaluateFunction = Result<std::vector<Tensor>> (*)(const Node& node, std::span<const Tensor* const> inputs,
                                                         std::span<const TensorType> types);

struct OpInfo {
    std::string_view name; // canonical ONNX spelling, "Conv"
    OpClass opClass;
    std::vector<std::string_view> inputNames;  // formal names, "X" "W" "B"; the last repeats for variadic
    std::vector<std::string_view> outputNames; // "Y"
    ShapeFunction shape;
    int required = 1;      // inputs that must be there; later ones may be absent
    bool variadic = false; // the last input repeats (Concat)
};

// All operators, an explicit list (op_table.cpp). nullptr when unknown.
std::span<const OpInfo> allOps();
const OpInfo* findOp(std::string_view name);
// How an operator folds (evaluate/all.cpp lists them); nullptr: never folded.
EvaluateFunction evaluatorOf(std::string_view opName);

// Canonical operators and their attributes (everything else is rewritten to these on import). A node's output types say
// its shapes; what an attribute cannot say because an extent is symbolic, they do.
//  Conv {auto_pad resolved: pads[2n], strides[n], dilations[n], group}; inputs X W [B]
//  WinogradConv {tile: 2 or 4, pads[4]}: a 3x3 Conv with stride 1 by tiles; inputs X U [B] with U [tile + 2, tile + 2, oc, ic]
//      (winograd.h). Import never makes it: the plan does where an algorithm is chosen.
//  MaxPool {kernel_shape, pads, strides, dilations, ceil_mode, storage_order}; outputs Y [Indices]
//  AveragePool {kernel_shape, pads, strides, dilations, ceil_mode, count_include_pad}
//      A window that would start beyond input and leading pad is not there (ceil_mode). count_include_pad counts the
//      cells of the padded input, never those that ceil_mode adds behind it.
//  (GlobalAveragePool / GlobalMaxPool become ReduceMean / ReduceMax over the spatial axes, keepdims 1)
//  MatMul: both ranks >= 2 (vectors are reshaped on import); Gemm {transA, transB, alpha, beta}; inputs A B [C], C
//      broadcast to the result
//  BatchNormalization {epsilon} inputs X scale B mean var, the last four of shape [C] along axis 1 (inference); the
//      training form is rewritten to ReduceMean, Sub, Mul, ... ; LRN {size, alpha, beta, bias}
//  Softmax {axis}, LogSoftmax {axis} (one axis; the flattening form of opset <= 12 becomes Reshape, Softmax, Reshape)
//  LayerNormalization {axis, epsilon}; inputs X Scale [B]; outputs Y [Mean InvStdDev]
//  RMSNormalization {axis, epsilon}; inputs X Scale
//  Reduce{Sum,Mean,Max,Min,Prod,L1,L2,LogSum,LogSumExp,SumSquare} {axes (non-negative, sorted, not empty), keepdims}
//  ArgMax, ArgMin {axis, keepdims, select_last_index}
//  Transpose {perm}; Concat {axis}; Gather {axis}: indices I64 or I32, negative ones count from the end
//  Reshape {shape}: the output's extents, -1 for a symbolic one
//  Slice {starts, ends, axes, steps}: one entry per sliced axis, steps not zero. On a static axis clamped: start in
//      [0, d) and end in [0, d], with a negative step end in [-1, d). On a symbolic axis the step is 1 and start and
//      end are the model's (negative counts from the end, an end beyond the extent is the extent).
//      (Split becomes one Slice per output)
//  Expand {} (target shape is the output type); Pad {pads[2 * rank] >= 0, mode constant|reflect|edge|wrap, value: real};
//      Tile {repeats}
//  Element-wise: Abs Neg Sign Floor Ceil Round Sqrt Reciprocal Exp Log Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh
//      Asinh Acosh Atanh Erf Sigmoid Relu LeakyRelu{alpha} Elu{alpha} Selu{alpha,gamma} Celu{alpha} HardSigmoid
//      {alpha,beta} HardSwish Softplus Softsign ThresholdedRelu{alpha} PRelu Gelu{approximate: none|tanh} Mish Clip
//      (inputs X [Min] [Max], scalars) Add Sub Mul Div Mod{fmod} Pow (one type on both sides) Min Max And Or Xor Not
//      Equal Less LessOrEqual Greater GreaterOrEqual Where Cast{to: "f32"} IsNaN IsInf{detect_negative,detect_positive}
//      (variadic Sum / Min / Max become chains of Add / Min / Max, Mean ends in Mul by 1/n)
//  Views: Reshape (also from Squeeze, Unsqueeze, Flatten), Identity (also from Dropout in inference)
//  Only folded, never computed at run time: NonZero, Range (Shape, Size and ConstantOfShape are done by import itself)

} // namespace nw::graph
