// Operators that exist only in constant parts: Shape, Size, NonZero, Range, ConstantOfShape, OneHot, CumSum.
// ConstantOfShape's element is the attribute `value` (integer or real) or, where it does not fit one, a second input of
// one element; its type is the output's.

#include "engine/graph/evaluate/elementwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

namespace nw::graph {
namespace {

Outputs evaluateShape(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const std::vector<std::int64_t>& shape = inputs[0]->shape();
    const auto rank = static_cast<std::int64_t>(shape.size());
    const auto place = [rank](std::int64_t axis) { return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank); };
    const std::int64_t start = place(node.attributes.integer("start", 0));
    const std::int64_t end = std::max(start, place(node.attributes.integer("end", rank)));
    const std::vector<std::int64_t> part(shape.begin() + start, shape.begin() + end);
    return std::vector<Tensor>{Tensor::of(DType::I64, {end - start}, part)};
}

Outputs evaluateSize(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    return std::vector<Tensor>{Tensor::of<std::int64_t>(DType::I64, {}, {inputs[0]->count()})};
}

template <typename T>
bool isNonZero(T value)
{
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
        return toFloat(value) != 0;
    } else {
        return value != T{0};
    }
}

// One row of indices an axis, in row-major order of the elements.
template <typename T>
Result<Tensor> nonZero(const Tensor& x)
{
    const std::span<const T> values = x.data<T>();
    // A scalar counts as a vector of one element.
    const std::vector<std::int64_t> shape = x.shape().empty() ? std::vector<std::int64_t>{1} : x.shape();
    std::size_t count = 0;
    for (const T value : values) {
        count += isNonZero(value) ? 1 : 0;
    }
    const std::size_t rank = shape.size();
    Result<Tensor> out = Tensor::create(DType::I64, {static_cast<std::int64_t>(rank), static_cast<std::int64_t>(count)});
    if (!out || count == 0) {
        return out;
    }
    const std::span<std::int64_t> rows = out->mutableData<std::int64_t>();
    std::size_t at = 0;
    if (rank == 1 && count == values.size()) {
        std::iota(rows.begin(), rows.end(), std::int64_t{0});
        return out;
    }
    if (rank == 1) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            rows[at] = static_cast<std::int64_t>(i);
            at += isNonZero(values[i]) ? 1 : 0;
            if (at == count) {
                break;
            }
        }
        return out;
    }
    std::vector<std::int64_t> index(rank, 0);
    for (const T value : values) {
        if (isNonZero(value)) {
            for (std::size_t a = 0; a < rank; ++a) {
                rows[a * count + at] = index[a];
            }
            ++at;
        }
        for (std::size_t a = rank; a-- > 0 && ++index[a] == shape[a];) {
            index[a] = 0;
        }
    }
    return out;
}

Outputs evaluateNonZero(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    return single(withType(inputs[0]->type(), [&](auto tag) -> Result<Tensor> {
        return nonZero<typename decltype(tag)::type>(*inputs[0]);
    }));
}

template <typename T>
Result<Tensor> range(const Node& node, const Tensor& start, const Tensor& limit, const Tensor& delta, DType type)
{
    const T from = start.data<T>()[0];
    const T to = limit.data<T>()[0];
    const T step = delta.data<T>()[0];
    if (step == T{0}) {
        return cannotFold(node, "its step is 0");
    }
    std::int64_t count = 0;
    if constexpr (std::is_integral_v<T>) {
        // Unsigned differences: the distance of two 64-bit numbers may pass 2^63.
        const bool up = step > T{0};
        if (up ? from < to : from > to) {
            using U = std::make_unsigned_t<T>;
            const U distance = static_cast<U>(up ? wrappingSubtract(to, from) : wrappingSubtract(from, to));
            const U pace = static_cast<U>(up ? step : wrappingSubtract(T{0}, step));
            const std::uint64_t steps = std::uint64_t{(distance - 1) / pace} + 1;
            count = static_cast<std::int64_t>(std::min<std::uint64_t>(steps, std::uint64_t{1} << 62));
        }
    } else {
        const double steps = std::ceil((static_cast<double>(to) - static_cast<double>(from)) / static_cast<double>(step));
        if (!(steps < 0x1p62)) {
            return cannotFold(node, "its length is not finite");
        }
        count = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::max(steps, 0.0)));
    }
    Result<Tensor> out = Tensor::create(type, {count});
    if (!out) {
        return out;
    }
    const std::span<T> values = out->mutableData<T>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = wrappingAdd(from, wrappingMultiply(static_cast<T>(i), step));
    }
    return out;
}

Outputs evaluateRange(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 3); !present) {
        return present.error();
    }
    const DType type = inputs[0]->type();
    std::array<Tensor, 3> values;
    for (std::size_t i = 0; i < 3; ++i) {
        if (inputs[i]->type() != type || inputs[i]->count() != 1) {
            return cannotFold(node, "start, limit and step are not single elements of one type");
        }
        const Result<Tensor> value = convert(*inputs[i], workingType(type));
        if (!value) {
            return value.error();
        }
        values[i] = *value;
    }
    const Result<Tensor> result = withWorkingType(type, [&](auto tag) -> Result<Tensor> {
        return range<typename decltype(tag)::type>(node, values[0], values[1], values[2], workingType(type));
    });
    return result ? single(convert(*result, type)) : Outputs(result.error());
}

