#pragma once

#include "engine/plan/plan.h"

namespace nw::plan {

// The ports of a group whose nodes are known, in the order and with the names that plan.h tells; all layouts plain.
// `anchor` is the node whose formal names stand alone.
std::vector<GroupPort> portsOf(const graph::Graph& graph, const std::vector<graph::NodeId>& nodes, graph::NodeId anchor,
                               const std::vector<std::vector<graph::NodeId>>& uses);

} // namespace nw::plan
