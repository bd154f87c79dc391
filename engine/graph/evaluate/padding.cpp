// Pad {pads, mode, value}: constant, edge, reflect and wrap; a negative pad crops. Which source element each output
// index of an axis takes is a table per axis, so that the mode is decided once an axis and not once an element.

#include "engine/graph/evaluate/convert.h"
#include "engine/graph/evaluate/loops.h"

#include <algorithm>
#include <array>

namespace nw::graph {
namespace {

constexpr std::int64_t kOutside = -1;

// Source index of position `i` (may be outside) on an axis of `extent` elements; kOutside for the constant.
Result<std::int64_t> sourceOf(const Node& node, std::int64_t i, std::int64_t extent, const std::string& mode)
{
    if (i >= 0 && i < extent) {
        return i;
    }
    if (mode == "constant") {
        return kOutside;
    }
    if (extent == 0) {
        return cannotFold(node, format("mode '{}' has nothing to repeat on an axis of 0 elements", mode));
    }
    if (mode == "edge") {
        return std::clamp<std::int64_t>(i, 0, extent - 1);
    }
    if (mode == "wrap") {
        return (i % extent + extent) % extent;
    }
    if (mode == "reflect") {
        const std::int64_t period = std::max<std::int64_t>(2 * (extent - 1), 1);
        const std::int64_t folded = (i % period + period) % period;
        return std::min(folded, period - folded);
    }
    return cannotFold(node, format("the mode '{}' is not known", mode));
}

template <typename T>
void fillPadded(std::byte* targetBytes, const std::byte* sourceBytes, const std::vector<std::int64_t>& shape,
                const std::vector<std::vector<std::int64_t>>& tables, const std::vector<std::int64_t>& strides, T value)
{
    T* target = reinterpret_cast<T*>(targetBytes);
    const T* const source = reinterpret_cast<const T*>(sourceBytes);
    const std::size_t last = shape.size() - 1;
    std::vector<std::int64_t> index(shape.size(), 0);
    while (true) {
        std::int64_t base = 0;
        bool outside = false;
        for (std::size_t a = 0; a < last; ++a) {
            const std::int64_t from = tables[a][static_cast<std::size_t>(index[a])];
            outside = outside || from == kOutside;
            base += from * strides[a];
        }
        for (const std::int64_t from : tables[last]) {
            *target++ = outside || from == kOutside ? value : source[base + from];
        }
        std::size_t axis = last;
        while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) {
            index[--axis] = 0;
        }
        if (axis == 0) {
            return;
        }
    }
}

Result<Tensor> fillValue(const Node& node, DType type)
{
    const auto found = node.attributes.values.find("value");
    if (found == node.attributes.values.end()) {
        return Tensor::create(type, {});
    }
    if (const auto* integer = std::get_if<std::int64_t>(&found->second)) {
        return convert(Tensor::of<std::int64_t>(DType::I64, {}, {*integer}), type);
    }
    return convert(Tensor::of<double>(DType::F64, {}, {node.attributes.real("value", 0.0)}), type);
}

Outputs evaluatePad(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const std::vector<std::int64_t>& source = inputs[0]->shape();
    const std::vector<std::int64_t> pads = node.attributes.integers("pads");
    const std::string mode = node.attributes.text("mode", "constant");
    const Result<Tensor> value = fillValue(node, inputs[0]->type());
    if (!value || pads.size() != 2 * source.size()) {
        return value ? cannotFold(node, format("{} pads for {} axes", pads.size(), source.size())) : value.error();
    }
    if (source.empty()) {
        return std::vector<Tensor>{*inputs[0]};
    }
    std::vector<std::int64_t> shape;
    std::vector<std::vector<std::int64_t>> tables(source.size());
    for (std::size_t a = 0; a < source.size(); ++a) {
        shape.push_back(source[a] + pads[a] + pads[a + source.size()]);
        for (std::int64_t i = 0; i < shape[a]; ++i) {
            const Result<std::int64_t> from = sourceOf(node, i - pads[a], source[a], mode);
            if (!from) {
                return from.error();
            }
            tables[a].push_back(*from);
        }
    }
    Result<Tensor> out = Tensor::create(inputs[0]->type(), shape);
    if (!out || out->count() == 0) {
        return single(std::move(out));
    }
    std::byte* const target = out->mutableData<std::byte>().data();
    const std::byte* const bytes = inputs[0]->bytes().data();
    const std::vector<std::int64_t> strides = stridesOf(source);
    const Status done = withType(out->type(), [&](auto tag) -> Status {
        using T = typename decltype(tag)::type;
        fillPadded<T>(target, bytes, shape, tables, strides, value->data<T>()[0]);
        return Done{};
    });
    return done ? single(std::move(out)) : Outputs(done.error());
}

constexpr std::array kEvaluators{Evaluator{"Pad", &evaluatePad}};

} // namespace

std::span<const Evaluator> paddingEvaluators()
{
    return kEvaluators;
}

} // namespace nw::graph
