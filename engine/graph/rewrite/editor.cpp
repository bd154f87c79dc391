#include "engine/graph/rewrite/editor.h"

#include "engine/base/ensure.h"

#include <algorithm>

namespace nw::graph {
namespace {

std::size_t at(int id)
{
    return static_cast<std::size_t>(id);
}

// Nodes that a graph output needs.
std::vector<bool> neededNodes(const Graph& graph)
{
    std::vector<bool> needed(graph.nodes.size(), false);
    std::vector<bool> wanted(graph.values.size(), false);
    for (const ValueId output : graph.outputs) {
        wanted[at(output)] = true;
    }
    for (std::size_t n = graph.nodes.size(); n-- > 0;) {
        const Node& node = graph.nodes[n];
        needed[n] = std::ranges::any_of(node.outputs, [&](ValueId v) { return v != kNoValue && wanted[at(v)]; });
        for (const ValueId input : needed[n] ? node.inputs : std::vector<ValueId>{}) {
            if (input != kNoValue) {
                wanted[at(input)] = true;
            }
        }
    }
    return needed;
}

// The graph without nodes that nothing needs and without values that nothing names; producers set anew.
Graph compacted(Graph graph)
{
    const std::vector<bool> needed = neededNodes(graph);
    Graph result;
    result.symbols = std::move(graph.symbols);
    std::vector<ValueId> moved(graph.values.size(), kNoValue);
    const auto take = [&](ValueId old) {
        if (old == kNoValue) {
            return kNoValue;
        }
        ValueId& id = moved[at(old)];
        if (id == kNoValue) {
            id = static_cast<ValueId>(result.values.size());
            result.values.push_back(std::move(graph.values[at(old)]));
            result.values.back().producer = -1;
        }
        return id;
    };
    for (ValueId& input : graph.inputs) {
        result.inputs.push_back(take(input));
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        if (!needed[n]) {
            continue;
        }
        Node node = std::move(graph.nodes[n]);
        std::ranges::transform(node.inputs, node.inputs.begin(), take);
        std::ranges::transform(node.outputs, node.outputs.begin(), take);
        for (const ValueId output : node.outputs) {
            if (output != kNoValue) {
                result.values[at(output)].producer = static_cast<NodeId>(result.nodes.size());
            }
        }
        result.nodes.push_back(std::move(node));
    }
    for (const ValueId output : graph.outputs) {
        result.outputs.push_back(take(output));
    }
    for (auto& [input, tensor] : graph.defaults) {
        result.defaults.emplace(take(input), std::move(tensor));
    }
    return result;
}

} // namespace

bool isOp(const Graph& graph, NodeId node, std::string_view op)
{
    return graph.nodes[at(node)].op->name == op;
}

NodeId producerOf(const Graph& graph, ValueId value, std::string_view op)
{
    const NodeId producer = value == kNoValue ? -1 : graph.values[at(value)].producer;
    return producer >= 0 && isOp(graph, producer, op) ? producer : -1;
}

const Tensor* constantOf(const Graph& graph, ValueId value)
{
    if (value == kNoValue || !graph.values[at(value)].constant) {
        return nullptr;
    }
    return &*graph.values[at(value)].constant;
}

bool sameShape(const std::vector<Expr>& a, const std::vector<Expr>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr& x, const Expr& y) { return equal(x, y); });
}

ValueId inputOf(const Node& node, std::size_t i)
{
    return i < node.inputs.size() ? node.inputs[i] : kNoValue;
}

bool hasSingleUse(const Graph& graph, ValueId value)
{
    std::ptrdiff_t reads = std::ranges::count(graph.outputs, value) * 2;
    for (const Node& node : graph.nodes) {
        reads += std::ranges::count(node.inputs, value);
        if (reads > 1) {
            return false;
        }
    }
    return reads == 1;
}

ValueId Editor::addConstant(std::string name, Tensor tensor)
{
    TensorType type{tensor.type(), {}};
    for (const std::int64_t extent : tensor.shape()) {
        type.shape.push_back(intImm(extent));
    }
    const ValueId id = addValue(std::move(name), std::move(type));
    m_graph.values[at(id)].constant = std::move(tensor);
    return id;
}

ValueId Editor::addValue(std::string name, TensorType type)
{
    m_graph.values.push_back({std::move(name), std::move(type), std::nullopt, -1});
    return static_cast<ValueId>(m_graph.values.size()) - 1;
}

void Editor::insert(NodeId before, Node node)
{
    m_inserted.emplace_back(before, std::move(node));
}

void Editor::remove(NodeId id)
{
    m_removed.push_back(id);
}

void Editor::redirect(ValueId from, ValueId to)
{
    for (Node& node : m_graph.nodes) {
        std::ranges::replace(node.inputs, from, to);
    }
    for (auto& [before, node] : m_inserted) {
        std::ranges::replace(node.inputs, from, to);
    }
    std::ranges::replace(m_graph.outputs, from, to);
}

Graph Editor::finish() &&
{
    std::vector<Node> nodes;
    for (std::size_t n = 0; n < m_graph.nodes.size(); ++n) {
        const auto id = static_cast<NodeId>(n);
        for (auto& [before, node] : m_inserted) {
            if (before == id) {
                nodes.push_back(std::move(node));
            }
        }
        if (std::ranges::find(m_removed, id) == m_removed.end()) {
            nodes.push_back(std::move(m_graph.nodes[n]));
        }
    }
    m_graph.nodes = std::move(nodes);
    return compacted(std::move(m_graph));
}

std::optional<Graph> bypass(const Graph& graph, NodeId id)
{
    const Node& node = graph.nodes[at(id)];
    const ValueId input = node.inputs.at(0);
    const ValueId output = node.outputs.at(0);
    Editor editor(graph);
    if (!graph.isOutput(output)) {
        editor.redirect(output, input);
        editor.remove(id);
        return std::move(editor).finish();
    }
    const NodeId producer = graph.values[at(input)].producer;
    if (producer < 0 || graph.isOutput(input)) {
        return std::nullopt;
    }
    // The producer makes the graph output itself, so that the output keeps its name.
    editor.remove(id);
    editor.redirect(input, output);
    std::ranges::replace(editor.node(producer).outputs, input, output);
    return std::move(editor).finish();
}

} // namespace nw::graph
