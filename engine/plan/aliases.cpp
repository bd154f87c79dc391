#include "engine/plan/aliases.h"

#include "engine/base/ensure.h"
#include "engine/graph/op_table.h"

namespace nw::plan {

bool isView(const graph::Graph& graph, graph::NodeId node)
{
    return nodeAt(graph, node).op->opClass == graph::OpClass::View;
}

graph::ValueId rootOf(const graph::Graph& graph, graph::ValueId value)
{
    while (true) {
        const graph::NodeId producer = valueAt(graph, value).producer;
        if (producer < 0 || !isView(graph, producer)) {
            return value;
        }
        value = nodeAt(graph, producer).inputs.at(0);
    }
}

std::vector<std::int64_t> literalShape(const graph::Graph& graph, graph::ValueId value)
{
    const std::optional<std::vector<std::int64_t>> shape = graph.staticShape(value);
    ENSURE(shape.has_value(), "a planned value has a symbolic shape");
    return *shape;
}

} // namespace nw::plan
