#include "engine/schedule/scalar_program.h"

#include "engine/base/ensure.h"
#include "engine/base/overloaded.h"

#include <cmath>
#include <limits>

namespace nw::schedule {

namespace {

Scalar real(DType type, double value)
{
    return {type == DType::F32 ? static_cast<double>(static_cast<float>(value)) : value, 0};
}
Scalar integer(DType type, std::int64_t value)
{
    return {0, type == DType::I32 ? std::int64_t{static_cast<std::int32_t>(value)} : value};
}
Scalar truth(bool value) { return {0, value ? 1 : 0}; }

// Two's complement arithmetic without undefined overflow.
std::int64_t wrap(std::uint64_t value) { return static_cast<std::int64_t>(value); }
std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

double realUnary(UnaryOp op, double a)
{
    switch (op) {
    case UnaryOp::Neg: return -a;
    case UnaryOp::Not: return a == 0 ? 1 : 0;
    case UnaryOp::Abs: return std::fabs(a);
    case UnaryOp::Sign: return std::isnan(a) ? a : (a > 0) - (a < 0);
    case UnaryOp::Floor: return std::floor(a);
    case UnaryOp::Ceil: return std::ceil(a);
    case UnaryOp::Round: return std::nearbyint(a);
    case UnaryOp::Sqrt: return std::sqrt(a);
    case UnaryOp::Exp: return std::exp(a);
    case UnaryOp::Log: return std::log(a);
    case UnaryOp::Sin: return std::sin(a);
    case UnaryOp::Cos: return std::cos(a);
    case UnaryOp::Tan: return std::tan(a);
    case UnaryOp::Asin: return std::asin(a);
    case UnaryOp::Acos: return std::acos(a);
    case UnaryOp::Atan: return std::atan(a);
    case UnaryOp::Sinh: return std::sinh(a);
    case UnaryOp::Cosh: return std::cosh(a);
    case UnaryOp::Tanh: return std::tanh(a);
    case UnaryOp::Asinh: return std::asinh(a);
    case UnaryOp::Acosh: return std::acosh(a);
    case UnaryOp::Atanh: return std::atanh(a);
    case UnaryOp::Erf: return std::erf(a);
    case UnaryOp::Sigmoid: return 1 / (1 + std::exp(-a));
    case UnaryOp::IsNan: return std::isnan(a) ? 1 : 0;
    case UnaryOp::IsInf: return std::isinf(a) ? 1 : 0;
    }
    return 0;
}

std::int64_t integerUnary(UnaryOp op, std::int64_t a)
{
    switch (op) {
    case UnaryOp::Neg: return wrap(0 - bits(a));
    case UnaryOp::Not: return a == 0 ? 1 : 0;
    case UnaryOp::Abs: return a < 0 ? wrap(0 - bits(a)) : a;
    case UnaryOp::Sign: return (a > 0) - (a < 0);
    case UnaryOp::Floor:
    case UnaryOp::Ceil:
    case UnaryOp::Round: return a;
    case UnaryOp::IsNan:
    case UnaryOp::IsInf: return 0;
    default: throwBug(__FILE__, __LINE__, "a transcendental of an integer");
    }
}

double realBinary(BinaryOp op, double a, double b)
{
    switch (op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Sub: return a - b;
    case BinaryOp::Mul: return a * b;
    case BinaryOp::Div: return a / b;
    case BinaryOp::FloorDiv: return std::floor(a / b);
    case BinaryOp::FloorMod: {
        const double rest = std::fmod(a, b);
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    case BinaryOp::TruncMod: return std::fmod(a, b);
    case BinaryOp::Min: return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::fmin(a, b);
    case BinaryOp::Max: return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::fmax(a, b);
    case BinaryOp::Pow: return std::pow(a, b);
    default: throwBug(__FILE__, __LINE__, "not an arithmetic operator");
    }
}

std::int64_t integerPower(std::int64_t base, std::int64_t exponent)
{
    if (exponent < 0) {
        return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    }
    std::uint64_t value = 1;
    for (std::uint64_t square = bits(base); exponent > 0; exponent /= 2, square *= square) {
        value = exponent % 2 == 1 ? value * square : value;
    }
    return wrap(value);
}

std::int64_t integerBinary(BinaryOp op, std::int64_t a, std::int64_t b)
{
    const bool undivided = b == 0 || b == -1;
    switch (op) {
    case BinaryOp::Add: return wrap(bits(a) + bits(b));
    case BinaryOp::Sub: return wrap(bits(a) - bits(b));
    case BinaryOp::Mul: return wrap(bits(a) * bits(b));
    case BinaryOp::Div: return undivided ? wrap(bits(a) * bits(b)) : a / b;
    case BinaryOp::FloorDiv:
        return undivided ? wrap(bits(a) * bits(b)) : a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    case BinaryOp::FloorMod:
        return undivided ? 0 : a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
    case BinaryOp::TruncMod: return undivided ? 0 : a % b;
    case BinaryOp::Min: return a < b ? a : b;
    case BinaryOp::Max: return a > b ? a : b;
    case BinaryOp::Pow: return integerPower(a, b);
    case BinaryOp::And: return a != 0 && b != 0 ? 1 : 0;
    case BinaryOp::Or: return a != 0 || b != 0 ? 1 : 0;
    case BinaryOp::Xor: return (a != 0) != (b != 0) ? 1 : 0;
    default: throwBug(__FILE__, __LINE__, "not an arithmetic operator");
    }
}

template <typename T>
std::optional<bool> compareValues(BinaryOp op, T a, T b)
{
    switch (op) {
    case BinaryOp::Lt: return a < b;
    case BinaryOp::Le: return a <= b;
    case BinaryOp::Gt: return a > b;
    case BinaryOp::Ge: return a >= b;
    case BinaryOp::Eq: return a == b;
    case BinaryOp::Ne: return a != b;
    default: return {};
    }
}

} // namespace

Scalar applyUnary(UnaryOp op, DType type, Scalar a)
{
    if (!isFloat(type)) {
        return integer(type, integerUnary(op, a.integer));
    }
    const double value = realUnary(op, a.real);
    return op == UnaryOp::IsNan || op == UnaryOp::IsInf || op == UnaryOp::Not ? truth(value != 0) : real(type, value);
}

Scalar applyBinary(BinaryOp op, DType operandType, Scalar a, Scalar b)
{
    const bool isReal = isFloat(operandType);
    const std::optional<bool> compared
        = isReal ? compareValues(op, a.real, b.real) : compareValues(op, a.integer, b.integer);
    if (compared) {
        return truth(*compared);
    }
    return isReal ? real(operandType, realBinary(op, a.real, b.real))
                  : integer(operandType, integerBinary(op, a.integer, b.integer));
}

Scalar convertScalar(DType from, DType to, Scalar a)
{
    if (to == DType::Bool) {
        return truth(isFloat(from) ? a.real != 0 : a.integer != 0);
    }
    if (isFloat(to)) {
        return real(to, isFloat(from) ? a.real : static_cast<double>(a.integer));
    }
    if (!isFloat(from)) {
        return integer(to, a.integer);
    }
    if (std::isnan(a.real)) {
        return {};
    }
    constexpr double kLimit = 9223372036854774784.0; // the largest double below 2^63
    return integer(to, static_cast<std::int64_t>(std::fmin(std::fmax(a.real, -kLimit), kLimit)));
}

ScalarProgram ScalarProgram::compile(const Expr& e, const Names& names)
{
    ScalarProgram program;
    program.m_root = program.add(e, names);
    return program;
}

int ScalarProgram::add(const Expr& e, const Names& names)
{
    Node node;
    node.type = e->type();
    const auto operand = [&](const Expr& child) { node.operands.push_back(add(child, names)); };
    std::visit(overloaded{
                   [&](const IntImm& leaf) { node.constant = {0, leaf.value}; },
                   [&](const FloatImm& leaf) { node.constant = {leaf.value, 0}; },
                   [&](const Var& leaf) {
                       node.code = Code::Variable;
                       node.op = names.slot(leaf.name);
                   },
                   [&](const Unary& one) {
                       node.code = Code::Unary;
                       node.op = static_cast<int>(one.op);
                       node.operandType = one.a->type();
                       operand(one.a);
                   },
                   [&](const Binary& two) {
                       node.code = Code::Binary;
                       node.op = static_cast<int>(two.op);
                       node.operandType = two.a->type();
                       operand(two.a);
                       operand(two.b);
                   },
                   [&](const Select& choice) {
                       node.code = Code::Select;
                       operand(choice.condition);
                       operand(choice.yes);
                       operand(choice.no);
                   },
                   [&](const CastTo& cast) {
                       node.code = Code::Cast;
                       node.operandType = cast.a->type();
                       operand(cast.a);
                   },
                   [&](const Load& access) {
                       node.code = Code::Load;
                       node.op = names.buffer(access.buffer);
                       for (const Expr& index : access.indices) {
                           operand(index);
                       }
                   },
               },
               e->kind());
    m_nodes.push_back(std::move(node));
    return static_cast<int>(m_nodes.size()) - 1;
}

Scalar ScalarProgram::run(std::span<const std::int64_t> slots, const Loader& loader) const
{
    return runNode(m_root, slots, loader);
}

Scalar ScalarProgram::runNode(int index, std::span<const std::int64_t> slots, const Loader& loader) const
{
    const Node& node = m_nodes[static_cast<std::size_t>(index)];
    const auto operand = [&](std::size_t i) { return runNode(node.operands[i], slots, loader); };
    switch (node.code) {
    case Code::Constant: return node.constant;
    case Code::Variable: return {0, slots[static_cast<std::size_t>(node.op)]};
    case Code::Unary: return applyUnary(static_cast<UnaryOp>(node.op), node.operandType, operand(0));
    case Code::Binary: return applyBinary(static_cast<BinaryOp>(node.op), node.operandType, operand(0), operand(1));
    case Code::Select: return operand(0).integer != 0 ? operand(1) : operand(2);
    case Code::Cast: return convertScalar(node.operandType, node.type, operand(0));
    case Code::Load: {
        std::vector<std::int64_t> indices;
        for (std::size_t i = 0; i < node.operands.size(); ++i) {
            indices.push_back(operand(i).integer);
        }
        return loader(node.op, indices);
    }
    }
    return {};
}

} // namespace nw::schedule
