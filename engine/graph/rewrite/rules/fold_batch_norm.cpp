// fold_batch_norm
//
//   c = Conv(x, W, B); y = BatchNormalization(c)     =>   y = Conv(x, W', B')
//   c = Gemm(a, W, C); y = BatchNormalization(c)     =>   y = Gemm(a, W', C')      beta 1, alpha 1
//   c = MatMul(a, W);  y = BatchNormalization(c)     =>   y = Gemm(a, W', C')      matrices only
//
// W' = W * factor per output channel and B' = (B - mean) * factor + offset, computed in double and rounded once. Fires only
// when c has this one reader and is no graph output, W, B and all four parameters are constants, and var + epsilon > 0
// (CASES.md 21).

#include "engine/base/ensure.h"
#include "engine/graph/rewrite/editor.h"
#include "engine/graph/rewrite/rules.h"
#include "engine/graph/rewrite/rules/batch_norm.h"

namespace nw::graph {
namespace {

// W with element i scaled by the factor of channel (i / inner) % channels.
Tensor scaledByChannel(const Tensor& w, const std::vector<double>& factor, std::int64_t inner)
{
    Result<Tensor> made = Tensor::create(w.type(), w.shape());
    ENSURE(made.has_value(), "a weight's twin has no memory");
    const auto run = [&]<typename T>(std::span<const T> from, std::span<T> to) {
        const auto width = static_cast<std::size_t>(inner);
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i] = static_cast<T>(static_cast<double>(from[i]) * factor[i / width % factor.size()]);
        }
    };
    if (w.type() == DType::F64) {
        run(w.data<double>(), made->mutableData<double>());
    } else {
        run(w.data<float>(), made->mutableData<float>());
    }
    return *std::move(made);
}

struct Producer {
    NodeId id = -1;
    std::int64_t inner = 1; // elements of W after the output channel's axis
};

// The product whose result the normalization reads, when its weight can be scaled per channel.
std::optional<Producer> foldableProducer(const Graph& graph, ValueId c, std::size_t channels)
{
    const NodeId id = graph.values[static_cast<std::size_t>(c)].producer;
    if (id < 0) {
        return std::nullopt;
    }
    const Node& node = graph.nodes[static_cast<std::size_t>(id)];
    const Tensor* const w = node.inputs.size() < 2 ? nullptr : constantOf(graph, node.inputs[1]);
    const ValueId bias = inputOf(node, 2);
    const bool hasFloats = w != nullptr && (w->type() == DType::F32 || w->type() == DType::F64);
    if (!hasFloats || w->count() == 0 || (bias != kNoValue && constantOf(graph, bias) == nullptr)) {
        return std::nullopt;
    }
    const auto count = static_cast<std::int64_t>(channels);
    if (node.op->name == "Conv") {
        return w->shape()[0] == count ? std::optional<Producer>({id, w->count() / count}) : std::nullopt;
    }
    const bool isGemm = node.op->name == "Gemm" && node.attributes.real("alpha", 1.0) == 1.0
                        && node.attributes.real("beta", 1.0) == 1.0;
    const bool isMatMul = node.op->name == "MatMul" && w->shape().size() == 2
                          && graph.values[static_cast<std::size_t>(c)].type.shape.size() == 2;
    if (!isGemm && !isMatMul) {
        return std::nullopt;
    }
    const bool byRow = isGemm && node.attributes.integer("transB", 0) != 0;
    return w->shape()[byRow ? 0 : 1] == count ? std::optional<Producer>({id, byRow ? w->shape()[1] : 1}) : std::nullopt;
}

// B' as a vector of channels; nothing when the old bias is not one number a channel (a Gemm's C may vary by row).
std::optional<Tensor> foldedBias(const Tensor* bias, DType type, const ChannelAffine& affine)
{
    const std::size_t channels = affine.factor.size();
    const bool isVector = bias == nullptr || bias->count() == 1
                          || (bias->count() == static_cast<std::int64_t>(channels)
                              && bias->shape().back() == static_cast<std::int64_t>(channels));
    if (!isVector) {
        return std::nullopt;
    }
    std::vector<double> values;
    for (std::size_t c = 0; c < channels; ++c) {
        const std::int64_t at = bias == nullptr || bias->count() == 1 ? 0 : static_cast<std::int64_t>(c);
        const double old = bias == nullptr ? 0.0 : bias->asDouble(at);
        values.push_back((old - affine.mean[c]) * affine.factor[c] + affine.offset[c]);
    }
    return roundedTo(type, {static_cast<std::int64_t>(channels)}, values);
}

std::optional<Graph> apply(const Graph& graph, NodeId id)
{
    if (!isOp(graph, id, "BatchNormalization")) {
        return std::nullopt;
    }
    const Node normalization = graph.nodes[static_cast<std::size_t>(id)];
    const ValueId c = normalization.inputs[0];
    const std::optional<ChannelAffine> affine = affineOfBatchNorm(graph, normalization);
    const std::optional<Producer> producer = affine ? foldableProducer(graph, c, affine->factor.size()) : std::nullopt;
    if (!producer || !hasSingleUse(graph, c)) {
        return std::nullopt;
    }
    Node product = graph.nodes[static_cast<std::size_t>(producer->id)];
    const Tensor& w = *constantOf(graph, product.inputs[1]);
    const std::optional<Tensor> bias = foldedBias(constantOf(graph, inputOf(product, 2)), w.type(), *affine);
    if (!bias) {
        return std::nullopt;
    }
    Editor editor(graph);
    const std::string& weightName = graph.values[static_cast<std::size_t>(product.inputs[1])].name;
    product.inputs.resize(3);
    product.inputs[1] = editor.addConstant(weightName, scaledByChannel(w, affine->factor, producer->inner));
    product.inputs[2] = editor.addConstant(weightName + ".bias", *bias);
    product.outputs = normalization.outputs;
    if (product.op->name == "MatMul") {
        product.op = findOp("Gemm");
        product.attributes.values = {{"transA", std::int64_t{0}}, {"transB", std::int64_t{0}}, {"alpha", 1.0}, {"beta", 1.0}};
    }
    editor.node(producer->id) = std::move(product);
    editor.remove(id);
    return std::move(editor).finish();
}

} // namespace

const Rule foldBatchNorm{"fold_batch_norm", "a product normalized per channel is a product with other weights", &apply};

} // namespace nw::graph
