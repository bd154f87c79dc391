#include "engine/graph/rewrite/rules/batch_norm.h"

#include "engine/base/ensure.h"
#include "engine/graph/rewrite/editor.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nw::graph {

std::optional<ChannelAffine> affineOfBatchNorm(const Graph& graph, const Node& node)
{
    std::array<const Tensor*, 4> parameters{};
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        parameters[i] = constantOf(graph, inputOf(node, i + 1));
        if (parameters[i] == nullptr || parameters[i]->count() != parameters[0]->count()) {
            return std::nullopt;
        }
    }
    const double epsilon = node.attributes.real("epsilon", 1e-5);
    ChannelAffine affine;
    for (std::int64_t c = 0; c < parameters[0]->count(); ++c) {
        const double factor = parameters[0]->asDouble(c) / std::sqrt(parameters[3]->asDouble(c) + epsilon);
        if (!std::isfinite(factor)) {
            return std::nullopt;
        }
        affine.factor.push_back(factor);
        affine.offset.push_back(parameters[1]->asDouble(c));
        affine.mean.push_back(parameters[2]->asDouble(c));
    }
    return affine;
}

Tensor roundedTo(DType type, std::vector<std::int64_t> shape, const std::vector<double>& values)
{
    if (type == DType::F64) {
        return Tensor::of(type, std::move(shape), values);
    }
    ENSURE(type == DType::F32, "rounded to a type that is no float");
    std::vector<float> rounded(values.size());
    std::ranges::transform(values, rounded.begin(), [](double value) { return static_cast<float>(value); });
    return Tensor::of(type, std::move(shape), rounded);
}

} // namespace nw::graph
