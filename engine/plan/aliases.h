#pragma once

#include "engine/graph/graph.h"

namespace nw::plan {

// The value whose bytes a value shows: itself, or what a chain of views (Reshape, Identity) starts from.
graph::ValueId rootOf(const graph::Graph& graph, graph::ValueId value);
bool isView(const graph::Graph& graph, graph::NodeId node);
// Literal shape; every shape of a planned graph has one.
std::vector<std::int64_t> literalShape(const graph::Graph& graph, graph::ValueId value);

inline const graph::Value& valueAt(const graph::Graph& graph, graph::ValueId value)
{
    return graph.values.at(static_cast<std::size_t>(value));
}
inline const graph::Node& nodeAt(const graph::Graph& graph, graph::NodeId node)
{
    return graph.nodes.at(static_cast<std::size_t>(node));
}

} // namespace nw::plan
