#pragma once

#include "engine/base/tensor.h"
#include "engine/base/text.h"
#include "engine/graph/op_table.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nw::graph {

// What the evaluators of this folder share. An absent optional input is a null pointer; a present one is a constant.
using Inputs = std::span<const Tensor* const>;
using Types = std::span<const TensorType>;
using Outputs = Result<std::vector<Tensor>>;

struct Evaluator {
    std::string_view op;
    EvaluateFunction run;
};

// One list a family.
std::span<const Evaluator> arithmeticEvaluators();
std::span<const Evaluator> compareEvaluators();
std::span<const Evaluator> unaryEvaluators();
std::span<const Evaluator> activationEvaluators();
std::span<const Evaluator> movementEvaluators();
std::span<const Evaluator> paddingEvaluators();
std::span<const Evaluator> reduceEvaluators();
std::span<const Evaluator> matmulEvaluators();
std::span<const Evaluator> constantEvaluators();
std::span<const Evaluator> normalizeEvaluators();

// "Mul 'node_7'": how messages call a node.
std::string display(const Node& node);
// Failed with "cannot fold Mul 'node_7': WHY".
Error cannotFold(const Node& node, std::string_view why);
// Failed unless the first `required` inputs are there.
Status requireInputs(const Node& node, Inputs inputs, std::size_t required);

Outputs single(Result<Tensor> tensor);

// Shape that two shapes broadcast to, aligned at the right; Failed when they do not.
Result<std::vector<std::int64_t>> broadcastShape(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b);
// A negative axis counted from the end; Failed outside [-rank, rank).
Result<std::int64_t> normalAxis(const Node& node, std::int64_t axis, std::size_t rank);
// Literal shape of an output type; Failed while a dimension is symbolic.
Result<std::vector<std::int64_t>> literalShape(const Node& node, const TensorType& type);
// Elements of an I64 or I32 tensor as 64-bit integers.
std::vector<std::int64_t> integersOf(const Tensor& tensor);

} // namespace nw::graph
