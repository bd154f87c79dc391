// batch_norm_to_affine
//
//   y = BatchNormalization(x), constant parameters   =>   m = Mul(x, F); y = Add(m, S),  F and S of shape [C, 1, ..]
//
// F and S are computed in double and rounded once. For what fold_batch_norm could not fold; does not fire when a
// parameter is no constant or var + epsilon is not positive.

#include "engine/graph/rewrite/editor.h"
#include "engine/graph/rewrite/rules.h"
#include "engine/graph/rewrite/rules/batch_norm.h"

namespace nw::graph {
namespace {

std::optional<Graph> apply(const Graph& graph, NodeId id)
{
    if (!isOp(graph, id, "BatchNormalization")) {
        return std::nullopt;
    }
    const Node node = graph.nodes[static_cast<std::size_t>(id)];
    const TensorType& type = graph.values[static_cast<std::size_t>(node.inputs[0])].type;
    const bool hasKnownType = type.type == DType::F32 || type.type == DType::F64;
    const std::optional<ChannelAffine> affine = hasKnownType ? affineOfBatchNorm(graph, node) : std::nullopt;
    if (!affine || type.shape.size() < 2) {
        return std::nullopt;
    }
    std::vector<std::int64_t> shape(type.shape.size() - 1, 1);
    shape[0] = static_cast<std::int64_t>(affine->factor.size());
    std::vector<double> shift;
    for (std::size_t c = 0; c < affine->factor.size(); ++c) {
        shift.push_back(affine->offset[c] - affine->mean[c] * affine->factor[c]);
    }
    Editor editor(graph);
    const ValueId factors = editor.addConstant(node.name + ".factor", roundedTo(type.type, shape, affine->factor));
    const ValueId shifts = editor.addConstant(node.name + ".shift", roundedTo(type.type, shape, shift));
    const ValueId scaled = editor.addValue(node.name + ".scaled", type);
    editor.insert(id, {findOp("Mul"), node.name, {node.inputs[0], factors}, {scaled}, {}});
    editor.insert(id, {findOp("Add"), node.name, {scaled, shifts}, {node.outputs[0]}, {}});
    editor.remove(id);
    return std::move(editor).finish();
}

} // namespace

const Rule batchNormToAffine{"batch_norm_to_affine", "a normalization with constant parameters is a multiplication and an addition",
                             &apply};

} // namespace nw::graph
