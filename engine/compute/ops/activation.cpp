// Element-wise activations, written out in the expression's operators. Where a formula would overflow for large
// arguments (softplus), the form that does not is used.

#include "engine/compute/ops/op_builder.h"
#include "engine/compute/ops/index.h"

namespace nw::compute {
namespace {

using Inputs = std::vector<Expr>;

Expr number(const Expr& like, double value)
{
    return literal(like->type(), value);
}

Expr attribute(const OpContext& context, const Expr& like, const std::string& name, double otherwise)
{
    return number(like, context.attributes().real(name, otherwise));
}

Expr atLeast(const Expr& x, double low)
{
    return binary(BinaryOp::Max, x, number(x, low));
}

Expr atMost(const Expr& x, double high)
{
    return binary(BinaryOp::Min, x, number(x, high));
}

Expr divide(const Expr& a, const Expr& b)
{
    return binary(BinaryOp::Div, a, b);
}

Expr isNegative(const Expr& x)
{
    return lessThan(x, number(x, 0));
}

// exp(x) - 1
Expr exponentialLess(const Expr& x)
{
    return unary(UnaryOp::Exp, x) - number(x, 1);
}

Expr softplusOf(const Expr& x)
{
    const Expr decay = unary(UnaryOp::Exp, unary(UnaryOp::Neg, unary(UnaryOp::Abs, x)));
    return atLeast(x, 0) + unary(UnaryOp::Log, number(x, 1) + decay);
}

Expr relu(const OpContext&, const Inputs& in)
{
    return atLeast(in.at(0), 0);
}

Expr leakyRelu(const OpContext& context, const Inputs& in)
{
    const Expr& x = in.at(0);
    return select(isNegative(x), x * attribute(context, x, "alpha", 0.01), x);
}

Expr parametricRelu(const OpContext&, const Inputs& in)
{
    const Expr& x = in.at(0);
    return select(isNegative(x), x * in.at(1), x);
}

Expr elu(const OpContext& context, const Inputs& in)
{
    const Expr& x = in.at(0);
    return select(isNegative(x), exponentialLess(x) * attribute(context, x, "alpha", 1), x);
}

Expr selu(const OpContext& context, const Inputs& in)
{
    const Expr& x = in.at(0);
    const Expr alpha = attribute(context, x, "alpha", 1.67326319217681884765625);
    const Expr below = exponentialLess(x) * alpha;
    return select(binary(BinaryOp::Gt, x, number(x, 0)), x, below)
        * attribute(context, x, "gamma", 1.05070102214813232421875);
}

Expr celu(const OpContext& context, const Inputs& in)
{
    const Expr& x = in.at(0);
    const Expr alpha = attribute(context, x, "alpha", 1);
    return select(isNegative(x), exponentialLess(divide(x, alpha)) * alpha, x);
}

Expr hardSigmoid(const OpContext& context, const Inputs& in)
{
    const Expr& x = in.at(0);
    const Expr line = x * attribute(context, x, "alpha", 0.2) + attribute(context, x, "beta", 0.5);
    return atMost(atLeast(line, 0), 1);
}

Expr hardSwish(const OpContext&, const Inputs& in)
{
    const Expr& x = in.at(0);
    return x * atMost(atLeast(x * number(x, 1.0 / 6.0) + number(x, 0.5), 0), 1);
}

Expr softplus(const OpContext&, const Inputs& in)
{
    return softplusOf(in.at(0));
}

Expr softsign(const OpContext&, const Inputs& in)
{
    const Expr& x = in.at(0);
    return divide(x, number(x, 1) + unary(UnaryOp::Abs, x));
}

Expr thresholdedRelu(const OpContext& context, const Inputs& in)
{
    const Expr& x = in.at(0);
    return select(binary(BinaryOp::Gt, x, attribute(context, x, "alpha", 1)), x, number(x, 0));
}

Expr gelu(const OpContext& context, const Inputs& in)
{
    const Expr& x = in.at(0);
    const Expr half = x * number(x, 0.5);
    if (context.attributes().text("approximate", "none") == "tanh") {
        const Expr cubic = x * x * x * number(x, 0.044715);
        const Expr inner = (x + cubic) * number(x, 0.79788456080286535588);
        return half * (unary(UnaryOp::Tanh, inner) + number(x, 1));
    }
    return half * (unary(UnaryOp::Erf, x * number(x, 0.70710678118654752440)) + number(x, 1));
}

Expr mish(const OpContext&, const Inputs& in)
{
    const Expr& x = in.at(0);
    return x * unary(UnaryOp::Tanh, softplusOf(x));
}

Expr swish(const OpContext& context, const Inputs& in)
{
    const Expr& x = in.at(0);
    const double alpha = context.attributes().real("alpha", 1);
    return x * unary(UnaryOp::Sigmoid, alpha == 1 ? x : x * number(x, alpha));
}

constexpr OpBuilder kBuilders[] = {
    {"Relu", nullptr, &relu},
    {"LeakyRelu", nullptr, &leakyRelu, true},
    {"PRelu", nullptr, &parametricRelu},
    {"Elu", nullptr, &elu, true},
    {"Selu", nullptr, &selu, true},
    {"Celu", nullptr, &celu, true},
    {"HardSigmoid", nullptr, &hardSigmoid, true},
    {"HardSwish", nullptr, &hardSwish, true},
    {"Softplus", nullptr, &softplus, true},
    {"Softsign", nullptr, &softsign, true},
    {"ThresholdedRelu", nullptr, &thresholdedRelu, true},
    {"Gelu", nullptr, &gelu, true},
    {"Mish", nullptr, &mish, true},
    {"Swish", nullptr, &swish, true},
};

} // namespace

std::span<const OpBuilder> activationBuilders()
{
    return kBuilders;
}

} // namespace nw::compute
