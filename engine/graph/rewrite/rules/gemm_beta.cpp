// gemm_beta
//
//   y = Gemm(a, b, C), beta = s, C constant   =>   y = Gemm(a, b, s*C), beta = 1
//
// Exact: beta * C is rounded once to the element type either way. alpha stays, since alpha * (a*b) rounds differently
// from a * (alpha*b).

#include "engine/graph/rewrite/editor.h"
#include "engine/graph/rewrite/rules.h"

#include <array>

namespace nw::graph {
namespace {

std::optional<Graph> apply(const Graph& graph, NodeId id)
{
    if (!isOp(graph, id, "Gemm")) {
        return std::nullopt;
    }
    const Node& node = graph.nodes[static_cast<std::size_t>(id)];
    const double beta = node.attributes.real("beta", 1.0);
    const ValueId c = inputOf(node, 2);
    const Tensor* const constant = constantOf(graph, c);
    if (beta == 1.0 || constant == nullptr || constant->type() != DType::F32) {
        return std::nullopt;
    }
    // The operator's own arithmetic makes the product.
    const Tensor factor = Tensor::of<float>(DType::F32, {}, {static_cast<float>(beta)});
    const std::array<const Tensor*, 2> inputs{constant, &factor};
    const Result<std::vector<Tensor>> product = evaluatorOf("Mul")(node, inputs, {});
    if (!product) {
        return std::nullopt;
    }
    Editor editor(graph);
    editor.node(id).inputs[2] = editor.addConstant(graph.values[static_cast<std::size_t>(c)].name, product->front());
    editor.node(id).attributes.values["beta"] = 1.0;
    return std::move(editor).finish();
}

} // namespace

const Rule gemmBeta{"gemm_beta", "beta times a constant C is a constant", &apply};

} // namespace nw::graph
