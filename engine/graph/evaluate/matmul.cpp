// MatMul and Gemm on constants. A product of floats is summed in double and rounded once to the element type; integers
// wrap in theirs.

#include "engine/graph/evaluate/elementwise.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nw::graph {
namespace {

struct Matrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t rowStride = 0;
    std::int64_t columnStride = 0;
};

// out[m, n] = sum_k a[m, k] * b[k, n], row by row so that b is read along its rows.
template <typename T>
void multiply(T* out, const T* a, Matrix left, const T* b, Matrix right)
{
    using Sum = std::conditional_t<std::is_integral_v<T>, T, double>;
    std::vector<Sum> row(static_cast<std::size_t>(right.columns));
    for (std::int64_t m = 0; m < left.rows; ++m) {
        std::ranges::fill(row, Sum{0});
        for (std::int64_t k = 0; k < left.columns; ++k) {
            const Sum x = static_cast<Sum>(a[m * left.rowStride + k * left.columnStride]);
            const T* const from = b + k * right.rowStride;
            for (std::int64_t n = 0; n < right.columns; ++n) {
                Sum& sum = row[static_cast<std::size_t>(n)];
                sum = wrappingAdd(sum, wrappingMultiply(x, static_cast<Sum>(from[n * right.columnStride])));
            }
        }
        for (std::int64_t n = 0; n < right.columns; ++n) {
            out[m * right.columns + n] = static_cast<T>(row[static_cast<std::size_t>(n)]);
        }
    }
}

Matrix matrixOf(std::int64_t rows, std::int64_t columns, bool transposed)
{
    return transposed ? Matrix{rows, columns, 1, rows} : Matrix{rows, columns, columns, 1};
}

// Batched product in the operands' working type; vectors get an axis of 1 that the result drops again.
Result<Tensor> product(const Node& node, const Tensor& a, const Tensor& b)
{
    std::vector<std::int64_t> left = a.shape();
    std::vector<std::int64_t> right = b.shape();
    if (left.empty() || right.empty()) {
        return cannotFold(node, "an operand is a scalar");
    }
    const bool leftIsVector = left.size() == 1;
    const bool rightIsVector = right.size() == 1;
    if (leftIsVector) {
        left.insert(left.begin(), 1);
    }
    if (rightIsVector) {
        right.push_back(1);
    }
    const Matrix first = matrixOf(left.end()[-2], left.end()[-1], false);
    const Matrix second = matrixOf(right.end()[-2], right.end()[-1], false);
    if (first.columns != second.rows) {
        return cannotFold(node, format("{} columns meet {} rows", first.columns, second.rows));
    }
    left.resize(left.size() - 2);
    right.resize(right.size() - 2);
    const auto batch = broadcastShape(left, right);
    if (!batch) {
        return cannotFold(node, batch.error().message);
    }
    std::vector<std::int64_t> shape = *batch;
    if (!leftIsVector) {
        shape.push_back(first.rows);
    }
    if (!rightIsVector) {
        shape.push_back(second.columns);
    }
    Result<Tensor> out = Tensor::create(a.type(), shape);
    if (!out || out->count() == 0) {
        return out;
    }
    const Loops loops = Loops::make(*batch, {stridesOf(*batch), broadcastStrides(left, *batch), broadcastStrides(right, *batch)});
    const Status done = withWorkingType(a.type(), [&](auto tag) -> Status {
        using T = typename decltype(tag)::type;
        T* const target = out->mutableData<T>().data();
        forEachRow(loops, [&](const std::int64_t* at, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) {
                multiply<T>(target + (at[0] + i * loops.strides[0].back()) * first.rows * second.columns,
                            a.data<T>().data() + (at[1] + i * loops.strides[1].back()) * first.rows * first.columns, first,
                            b.data<T>().data() + (at[2] + i * loops.strides[2].back()) * second.rows * second.columns, second);
            }
        });
        return Done{};
    });
    return done ? out : Result<Tensor>(done.error());
}

Outputs evaluateMatMul(const Node& node, Inputs inputs, Types)
{
    const Result<Operands> operands = operandsOf(node, inputs);
    if (!operands) {
        return operands.error();
    }
    const Result<Tensor> result = product(node, operands->a, operands->b);
    return result ? single(convert(*result, operands->type)) : Outputs(result.error());
}

// value * factor, in the element type; a factor of 1 changes nothing.
Result<Tensor> scaled(const Node& node, const Tensor& tensor, double factor)
{
    if (factor == 1.0) {
        return tensor;
    }
    return withWorkingType(tensor.type(), [&](auto tag) -> Result<Tensor> {
        using T = typename decltype(tag)::type;
        if (std::is_integral_v<T> && factor != std::trunc(factor)) {
            return cannotFold(node, "integers are scaled by a fraction");
        }
        const T by = static_cast<T>(factor);
        return mapUnary<T, T>(tensor, tensor.type(), [by](T value) { return wrappingMultiply(value, by); });
    });
}

Outputs evaluateGemm(const Node& node, Inputs inputs, Types)
{
    const Result<Operands> operands = operandsOf(node, inputs);
    if (!operands) {
        return operands.error();
    }
    if (operands->a.shape().size() != 2 || operands->b.shape().size() != 2) {
        return cannotFold(node, "an operand is not a matrix");
    }
    const bool transA = node.attributes.integer("transA", 0) != 0;
    const bool transB = node.attributes.integer("transB", 0) != 0;
    const std::vector<std::int64_t>& left = operands->a.shape();
    const std::vector<std::int64_t>& right = operands->b.shape();
    const Matrix first = matrixOf(left[transA ? 1 : 0], left[transA ? 0 : 1], transA);
    const Matrix second = matrixOf(right[transB ? 1 : 0], right[transB ? 0 : 1], transB);
    if (first.columns != second.rows) {
        return cannotFold(node, format("{} columns meet {} rows", first.columns, second.rows));
    }
    Result<Tensor> out = Tensor::create(operands->a.type(), {first.rows, second.columns});
    if (!out) {
        return out.error();
    }
    const Status done = withWorkingType(operands->type, [&](auto tag) -> Status {
        using T = typename decltype(tag)::type;
        multiply<T>(out->mutableData<T>().data(), operands->a.template data<T>().data(), first,
                    operands->b.template data<T>().data(), second);
        return Done{};
    });
    if (!done) {
        return done.error();
    }
    Result<Tensor> result = scaled(node, *out, node.attributes.real("alpha", 1.0));
    if (result && inputs.size() > 2 && inputs[2] != nullptr) {
        const Result<Tensor> added = convert(*inputs[2], workingType(operands->type));
        const Result<Tensor> c = added ? scaled(node, *added, node.attributes.real("beta", 1.0)) : added;
        if (!c) {
            return c.error();
        }
        const Tensor y = *result;
        result = withWorkingType(operands->type, [&](auto tag) -> Result<Tensor> {
            using T = typename decltype(tag)::type;
            return mapBinary<T, T>(y, *c, y.type(), [](T p, T q) { return wrappingAdd(p, q); });
        });
        if (result && result->shape() != y.shape()) {
            return cannotFold(node, "C does not broadcast to the product");
        }
    }
    return result ? single(convert(*result, operands->type)) : Outputs(result.error());
}

constexpr std::array kEvaluators{
    Evaluator{"MatMul", &evaluateMatMul},
    Evaluator{"Gemm", &evaluateGemm},
};

} // namespace

std::span<const Evaluator> matmulEvaluators()
{
    return kEvaluators;
}

} // namespace nw::graph
