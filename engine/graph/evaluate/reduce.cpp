// Reductions over axes. Sums of floats run in double and round once to the element type, so the result does not depend on
// an order; integers wrap in their type. The reduced axes are moved behind the kept ones first (no copy when they are
// there already), so every result is a walk over one contiguous row.

#include "engine/graph/evaluate/elementwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace nw::graph {
namespace {

// Sum of f(x): in double for floats, wrapping for integers.
template <typename T, typename F>
auto sumOf(const T* x, std::int64_t n, F f)
{
    if constexpr (std::is_integral_v<T>) {
        T sum{0};
        for (std::int64_t i = 0; i < n; ++i) {
            sum = wrappingAdd(sum, f(x[i]));
        }
        return sum;
    } else {
        double sum = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            sum += f(static_cast<double>(x[i]));
        }
        return sum;
    }
}

template <typename T>
T absolute(T value)
{
    if constexpr (std::is_integral_v<T>) {
        return value < T{0} ? wrappingSubtract(T{0}, value) : value;
    } else {
        return std::abs(value);
    }
}

struct SumRow {
    template <typename T>
    static T run(const T* x, std::int64_t n)
    {
        return static_cast<T>(sumOf(x, n, [](auto v) { return v; }));
    }
};
struct MeanRow { // an empty row of integers was refused
    template <typename T>
    static T run(const T* x, std::int64_t n)
    {
        const auto sum = sumOf(x, n, [](auto v) { return v; });
        return static_cast<T>(sum / static_cast<decltype(sum)>(n));
    }
};
struct L1Row {
    template <typename T>
    static T run(const T* x, std::int64_t n)
    {
        return static_cast<T>(sumOf(x, n, [](auto v) { return absolute(v); }));
    }
};
struct SumSquareRow {
    template <typename T>
    static T run(const T* x, std::int64_t n)
    {
        return static_cast<T>(sumOf(x, n, [](auto v) { return wrappingMultiply(v, v); }));
    }
};
struct L2Row {
    template <typename T>
    static T run(const T* x, std::int64_t n)
    {
        return static_cast<T>(std::sqrt(static_cast<double>(sumOf(x, n, [](auto v) { return wrappingMultiply(v, v); }))));
    }
};
struct LogSumRow {
    template <typename T>
    static T run(const T* x, std::int64_t n)
    {
        return static_cast<T>(std::log(static_cast<double>(sumOf(x, n, [](auto v) { return v; }))));
    }
};
struct ProductRow {
    template <typename T>
    static T run(const T* x, std::int64_t n)
    {
        using Sum = std::conditional_t<std::is_integral_v<T>, T, double>;
        Sum product{1};
        for (std::int64_t i = 0; i < n; ++i) {
            product = wrappingMultiply(product, static_cast<Sum>(x[i]));
        }
        return static_cast<T>(product);
    }
};
// The largest (kSign 1) or smallest (-1) element; NaN wins. An empty row gives the identity.
template <int kSign>
struct ExtremeRow {
    template <typename T>
    static T run(const T* x, std::int64_t n)
    {
        using Limits = std::numeric_limits<T>;
        const T lowest = Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
        const T highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
        T best = kSign > 0 ? lowest : highest;
        for (std::int64_t i = 0; i < n; ++i) {
            const bool better = kSign > 0 ? x[i] > best : x[i] < best;
            best = better || x[i] != x[i] ? x[i] : best;
        }
        return best;
    }
};
struct LogSumExpRow { // shifted by the largest element, so that exp does not overflow
    template <typename T>
    static T run(const T* x, std::int64_t n)
    {
        const auto largest = static_cast<double>(ExtremeRow<1>::run(x, n));
        if (n == 0 || !std::isfinite(largest)) {
            return static_cast<T>(n == 0 ? -std::numeric_limits<double>::infinity() : largest);
        }
        double sum = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            sum += std::exp(static_cast<double>(x[i]) - largest);
        }
        return static_cast<T>(std::log(sum) + largest);
    }
};

struct Rows {
    Tensor data; // kept axes, then reduced axes, contiguous, in the working type
    std::int64_t length = 1;
    std::vector<std::int64_t> shape; // of the result
};

