// Element-wise real functions.

#include "engine/compute/ops/op_builder.h"

namespace nw::compute {
namespace {

template <UnaryOp op>
Expr real(const OpContext&, const std::vector<Expr>& in)
{
    return unary(op, in.at(0));
}

constexpr OpBuilder kBuilders[] = {
    {"Sqrt", nullptr, &real<UnaryOp::Sqrt>, true, {0, 0.1, 2}},
    {"Exp", nullptr, &real<UnaryOp::Exp>, true},
    {"Log", nullptr, &real<UnaryOp::Log>, true, {0, 0.1, 2}},
    {"Sin", nullptr, &real<UnaryOp::Sin>, true},
    {"Cos", nullptr, &real<UnaryOp::Cos>, true},
    {"Tan", nullptr, &real<UnaryOp::Tan>, true},
    {"Asin", nullptr, &real<UnaryOp::Asin>, true},
    {"Acos", nullptr, &real<UnaryOp::Acos>, true},
    {"Atan", nullptr, &real<UnaryOp::Atan>, true},
    {"Sinh", nullptr, &real<UnaryOp::Sinh>, true},
    {"Cosh", nullptr, &real<UnaryOp::Cosh>, true},
    {"Tanh", nullptr, &real<UnaryOp::Tanh>, true},
    {"Asinh", nullptr, &real<UnaryOp::Asinh>, true},
    {"Acosh", nullptr, &real<UnaryOp::Acosh>, true, {0, 1, 2}},
    {"Atanh", nullptr, &real<UnaryOp::Atanh>, true},
    {"Erf", nullptr, &real<UnaryOp::Erf>, true},
    {"Sigmoid", nullptr, &real<UnaryOp::Sigmoid>, true},
};

} // namespace

std::span<const OpBuilder> functionBuilders()
{
    return kBuilders;
}

} // namespace nw::compute
