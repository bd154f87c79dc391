#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace nw::views {

enum class OperatorKind { MatMul, Dense, Conv2d, DepthwiseConv2d, Pooling, Softmax, LayerNorm, Elementwise };
inline constexpr int kOperatorKinds = 8;

// Values by key: extents as they are, flags 0 or 1, choices as the index of the choice. See operator_kinds.h.
using OperatorFields = std::map<std::string, std::int64_t>;

// The model that holds this operator alone, as ONNX text. Weights are made in the graph from seeds, as in the samples, so
// that the file stays small. Fields must be sensible (operatorProblem).
std::string operatorText(OperatorKind kind, const OperatorFields& fields);
// "conv2d_64x56x56_3x3": of the file and of the graph in it.
std::string operatorName(OperatorKind kind, const OperatorFields& fields);

} // namespace nw::views
