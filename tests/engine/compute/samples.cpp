#include "tests/engine/compute/samples.h"

namespace nw::test {
namespace {

using graph::ValueId;
using Integers = std::vector<std::int64_t>;
using Made = Result<compute::Definition>;

constexpr DType F = DType::F32;

AttributeMap window(const Integers& pads, const Integers& strides, const Integers& dilations = {1, 1})
{
    return {{"pads", pads}, {"strides", strides}, {"dilations", dilations}};
}

AttributeMap with(AttributeMap map, const std::string& name, graph::AttributeValue value)
{
    map[name] = std::move(value);
    return map;
}

Made convBiasRelu(const std::string& prefix, std::int64_t channels, std::int64_t size)
{
    GroupMaker maker(prefix);
    const ValueId x = maker.input(F, {1, channels, size, size});
    const ValueId w = maker.constant(F, {channels, channels, 3, 3});
    const ValueId b = maker.constant(F, {channels});
    const ValueId y = maker.node("Conv", {x, w, b}, F, {1, channels, size, size}, window({1, 1, 1, 1}, {1, 1}));
    return maker.define({maker.node("Relu", {y}, F, {1, channels, size, size})});
}

Made depthwise(const std::string& prefix, std::int64_t channels, std::int64_t size)
{
    GroupMaker maker(prefix);
    const ValueId x = maker.input(F, {1, channels, size, size});
    const ValueId w = maker.constant(F, {channels, 1, 3, 3});
    const AttributeMap attributes = with(window({1, 1, 1, 1}, {1, 1}), "group", channels);
    return maker.define({maker.node("Conv", {x, w}, F, {1, channels, size, size}, attributes)});
}

Made groupedStrided(const std::string& prefix, std::int64_t groups, std::int64_t size)
{
    GroupMaker maker(prefix);
    const ValueId x = maker.input(F, {2, groups * 3, size, size});
    const ValueId w = maker.constant(F, {groups * 2, 3, 3, 3});
    const ValueId b = maker.constant(F, {groups * 2});
    const AttributeMap attributes = with(window({1, 1, 1, 1}, {2, 2}), "group", groups);
    const std::int64_t out = (size + 1) / 2;
    return maker.define({maker.node("Conv", {x, w, b}, F, {2, groups * 2, out, out}, attributes)});
}

Made matmul(const std::string& prefix, const Integers& a, const Integers& b, const Integers& y, bool isWeight)
{
    GroupMaker maker(prefix);
    const ValueId left = maker.input(F, a);
    const ValueId right = isWeight ? maker.constant(F, b) : maker.input(F, b);
    return maker.define({maker.node("MatMul", {left, right}, F, y)});
}

Made gemm(const std::string& prefix, std::int64_t m, std::int64_t n, std::int64_t k)
{
    GroupMaker maker(prefix);
    const ValueId a = maker.input(F, {m, k});
    const ValueId b = maker.constant(F, {n, k});
    const ValueId c = maker.constant(F, {n});
    return maker.define({maker.node("Gemm", {a, b, c}, F, {m, n},
                                    {{"transA", std::int64_t{0}}, {"transB", std::int64_t{1}}, {"alpha", 0.5}, {"beta", 2.0}})});
}

Made softmax(const std::string& prefix, const Integers& shape)
{
    GroupMaker maker(prefix);
    const ValueId x = maker.input(F, shape);
    const auto last = static_cast<std::int64_t>(shape.size()) - 1;
    return maker.define({maker.node("Softmax", {x}, F, shape, {{"axis", last}})});
}

Made layerNorm(const std::string& prefix, const Integers& shape)
{
    GroupMaker maker(prefix);
    const ValueId x = maker.input(F, shape);
    const ValueId scale = maker.constant(F, {shape.back()});
    const ValueId b = maker.constant(F, {shape.back()});
    return maker.define({maker.node("LayerNormalization", {x, scale, b}, F, shape,
                                    {{"axis", std::int64_t{-1}}, {"epsilon", 1e-5}})});
}

Made rmsNorm(const std::string& prefix, const Integers& shape)
{
    GroupMaker maker(prefix);
    const ValueId x = maker.input(F, shape);
    const ValueId scale = maker.constant(F, {shape.back()});
    return maker.define({maker.node("RMSNormalization", {x, scale}, F, shape, {{"axis", std::int64_t{-1}}, {"epsilon", 1e-5}})});
}

Made maxPool(const std::string& prefix, std::int64_t channels, std::int64_t size)
{
    GroupMaker maker(prefix);
    const ValueId x = maker.input(F, {1, channels, size, size});
    const std::int64_t out = (size + 1) / 2;
    const AttributeMap attributes = with(window({1, 1, 1, 1}, {2, 2}), "kernel_shape", Integers{3, 3});
    return maker.define({maker.node("MaxPool", {x}, F, {1, channels, out, out}, attributes)});
}

Made averagePool(std::int64_t channels, std::int64_t size)
{
    GroupMaker maker;
    const ValueId x = maker.input(F, {1, channels, size, size});
    const AttributeMap attributes = with(window({1, 1, 1, 1}, {1, 1}), "kernel_shape", Integers{3, 3});
    return maker.define({maker.node("AveragePool", {x}, F, {1, channels, size, size}, attributes)});
}

Made addMul(const std::string& prefix, const Integers& shape)
{
    GroupMaker maker(prefix);
    const ValueId a = maker.input(F, shape);
    const ValueId b = maker.input(F, shape);
    const ValueId scale = maker.constant(F, {shape[1], 1, 1});
    const ValueId sum = maker.node("Add", {a, b}, F, shape);
    return maker.define({maker.node("Mul", {sum, scale}, F, shape)});
}

Made gelu(const Integers& shape)
{
    GroupMaker maker;
    const ValueId x = maker.input(F, shape);
    const ValueId bias = maker.constant(F, {shape.back()});
    const ValueId sum = maker.node("Add", {x, bias}, F, shape);
    return maker.define({maker.node("Gelu", {sum}, F, shape, {{"approximate", std::string("none")}})});
}

Made reduced(const std::string& op, const Integers& shape)
{
    GroupMaker maker;
    const ValueId x = maker.input(F, shape);
    Integers out = shape;
    out.back() = 1;
    const auto last = static_cast<std::int64_t>(shape.size()) - 1;
    const AttributeMap attributes{{"axes", Integers{last}}, {"keepdims", std::int64_t{1}}};
    const ValueId y = maker.node(op, {x}, F, out, attributes);
    return maker.define({maker.node("LeakyRelu", {y}, F, out, {{"alpha", 0.1}})});
}

Result<std::vector<Sample>> collect(std::vector<std::pair<std::string, Made>> made)
{
    std::vector<Sample> samples;
    for (auto& [name, definition] : made) {
        if (!definition) {
            return failed(name + ": " + definition.error().message);
        }
        samples.push_back({name, *std::move(definition)});
    }
    return samples;
}

} // namespace

Result<std::vector<Sample>> goldenSamples(const std::string& prefix)
{
    return collect({
        {"conv_bias_relu", convBiasRelu(prefix, 64, 56)},
        {"conv_depthwise", depthwise(prefix, 144, 56)},
        {"conv_grouped_strided", groupedStrided(prefix, 4, 28)},
        {"matmul_512", matmul(prefix, {512, 512}, {512, 512}, {512, 512}, true)},
        {"matmul_batched", matmul(prefix, {2, 12, 128, 64}, {12, 64, 128}, {2, 12, 128, 128}, false)},
        {"gemm", gemm(prefix, 8, 1000, 512)},
        {"softmax", softmax(prefix, {2, 128, 128})},
        {"layer_norm", layerNorm(prefix, {2, 128, 768})},
        {"max_pool", maxPool(prefix, 64, 112)},
        {"add_mul", addMul(prefix, {1, 64, 56, 56})},
        {"rms_norm", rmsNorm(prefix, {2, 128, 768})},
    });
}

Result<std::vector<Sample>> smallSamples(std::int64_t size)
{
    return collect({
        {"conv_bias_relu", convBiasRelu("", size + 1, size + 3)},
        {"depthwise", depthwise("", size, size + 2)},
        {"grouped", groupedStrided("", 2, size + 2)},
        {"matmul", matmul("", {size, size + 3}, {size + 3, size + 1}, {size, size + 1}, true)},
        {"batched", matmul("", {2, 1, size, 7}, {3, 7, 5}, {2, 3, size, 5}, false)},
        {"gemm", gemm("", size, size + 1, 2 * size)},
        {"softmax", softmax("", {2, size, size + 5})},
        {"layer_norm", layerNorm("", {2, size, size + 9})},
        {"rms_norm", rmsNorm("", {2, size, size + 9})},
        {"max_pool", maxPool("", 2, size + 4)},
        {"average_pool", averagePool(2, size + 1)},
        {"add_mul", addMul("", {2, size, 3, 5})},
        {"gelu", gelu({size, 11})},
        {"reduce_mean", reduced("ReduceMean", {3, size, 10})},
        {"reduce_l2", reduced("ReduceL2", {3, size})},
        {"reduce_log_sum_exp", reduced("ReduceLogSumExp", {3, size})},
        {"reduce_prod", reduced("ReduceProd", {3, size})},
    });
}

} // namespace nw::test
