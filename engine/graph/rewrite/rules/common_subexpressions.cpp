// common_subexpressions
//
//   y = Op(a, b); z = Op(a, b)   =>   y for z
//
// Same operator, inputs and attributes; small constants are compared by value. Does not fire where z is a graph output.

#include "engine/graph/rewrite/editor.h"
#include "engine/graph/rewrite/rules.h"

#include <algorithm>

namespace nw::graph {
namespace {

constexpr std::size_t kComparedBytes = 4096;

bool sameInput(const Graph& graph, ValueId a, ValueId b)
{
    if (a == b) {
        return true;
    }
    const Tensor* const x = constantOf(graph, a);
    const Tensor* const y = constantOf(graph, b);
    if (x == nullptr || y == nullptr || x->type() != y->type() || x->shape() != y->shape()) {
        return false;
    }
    return x->bytes().data() == y->bytes().data()
           || (x->bytes().size() <= kComparedBytes && std::ranges::equal(x->bytes(), y->bytes()));
}

bool sameWork(const Graph& graph, const Node& a, const Node& b)
{
    // A reshape to another symbolic shape has the same attributes: the outputs' types decide.
    const auto sameOutput = [&](ValueId x, ValueId y) {
        if (x == kNoValue || y == kNoValue) {
            return y == kNoValue; // the earlier node may make more
        }
        const TensorType& p = graph.values[static_cast<std::size_t>(x)].type;
        const TensorType& q = graph.values[static_cast<std::size_t>(y)].type;
        return p.type == q.type && sameShape(p.shape, q.shape);
    };
    return a.op == b.op && a.attributes.values == b.attributes.values && a.outputs.size() >= b.outputs.size()
           && std::equal(b.outputs.begin(), b.outputs.end(), a.outputs.begin(),
                         [&](ValueId y, ValueId x) { return sameOutput(x, y); })
           && std::ranges::equal(a.inputs, b.inputs, [&](ValueId x, ValueId y) { return sameInput(graph, x, y); });
}

std::optional<Graph> apply(const Graph& graph, NodeId id)
{
    const Node& node = graph.nodes[static_cast<std::size_t>(id)];
    if (std::ranges::any_of(node.outputs, [&](ValueId v) { return v != kNoValue && graph.isOutput(v); })) {
        return std::nullopt;
    }
    for (NodeId earlier = 0; earlier < id; ++earlier) {
        const Node& other = graph.nodes[static_cast<std::size_t>(earlier)];
        if (other.op != node.op || !sameWork(graph, other, node)) {
            continue;
        }
        Editor editor(graph);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] != kNoValue) {
                editor.redirect(node.outputs[i], other.outputs[i]);
            }
        }
        editor.remove(id);
        return std::move(editor).finish();
    }
    return std::nullopt;
}

} // namespace

const Rule commonSubexpressions{"common_subexpressions", "the same operator on the same inputs gives the same result", &apply};

} // namespace nw::graph
