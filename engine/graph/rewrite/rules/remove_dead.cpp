// remove_dead
//
//   y = Op(x), y read by nothing   =>   (nothing)
//
// Keeps every graph output. Import leaves no such node; rules may.

#include "engine/graph/rewrite/editor.h"
#include "engine/graph/rewrite/rules.h"

#include <algorithm>

namespace nw::graph {
namespace {

std::optional<Graph> apply(const Graph& graph, NodeId id)
{
    const Node& node = graph.nodes[static_cast<std::size_t>(id)];
    const std::span later = std::span(graph.nodes).subspan(static_cast<std::size_t>(id) + 1); // where the readers are
    const auto isRead = [&](ValueId value) {
        return value != kNoValue && (graph.isOutput(value) || std::ranges::any_of(later, [&](const Node& reader) {
                                         return std::ranges::find(reader.inputs, value) != reader.inputs.end();
                                     }));
    };
    if (std::ranges::any_of(node.outputs, isRead)) {
        return std::nullopt;
    }
    Editor editor(graph);
    editor.remove(id);
    return std::move(editor).finish();
}

} // namespace

const Rule removeDead{"remove_dead", "a node whose results nobody reads is nothing", &apply};

} // namespace nw::graph
