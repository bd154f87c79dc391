#pragma once

#include "engine/graph/graph.h"
#include "engine/graph/op_table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nw::graph {

// Readers that the rules share.
bool isOp(const Graph& graph, NodeId node, std::string_view op);
// The node that makes a value when it is of operator `op`; -1 otherwise.
NodeId producerOf(const Graph& graph, ValueId value, std::string_view op);
const Tensor* constantOf(const Graph& graph, ValueId value);
bool sameShape(const std::vector<Expr>& a, const std::vector<Expr>& b);
// Input `i` of a node, kNoValue when it is absent.
ValueId inputOf(const Node& node, std::size_t i);
// True when exactly one node reads the value, in one place, and it is no graph output.
bool hasSingleUse(const Graph& graph, ValueId value);

// A copy of a graph under change. finish() drops what nothing needs any more and renumbers, keeping the order of nodes.
class Editor {
public:
    explicit Editor(const Graph& graph)
        : m_graph(graph)
    {}

    Node& node(NodeId id) { return m_graph.nodes[static_cast<std::size_t>(id)]; }
    const TensorType& type(ValueId value) const { return m_graph.values[static_cast<std::size_t>(value)].type; }
    ValueId addConstant(std::string name, Tensor tensor);
    ValueId addValue(std::string name, TensorType type);
    // Puts a new node in front of `before`; its outputs must be new values or ones that no node makes any more.
    void insert(NodeId before, Node node);
    // Takes a node away; its outputs must get another maker or lose their readers.
    void remove(NodeId id);
    // Every reader of `from`, nodes and graph outputs, reads `to` instead.
    void redirect(ValueId from, ValueId to);
    Graph finish() &&;

private:
    Graph m_graph;
    std::vector<std::pair<NodeId, Node>> m_inserted;
    std::vector<NodeId> m_removed;
};

// Removes `id`, whose output equals its input: readers get the input. Nothing when that would take a graph output's
// name away or make a graph input or constant a graph output.
std::optional<Graph> bypass(const Graph& graph, NodeId id);

} // namespace nw::graph
