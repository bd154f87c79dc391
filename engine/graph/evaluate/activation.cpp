// Activations with parameters, Clip, PRelu and Cast.

#include "engine/graph/evaluate/elementwise.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace nw::graph {
namespace {

struct Sigmoid {
    explicit Sigmoid(const Attributes&) {}
    template <typename T>
    T operator()(T x) const { return T{1} / (T{1} + std::exp(-x)); }
};
struct Relu {
    explicit Relu(const Attributes&) {}
    template <typename T>
    T operator()(T x) const { return x < T{0} ? T{0} : x; }
};
struct LeakyRelu {
    explicit LeakyRelu(const Attributes& a)
        : alpha(a.real("alpha", 0.01))
    {}
    template <typename T>
    T operator()(T x) const { return x < T{0} ? static_cast<T>(alpha) * x : x; }
    double alpha;
};
struct ThresholdedRelu {
    explicit ThresholdedRelu(const Attributes& a)
        : alpha(a.real("alpha", 1.0))
    {}
    template <typename T>
    T operator()(T x) const { return x > static_cast<T>(alpha) || x != x ? x : T{0}; }
    double alpha;
};
struct Elu {
    explicit Elu(const Attributes& a)
        : alpha(a.real("alpha", 1.0))
    {}
    template <typename T>
    T operator()(T x) const { return x < T{0} ? static_cast<T>(alpha) * std::expm1(x) : x; }
    double alpha;
};
struct Selu {
    explicit Selu(const Attributes& a)
        : alpha(a.real("alpha", 1.6732632423543772))
        , gamma(a.real("gamma", 1.0507009873554805))
    {}
    template <typename T>
    T operator()(T x) const
    {
        return static_cast<T>(gamma) * (x <= T{0} ? static_cast<T>(alpha) * std::expm1(x) : x);
    }
    double alpha;
    double gamma;
};
struct Celu {
    explicit Celu(const Attributes& a)
        : alpha(a.real("alpha", 1.0))
    {}
    template <typename T>
    T operator()(T x) const
    {
        const T scale = static_cast<T>(alpha);
        return x < T{0} ? scale * std::expm1(x / scale) : x;
    }
    double alpha;
};
template <typename T>
T unitClamp(T x)
{
    return x < T{0} ? T{0} : (x > T{1} ? T{1} : x);
}
struct HardSigmoid {
    explicit HardSigmoid(const Attributes& a)
        : alpha(a.real("alpha", 0.2))
        , beta(a.real("beta", 0.5))
    {}
    template <typename T>
    T operator()(T x) const { return unitClamp(static_cast<T>(alpha) * x + static_cast<T>(beta)); }
    double alpha;
    double beta;
};
struct HardSwish {
    explicit HardSwish(const Attributes&) {}
    template <typename T>
    T operator()(T x) const { return x * unitClamp(x / T{6} + T{0.5}); }
};
template <typename T>
T softplus(T x)
{
    return (x > T{0} ? x : T{0}) + std::log1p(std::exp(-std::abs(x))); // no overflow for large x
}
struct Softplus {
    explicit Softplus(const Attributes&) {}
    template <typename T>
    T operator()(T x) const { return x != x ? x : softplus(x); }
};
struct Softsign {
    explicit Softsign(const Attributes&) {}
    template <typename T>
    T operator()(T x) const { return x / (T{1} + std::abs(x)); }
};
struct Mish {
    explicit Mish(const Attributes&) {}
    template <typename T>
    T operator()(T x) const { return x * std::tanh(softplus(x)); }
};
struct Swish {
    explicit Swish(const Attributes& a)
        : alpha(a.real("alpha", 1.0))
    {}
    template <typename T>
    T operator()(T x) const { return x / (T{1} + std::exp(-static_cast<T>(alpha) * x)); }
    double alpha;
};
struct Gelu {
    explicit Gelu(const Attributes& a)
        : byTanh(a.text("approximate", "none") == "tanh")
    {}
    template <typename T>
    T operator()(T x) const
    {
        const T half = T{0.5} * x;
        if (byTanh) {
            const T root = std::sqrt(T{2} / std::numbers::pi_v<T>);
            return half * (T{1} + std::tanh(root * (x + static_cast<T>(0.044715) * x * x * x)));
        }
        return half * (T{1} + std::erf(x / std::numbers::sqrt2_v<T>));
    }
    bool byTanh;
};

// F is made from the node's attributes; only Relu means something on integers.
template <typename F>
Outputs activation(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const DType type = inputs[0]->type();
    const Result<Tensor> x = convert(*inputs[0], workingType(type));
    if (!x) {
        return cannotFold(node, x.error().message);
    }
    const F function(node.attributes);
    const Result<Tensor> result = withWorkingType(type, [&](auto tag) -> Result<Tensor> {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_floating_point_v<T> || std::is_same_v<F, Relu>) {
            return mapUnary<T, T>(*x, x->type(), function);
        } else {
            return cannotFold(node, format("it is not defined on {}", toText(type)));
        }
    });
    return result ? single(convert(*result, type)) : Outputs(result.error());
}

