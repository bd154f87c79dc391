#pragma once

#include "engine/base/result.h"
#include "engine/base/tensor.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw::app {

// What --input and --expect say: "arange" (i / n for floats, i for integers), "random:SEED" (uniform in [-1, 1), integers
// 0 .. 9), or a file with one TensorProto (.pb).
Result<Tensor> tensorFrom(const std::string& text, const std::string& name, DType type, const std::vector<std::int64_t>& shape);
Result<std::vector<Tensor>> inputsFrom(const std::vector<std::string>& texts, const graph::Graph& graph);

} // namespace nw::app