Outputs evaluateConstantOfShape(const Node& node, Inputs inputs, Types types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const bool hasTensor = inputs.size() > 1 && inputs[1] != nullptr;
    const DType type = hasTensor ? inputs[1]->type() : (types.empty() ? DType::F32 : types[0].type);
    Result<Tensor> value = Tensor::create(type, {});
    const auto attribute = node.attributes.values.find("value");
    if (hasTensor) {
        value = *inputs[1];
    } else if (attribute != node.attributes.values.end()) {
        const auto* const integer = std::get_if<std::int64_t>(&attribute->second);
        value = integer != nullptr ? convert(Tensor::of<std::int64_t>(DType::I64, {}, {*integer}), type)
                                   : convert(Tensor::of<double>(DType::F64, {}, {node.attributes.real("value", 0)}), type);
    }
    if (!value) {
        return value.error();
    }
    if (value->count() != 1) {
        return cannotFold(node, "its value is not one element");
    }
    Result<Tensor> out = Tensor::create(type, integersOf(*inputs[0]));
    if (!out) {
        return cannotFold(node, out.error().message);
    }
    const Status done = withType(type, [&](auto tag) -> Status {
        using T = typename decltype(tag)::type;
        const std::span<T> target = out->mutableData<T>();
        const T element = value->data<T>()[0];
        constexpr T kZero{};
        if (std::memcmp(&element, &kZero, sizeof(T)) != 0) { // made zero already
            std::fill(target.begin(), target.end(), element);
        }
        return Done{};
    });
    return done ? single(std::move(out)) : Outputs(done.error());
}

// Inputs indices, depth, values = [off, on]; an index outside [-depth, depth) gives a row of off.
Outputs evaluateOneHot(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 3); !present) {
        return present.error();
    }
    const std::vector<std::int64_t> depths = integersOf(*inputs[1]);
    if (depths.size() != 1 || depths[0] < 0 || inputs[2]->count() != 2) {
        return cannotFold(node, "the depth is not one number or the values are not two");
    }
    const std::int64_t depth = depths[0];
    std::vector<std::int64_t> shape = inputs[0]->shape();
    const Result<std::int64_t> axis = normalAxis(node, node.attributes.integer("axis", -1), shape.size() + 1);
    if (!axis) {
        return axis.error();
    }
    std::int64_t inner = 1;
    for (auto i = static_cast<std::size_t>(*axis); i < shape.size(); ++i) {
        inner *= shape[i];
    }
    shape.insert(shape.begin() + *axis, depth);
    Result<Tensor> out = Tensor::create(inputs[2]->type(), shape);
    if (!out) {
        return out.error();
    }
    const std::vector<std::int64_t> indices = integersOf(*inputs[0]);
    const Status done = withType(out->type(), [&](auto tag) -> Status {
        using T = typename decltype(tag)::type;
        const std::span<const T> values = inputs[2]->data<T>();
        const std::span<T> target = out->mutableData<T>();
        std::fill(target.begin(), target.end(), values[0]);
        for (std::size_t i = 0; i < indices.size(); ++i) {
            const std::int64_t index = indices[i] < 0 ? indices[i] + depth : indices[i];
            if (index >= 0 && index < depth) {
                const auto n = static_cast<std::int64_t>(i);
                target[static_cast<std::size_t>((n / inner * depth + index) * inner + n % inner)] = values[1];
            }
        }
        return Done{};
    });
    return done ? single(std::move(out)) : Outputs(done.error());
}

Outputs evaluateCumSum(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const bool axisIsInput = inputs.size() > 1 && inputs[1] != nullptr && inputs[1]->count() == 1;
    const Result<std::int64_t> normal =
        normalAxis(node, axisIsInput ? inputs[1]->asInt(0) : node.attributes.integer("axis", 0), inputs[0]->shape().size());
    if (!normal) {
        return normal.error();
    }
    const bool exclusive = node.attributes.integer("exclusive", 0) != 0;
    const bool reverse = node.attributes.integer("reverse", 0) != 0;
    const DType type = inputs[0]->type();
    const Result<Tensor> x = convert(*inputs[0], workingType(type));
    if (!x) {
        return x.error();
    }
    Loops loops = Loops::make({}, {{}});
    loops.extents = x->shape();
    loops.strides = {stridesOf(x->shape())};
    const auto axis = static_cast<std::size_t>(*normal);
    const std::int64_t extent = loops.extents[axis];
    const std::int64_t stride = loops.strides[0][axis];
    loops.extents[axis] = extent == 0 ? 0 : 1;
    const Result<Tensor> result = withWorkingType(type, [&](auto tag) -> Result<Tensor> {
        using T = typename decltype(tag)::type;
        Result<Tensor> out = Tensor::create(x->type(), x->shape());
        if (!out) {
            return out;
        }
        T* const target = out->mutableData<T>().data();
        const T* const source = x->data<T>().data();
        forEachRow(loops, [&](const std::int64_t* at, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) {
                T sum{0};
                for (std::int64_t k = 0; k < extent; ++k) {
                    const std::int64_t place = at[0] + i * loops.strides[0].back() + (reverse ? extent - 1 - k : k) * stride;
                    const T before = sum;
                    sum = wrappingAdd(sum, source[place]);
                    target[place] = exclusive ? before : sum;
                }
            }
        });
        return out;
    });
    return result ? single(convert(*result, type)) : Outputs(result.error());
}

constexpr std::array kEvaluators{
    Evaluator{"Shape", &evaluateShape},     Evaluator{"Size", &evaluateSize},
    Evaluator{"NonZero", &evaluateNonZero}, Evaluator{"Range", &evaluateRange},
    Evaluator{"OneHot", &evaluateOneHot},   Evaluator{"ConstantOfShape", &evaluateConstantOfShape},
    Evaluator{"CumSum", &evaluateCumSum},
};

} // namespace

std::span<const Evaluator> constantEvaluators()
{
    return kEvaluators;
}

} // namespace nw::graph
