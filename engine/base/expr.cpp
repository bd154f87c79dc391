#include "engine/base/expr.h"

#include "engine/base/ensure.h"
#include "engine/base/int_math.h"
#include "engine/base/overloaded.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace nw {
namespace {

std::size_t mix(std::size_t seed, std::size_t value)
{
    std::uint64_t h = (std::uint64_t{seed} ^ std::uint64_t{value}) * 0x9fb21c651e98df25ULL;
    h ^= h >> 32;
    return static_cast<std::size_t>(h + 0x2545f4914f6cdd1dULL);
}

std::size_t hashOf(DType type, const ExprNode::Kind& kind)
{
    const std::size_t seed = mix(static_cast<std::size_t>(type), kind.index() + 17);
    return std::visit(
        overloaded{
            [&](const IntImm& n) { return mix(seed, static_cast<std::size_t>(n.value)); },
            [&](const FloatImm& n) { return mix(seed, std::bit_cast<std::size_t>(n.value)); },
            [&](const Var& n) { return mix(seed, std::hash<std::string>()(n.name)); },
            [&](const Unary& n) { return mix(mix(seed, static_cast<std::size_t>(n.op)), n.a->hash()); },
            [&](const Binary& n) {
                return mix(mix(mix(seed, static_cast<std::size_t>(n.op)), n.a->hash()), n.b->hash());
            },
            [&](const Select& n) {
                return mix(mix(mix(seed, n.condition->hash()), n.yes->hash()), n.no->hash());
            },
            [&](const CastTo& n) { return mix(seed, n.a->hash()); },
            [&](const Load& n) {
                std::size_t h = mix(seed, std::hash<std::string>()(n.buffer));
                for (const Expr& index : n.indices) {
                    h = mix(h, index->hash());
                }
                return h;
            },
        },
        kind);
}

Expr make(DType type, ExprNode::Kind kind)
{
    return std::make_shared<const ExprNode>(type, std::move(kind));
}

// Value range of a literal of an integer type that fits 64 bits.
bool fitsType(std::int64_t value, DType type)
{
    const auto within = [value](auto limits) {
        using L = decltype(limits);
        return value >= static_cast<std::int64_t>(L::min()) && value <= static_cast<std::int64_t>(L::max());
    };
    switch (type) {
    case DType::I64: return true;
    case DType::U64: return value >= 0;
    case DType::I32: return within(std::numeric_limits<std::int32_t>());
    case DType::U32: return within(std::numeric_limits<std::uint32_t>());
    case DType::I16: return within(std::numeric_limits<std::int16_t>());
    case DType::U16: return within(std::numeric_limits<std::uint16_t>());
    case DType::I8: return within(std::numeric_limits<std::int8_t>());
    case DType::U8: return within(std::numeric_limits<std::uint8_t>());
    case DType::Bool: return value == 0 || value == 1;
    case DType::F32:
    case DType::F64:
    case DType::F16:
    case DType::BF16:
    case DType::String:
    case DType::Other: break;
    }
    return false;
}

std::optional<std::int64_t> foldNumbers(BinaryOp op, std::int64_t a, std::int64_t b)
{
    switch (op) {
    case BinaryOp::Add: return checkedAdd(a, b);
    case BinaryOp::Sub: return checkedSub(a, b);
    case BinaryOp::Mul: return checkedMul(a, b);
    case BinaryOp::Div: return canDivide(a, b) ? std::optional(a / b) : std::nullopt;
    case BinaryOp::FloorDiv: return canDivide(a, b) ? std::optional(floorDivide(a, b)) : std::nullopt;
    case BinaryOp::FloorMod: return canDivide(a, b) ? std::optional(floorModulo(a, b)) : std::nullopt;
    case BinaryOp::TruncMod: return canDivide(a, b) ? std::optional(a % b) : std::nullopt;
    case BinaryOp::Min: return std::min(a, b);
    case BinaryOp::Max: return std::max(a, b);
    case BinaryOp::Lt: return a < b ? 1 : 0;
    case BinaryOp::Le: return a <= b ? 1 : 0;
    case BinaryOp::Gt: return a > b ? 1 : 0;
    case BinaryOp::Ge: return a >= b ? 1 : 0;
    case BinaryOp::Eq: return a == b ? 1 : 0;
    case BinaryOp::Ne: return a != b ? 1 : 0;
    case BinaryOp::And: return a != 0 && b != 0 ? 1 : 0;
    case BinaryOp::Or: return a != 0 || b != 0 ? 1 : 0;
    case BinaryOp::Xor: return a != b ? 1 : 0;
    case BinaryOp::Pow: break;
    }
    return std::nullopt;
}

// The types on which makers fold; others wrap in ways that a 64-bit literal does not show.
bool isFoldable(DType type)
{
    return type == DType::I64 || type == DType::I32 || type == DType::Bool;
}

enum class Operands { Number, Integer, IntegerOrFloat, Any, Logic };

Operands operandsOf(BinaryOp op)
{
    switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Mul:
    case BinaryOp::Div:
    case BinaryOp::TruncMod:
    case BinaryOp::FloorMod:
    case BinaryOp::Min:
    case BinaryOp::Max:
    case BinaryOp::Pow: return Operands::Number;
    case BinaryOp::FloorDiv: return Operands::Integer;
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge: return Operands::IntegerOrFloat;
    case BinaryOp::Eq:
    case BinaryOp::Ne: return Operands::Any;
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor: return Operands::Logic;
    }
    return Operands::Any;
}

bool accepts(Operands operands, DType type)
{
    switch (operands) {
    case Operands::Number:
    case Operands::IntegerOrFloat: return isInteger(type) || isFloat(type);
    case Operands::Integer: return isInteger(type);
    case Operands::Any: return isInteger(type) || isFloat(type) || type == DType::Bool;
    case Operands::Logic: return type == DType::Bool;
    }
    return false;
}

} // namespace

