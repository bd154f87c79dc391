#include "engine/graph/evaluate/evaluate.h"

#include <algorithm>
#include <array>

namespace nw::graph {

EvaluateFunction evaluatorOf(std::string_view opName)
{
    const std::array families{arithmeticEvaluators(), compareEvaluators(),  unaryEvaluators(),  activationEvaluators(),
                              movementEvaluators(),   paddingEvaluators(),  reduceEvaluators(), matmulEvaluators(),
                              constantEvaluators(),   normalizeEvaluators()};
    for (const std::span<const Evaluator> family : families) {
        const auto found = std::ranges::find(family, opName, &Evaluator::op);
        if (found != family.end()) {
            return found->run;
        }
    }
    return nullptr;
}

std::string display(const Node& node)
{
    std::string text = node.op == nullptr ? std::string("node") : std::string(node.op->name);
    if (!node.name.empty()) {
        text += " '" + node.name + "'";
    }
    return text;
}

Error cannotFold(const Node& node, std::string_view why)
{
    return failed(format("cannot fold {}: {}", display(node), why));
}

Status requireInputs(const Node& node, Inputs inputs, std::size_t required)
{
    for (std::size_t i = 0; i < required; ++i) {
        if (i >= inputs.size() || inputs[i] == nullptr) {
            return cannotFold(node, format("input {} is missing", i));
        }
    }
    return Done{};
}

Outputs single(Result<Tensor> tensor)
{
    if (!tensor) {
        return tensor.error();
    }
    std::vector<Tensor> outputs;
    outputs.push_back(*std::move(tensor));
    return outputs;
}

Result<std::vector<std::int64_t>> broadcastShape(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b)
{
    const std::size_t rank = std::max(a.size(), b.size());
    std::vector<std::int64_t> shape(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1) {
            return failed(format("shapes [{}] and [{}] do not broadcast", fmt::join(a, ","), fmt::join(b, ",")));
        }
        shape[rank - 1 - i] = x == 1 ? y : x;
    }
    return shape;
}

Result<std::int64_t> normalAxis(const Node& node, std::int64_t axis, std::size_t rank)
{
    const auto n = static_cast<std::int64_t>(rank);
    if (axis < -n || axis >= n) {
        return cannotFold(node, format("axis {} is outside rank {}", axis, n));
    }
    return axis < 0 ? axis + n : axis;
}

Result<std::vector<std::int64_t>> literalShape(const Node& node, const TensorType& type)
{
    std::vector<std::int64_t> shape;
    for (const Expr& extent : type.shape) {
        const std::optional<std::int64_t> value = constInt(extent);
        if (!value) {
            return cannotFold(node, format("the extent {} is symbolic", toText(extent)));
        }
        shape.push_back(*value);
    }
    return shape;
}

std::vector<std::int64_t> integersOf(const Tensor& tensor)
{
    std::vector<std::int64_t> values(static_cast<std::size_t>(tensor.count()));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = tensor.asInt(static_cast<std::int64_t>(i));
    }
    return values;
}

} // namespace nw::graph
