#include "engine/plan/blocking.h"

#include "engine/base/text.h"
#include "engine/graph/op_table.h"
#include "engine/plan/aliases.h"
#include "engine/plan/short_layout.h"

#include <algorithm>

namespace nw::plan {
namespace {

using graph::Graph;
using graph::OpClass;
using graph::ValueId;

// What a group does with blocks of channels.
enum class Way {
    None,    // reads and writes plain
    Either,  // each activation as it comes: convolutions over whole blocks
    Together // all large activations alike
};

class Blocking {
public:
    Blocking(const Graph& graph, std::vector<Group>& groups, std::int64_t block)
        : m_graph(graph)
        , m_groups(groups)
        , m_block(block)
        , m_isBlocked(graph.values.size(), false)
    {}

    void run()
    {
        for (const Group& group : m_groups) {
            m_ways.push_back(wayOf(group));
            m_together.push_back(m_ways.back() == Way::Together);
            for (const GroupPort& port : group.ports) {
                const bool made = port.kind == PortKind::Output && m_ways.back() != Way::None;
                if (made && fits(port.value) && !m_graph.isOutput(port.value)) {
                    m_isBlocked[static_cast<std::size_t>(port.value)] = true;
                }
            }
        }
        while (takeBack()) {
        }
        const Result<Layout> layout = parseChoiceLayout(format("NCHW{}c", m_block));
        ENSURE(layout.has_value(), "the name of a blocked layout");
        for (std::size_t g = 0; g < m_groups.size(); ++g) {
            for (GroupPort& port : m_groups[g].ports) {
                if (port.kind != PortKind::Constant && wants(g, port)) {
                    port.layout = *layout;
                }
            }
        }
    }

private:
    const Graph& m_graph;
    std::vector<Group>& m_groups;
    std::int64_t m_block;
    std::vector<Way> m_ways;      // parallel to groups
    std::vector<bool> m_together; // a group of Way::Together that works on blocks
    std::vector<bool> m_isBlocked; // values

    bool isBlocked(ValueId value) const { return m_isBlocked[static_cast<std::size_t>(value)]; }

    // Four axes, whole blocks, more than one pixel, and bytes of its own.
    bool fits(ValueId value) const
    {
        const graph::Value& v = valueAt(m_graph, value);
        if (v.type.type != DType::F32 || v.type.shape.size() != 4 || rootOf(m_graph, value) != value) {
            return false;
        }
        const std::vector<std::int64_t> shape = literalShape(m_graph, value);
        return shape[1] > 0 && shape[1] % m_block == 0 && shape[2] * shape[3] > 1;
    }

    // An activation that moves with the group's layout, as against what is broadcast to it.
    bool isLarge(const GroupPort& port) const
    {
        if (port.kind == PortKind::Constant) {
            return false;
        }
        const std::vector<std::int64_t> shape = literalShape(m_graph, port.value);
        return shape.size() == 4 && shape[1] > 1 && shape[2] * shape[3] > 1;
    }

    Way wayOf(const Group& group) const
    {
        const auto anchor = std::ranges::find_if(group.nodes, [&](graph::NodeId n) {
            return nodeAt(m_graph, n).op->opClass != OpClass::Elementwise;
        });
        if (anchor == group.nodes.end()) {
            return Way::Together;
        }
        const graph::Node& node = nodeAt(m_graph, *anchor);
        const std::vector<std::int64_t> shape = literalShape(m_graph, node.inputs.at(0));
        if (shape.size() != 4) {
            return Way::None;
        }
        const std::string_view op = node.op->name;
        if (op == "Conv") {
            const std::int64_t groups = node.attributes.integer("group", 1);
            const std::vector<std::int64_t> weights = literalShape(m_graph, node.inputs.at(1));
            if (groups == 1) {
                return Way::Either;
            }
            const bool isDepthwise = groups == shape[1] && weights[0] == shape[1];
            const bool wholeBlocks = weights[1] % m_block == 0 && weights[0] / groups % m_block == 0;
            return isDepthwise ? Way::Together : wholeBlocks ? Way::Either : Way::None;
        }
        const bool hasOneOutput = std::all_of(node.outputs.begin() + 1, node.outputs.end(), [](ValueId v) { return v == graph::kNoValue; });
        if (op == "MaxPool" || op == "AveragePool" || op == "BatchNormalization") {
            return hasOneOutput ? Way::Together : Way::None;
        }
        if (op == "Concat") {
            return node.attributes.integer("axis", 0) == 1 ? Way::Together : Way::None;
        }
        const bool overPixels = (op == "ReduceMean" || op == "ReduceMax" || op == "ReduceSum")
            && node.attributes.integer("keepdims", 1) == 1 && node.attributes.integers("axes") == std::vector<std::int64_t>{2, 3};
        return overPixels ? Way::Together : Way::None;
    }

    // Whether the port asks for blocks, as things stand.
    bool wants(std::size_t g, const GroupPort& port) const
    {
        if (!isLarge(port)) {
            return false;
        }
        if (m_ways[g] == Way::Together) {
            return m_together[g] && (port.kind == PortKind::Input || isBlocked(port.value));
        }
        if (m_ways[g] == Way::None) {
            return false;
        }
        // What is added behind a convolution lies as its result does.
        if (port.name == "W") {
            return false; // weights that are computed
        }
        const bool isAnchors = port.name == "X" || port.kind == PortKind::Output;
        return isAnchors ? isBlocked(port.value) : fits(port.value) && resultIsBlocked(g);
    }

    bool resultIsBlocked(std::size_t g) const
    {
        return std::ranges::any_of(m_groups[g].ports, [&](const GroupPort& port) {
            return port.kind == PortKind::Output && isBlocked(port.value);
        });
    }

    // One round of what cannot stay blocked; false when nothing changed.
    bool takeBack()
    {
        bool changed = false;
        std::vector<bool> isUsed(m_graph.values.size(), false);
        for (std::size_t g = 0; g < m_groups.size(); ++g) {
            if (m_together[g] && !std::ranges::all_of(m_groups[g].ports, [&](const GroupPort& port) {
                    return port.kind != PortKind::Input || !isLarge(port) || isBlocked(port.value);
                })) {
                m_together[g] = false;
                changed = true;
            }
            for (const GroupPort& port : m_groups[g].ports) {
                if (port.kind == PortKind::Input && wants(g, port)) {
                    isUsed[static_cast<std::size_t>(port.value)] = true;
                }
                const bool isPlain = m_ways[g] == Way::Together && !m_together[g];
                if (port.kind == PortKind::Output && isPlain && isBlocked(port.value)) {
                    m_isBlocked[static_cast<std::size_t>(port.value)] = false;
                    changed = true;
                }
            }
        }
        for (std::size_t value = 0; value < m_isBlocked.size(); ++value) {
            if (m_isBlocked[value] && !isUsed[value]) {
                m_isBlocked[value] = false;
                changed = true;
            }
        }
        return changed;
    }
};

} // namespace

void layInBlocks(const Graph& graph, std::vector<Group>& groups, std::int64_t block)
{
    ENSURE(block > 0, "a block has channels");
    Blocking(graph, groups, block).run();
}

} // namespace nw::plan
