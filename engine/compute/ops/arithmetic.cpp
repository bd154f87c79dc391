// Element-wise arithmetic, comparison, logic and conversion, with ONNX's rules: integer division truncates, Mod has
// the sign of the divisor unless fmod, Min and Max hand on a NaN, Pow has the type of its base, a Cast from float to
// integer truncates.

#include "engine/compute/ops/op_builder.h"
#include "engine/compute/ops/index.h"

namespace nw::compute {
namespace {

using Inputs = std::vector<Expr>;

template <BinaryOp op>
Expr two(const OpContext&, const Inputs& in)
{
    return binary(op, in.at(0), in.at(1));
}

// Variadic ones are chains.
template <BinaryOp op>
Expr chain(const OpContext&, const Inputs& in)
{
    Expr result = in.at(0);
    for (std::size_t i = 1; i < in.size(); ++i) {
        result = binary(op, result, in[i]);
    }
    return result;
}

template <UnaryOp op>
Expr one(const OpContext&, const Inputs& in)
{
    return unary(op, in.at(0));
}

Expr mean(const OpContext& context, const Inputs& in)
{
    const Expr sum = chain<BinaryOp::Add>(context, in);
    return binary(BinaryOp::Div, sum, literal(sum->type(), static_cast<double>(in.size())));
}

Expr modulo(const OpContext& context, const Inputs& in)
{
    const bool likeC = context.attributes().integer("fmod", 0) != 0;
    return binary(likeC ? BinaryOp::TruncMod : BinaryOp::FloorMod, in.at(0), in.at(1));
}

// Integer powers go over f64, as elsewhere, and are rounded: a power that is off by its last place must not truncate.
Expr power(const OpContext&, const Inputs& in)
{
    const Expr& base = in.at(0);
    const Expr& exponent = in.at(1);
    if (isFloat(base->type())) {
        return binary(BinaryOp::Pow, base, castTo(base->type(), exponent));
    }
    const Expr real = binary(BinaryOp::Pow, castTo(DType::F64, base), castTo(DType::F64, exponent));
    return castTo(base->type(), unary(UnaryOp::Round, real));
}

Expr reciprocal(const OpContext&, const Inputs& in)
{
    return binary(BinaryOp::Div, literal(in.at(0)->type(), 1), in.at(0));
}

Expr absolute(const OpContext&, const Inputs& in)
{
    return unary(UnaryOp::Abs, in.at(0));
}

Expr where(const OpContext&, const Inputs& in)
{
    return select(in.at(0), in.at(1), in.at(2));
}

Expr cast(const OpContext& context, const Inputs& in)
{
    return castTo(context.outputType(), in.at(0));
}

Expr isInfinite(const OpContext& context, const Inputs& in)
{
    const Expr& x = in.at(0);
    const bool negative = context.attributes().integer("detect_negative", 1) != 0;
    const bool positive = context.attributes().integer("detect_positive", 1) != 0;
    const Expr isInf = unary(UnaryOp::IsInf, x);
    if (negative && positive) {
        return isInf;
    }
    if (!negative && !positive) {
        return binary(BinaryOp::And, isInf, boolImm(false));
    }
    const Expr zero = literal(x->type(), 0);
    return binary(BinaryOp::And, isInf, binary(positive ? BinaryOp::Gt : BinaryOp::Lt, x, zero));
}

// As min(max(x, low), high); an absent limit does nothing.
Expr clip(const OpContext&, const Inputs& in)
{
    Expr result = in.at(0);
    if (in.size() > 1 && in[1] != nullptr) {
        result = binary(BinaryOp::Max, result, in[1]);
    }
    if (in.size() > 2 && in[2] != nullptr) {
        result = binary(BinaryOp::Min, result, in[2]);
    }
    return result;
}

constexpr OpBuilder kBuilders[] = {
    {"Add", nullptr, &two<BinaryOp::Add>},
    {"Sub", nullptr, &two<BinaryOp::Sub>},
    {"Mul", nullptr, &two<BinaryOp::Mul>},
    {"Div", nullptr, &two<BinaryOp::Div>, false, {1, 0.5, 2}},
    {"Mod", nullptr, &modulo, false, {1, 0.5, 2}},
    {"Pow", nullptr, &power, false, {0, 0.1, 2}},
    {"Min", nullptr, &chain<BinaryOp::Min>},
    {"Max", nullptr, &chain<BinaryOp::Max>},
    {"Sum", nullptr, &chain<BinaryOp::Add>},
    {"Mean", nullptr, &mean},
    {"And", nullptr, &two<BinaryOp::And>},
    {"Or", nullptr, &two<BinaryOp::Or>},
    {"Xor", nullptr, &two<BinaryOp::Xor>},
    {"Not", nullptr, &one<UnaryOp::Not>},
    {"Equal", nullptr, &two<BinaryOp::Eq>},
    {"Less", nullptr, &two<BinaryOp::Lt>},
    {"LessOrEqual", nullptr, &two<BinaryOp::Le>},
    {"Greater", nullptr, &two<BinaryOp::Gt>},
    {"GreaterOrEqual", nullptr, &two<BinaryOp::Ge>},
    {"Where", nullptr, &where},
    {"Cast", nullptr, &cast},
    {"IsNaN", nullptr, &one<UnaryOp::IsNan>, true},
    {"IsInf", nullptr, &isInfinite, true},
    {"Abs", nullptr, &absolute},
    {"Neg", nullptr, &one<UnaryOp::Neg>},
    {"Sign", nullptr, &one<UnaryOp::Sign>},
    {"Floor", nullptr, &one<UnaryOp::Floor>, true},
    {"Ceil", nullptr, &one<UnaryOp::Ceil>, true},
    {"Round", nullptr, &one<UnaryOp::Round>, true},
    {"Reciprocal", nullptr, &reciprocal, true, {0, 0.5, 2}},
    {"Clip", nullptr, &clip},
};

} // namespace

std::span<const OpBuilder> arithmeticBuilders()
{
    return kBuilders;
}

} // namespace nw::compute
