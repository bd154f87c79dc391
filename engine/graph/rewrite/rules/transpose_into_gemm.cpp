// transpose_into_gemm
//
//   t = Transpose(a, [1, 0]); y = Gemm(t, b, c)   =>   y = Gemm(a, b, c) with transA toggled (transB for b)
//   t = Transpose(a, [1, 0]); y = MatMul(t, b)    =>   y = Gemm(a, b), transA = 1; matrices only
//
// Only the perm that swaps the two axes; an identity perm is drop_identity's, and batched products have no flag to toggle.
// C is never touched: it is added, not multiplied (CASES.md 16, 17). Keeps t for its other readers.

#include "engine/graph/rewrite/editor.h"
#include "engine/graph/rewrite/rules.h"

namespace nw::graph {
namespace {

std::optional<Graph> apply(const Graph& graph, NodeId id)
{
    const Node& node = graph.nodes[static_cast<std::size_t>(id)];
    const bool isGemm = node.op->name == "Gemm";
    if (!isGemm && node.op->name != "MatMul") {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const ValueId other = node.inputs.at(1 - i);
        const NodeId transpose = producerOf(graph, node.inputs[i], "Transpose");
        const bool isMatrix = graph.values[static_cast<std::size_t>(other)].type.shape.size() == 2;
        if (transpose < 0 || !isMatrix) {
            continue;
        }
        const Node& moved = graph.nodes[static_cast<std::size_t>(transpose)];
        if (moved.attributes.integers("perm") != std::vector<std::int64_t>{1, 0}) {
            continue;
        }
        Editor editor(graph);
        Node& changed = editor.node(id);
        changed.inputs[i] = moved.inputs[0];
        if (!isGemm) {
            changed.op = findOp("Gemm");
            changed.attributes.values = {
                {"transA", std::int64_t{0}}, {"transB", std::int64_t{0}}, {"alpha", 1.0}, {"beta", 1.0}};
        }
        const std::string flag = i == 0 ? "transA" : "transB";
        changed.attributes.values[flag] = std::int64_t{changed.attributes.integer(flag, 0) == 0 ? 1 : 0};
        return std::move(editor).finish();
    }
    return std::nullopt;
}

} // namespace

const Rule transposeIntoGemm{"transpose_into_gemm", "a product with a swapped matrix reads the matrix the other way", &apply};

} // namespace nw::graph
