#pragma once

#include "engine/base/result.h"
#include "engine/graph/graph.h"

#include <map>
#include <memory>
#include <vector>

namespace nw::test {

// Runs a whole graph through the planner's groups, their definitions and the oracle: inputs by value id, one tensor a
// graph output. Says at the same time what import, fusing and definitions are worth together, without a code generator.
Result<std::vector<Tensor>> runGraph(const graph::Graph& graph, std::map<graph::ValueId, Tensor> known, int threads = 1);

// Largest difference, relative to the largest expected value (exact for integers and bools); infinity when shapes or
// types differ or one is no number where the other is.
double relativeDifference(const Tensor& got, const Tensor& expected);

} // namespace nw::test
