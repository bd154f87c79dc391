// merge_reshapes
//
//   y = Reshape(x, s); z = Reshape(y, t)   =>   z = Reshape(x, t)
//
// Import has resolved every 0 and -1, and z's type says the shape, so t means the same from x (CASES.md 7). Keeps y for
// its other readers.

#include "engine/graph/rewrite/editor.h"
#include "engine/graph/rewrite/rules.h"

namespace nw::graph {
namespace {

std::optional<Graph> apply(const Graph& graph, NodeId id)
{
    if (!isOp(graph, id, "Reshape")) {
        return std::nullopt;
    }
    const NodeId inner = producerOf(graph, graph.nodes[static_cast<std::size_t>(id)].inputs[0], "Reshape");
    if (inner < 0) {
        return std::nullopt;
    }
    Editor editor(graph);
    editor.node(id).inputs[0] = graph.nodes[static_cast<std::size_t>(inner)].inputs[0];
    return std::move(editor).finish();
}

} // namespace

const Rule mergeReshapes{"merge_reshapes", "of two reshapes only the last shape counts", &apply};

} // namespace nw::graph
