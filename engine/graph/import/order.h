#pragma once

#include "engine/base/result.h"
#include "engine/model/model.h"

#include <vector>

namespace nw::graph {

// Indices of the nodes that the outputs need, each after what it reads; the file's order where that allows. Failed for
// a name that nothing produces or that is produced twice, and for a cycle, naming the nodes.
Result<std::vector<int>> executionOrder(const model::Model& model);

} // namespace nw::graph
