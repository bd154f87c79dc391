// Operators that move elements or only rename the shape: Reshape and Identity share the bytes, so a folded view keeps
// its source alive (CASES.md 26); the others copy boxes of 1, 2, 4 or 8 bytes an element, whatever the type means.

#include "engine/base/int_math.h"
#include "engine/graph/evaluate/loops.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

namespace nw::graph {
namespace {

Result<Tensor> createLike(const Node& node, const Tensor& source, std::vector<std::int64_t> shape)
{
    if (byteSize(source.type()) == 0) {
        return cannotFold(node, format("elements of type {} cannot be moved", toText(source.type())));
    }
    return Tensor::create(source.type(), std::move(shape));
}

Outputs evaluateIdentity(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    return std::vector<Tensor>{*inputs[0]};
}

Outputs evaluateReshape(const Node& node, Inputs inputs, Types types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const Result<std::vector<std::int64_t>> shape =
        types.empty() ? Result<std::vector<std::int64_t>>(node.attributes.integers("shape")) : literalShape(node, types[0]);
    if (!shape) {
        return shape.error();
    }
    const Result<std::int64_t> count = elementCount(*shape);
    if (!count || *count != inputs[0]->count()) {
        return cannotFold(node, format("{} elements do not fill the shape [{}]", inputs[0]->count(), fmt::join(*shape, ",")));
    }
    return std::vector<Tensor>{inputs[0]->reshaped(*shape)};
}

Outputs evaluateTranspose(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const std::vector<std::int64_t>& shape = inputs[0]->shape();
    std::vector<std::int64_t> reversed(shape.size());
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    const std::vector<std::int64_t> perm = node.attributes.integers("perm", reversed);
    if (!std::is_permutation(perm.begin(), perm.end(), reversed.begin(), reversed.end())) {
        return cannotFold(node, format("perm [{}] does not permute {} axes", fmt::join(perm, ","), shape.size()));
    }
    const std::vector<std::int64_t> strides = stridesOf(shape);
    std::vector<std::int64_t> outShape;
    std::vector<std::int64_t> outStrides;
    for (const std::int64_t axis : perm) {
        outShape.push_back(shape[static_cast<std::size_t>(axis)]);
        outStrides.push_back(strides[static_cast<std::size_t>(axis)]);
    }
    Result<Tensor> out = createLike(node, *inputs[0], outShape);
    if (!out) {
        return out.error();
    }
    copyBox(out->mutableData<std::byte>().data(), stridesOf(outShape), inputs[0]->bytes().data(), outStrides, outShape,
            byteSize(out->type()));
    return single(std::move(out));
}

Outputs evaluateExpand(const Node& node, Inputs inputs, Types types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    if (types.empty()) {
        return cannotFold(node, "its output has no type");
    }
    const auto target = literalShape(node, types[0]);
    const auto shape = target ? broadcastShape(inputs[0]->shape(), *target) : target;
    if (!shape) {
        return cannotFold(node, shape.error().message);
    }
    Result<Tensor> out = createLike(node, *inputs[0], *shape);
    if (!out) {
        return out.error();
    }
    copyBox(out->mutableData<std::byte>().data(), stridesOf(*shape), inputs[0]->bytes().data(),
            broadcastStrides(inputs[0]->shape(), *shape), *shape, byteSize(out->type()));
    return single(std::move(out));
}

// Every axis becomes two, the outer one repeated with stride 0.
Outputs evaluateTile(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const std::vector<std::int64_t>& shape = inputs[0]->shape();
    const std::vector<std::int64_t> repeats = node.attributes.integers("repeats");
    if (repeats.size() != shape.size()) {
        return cannotFold(node, format("{} repeats for {} axes", repeats.size(), shape.size()));
    }
    const std::vector<std::int64_t> strides = stridesOf(shape);
    std::vector<std::int64_t> outShape;
    std::vector<std::int64_t> splitShape;
    std::vector<std::int64_t> splitStrides;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::optional<std::int64_t> extent = checkedMul(shape[i], repeats[i]);
        if (!extent) {
            return cannotFold(node, "its result has more elements than can be counted");
        }
        outShape.push_back(*extent);
        splitShape.insert(splitShape.end(), {repeats[i], shape[i]});
        splitStrides.insert(splitStrides.end(), {0, strides[i]});
    }
    Result<Tensor> out = createLike(node, *inputs[0], outShape);
    if (!out) {
        return out.error();
    }
    copyBox(out->mutableData<std::byte>().data(), stridesOf(splitShape), inputs[0]->bytes().data(), splitStrides, splitShape,
            byteSize(out->type()));
    return single(std::move(out));
}

Outputs evaluateSlice(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    std::vector<std::int64_t> shape = inputs[0]->shape();
    std::vector<std::int64_t> strides = stridesOf(shape);
    const std::vector<std::int64_t> starts = node.attributes.integers("starts");
    const std::vector<std::int64_t> ends = node.attributes.integers("ends");
    const std::vector<std::int64_t> axes = node.attributes.integers("axes");
    const std::vector<std::int64_t> steps = node.attributes.integers("steps", std::vector<std::int64_t>(axes.size(), 1));
    if (starts.size() != axes.size() || ends.size() != axes.size() || steps.size() != axes.size()) {
        return cannotFold(node, "starts, ends, axes and steps differ in length");
    }
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const Result<std::int64_t> axis = normalAxis(node, axes[i], shape.size());
        if (!axis) {
            return axis.error();
        }
        if (steps[i] == 0) {
            return cannotFold(node, "a step is 0");
        }
        const auto a = static_cast<std::size_t>(*axis);
        const std::int64_t distance = steps[i] > 0 ? ends[i] - starts[i] : starts[i] - ends[i];
        const std::int64_t pace = steps[i] > 0 ? steps[i] : -std::max(steps[i], -std::numeric_limits<std::int64_t>::max());
        const std::int64_t count = distance <= 0 ? 0 : (distance - 1) / pace + 1;
        const std::int64_t last = starts[i] + (count - 1) * steps[i];
        if (count > 0 && (starts[i] < 0 || starts[i] >= shape[a] || last < 0 || last >= shape[a])) {
            return cannotFold(node, format("the slice leaves axis {} of {} elements", a, shape[a]));
        }
        begin += count > 0 ? starts[i] * strides[a] : 0;
        shape[a] = count;
        strides[a] *= count > 1 ? steps[i] : 0; // a step over the whole axis may be any number
    }
    Result<Tensor> out = createLike(node, *inputs[0], shape);
    if (!out) {
        return out.error();
    }
    if (out->count() != 0) {
        const std::size_t width = byteSize(out->type());
        copyBox(out->mutableData<std::byte>().data(), stridesOf(shape),
                inputs[0]->bytes().data() + static_cast<std::size_t>(begin) * width, strides, shape, width);
    }
    return single(std::move(out));
}

