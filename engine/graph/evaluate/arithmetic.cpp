// Add Sub Mul Div Mod Pow Min Max: integers wrap in their own type, floats round in theirs.

#include "engine/graph/evaluate/divide.h"

#include <array>
#include <limits>

namespace nw::graph {
namespace {

struct AddOf {
    template <typename T>
    T operator()(T a, T b) const { return wrappingAdd(a, b); }
};
struct SubtractOf {
    template <typename T>
    T operator()(T a, T b) const { return wrappingSubtract(a, b); }
};
struct MultiplyOf {
    template <typename T>
    T operator()(T a, T b) const { return wrappingMultiply(a, b); }
};
// NaN in either operand gives NaN.
struct MinOf {
    template <typename T>
    T operator()(T a, T b) const { return a < b || a != a ? a : b; }
};
struct MaxOf {
    template <typename T>
    T operator()(T a, T b) const { return a > b || a != a ? a : b; }
};

// a op b op c ..., left to right, each step rounded to the element type.
template <typename F>
Outputs fold(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, inputs.empty() ? 1 : inputs.size()); !present) {
        return present.error();
    }
    Tensor sum = *inputs[0];
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        const std::array<const Tensor*, 2> pair{&sum, inputs[i]};
        const Result<Operands> operands = operandsOf(node, pair);
        if (!operands) {
            return operands.error();
        }
        const Result<Tensor> result = withWorkingType(operands->type, [&](auto tag) -> Result<Tensor> {
            using T = typename decltype(tag)::type;
            return mapBinary<T, T>(operands->a, operands->b, operands->a.type(), F{});
        });
        if (!result) {
            return cannotFold(node, result.error().message);
        }
        const Result<Tensor> narrowed = convert(*result, operands->type);
        if (!narrowed) {
            return narrowed.error();
        }
        sum = *narrowed;
    }
    return std::vector<Tensor>{sum};
}

template <typename T>
T integerPower(T base, T exponent)
{
    if (exponent < 0) { // the truncated reciprocal; base 0 was refused
        return base == 1 ? T{1} : (base == T{-1} ? (exponent % 2 == 0 ? T{1} : T{-1}) : T{0});
    }
    T result = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 != 0) {
            result = wrappingMultiply(result, base);
        }
        base = wrappingMultiply(base, base);
    }
    return result;
}

Result<Tensor> integerPowers(const Node& node, const Tensor& base, const Tensor& exponent)
{
    using I = std::int64_t;
    bool zeroInverse = false;
    Result<Tensor> result = mapBinary<I, I>(base, exponent, DType::I64, [&](I b, I e) {
        zeroInverse = zeroInverse || (b == 0 && e < 0);
        return integerPower(b, e);
    });
    return zeroInverse ? Result<Tensor>(cannotFold(node, "integer zero to a negative power")) : result;
}

// The result has the base's type; the exponent may have another one.
Outputs evaluatePow(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 2); !present) {
        return present.error();
    }
    const DType type = inputs[0]->type();
    const bool baseIsFloat = isFloat(type);
    const bool exponentIsFloat = isFloat(inputs[1]->type());
    const DType working = baseIsFloat ? workingType(type) : (exponentIsFloat ? DType::F64 : DType::I64);
    const Result<Tensor> base = convert(*inputs[0], working);
    const Result<Tensor> exponent = convert(*inputs[1], working);
    if (!base || !exponent) {
        return base ? exponent.error() : base.error();
    }
    const Result<Tensor> result = [&]() -> Result<Tensor> {
        if (working == DType::I64) {
            return integerPowers(node, *base, *exponent);
        }
        if (working == DType::F32) {
            return mapBinary<float, float>(*base, *exponent, working, [](float b, float e) { return std::pow(b, e); });
        }
        return mapBinary<double, double>(*base, *exponent, working, [](double b, double e) { return std::pow(b, e); });
    }();
    return result ? single(convert(*result, type)) : Outputs(result.error());
}

constexpr std::array kEvaluators{
    Evaluator{"Add", &fold<AddOf>}, Evaluator{"Sub", &fold<SubtractOf>}, Evaluator{"Mul", &fold<MultiplyOf>},
    Evaluator{"Div", &evaluateDiv}, Evaluator{"Mod", &evaluateMod},      Evaluator{"Pow", &evaluatePow},
    Evaluator{"Min", &fold<MinOf>}, Evaluator{"Max", &fold<MaxOf>},      Evaluator{"Sum", &fold<AddOf>},
};

} // namespace

Result<Operands> operandsOf(const Node& node, Inputs inputs)
{
    if (const Status present = requireInputs(node, inputs, 2); !present) {
        return present.error();
    }
    const DType type = inputs[0]->type();
    if (inputs[1]->type() != type) {
        return cannotFold(node, format("its inputs are {} and {}", toText(type), toText(inputs[1]->type())));
    }
    const Result<Tensor> a = convert(*inputs[0], workingType(type));
    const Result<Tensor> b = convert(*inputs[1], workingType(type));
    if (!a || !b) {
        return cannotFold(node, a ? b.error().message : a.error().message);
    }
    return Operands{*a, *b, type};
}

std::span<const Evaluator> arithmeticEvaluators()
{
    return kEvaluators;
}

} // namespace nw::graph
