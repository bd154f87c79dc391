// BatchNormalization in its inference form: Y = (X - mean) * (scale / sqrt(var + epsilon)) + B, per channel (axis 1),
// computed in double and rounded once to the element type.

#include "engine/graph/evaluate/elementwise.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nw::graph {
namespace {

Outputs evaluateBatchNormalization(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 5); !present) {
        return present.error();
    }
    const Tensor& x = *inputs[0];
    if (!isFloat(x.type())) {
        return cannotFold(node, "its input is not a float");
    }
    const std::int64_t channels = x.shape().size() < 2 ? 1 : x.shape()[1];
    for (std::size_t i = 1; i < 5; ++i) {
        if (inputs[i]->count() != channels) {
            return cannotFold(node, format("input {} has {} elements for {} channels", i, inputs[i]->count(), channels));
        }
    }
    std::int64_t inner = 1;
    for (std::size_t i = 2; i < x.shape().size(); ++i) {
        inner *= x.shape()[i];
    }
    const double epsilon = node.attributes.real("epsilon", 1e-5);
    Result<Tensor> wide = convert(x, DType::F64);
    Result<Tensor> out = Tensor::create(DType::F64, x.shape());
    if (!wide || !out) {
        return wide ? out.error() : wide.error();
    }
    const std::span<const double> from = wide->data<double>();
    const std::span<double> to = out->mutableData<double>();
    for (std::size_t i = 0; i < to.size(); ++i) {
        const std::int64_t c = static_cast<std::int64_t>(i) / inner % channels;
        const double factor = inputs[1]->asDouble(c) / std::sqrt(inputs[4]->asDouble(c) + epsilon);
        to[i] = (from[i] - inputs[3]->asDouble(c)) * factor + inputs[2]->asDouble(c);
    }
    return single(convert(*out, x.type()));
}

constexpr std::array kEvaluators{Evaluator{"BatchNormalization", &evaluateBatchNormalization}};

} // namespace

std::span<const Evaluator> normalizeEvaluators()
{
    return kEvaluators;
}

} // namespace nw::graph
