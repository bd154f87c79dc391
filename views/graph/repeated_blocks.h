#pragma once

#include "views/graph/graph_picture.h"

namespace nw::views {

// The repeated structure of a picture whose nodes and edges are there; blocks are disjoint, in order.
std::vector<GraphPicture::Block> repeatedBlocks(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges);

} // namespace nw::views
