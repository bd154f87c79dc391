// Element-wise functions of one input. Floats are computed in their own type (16-bit ones through float); Abs, Neg and
// Sign take integers too and wrap.

#include "engine/graph/evaluate/elementwise.h"

#include <array>
#include <cmath>

namespace nw::graph {
namespace {

struct AbsOf {
    template <typename T>
    T operator()(T x) const
    {
        if constexpr (std::is_floating_point_v<T>) {
            return std::abs(x);
        } else {
            return x < T{0} ? wrappingSubtract(T{0}, x) : x;
        }
    }
};
struct NegOf {
    template <typename T>
    T operator()(T x) const
    {
        if constexpr (std::is_floating_point_v<T>) {
            return -x; // 0 - x would lose the sign of zero
        } else {
            return wrappingSubtract(T{0}, x);
        }
    }
};
struct SignOf {
    template <typename T>
    T operator()(T x) const { return x > T{0} ? T{1} : (x < T{0} ? static_cast<T>(-1) : x); }
};

#define NW_FLOAT_FUNCTION(Name, expression)                                                                  \
    struct Name {                                                                                            \
        template <typename T>                                                                                \
        T operator()(T x) const { return expression; }                                                       \
    }
NW_FLOAT_FUNCTION(FloorOf, std::floor(x));
NW_FLOAT_FUNCTION(CeilOf, std::ceil(x));
NW_FLOAT_FUNCTION(RoundOf, std::nearbyint(x));
NW_FLOAT_FUNCTION(SqrtOf, std::sqrt(x));
NW_FLOAT_FUNCTION(ReciprocalOf, T{1} / x);
NW_FLOAT_FUNCTION(ExpOf, std::exp(x));
NW_FLOAT_FUNCTION(LogOf, std::log(x));
NW_FLOAT_FUNCTION(SinOf, std::sin(x));
NW_FLOAT_FUNCTION(CosOf, std::cos(x));
NW_FLOAT_FUNCTION(TanOf, std::tan(x));
NW_FLOAT_FUNCTION(AsinOf, std::asin(x));
NW_FLOAT_FUNCTION(AcosOf, std::acos(x));
NW_FLOAT_FUNCTION(AtanOf, std::atan(x));
NW_FLOAT_FUNCTION(SinhOf, std::sinh(x));
NW_FLOAT_FUNCTION(CoshOf, std::cosh(x));
NW_FLOAT_FUNCTION(TanhOf, std::tanh(x));
NW_FLOAT_FUNCTION(AsinhOf, std::asinh(x));
NW_FLOAT_FUNCTION(AcoshOf, std::acosh(x));
NW_FLOAT_FUNCTION(AtanhOf, std::atanh(x));
NW_FLOAT_FUNCTION(ErfOf, std::erf(x));
#undef NW_FLOAT_FUNCTION

template <typename F, bool kIntegers>
Outputs unary(const Node& node, Inputs inputs, Types)
{
    if (const Status present = requireInputs(node, inputs, 1); !present) {
        return present.error();
    }
    const DType type = inputs[0]->type();
    const Result<Tensor> x = convert(*inputs[0], workingType(type));
    if (!x) {
        return cannotFold(node, x.error().message);
    }
    const Result<Tensor> result = withWorkingType(type, [&](auto tag) -> Result<Tensor> {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_floating_point_v<T> || kIntegers) {
            return mapUnary<T, T>(*x, x->type(), F{});
        } else {
            return cannotFold(node, format("it is not defined on {}", toText(type)));
        }
    });
    return result ? single(convert(*result, type)) : Outputs(result.error());
}

constexpr std::array kEvaluators{
    Evaluator{"Abs", &unary<AbsOf, true>},
    Evaluator{"Neg", &unary<NegOf, true>},
    Evaluator{"Sign", &unary<SignOf, true>},
    Evaluator{"Floor", &unary<FloorOf, false>},
    Evaluator{"Ceil", &unary<CeilOf, false>},
    Evaluator{"Round", &unary<RoundOf, false>},
    Evaluator{"Sqrt", &unary<SqrtOf, false>},
    Evaluator{"Reciprocal", &unary<ReciprocalOf, false>},
    Evaluator{"Exp", &unary<ExpOf, false>},
    Evaluator{"Log", &unary<LogOf, false>},
    Evaluator{"Sin", &unary<SinOf, false>},
    Evaluator{"Cos", &unary<CosOf, false>},
    Evaluator{"Tan", &unary<TanOf, false>},
    Evaluator{"Asin", &unary<AsinOf, false>},
    Evaluator{"Acos", &unary<AcosOf, false>},
    Evaluator{"Atan", &unary<AtanOf, false>},
    Evaluator{"Sinh", &unary<SinhOf, false>},
    Evaluator{"Cosh", &unary<CoshOf, false>},
    Evaluator{"Tanh", &unary<TanhOf, false>},
    Evaluator{"Asinh", &unary<AsinhOf, false>},
    Evaluator{"Acosh", &unary<AcoshOf, false>},
    Evaluator{"Atanh", &unary<AtanhOf, false>},
    Evaluator{"Erf", &unary<ErfOf, false>},
};

} // namespace

std::span<const Evaluator> unaryEvaluators()
{
    return kEvaluators;
}

} // namespace nw::graph
