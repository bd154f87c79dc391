#include "engine/plan/ports.h"

#include "engine/base/text.h"
#include "engine/graph/op_table.h"
#include "engine/plan/aliases.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace nw::plan {
namespace {

using graph::NodeId;
using graph::ValueId;

class PortList {
public:
    PortList(const graph::Graph& graph, NodeId anchor)
        : m_graph(graph)
        , m_anchor(anchor)
    {}

    void add(PortKind kind, ValueId value, NodeId node, std::string_view formal)
    {
        std::string name(formal);
        if (node != m_anchor) {
            std::string op(nodeAt(m_graph, node).op->name);
            std::ranges::transform(op, op.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            name = op + "." + name;
        }
        const std::string wanted = name;
        for (int copy = 2; !m_names.insert(name).second; ++copy) {
            name = format("{}.{}", wanted, copy);
        }
        m_ports.push_back({name, kind, value, Layout{}});
    }

    bool has(ValueId value) const { return std::ranges::find(m_ports, value, &GroupPort::value) != m_ports.end(); }
    std::vector<GroupPort> take() { return std::move(m_ports); }

private:
    const graph::Graph& m_graph;
    NodeId m_anchor;
    std::set<std::string> m_names;
    std::vector<GroupPort> m_ports;
};

std::string_view formalName(const std::vector<std::string_view>& names, std::size_t i)
{
    return names.empty() ? std::string_view("X") : names[std::min(i, names.size() - 1)];
}

} // namespace

std::vector<GroupPort> portsOf(const graph::Graph& graph, const std::vector<NodeId>& nodes, NodeId anchor,
                               const std::vector<std::vector<NodeId>>& uses)
{
    PortList ports(graph, anchor);
    const std::set<NodeId> inside(nodes.begin(), nodes.end());
    for (const NodeId id : nodes) {
        const graph::Node& node = nodeAt(graph, id);
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const ValueId value = node.inputs[i];
            if (value == graph::kNoValue || ports.has(value) || inside.contains(valueAt(graph, value).producer)) {
                continue;
            }
            const bool isConstant = valueAt(graph, value).constant.has_value();
            ports.add(isConstant ? PortKind::Constant : PortKind::Input, value, id, formalName(node.op->inputNames, i));
        }
    }
    for (const NodeId id : nodes) {
        const graph::Node& node = nodeAt(graph, id);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueId value = node.outputs[i];
            if (value == graph::kNoValue) {
                continue;
            }
            const std::vector<NodeId>& users = uses[static_cast<std::size_t>(value)];
            const bool leaves = graph.isOutput(value)
                                || std::ranges::any_of(users, [&](NodeId user) { return !inside.contains(user); });
            const bool isUnusedMain = users.empty() && i == 0;
            if (leaves || isUnusedMain) {
                // The result is called as the anchor calls its own, whichever node of the epilogue computes it.
                const std::vector<std::string_view>& formals = nodeAt(graph, anchor).op->outputNames;
                ports.add(PortKind::Output, value, anchor, formalName(formals, i));
            }
        }
    }
    return ports.take();
}

} // namespace nw::plan