Outputs evaluatePRelu(const Node& node, Inputs inputs, Types)
{
    const Result<Operands> operands = operandsOf(node, inputs);
    if (!operands) {
        return operands.error();
    }
    const Result<Tensor> result = withWorkingType(operands->type, [&](auto tag) -> Result<Tensor> {
        using T = typename decltype(tag)::type;
        return mapBinary<T, T>(operands->a, operands->b, operands->a.type(),
                               [](T x, T slope) { return x < T{0} ? wrappingMultiply(slope, x) : x; });
    });
    return result ? single(convert(*result, operands->type)) : Outputs(result.error());
}

// min(max(x, low), high); an absent limit does not limit, NaN stays NaN.
Outputs evaluateClip(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const DType type = inputs[0]->type();
    const DType working = workingType(type);
    const Result<Tensor> x = convert(*inputs[0], working);
    if (!x) {
        return cannotFold(node, x.error().message);
    }
    const auto limit = [&](std::size_t i) -> Result<std::optional<Tensor>> {
        if (i >= inputs.size() || inputs[i] == nullptr) {
            return std::optional<Tensor>{};
        }
        if (inputs[i]->count() != 1 || inputs[i]->type() != type) {
            return cannotFold(node, "a limit is not one element of the input's type");
        }
        const Result<Tensor> value = convert(*inputs[i], working);
        return value ? Result<std::optional<Tensor>>(std::optional<Tensor>(*value)) : value.error();
    };
    const auto low = limit(1);
    const auto high = limit(2);
    if (!low || !high) {
        return low ? high.error() : low.error();
    }
    const Result<Tensor> result = withWorkingType(type, [&](auto tag) -> Result<Tensor> {
        using T = typename decltype(tag)::type;
        using Limits = std::numeric_limits<T>;
        const T lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
        const T highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
        const T from = *low ? (*low)->template data<T>()[0] : lowest;
        const T to = *high ? (*high)->template data<T>()[0] : highest;
        return mapUnary<T, T>(*x, working, [=](T value) {
            const T raised = value < from ? from : value;
            return raised > to ? to : raised;
        });
    });
    return result ? single(convert(*result, type)) : Outputs(result.error());
}

Outputs evaluateCast(const Node& node, Inputs inputs, Types types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    if (types.empty()) {
        return cannotFold(node, "its output has no type");
    }
    Result<Tensor> result = convert(*inputs[0], types[0].type);
    return result ? single(std::move(result)) : Outputs(cannotFold(node, result.error().message));
}

constexpr std::array kEvaluators{
    Evaluator{"Sigmoid", &activation<Sigmoid>},
    Evaluator{"Relu", &activation<Relu>},
    Evaluator{"LeakyRelu", &activation<LeakyRelu>},
    Evaluator{"ThresholdedRelu", &activation<ThresholdedRelu>},
    Evaluator{"Elu", &activation<Elu>},
    Evaluator{"Selu", &activation<Selu>},
    Evaluator{"Celu", &activation<Celu>},
    Evaluator{"HardSigmoid", &activation<HardSigmoid>},
    Evaluator{"HardSwish", &activation<HardSwish>},
    Evaluator{"Softplus", &activation<Softplus>},
    Evaluator{"Softsign", &activation<Softsign>},
    Evaluator{"Mish", &activation<Mish>},
    Evaluator{"Swish", &activation<Swish>},
    Evaluator{"Gelu", &activation<Gelu>},
    Evaluator{"PRelu", &evaluatePRelu},
    Evaluator{"Clip", &evaluateClip},
    Evaluator{"Cast", &evaluateCast},
};

} // namespace

std::span<const Evaluator> activationEvaluators()
{
    return kEvaluators;
}

} // namespace nw::graph
