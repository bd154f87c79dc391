// drop_identity
//
//   y = Identity(x)                                 =>   x for y
//   y = Transpose(x), perm [0, 1, ..]
//   y = Reshape / Expand / Tile(x), shape unchanged
//   y = Slice(x), steps 1, shape unchanged
//   y = Pad(x), pads 0
//   y = Cast(x), type unchanged
//
// Keeps a graph output's name: its producer takes the output over. Does not fire where x is a graph input, a constant or
// another output and y an output: a caller's output must be written.

#include "engine/graph/rewrite/editor.h"
#include "engine/graph/rewrite/rules.h"

#include <algorithm>

namespace nw::graph {
namespace {

bool isSorted(const std::vector<std::int64_t>& perm)
{
    return !perm.empty() && std::ranges::is_sorted(perm);
}

bool changesNothing(const Graph& graph, const Node& node)
{
    const std::string_view op = node.op->name;
    if (op == "Identity") {
        return true;
    }
    if (op == "Transpose") {
        const bool isScalarOrVector = graph.values[static_cast<std::size_t>(node.inputs[0])].type.shape.size() < 2;
        return isScalarOrVector || isSorted(node.attributes.integers("perm"));
    }
    const bool isMover = op == "Reshape" || op == "Expand" || op == "Tile" || op == "Slice" || op == "Pad" || op == "Cast";
    if (!isMover) {
        return false;
    }
    const TensorType& from = graph.values[static_cast<std::size_t>(node.inputs.at(0))].type;
    const TensorType& to = graph.values[static_cast<std::size_t>(node.outputs.at(0))].type;
    if (from.type != to.type || !sameShape(from.shape, to.shape)) {
        return false;
    }
    const auto all = [&](const std::string& name, std::int64_t value) {
        return std::ranges::all_of(node.attributes.integers(name), [value](std::int64_t x) { return x == value; });
    };
    // A slice of the same shape with steps of 1 starts at 0; one with step -1 reverses.
    return op == "Slice" ? all("steps", 1) : op != "Pad" || all("pads", 0);
}

std::optional<Graph> apply(const Graph& graph, NodeId id)
{
    return changesNothing(graph, graph.nodes[static_cast<std::size_t>(id)]) ? bypass(graph, id) : std::nullopt;
}

} // namespace

const Rule dropIdentity{"drop_identity", "an operator that changes neither order, shape nor type is its input", &apply};

} // namespace nw::graph
