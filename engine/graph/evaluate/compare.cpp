// Comparisons, logic and Where: results are Bool bytes, 0 or 1.

#include "engine/graph/evaluate/elementwise.h"

#include <array>
#include <cmath>
#include <functional>

namespace nw::graph {
namespace {

using Byte = std::uint8_t;

template <typename F>
Outputs compare(const Node& node, Inputs inputs, Types)
{
    const Result<Operands> operands = operandsOf(node, inputs);
    if (!operands) {
        return operands.error();
    }
    return single(withWorkingType(operands->type, [&](auto tag) -> Result<Tensor> {
        using T = typename decltype(tag)::type;
        return mapBinary<T, Byte>(operands->a, operands->b, DType::Bool,
                                  [](T a, T b) { return static_cast<Byte>(F{}(a, b) ? 1 : 0); });
    }));
}

template <typename F>
Outputs logic(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 2); !present) {
        return present.error();
    }
    if (inputs[0]->type() != DType::Bool || inputs[1]->type() != DType::Bool) {
        return cannotFold(node, "its inputs are not bool");
    }
    return single(mapBinary<Byte, Byte>(*inputs[0], *inputs[1], DType::Bool,
                                        [](Byte a, Byte b) { return static_cast<Byte>(F{}(a != 0, b != 0) ? 1 : 0); }));
}

Outputs evaluateNot(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    return single(mapUnary<Byte, Byte>(*inputs[0], DType::Bool, [](Byte a) { return static_cast<Byte>(a == 0 ? 1 : 0); }));
}

// Calls test(element) on the elements of a float tensor.
template <typename Test>
Outputs classify(const Node& node, Inputs inputs, Test test)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const Result<Tensor> x = convert(*inputs[0], workingType(inputs[0]->type()));
    if (!x) {
        return x.error();
    }
    if (x->type() == DType::F32) {
        return single(mapUnary<float, Byte>(*x, DType::Bool, [=](float v) { return static_cast<Byte>(test(v) ? 1 : 0); }));
    }
    if (x->type() == DType::F64) {
        return single(mapUnary<double, Byte>(*x, DType::Bool, [=](double v) { return static_cast<Byte>(test(v) ? 1 : 0); }));
    }
    return cannotFold(node, "its input is not a float");
}

Outputs evaluateIsNan(const Node& node, Inputs inputs, Types)
{
    return classify(node, inputs, [](auto value) { return std::isnan(value); });
}

Outputs evaluateIsInf(const Node& node, Inputs inputs, Types)
{
    const bool negative = node.attributes.integer("detect_negative", 1) != 0;
    const bool positive = node.attributes.integer("detect_positive", 1) != 0;
    return classify(node, inputs, [=](auto value) { return std::isinf(value) && (value < 0 ? negative : positive); });
}

template <typename T>
void chooseRow(T* out, const Byte* condition, const T* yes, const T* no, const std::int64_t* steps, std::int64_t n)
{
    for (std::int64_t i = 0; i < n; ++i) {
        out[i] = condition[i * steps[0]] != 0 ? yes[i * steps[1]] : no[i * steps[2]];
    }
}

template <typename T>
void choose(Tensor& out, const Tensor& condition, const Tensor& yes, const Tensor& no)
{
    const std::vector<std::int64_t>& shape = out.shape();
    const Loops loops =
        Loops::make(shape, {stridesOf(shape), broadcastStrides(condition.shape(), shape),
                            broadcastStrides(yes.shape(), shape), broadcastStrides(no.shape(), shape)});
    // The bytes move whatever they mean, so a type of the right width stands for all.
    T* const target = reinterpret_cast<T*>(out.mutableData<std::byte>().data());
    const T* const x = reinterpret_cast<const T*>(yes.bytes().data());
    const T* const y = reinterpret_cast<const T*>(no.bytes().data());
    const std::array<std::int64_t, 3> steps{loops.strides[1].back(), loops.strides[2].back(), loops.strides[3].back()};
    forEachRow(loops, [&](const std::int64_t* at, std::int64_t n) {
        chooseRow(target + at[0], condition.data<Byte>().data() + at[1], x + at[2], y + at[3], steps.data(), n);
    });
}

Outputs evaluateWhere(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 3); !present) {
        return present.error();
    }
    const DType type = inputs[1]->type();
    if (inputs[0]->type() != DType::Bool || inputs[2]->type() != type) {
        return cannotFold(node, "the condition is not bool or the choices differ in type");
    }
    const auto values = broadcastShape(inputs[1]->shape(), inputs[2]->shape());
    const auto shape = values ? broadcastShape(*values, inputs[0]->shape()) : values;
    if (!shape) {
        return cannotFold(node, shape.error().message);
    }
    Result<Tensor> out = Tensor::create(type, *shape);
    if (!out) {
        return out.error();
    }
    switch (byteSize(type)) {
    case 1:
        choose<std::uint8_t>(*out, *inputs[0], *inputs[1], *inputs[2]);
        break;
    case 2:
        choose<std::uint16_t>(*out, *inputs[0], *inputs[1], *inputs[2]);
        break;
    case 4:
        choose<std::uint32_t>(*out, *inputs[0], *inputs[1], *inputs[2]);
        break;
    case 8:
        choose<std::uint64_t>(*out, *inputs[0], *inputs[1], *inputs[2]);
        break;
    default:
        return cannotFold(node, format("element type {} cannot be chosen from", toText(type)));
    }
    return single(*std::move(out));
}

constexpr std::array kEvaluators{
    Evaluator{"Equal", &compare<std::equal_to<>>},
    Evaluator{"Less", &compare<std::less<>>},
    Evaluator{"LessOrEqual", &compare<std::less_equal<>>},
    Evaluator{"Greater", &compare<std::greater<>>},
    Evaluator{"GreaterOrEqual", &compare<std::greater_equal<>>},
    Evaluator{"And", &logic<std::logical_and<>>},
    Evaluator{"Or", &logic<std::logical_or<>>},
    Evaluator{"Xor", &logic<std::not_equal_to<>>},
    Evaluator{"Not", &evaluateNot},
    Evaluator{"IsNaN", &evaluateIsNan},
    Evaluator{"IsInf", &evaluateIsInf},
    Evaluator{"Where", &evaluateWhere},
};

} // namespace

std::span<const Evaluator> compareEvaluators()
{
    return kEvaluators;
}

} // namespace nw::graph
