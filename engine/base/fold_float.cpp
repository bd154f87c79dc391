// Operations on float literals, computed as the element type computes them: in float for F32, in double for F64.
// Only what IEEE 754 rounds correctly is folded; an exponential depends on who computes it.

#include "engine/base/simplifier.h"

#include <cmath>
#include <limits>

namespace nw {
namespace {

template <typename Real>
std::optional<Real> foldUnary(UnaryOp op, Real a)
{
    switch (op) {
    case UnaryOp::Neg: return -a;
    case UnaryOp::Abs: return std::fabs(a);
    case UnaryOp::Floor: return std::floor(a);
    case UnaryOp::Ceil: return std::ceil(a);
    case UnaryOp::Round: return std::nearbyint(a);
    case UnaryOp::Sqrt: return std::sqrt(a);
    default: return std::nullopt;
    }
}

template <typename Real>
std::optional<Real> foldBinary(BinaryOp op, Real a, Real b)
{
    const bool isZeroPair = a == 0 && b == 0; // which zero comes out is not settled
    switch (op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Sub: return a - b;
    case BinaryOp::Mul: return a * b;
    case BinaryOp::Div: return a / b;
    case BinaryOp::Min:
    case BinaryOp::Max:
        if (isZeroPair) {
            return std::nullopt;
        }
        if (std::isnan(a) || std::isnan(b)) {
            return std::numeric_limits<Real>::quiet_NaN();
        }
        return (op == BinaryOp::Min) == (a < b) ? a : b;
    default: return std::nullopt;
    }
}

std::optional<bool> foldComparison(BinaryOp op, double a, double b)
{
    switch (op) {
    case BinaryOp::Lt: return a < b;
    case BinaryOp::Le: return a <= b;
    case BinaryOp::Gt: return a > b;
    case BinaryOp::Ge: return a >= b;
    case BinaryOp::Eq: return a == b;
    case BinaryOp::Ne: return a != b;
    default: return std::nullopt;
    }
}

template <typename Value>
Expr literalOf(const std::optional<Value>& value, DType type)
{
    return value ? floatImm(static_cast<double>(*value), type) : nullptr;
}

Expr foldCast(DType to, const Expr& a)
{
    if (const auto* integer = a->as<IntImm>()) {
        if (to == DType::F32) {
            return floatImm(static_cast<double>(static_cast<float>(integer->value)), to);
        }
        return to == DType::F64 ? floatImm(static_cast<double>(integer->value), to) : nullptr;
    }
    const auto* real = a->as<FloatImm>();
    if (real == nullptr) {
        return nullptr;
    }
    if (to == DType::F32 || to == DType::F64) {
        return floatImm(real->value, to);
    }
    if (to == DType::Bool) {
        return boolImm(real->value != 0);
    }
    const double truncated = std::trunc(real->value);
    const bool fits = to == DType::I64 ? truncated >= -0x1p63 && truncated < 0x1p63
                                       : to == DType::I32 && truncated >= -0x1p31 && truncated < 0x1p31;
    return fits ? intImm(static_cast<std::int64_t>(truncated), to) : nullptr;
}

} // namespace

Expr foldFloat(const Expr& e)
{
    if (const auto* cast = e->as<CastTo>()) {
        return foldCast(e->type(), cast->a);
    }
    if (const auto* n = e->as<Unary>()) {
        const auto* a = n->a->as<FloatImm>();
        if (a == nullptr) {
            return nullptr;
        }
        if (n->op == UnaryOp::IsNan || n->op == UnaryOp::IsInf) {
            return boolImm(n->op == UnaryOp::IsNan ? std::isnan(a->value) : std::isinf(a->value));
        }
        return e->type() == DType::F32 ? literalOf(foldUnary(n->op, static_cast<float>(a->value)), DType::F32)
                                       : literalOf(foldUnary(n->op, a->value), DType::F64);
    }
    const auto* n = e->as<Binary>();
    const auto* a = n != nullptr ? n->a->as<FloatImm>() : nullptr;
    const auto* b = a != nullptr ? n->b->as<FloatImm>() : nullptr;
    if (b == nullptr) {
        return nullptr;
    }
    if (e->type() == DType::Bool) {
        const std::optional<bool> known = foldComparison(n->op, a->value, b->value);
        return known ? boolImm(*known) : nullptr;
    }
    return e->type() == DType::F32
        ? literalOf(foldBinary(n->op, static_cast<float>(a->value), static_cast<float>(b->value)), DType::F32)
        : literalOf(foldBinary(n->op, a->value, b->value), DType::F64);
}

} // namespace nw
