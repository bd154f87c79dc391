#pragma once

#include "engine/graph/graph.h"
#include "engine/plan/plan.h"

#include <string>
#include <vector>

namespace nw::views {

// What a group is called in the picture: "conv 3×3 + bias + relu"; of a conversion: "NCHW16c → plain".
std::string groupTitle(const graph::Graph& graph, const plan::Group& group);
// "64×56×56": without a batch of 1 in front; the whole shape for an edge.
std::string shapeText(const graph::TensorType& type, bool whole);
// Short name of a layout, empty when it is plain.
std::string layoutText(const Layout& layout);

} // namespace nw::views
