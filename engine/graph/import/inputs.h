#pragma once

#include "engine/graph/from_model.h"
#include "engine/graph/import/importer.h"

namespace nw::graph {

// Puts the model's inputs and initializers into the graph: symbols bound, contents of bound inputs as constants, an
// input with a default (IR >= 4) as optional input. Gives the names of the inputs whose contents were taken.
Result<std::vector<std::string>> addInputs(Importer& importer, const model::Model& model, const ImportOptions& options);

} // namespace nw::graph