// `axes` empty: all.
Result<Rows> rowsOf(const Node& node, const Tensor& input, const std::vector<std::int64_t>& axes, bool keepdims)
{
    const std::size_t rank = input.shape().size();
    std::vector<bool> reduced(rank, axes.empty());
    for (const std::int64_t axis : axes) {
        const Result<std::int64_t> normal = normalAxis(node, axis, rank);
        if (!normal) {
            return normal.error();
        }
        reduced[static_cast<std::size_t>(*normal)] = true;
    }
    Rows rows;
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_partition(order, [&](std::size_t axis) { return !reduced[axis]; });
    for (std::size_t axis = 0; axis < rank; ++axis) {
        rows.length *= reduced[axis] ? input.shape()[axis] : 1;
        if (!reduced[axis] || keepdims) {
            rows.shape.push_back(reduced[axis] ? 1 : input.shape()[axis]);
        }
    }
    const Result<Tensor> source = convert(input, workingType(input.type()));
    if (!source) {
        return source.error();
    }
    rows.data = *source;
    if (!std::ranges::is_sorted(order)) {
        const std::vector<std::int64_t> strides = stridesOf(input.shape());
        std::vector<std::int64_t> shape;
        std::vector<std::int64_t> sourceStrides;
        for (const std::size_t axis : order) {
            shape.push_back(input.shape()[axis]);
            sourceStrides.push_back(strides[axis]);
        }
        Result<Tensor> moved = Tensor::create(source->type(), shape);
        if (!moved) {
            return moved.error();
        }
        copyBox(moved->mutableData<std::byte>().data(), stridesOf(shape), source->bytes().data(), sourceStrides, shape,
                byteSize(source->type()));
        rows.data = *moved;
    }
    return rows;
}

template <typename Row>
Outputs reduce(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const DType type = inputs[0]->type();
    const std::vector<std::int64_t> axes = node.attributes.integers("axes");
    const Result<Rows> rows = rowsOf(node, *inputs[0], axes, node.attributes.integer("keepdims", 1) != 0);
    if (!rows) {
        return rows.error();
    }
    if (std::is_same_v<Row, MeanRow> && rows->length == 0 && !isFloat(type)) {
        return cannotFold(node, "the mean of no integers divides by zero");
    }
    Result<Tensor> out = Tensor::create(rows->data.type(), rows->shape);
    if (!out) {
        return out.error();
    }
    const Status done = withWorkingType(type, [&](auto tag) -> Status {
        using T = typename decltype(tag)::type;
        const T* source = rows->data.template data<T>().data();
        for (T& value : out->mutableData<T>()) {
            value = Row::template run<T>(source, rows->length);
            source += rows->length;
        }
        return Done{};
    });
    return done ? single(convert(*out, type)) : Outputs(done.error());
}

// Place of the largest (kSign 1) or smallest element of a row: the first of equals, or the last.
template <int kSign>
Outputs argExtreme(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const std::vector<std::int64_t> axes{node.attributes.integer("axis", 0)};
    const Result<Rows> rows = rowsOf(node, *inputs[0], axes, node.attributes.integer("keepdims", 1) != 0);
    if (!rows) {
        return rows.error();
    }
    Result<Tensor> out = Tensor::create(DType::I64, rows->shape);
    if (!out) {
        return out.error();
    }
    if (rows->length == 0 && out->count() != 0) {
        return cannotFold(node, "the reduced axis has no elements");
    }
    const bool last = node.attributes.integer("select_last_index", 0) != 0;
    const Status done = withWorkingType(inputs[0]->type(), [&](auto tag) -> Status {
        using T = typename decltype(tag)::type;
        const T* x = rows->data.template data<T>().data();
        for (std::int64_t& place : out->template mutableData<std::int64_t>()) {
            place = 0;
            for (std::int64_t i = 1; i < rows->length; ++i) {
                const bool better = kSign > 0 ? x[i] > x[place] : x[i] < x[place];
                place = better || (last && x[i] == x[place]) ? i : place;
            }
            x += rows->length;
        }
        return Done{};
    });
    return done ? single(std::move(out)) : Outputs(done.error());
}

constexpr std::array kEvaluators{
    Evaluator{"ReduceSum", &reduce<SumRow>},
    Evaluator{"ReduceMean", &reduce<MeanRow>},
    Evaluator{"ReduceMax", &reduce<ExtremeRow<1>>},
    Evaluator{"ReduceMin", &reduce<ExtremeRow<-1>>},
    Evaluator{"ReduceProd", &reduce<ProductRow>},
    Evaluator{"ReduceL1", &reduce<L1Row>},
    Evaluator{"ReduceL2", &reduce<L2Row>},
    Evaluator{"ReduceLogSum", &reduce<LogSumRow>},
    Evaluator{"ReduceLogSumExp", &reduce<LogSumExpRow>},
    Evaluator{"ReduceSumSquare", &reduce<SumSquareRow>},
    Evaluator{"ArgMax", &argExtreme<1>},
    Evaluator{"ArgMin", &argExtreme<-1>},
};

} // namespace

std::span<const Evaluator> reduceEvaluators()
{
    return kEvaluators;
}

} // namespace nw::graph