// Rows of axis-and-below, as one block each.
struct Blocks {
    std::int64_t outer = 1;  // elements before the axis
    std::int64_t extent = 1; // of the axis
    std::int64_t inner = 1;  // elements after the axis
};

Blocks blocksAround(const std::vector<std::int64_t>& shape, std::size_t axis)
{
    Blocks blocks;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        (i < axis ? blocks.outer : (i == axis ? blocks.extent : blocks.inner)) *= shape[i];
    }
    return blocks;
}

Outputs evaluateConcat(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, inputs.empty() ? 1 : inputs.size()); !present) {
        return present.error();
    }
    std::vector<std::int64_t> shape = inputs[0]->shape();
    const Result<std::int64_t> normal = normalAxis(node, node.attributes.integer("axis", 0), shape.size());
    if (!normal) {
        return normal.error();
    }
    const auto axis = static_cast<std::size_t>(*normal);
    shape[axis] = 0;
    for (const Tensor* const input : inputs) {
        std::vector<std::int64_t> rest = input->shape();
        if (rest.size() != shape.size() || input->type() != inputs[0]->type()) {
            return cannotFold(node, "its inputs differ in rank or type");
        }
        rest[axis] = shape[axis];
        if (rest != shape) {
            return cannotFold(node, format("its inputs differ outside axis {}", axis));
        }
        shape[axis] += input->shape()[axis];
    }
    Result<Tensor> out = createLike(node, *inputs[0], shape);
    if (!out) {
        return out.error();
    }
    const std::size_t width = byteSize(out->type());
    const Blocks whole = blocksAround(shape, axis);
    const std::size_t stride = static_cast<std::size_t>(whole.extent * whole.inner) * width;
    std::size_t at = 0;
    for (const Tensor* const input : inputs) {
        const std::size_t block = static_cast<std::size_t>(input->shape()[axis] * whole.inner) * width;
        for (std::size_t row = 0; block != 0 && row < static_cast<std::size_t>(whole.outer); ++row) {
            std::memcpy(out->mutableData<std::byte>().data() + row * stride + at, input->bytes().data() + row * block, block);
        }
        at += block;
    }
    return single(std::move(out));
}

Outputs evaluateGather(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 2); !present) {
        return present.error();
    }
    const std::vector<std::int64_t>& shape = inputs[0]->shape();
    const Result<std::int64_t> normal = normalAxis(node, node.attributes.integer("axis", 0), shape.size());
    if (!normal) {
        return normal.error();
    }
    const auto axis = static_cast<std::size_t>(*normal);
    std::vector<std::int64_t> indices = integersOf(*inputs[1]);
    for (std::int64_t& index : indices) {
        if (index < -shape[axis] || index >= shape[axis]) {
            return cannotFold(node, format("index {} is outside axis {} of {} elements", index, axis, shape[axis]));
        }
        index += index < 0 ? shape[axis] : 0;
    }
    std::vector<std::int64_t> outShape(shape.begin(), shape.begin() + *normal);
    outShape.insert(outShape.end(), inputs[1]->shape().begin(), inputs[1]->shape().end());
    outShape.insert(outShape.end(), shape.begin() + *normal + 1, shape.end());
    Result<Tensor> out = createLike(node, *inputs[0], outShape);
    if (!out || out->count() == 0) {
        return single(std::move(out));
    }
    const Blocks blocks = blocksAround(shape, axis);
    const std::size_t width = static_cast<std::size_t>(blocks.inner) * byteSize(out->type());
    std::byte* target = out->mutableData<std::byte>().data();
    for (std::int64_t row = 0; row < blocks.outer; ++row) {
        const std::byte* const source = inputs[0]->bytes().data() + static_cast<std::size_t>(row * blocks.extent) * width;
        for (const std::int64_t index : indices) {
            std::memcpy(target, source + static_cast<std::size_t>(index) * width, width);
            target += width;
        }
    }
    return single(std::move(out));
}

constexpr std::array kEvaluators{
    Evaluator{"Identity", &evaluateIdentity},   Evaluator{"Reshape", &evaluateReshape},
    Evaluator{"Transpose", &evaluateTranspose}, Evaluator{"Expand", &evaluateExpand},
    Evaluator{"Tile", &evaluateTile},           Evaluator{"Slice", &evaluateSlice},
    Evaluator{"Concat", &evaluateConcat},       Evaluator{"Gather", &evaluateGather},
};

} // namespace

std::span<const Evaluator> movementEvaluators()
{
    return kEvaluators;
}

} // namespace nw::graph
