#include "engine/graph/op_table.h"
#include "engine/plan/aliases.h"
#include "views/graph/graph_picture.h"
#include "views/graph/group_words.h"
#include "views/graph/repeated_blocks.h"

#include <map>
#include <utility>

namespace nw::views {
namespace {

class Maker {
public:
    Maker(const graph::Graph& graph, const std::vector<plan::Group>& groups)
        : m_graph(graph)
        , m_groups(groups)
    {}

    GraphPicture make()
    {
        addInputs();
        for (const plan::Group& group : m_groups) {
            addGroup(group);
        }
        addOutputs();
        m_picture.blocks = repeatedBlocks(m_picture.nodes, m_picture.edges);
        return std::move(m_picture);
    }

private:
    const graph::Graph& m_graph;
    const std::vector<plan::Group>& m_groups;
    GraphPicture m_picture;
    // A value may be there in two layouts, each made by another group.
    std::map<std::pair<graph::ValueId, std::string>, int> m_makers;
    std::map<graph::ValueId, int> m_lastMaker;

    const graph::Value& value(graph::ValueId id) const { return m_graph.values[static_cast<std::size_t>(id)]; }

    // Views have no group: what they show is their input's bytes.
    graph::ValueId root(graph::ValueId id) const { return plan::rootOf(m_graph, id); }

    int add(GraphNode node)
    {
        m_picture.nodes.push_back(std::move(node));
        return static_cast<int>(m_picture.nodes.size()) - 1;
    }

    void made(graph::ValueId id, const Layout& layout, int by)
    {
        m_makers[{root(id), layoutText(layout)}] = by;
        m_lastMaker[root(id)] = by;
    }

    void connect(graph::ValueId id, const Layout& layout, int to)
    {
        const std::string layoutName = layoutText(layout);
        const auto exact = m_makers.find({root(id), layoutName});
        const auto any = m_lastMaker.find(root(id));
        if (exact == m_makers.end() && any == m_lastMaker.end()) {
            return; // a constant
        }
        const int from = exact != m_makers.end() ? exact->second : any->second;
        // The edges to one node stand together, at the end.
        for (auto edge = m_picture.edges.rbegin(); edge != m_picture.edges.rend() && edge->to == to; ++edge) {
            if (edge->from == from && edge->tensor == value(id).name) {
                return;
            }
        }
        const std::string shape = shapeText(value(id).type, true);
        m_picture.edges.push_back({from, to, shape + (layoutName.empty() ? "" : " " + layoutName), value(id).name, shape,
            std::string(toText(value(id).type.type)), layoutName, bytesOf(id, layout)});
    }

    std::int64_t bytesOf(graph::ValueId id, const Layout& layout) const
    {
        const auto shape = m_graph.staticShape(id);
        const Result<std::vector<std::int64_t>> memory =
            shape ? layout.memoryShape(*shape) : Result<std::vector<std::int64_t>>(std::vector<std::int64_t>{0});
        std::int64_t bytes = memory ? static_cast<std::int64_t>(byteSize(value(id).type.type)) : 0;
        for (const std::int64_t extent : memory ? *memory : std::vector<std::int64_t>()) {
            bytes *= extent;
        }
        return bytes;
    }

    void addInputs()
    {
        for (const graph::ValueId id : m_graph.inputs) {
            const int node = add({"input." + value(id).name, value(id).name, shapeText(value(id).type, true), {}, {},
                GraphNode::Kind::Input, -1, {}, {"input"}});
            made(id, Layout{}, node);
        }
    }

    void addGroup(const plan::Group& group)
    {
        GraphNode node{group.name, groupTitle(m_graph, group), {}, {}, {},
            group.nodes.empty() ? GraphNode::Kind::Conversion : GraphNode::Kind::Group, -1, {}, {}};
        for (const graph::NodeId id : group.nodes) {
            node.ops.emplace_back(m_graph.nodes[static_cast<std::size_t>(id)].op->name);
        }
        if (group.nodes.empty()) {
            node.ops.emplace_back("Conversion");
        }
        for (const plan::GroupPort& port : group.ports) {
            if (port.kind != plan::PortKind::Output) {
                continue;
            }
            if (node.subtitle.empty()) {
                node.subtitle = shapeText(value(port.value).type, false);
            }
            if (const std::string layout = layoutText(port.layout); !layout.empty() && node.kind == GraphNode::Kind::Group) {
                node.badges.push_back(layout);
            }
        }
        const int index = add(std::move(node));
        for (const plan::GroupPort& port : group.ports) {
            if (port.kind == plan::PortKind::Input) {
                connect(port.value, port.layout, index);
            }
        }
        for (const plan::GroupPort& port : group.ports) {
            if (port.kind == plan::PortKind::Output) {
                made(port.value, port.layout, index);
            }
        }
    }

    void addOutputs()
    {
        for (const graph::ValueId id : m_graph.outputs) {
            const int node = add({"output." + value(id).name, value(id).name, shapeText(value(id).type, true), {}, {},
                GraphNode::Kind::Output, -1, {}, {"output"}});
            connect(id, Layout{}, node);
        }
    }
};

} // namespace

GraphPicture pictureOf(const plan::Plan& plan)
{
    return pictureOf(*plan.graph, plan.groups);
}

GraphPicture pictureOf(const graph::Graph& graph, const std::vector<plan::Group>& groups)
{
    return Maker(graph, groups).make();
}

} // namespace nw::views
