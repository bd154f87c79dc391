#pragma once

#include "engine/graph/import/importer.h"

#include <memory>

namespace nw::graph {

// Sets the outputs, removes dead nodes, numbers values and nodes anew, and refuses what cannot run: an element type
// without arithmetic, an output that only symbols know. `opset` is that of the default domain, for messages.
Result<std::shared_ptr<const Graph>> finishGraph(Importer& importer, const model::Model& model, std::int64_t opset);

} // namespace nw::graph
