// merge_transposes
//
//   y = Transpose(x, p); z = Transpose(y, q)   =>   z = Transpose(x, r),  r[i] = p[q[i]]
//
// Keeps y for its other readers. An r that changes nothing is left to drop_identity.

#include "engine/graph/rewrite/editor.h"
#include "engine/graph/rewrite/rules.h"

namespace nw::graph {
namespace {

std::optional<Graph> apply(const Graph& graph, NodeId id)
{
    if (!isOp(graph, id, "Transpose")) {
        return std::nullopt;
    }
    const Node& outer = graph.nodes[static_cast<std::size_t>(id)];
    const NodeId innerId = producerOf(graph, outer.inputs[0], "Transpose");
    if (innerId < 0) {
        return std::nullopt;
    }
    const Node& inner = graph.nodes[static_cast<std::size_t>(innerId)];
    const std::vector<std::int64_t> first = inner.attributes.integers("perm");
    const std::vector<std::int64_t> second = outer.attributes.integers("perm");
    if (first.size() != second.size() || first.empty()) {
        return std::nullopt;
    }
    std::vector<std::int64_t> perm;
    for (const std::int64_t axis : second) {
        perm.push_back(first.at(static_cast<std::size_t>(axis)));
    }
    Editor editor(graph);
    editor.node(id).inputs[0] = inner.inputs[0];
    editor.node(id).attributes.values["perm"] = std::move(perm);
    return std::move(editor).finish();
}

} // namespace

const Rule mergeTransposes{"merge_transposes", "two permutations one after the other are one", &apply};

} // namespace nw::graph
