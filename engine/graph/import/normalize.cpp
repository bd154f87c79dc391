#include "engine/base/text.h"
#include "engine/graph/import/node_import.h"

#include <array>
#include <numeric>

namespace nw::graph {
namespace {

using Ints = std::vector<std::int64_t>;
using Values = std::map<std::string, AttributeValue>;

ValueId reduceMean(NodeImport& n, ValueId x, const Ints& axes)
{
    return n.make("ReduceMean", {x}, {Values{{"axes", axes}, {"keepdims", std::int64_t{1}}}});
}

// (x - mean) / sqrt(variance + epsilon) * scale + bias
ValueId normalized(NodeImport& n, ValueId centered, ValueId variance, double epsilon, ValueId scale, ValueId bias)
{
    const DType type = n.dtype(centered);
    const ValueId deviation = n.make("Sqrt", {n.make("Add", {variance, n.scalar(type, epsilon)})});
    const ValueId unit = n.make("Div", {centered, deviation});
    return n.make("Add", {n.make("Mul", {unit, scale}), bias});
}

// [C] -> [C, 1, 1, ...] against an input of the given rank.
ValueId perChannel(NodeImport& n, ValueId value, std::size_t rank)
{
    if (n.failed() || n.rank(value) != 1) {
        n.fail("its scale, bias, mean and variance must have one element a channel");
        return kNoValue;
    }
    Extents shape = n.shape(value);
    shape.resize(rank - 1, intImm(1));
    return n.reshape(value, shape);
}

Ints axesWithout(std::size_t rank, std::size_t kept)
{
    Ints axes;
    for (std::size_t i = 0; i < rank; ++i) {
        if (i != kept) {
            axes.push_back(static_cast<std::int64_t>(i));
        }
    }
    return axes;
}

// Statistics of this batch instead of the stored ones, and the stored ones moved towards them.
void importTrainingBatchNorm(NodeImport& n, double epsilon, double momentum)
{
    const ValueId x = n.in(0);
    const std::size_t rank = n.rank(x);
    if (n.failed() || rank < 2) {
        n.fail(format("its input has shape {}; it needs batch and channels", shapeText(n.shape(x))));
        return;
    }
    const Ints axes = axesWithout(rank, 1);
    const ValueId mean = reduceMean(n, x, axes);
    const ValueId centered = n.make("Sub", {x, mean});
    const ValueId variance = reduceMean(n, n.make("Mul", {centered, centered}), axes);
    const ValueId scale = perChannel(n, n.in(1), rank);
    n.bind(0, normalized(n, centered, variance, epsilon, scale, perChannel(n, n.in(2), rank)));
    const std::array batch{mean, variance};
    for (std::size_t i = 0; i < 2; ++i) {
        const ValueId stored = n.in(3 + i);
        if (!n.wants(1 + i) || n.failed()) {
            continue;
        }
        const DType type = n.dtype(stored);
        const ValueId now = n.cast(n.reshape(batch[i], {n.shape(x)[1]}), type);
        const ValueId kept = n.make("Mul", {stored, n.scalar(type, momentum)});
        n.bind(1 + i, n.make("Add", {kept, n.make("Mul", {now, n.scalar(type, 1.0 - momentum)})}));
    }
}

void importBatchNorm(NodeImport& n)
{
    const double epsilon = n.real("epsilon", 1e-5);
    const double momentum = n.real("momentum", 0.9);
    const bool perElement = n.opset() < 9 && n.integer("spatial", 1) == 0;
    if (n.opset() >= 14 && n.integer("training_mode", 0) != 0) {
        importTrainingBatchNorm(n, epsilon, momentum);
        return;
    }
    std::vector<ValueId> inputs;
    for (std::size_t i = 0; i < 5; ++i) {
        inputs.push_back(n.in(i));
    }
    if (n.failed()) {
        return;
    }
    const DType type = n.dtype(inputs[0]);
    if (perElement) { // the statistics have the shape of one sample
        const ValueId centered = n.make("Sub", {inputs[0], inputs[3]});
        n.bind(0, normalized(n, centered, inputs[4], epsilon, inputs[1], inputs[2]));
        return;
    }
    for (std::size_t i = 1; i < 5; ++i) {
        inputs[i] = n.cast(inputs[i], type); // since opset 15 they may have a type of their own
    }
    n.bind(0, n.make("BatchNormalization", inputs, {Values{{"epsilon", epsilon}}}));
}

void importLrn(NodeImport& n)
{
    n.require("size");
    const std::int64_t size = n.integer("size", 1);
    const double alpha = n.real("alpha", 1e-4);
    const double beta = n.real("beta", 0.75);
    const double bias = n.real("bias", 1.0);
    n.bind(0, n.make("LRN", {n.in(0)}, {Values{{"size", size}, {"alpha", alpha}, {"beta", beta}, {"bias", bias}}}));
}

// Until opset 12 the axes from `axis` on were one: flattened, normalised, shaped back. One axis that alone has more
// than one element needs no flattening.
ValueId flattenedSoftmax(NodeImport& n, ValueId x, std::size_t axis)
{
    const Extents shape = n.shape(x);
    std::vector<std::size_t> wide;
    for (std::size_t i = axis; i < shape.size(); ++i) {
        if (!isConst(shape[i], 1)) {
            wide.push_back(i);
        }
    }
    if (wide.size() <= 1) {
        const std::size_t only = wide.empty() ? axis : wide[0];
        return n.make(n.op(), {x}, {Values{{"axis", static_cast<std::int64_t>(only)}}});
    }
    const auto rows = productOf(std::span(shape).first(axis));
    const auto columns = productOf(std::span(shape).subspan(axis));
    if (!rows || !columns) {
        n.fail("its input is too large");
        return kNoValue;
    }
    const ValueId flat = n.reshape(x, {*rows, *columns});
    return n.reshape(n.make(n.op(), {flat}, {Values{{"axis", std::int64_t{1}}}}), shape);
}

void importSoftmax(NodeImport& n)
{
    const ValueId x = n.in(0);
    const std::int64_t axis = n.axis(n.integer("axis", n.opset() < 13 ? 1 : -1), n.rank(x));
    if (n.failed()) {
        return;
    }
    n.bind(0, n.opset() < 13 ? flattenedSoftmax(n, x, static_cast<std::size_t>(axis))
                             : n.make(n.op(), {x}, {Values{{"axis", axis}}}));
}

void importLayerNorm(NodeImport& n)
{
    const ValueId x = n.in(0);
    const ValueId scale = n.in(1);
    const ValueId bias = n.optional(2);
    const std::int64_t axis = n.axis(n.integer("axis", -1), n.rank(x));
    const double epsilon = n.real("epsilon", 1e-5);
    const std::int64_t stash = n.integer("stash_type", 1);
    const std::size_t outputs = n.wants(2) ? 3 : n.wants(1) ? 2 : 1;
    const auto made = n.makeAll("LayerNormalization", {x, scale, bias}, {Values{{"axis", axis}, {"epsilon", epsilon}}},
        outputs);
    n.bind(0, made[0]);
    for (std::size_t i = 1; i < outputs; ++i) {
        n.bind(i, stash == 1 && !n.failed() ? n.cast(made[i], DType::F32) : made[i]);
    }
}

void importInstanceNorm(NodeImport& n)
{
    const ValueId x = n.in(0);
    const double epsilon = n.real("epsilon", 1e-5);
    const std::size_t rank = n.rank(x);
    const ValueId scale = n.in(1);
    const ValueId bias = n.in(2);
    if (n.failed() || rank < 3) {
        n.fail(format("its input has shape {}; it needs batch, channels and at least one more axis", shapeText(n.shape(x))));
        return;
    }
    Ints axes(rank - 2);
    std::iota(axes.begin(), axes.end(), 2);
    const ValueId centered = n.make("Sub", {x, reduceMean(n, x, axes)});
    const ValueId variance = reduceMean(n, n.make("Mul", {centered, centered}), axes);
    const ValueId scales = perChannel(n, scale, rank);
    n.bind(0, normalized(n, centered, variance, epsilon, scales, perChannel(n, bias, rank)));
}

// Computed in single precision at least; the result has the type of the scale.
void importRmsNorm(NodeImport& n)
{
    const ValueId x = n.in(0);
    const ValueId scale = n.in(1);
    n.ignore("stash_type"); // a narrower type would only be less exact
    const double epsilon = n.real("epsilon", 1e-5);
    const std::int64_t axis = n.axis(n.integer("axis", -1), n.rank(x));
    if (n.failed()) {
        return;
    }
    const DType wanted = n.dtype(scale);
    const DType type = n.dtype(x) == DType::F64 || wanted == DType::F64 ? DType::F64 : DType::F32;
    const ValueId made = n.make("RMSNormalization", {n.cast(x, type), n.cast(scale, type)}, {Values{{"axis", axis}, {"epsilon", epsilon}}});
    n.bind(0, n.failed() ? made : n.cast(made, wanted));
}

} // namespace

std::span<const Handler> normalizeHandlers()
{
    static constexpr std::array kHandlers = {Handler{"BatchNormalization", 7, &importBatchNorm}, Handler{"LRN", 1, &importLrn},
        Handler{"Softmax", 1, &importSoftmax}, Handler{"LogSoftmax", 1, &importSoftmax},
        Handler{"LayerNormalization", 17, &importLayerNorm}, Handler{"InstanceNormalization", 6, &importInstanceNorm},
        Handler{"RMSNormalization", 23, &importRmsNorm}};
    return kHandlers;
}

} // namespace nw::graph