std::optional<DType> resultType(UnaryOp op, DType a)
{
    switch (op) {
    case UnaryOp::Neg:
    case UnaryOp::Abs:
    case UnaryOp::Sign: return isInteger(a) || isFloat(a) ? std::optional(a) : std::nullopt;
    case UnaryOp::Not: return a == DType::Bool ? std::optional(a) : std::nullopt;
    case UnaryOp::IsNan:
    case UnaryOp::IsInf: return isFloat(a) ? std::optional(DType::Bool) : std::nullopt;
    default: return isFloat(a) ? std::optional(a) : std::nullopt;
    }
}

std::optional<DType> resultType(BinaryOp op, DType a, DType b)
{
    const Operands operands = operandsOf(op);
    if (a != b || !accepts(operands, a)) {
        return std::nullopt;
    }
    return operands == Operands::Number || operands == Operands::Integer ? a : DType::Bool;
}

ExprNode::ExprNode(DType type, Kind kind)
    : m_type(type)
    , m_kind(std::move(kind))
    , m_hash(hashOf(m_type, m_kind))
{}

Expr intImm(std::int64_t value, DType type)
{
    ENSURE(fitsType(value, type), "integer literal " + std::to_string(value) + " does not fit "
                                      + std::string(toText(type)));
    return make(type, IntImm{value});
}

Expr floatImm(double value, DType type)
{
    ENSURE(type == DType::F32 || type == DType::F64, "float literal of type " + std::string(toText(type)));
    if (std::isnan(value)) {
        value = std::numeric_limits<double>::quiet_NaN();
    } else if (type == DType::F32) {
        value = static_cast<double>(static_cast<float>(value));
    }
    return make(type, FloatImm{value});
}

Expr boolImm(bool value)
{
    return make(DType::Bool, IntImm{value ? 1 : 0});
}

Expr var(std::string name, DType type)
{
    return make(type, Var{std::move(name)});
}

Expr unary(UnaryOp op, Expr a)
{
    ENSURE(a != nullptr, "unary: no operand");
    const std::optional<DType> type = resultType(op, a->type());
    ENSURE(type.has_value(), "unary: operand of type " + std::string(toText(a->type())));
    const std::optional<std::int64_t> value = isFoldable(a->type()) ? constInt(a) : std::nullopt;
    if (value && op == UnaryOp::Not) {
        return boolImm(*value == 0);
    }
    if (value && op == UnaryOp::Neg) {
        const std::optional<std::int64_t> negated = checkedSub(0, *value);
        if (negated && fitsType(*negated, a->type())) {
            return intImm(*negated, a->type());
        }
    }
    return make(*type, Unary{op, std::move(a)});
}

Expr binary(BinaryOp op, Expr a, Expr b)
{
    ENSURE(a != nullptr && b != nullptr, "binary: an operand is missing");
    const std::optional<DType> type = resultType(op, a->type(), b->type());
    ENSURE(type.has_value(), "binary: operands " + toText(a) + " of type " + std::string(toText(a->type())) + " and "
                                 + toText(b) + " of type " + std::string(toText(b->type())));
    const auto* left = a->as<IntImm>();
    const auto* right = left != nullptr && isFoldable(a->type()) ? b->as<IntImm>() : nullptr;
    if (right != nullptr) {
        const std::optional<std::int64_t> folded = foldNumbers(op, left->value, right->value);
        if (folded && fitsType(*folded, *type)) {
            return intImm(*folded, *type);
        }
    }
    return make(*type, Binary{op, std::move(a), std::move(b)});
}

Expr select(Expr condition, Expr yes, Expr no)
{
    ENSURE(condition != nullptr && yes != nullptr && no != nullptr, "select: an operand is missing");
    ENSURE(condition->type() == DType::Bool, "select: the condition is no bool");
    ENSURE(yes->type() == no->type(), "select: the choices differ in type");
    const DType type = yes->type();
    return make(type, Select{std::move(condition), std::move(yes), std::move(no)});
}

Expr castTo(DType type, Expr a)
{
    ENSURE(a != nullptr, "cast: no operand");
    if (a->type() == type) {
        return a;
    }
    ENSURE(byteSize(type) != 0 && byteSize(a->type()) != 0, "cast between types without arithmetic");
    if (const auto* literalValue = a->as<IntImm>()) {
        if (type == DType::Bool) {
            return boolImm(literalValue->value != 0);
        }
        if (fitsType(literalValue->value, type)) {
            return intImm(literalValue->value, type);
        }
    }
    return make(type, CastTo{std::move(a)});
}

Expr load(std::string buffer, DType type, std::vector<Expr> indices)
{
    for (const Expr& index : indices) {
        ENSURE(index != nullptr && index->type() == DType::I64, "load: an index is no i64");
    }
    return make(type, Load{std::move(buffer), std::move(indices)});
}

Expr literal(DType type, double value)
{
    if (type == DType::F32 || type == DType::F64) {
        return floatImm(value, type);
    }
    if (isFloat(type)) {
        return castTo(type, floatImm(value, DType::F32));
    }
    ENSURE(std::abs(value) < 0x1p63 && std::trunc(value) == value, "literal: the value is no integer");
    return type == DType::Bool ? boolImm(value != 0) : intImm(static_cast<std::int64_t>(value), type);
}

bool isConst(const Expr& e, std::int64_t value)
{
    const auto* imm = e->as<IntImm>();
    return imm != nullptr && imm->value == value;
}

std::optional<std::int64_t> constInt(const Expr& e)
{
    const auto* imm = e->as<IntImm>();
    return imm != nullptr ? std::optional(imm->value) : std::nullopt;
}

} // namespace nw
