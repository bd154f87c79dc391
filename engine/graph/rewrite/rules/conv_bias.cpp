// conv_bias
//
//   c = Conv(x, W); y = Add(c, K), K constant, one number a channel   =>   y = Conv(x, W, B),  B = K as [channels]
//
// Only a Conv without a bias: (c + B) + K is not c + (B + K) in floats (CASES.md 25). c must have this one reader and be
// no graph output.

#include "engine/graph/rewrite/editor.h"
#include "engine/graph/rewrite/rules.h"

#include <algorithm>
#include <cstring>

namespace nw::graph {
namespace {

// K as a vector of one number a channel when it is constant along every other axis of a [n, channels, ...] tensor.
std::optional<Tensor> perChannel(const Tensor& k, std::size_t rank, std::int64_t channels)
{
    if (k.shape().size() > rank) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < k.shape().size(); ++i) {
        const std::size_t axis = rank - k.shape().size() + i;
        if (k.shape()[i] != 1 && (axis != 1 || k.shape()[i] != channels)) {
            return std::nullopt;
        }
    }
    if (k.count() == channels) {
        return k.reshaped({channels});
    }
    Result<Tensor> filled = Tensor::create(k.type(), {channels});
    if (!filled || k.count() != 1) {
        return std::nullopt;
    }
    const std::span<std::byte> bytes = filled->mutableData<std::byte>();
    for (std::size_t at = 0; at < bytes.size(); at += k.bytes().size()) {
        std::memcpy(bytes.data() + at, k.bytes().data(), k.bytes().size());
    }
    return *std::move(filled);
}

std::optional<Graph> apply(const Graph& graph, NodeId id)
{
    if (!isOp(graph, id, "Add")) {
        return std::nullopt;
    }
    const Node& add = graph.nodes[static_cast<std::size_t>(id)];
    for (std::size_t i = 0; i < 2; ++i) {
        const NodeId conv = producerOf(graph, add.inputs[i], "Conv");
        const Tensor* const k = constantOf(graph, add.inputs[1 - i]);
        if (conv < 0 || k == nullptr || inputOf(graph.nodes[static_cast<std::size_t>(conv)], 2) != kNoValue
            || !hasSingleUse(graph, add.inputs[i])) {
            continue;
        }
        const std::vector<Expr>& shape = graph.values[static_cast<std::size_t>(add.inputs[i])].type.shape;
        const std::optional<std::int64_t> channels = constInt(shape.at(1));
        const std::optional<Tensor> bias = channels ? perChannel(*k, shape.size(), *channels) : std::nullopt;
        if (!bias) {
            continue;
        }
        Editor editor(graph);
        Node merged = graph.nodes[static_cast<std::size_t>(conv)];
        merged.inputs.resize(2);
        merged.inputs.push_back(
            editor.addConstant(graph.values[static_cast<std::size_t>(add.inputs[1 - i])].name, *bias));
        merged.outputs = add.outputs;
        editor.node(conv) = std::move(merged);
        editor.remove(id);
        return std::move(editor).finish();
    }
    return std::nullopt;
}

} // namespace

const Rule convBias{"conv_bias", "a number added to each channel of a convolution without bias is its bias", &apply};

} // namespace nw::graph
