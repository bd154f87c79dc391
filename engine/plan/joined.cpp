#include "engine/plan/joined.h"

#include "engine/base/simplify.h"
#include "engine/base/text.h"
#include "engine/graph/op_table.h"
#include "engine/plan/aliases.h"
#include "engine/plan/arena.h"

#include <algorithm>
#include <optional>

namespace nw::plan {
namespace {

using graph::Graph;
using graph::ValueId;

// Elements from the beginning of `whole` to that of a tensor which stands in it from `begin` on along the axis; nothing
// when it is not there as it would be alone.
std::optional<std::int64_t> placeIn(const Layout& layout, const std::vector<std::int64_t>& whole, const std::vector<std::int64_t>& part,
                                    std::size_t axis, std::int64_t begin)
{
    std::vector<Expr> alone, inside;
    Ranges ranges;
    for (std::size_t i = 0; i < part.size(); ++i) {
        const std::string name = "i" + std::to_string(i);
        ranges[name] = Interval::ofExtent(part[i]);
        alone.push_back(var(name));
        inside.push_back(i == axis ? var(name) + begin : var(name));
    }
    const Expr distance = layout.offset(inside, whole, ranges) - layout.offset(alone, part, ranges);
    return constInt(simplify(distance, ranges));
}

// Every element of memory is one of the tensor's.
bool isFull(const Layout& layout, const std::vector<std::int64_t>& shape)
{
    const Result<std::vector<std::int64_t>> memory = layout.memoryShape(shape);
    const Result<std::int64_t> places = memory ? elementCount(*memory) : Result<std::int64_t>(memory.error());
    const Result<std::int64_t> elements = elementCount(shape);
    return places && elements && *places == *elements && *elements > 0;
}

class Joining {
public:
    Joining(const Graph& graph, const std::vector<Group>& groups)
        : m_graph(graph)
        , m_groups(groups)
    {
        for (const ValueId output : graph.outputs) {
            m_shown.insert(rootOf(graph, output));
        }
        for (const Group& group : groups) {
            for (const GroupPort& port : group.ports) {
                if (port.kind == PortKind::Output) {
                    m_written.emplace(port.value, port.layout.toText());
                }
            }
        }
    }

    Joined run()
    {
        // Later ones first: of a chain of concatenations the last holds all.
        for (auto group = m_groups.rbegin(); group != m_groups.rend(); ++group) {
            join(*group);
        }
        return std::move(m_joined);
    }

private:
    const Graph& m_graph;
    const std::vector<Group>& m_groups;
    std::map<ValueId, std::string> m_written; // values that groups compute, by layout
    std::set<ValueId> m_shown; // as model outputs, by themselves or by a view
    Joined m_joined;

    void join(const Group& group)
    {
        if (group.nodes.size() != 1 || nodeAt(m_graph, group.nodes[0]).op->name != std::string_view("Concat")) {
            return;
        }
        const graph::Node& node = nodeAt(m_graph, group.nodes[0]);
        const ValueId whole = node.outputs.at(0);
        const GroupPort& result = group.ports.back();
        const std::vector<std::int64_t> shape = literalShape(m_graph, whole);
        const auto axis = static_cast<std::size_t>(node.attributes.integer("axis", 0));
        const bool liesAlike = std::ranges::all_of(group.ports, [&](const GroupPort& port) { return port.layout == result.layout; });
        if (result.value != whole || !liesAlike || m_shown.contains(whole) || !isFull(result.layout, shape)) {
            return;
        }
        const auto width = static_cast<std::int64_t>(byteSize(valueAt(m_graph, whole).type.type));
        std::map<ValueId, Joined::Part> parts;
        std::int64_t begin = 0;
        for (const ValueId value : node.inputs) {
            const std::optional<std::int64_t> at = placeOf(value, result.layout, shape, axis, begin);
            if (!at || *at * width % kArenaAlignment != 0 || !parts.emplace(value, Joined::Part{whole, *at * width}).second) {
                return;
            }
            begin += literalShape(m_graph, value)[axis];
        }
        m_joined.parts.merge(parts);
        m_joined.wholes.emplace(whole, result.layout);
        m_joined.groups.insert(group.name);
    }

    std::optional<std::int64_t> placeOf(ValueId value, const Layout& layout, const std::vector<std::int64_t>& whole, std::size_t axis,
                                        std::int64_t begin) const
    {
        const auto written = m_written.find(value);
        const std::vector<std::int64_t> shape = literalShape(m_graph, value);
        if (written == m_written.end() || written->second != layout.toText() || m_shown.contains(value) || m_joined.parts.contains(value)
            || !isFull(layout, shape)) {
            return std::nullopt;
        }
        return placeIn(layout, whole, shape, axis, begin);
    }
};

} // namespace

Joined joinedConcats(const Graph& graph, const std::vector<Group>& groups)
{
    return Joining(graph, groups).run();
}

} // namespace nw::plan
