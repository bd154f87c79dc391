#pragma once

#include "engine/graph/graph.h"

#include <optional>
#include <vector>

namespace nw::graph {

// A batch normalization as y = x * factor + shift per channel, in double: factor = scale / sqrt(var + epsilon),
// shift = B - mean * factor (the mean is kept for a producer with a bias of its own).
struct ChannelAffine {
    std::vector<double> factor;
    std::vector<double> mean;
    std::vector<double> offset; // B
};
// Nothing unless scale, B, mean and var are constants and every factor is finite (var + epsilon > 0).
std::optional<ChannelAffine> affineOfBatchNorm(const Graph& graph, const Node& node);

// Values rounded once to a float element type; Bug for other types.
Tensor roundedTo(DType type, std::vector<std::int64_t> shape, const std::vector<double>& values);

} // namespace nw::graph
