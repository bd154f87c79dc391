#include "tests/engine/code/interpret_lowered.h"

#include "engine/base/overloaded.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nw::test {
namespace {

using Variables = std::map<std::string, std::int64_t>;

std::int64_t floorOf(std::int64_t a, std::int64_t b)
{
    const std::int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

struct Machine {
    const lower::Lowered& lowered;
    Memory& memory;
    bool fused;
    Variables variables;

    Scalar& at(const std::string& buffer, const Expr& offset)
    {
        std::vector<Scalar>& elements = memory.at(buffer);
        const std::int64_t index = value(offset).whole;
        ENSURE(index >= 0 && index < static_cast<std::int64_t>(elements.size()),
               buffer + "[" + std::to_string(index) + "] is outside");
        return elements[static_cast<std::size_t>(index)];
    }

    static Scalar rounded(DType type, double real)
    {
        return {type == DType::F32 ? static_cast<double>(static_cast<float>(real)) : real, 0};
    }
    static Scalar wrapped(DType type, std::int64_t whole)
    {
        return {0, type == DType::I32 ? static_cast<std::int64_t>(static_cast<std::int32_t>(whole)) : type == DType::Bool ? whole & 1 : whole};
    }

    Scalar value(const Expr& e)
    {
        const DType type = e->type();
        return std::visit(overloaded{
                              [&](const IntImm& n) { return wrapped(type, n.value); },
                              [&](const FloatImm& n) { return rounded(type, n.value); },
                              [&](const Var& n) { return Scalar{0, variables.at(n.name)}; },
                              [&](const Unary& n) { return unaryValue(n, type); },
                              [&](const Binary& n) { return binaryValue(n, type); },
                              [&](const Select& n) { return value(n.condition).whole != 0 ? value(n.yes) : value(n.no); },
                              [&](const CastTo& n) { return castValue(n.a, type); },
                              [&](const Load& n) { return at(n.buffer, n.indices.front()); },
                          },
                          e->kind());
    }

    Scalar unaryValue(const Unary& n, DType type)
    {
        const Scalar a = value(n.a);
        const bool real = isFloat(n.a->type());
        switch (n.op) {
        case UnaryOp::Neg: return real ? Scalar{-a.real, 0} : wrapped(type, static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a.whole)));
        case UnaryOp::Not: return {0, a.whole ^ 1};
        case UnaryOp::Abs: return real ? Scalar{std::fabs(a.real), 0} : wrapped(type, a.whole < 0 ? -a.whole : a.whole);
        case UnaryOp::Sign: return real ? Scalar{static_cast<double>((a.real > 0) - (a.real < 0)), 0} : Scalar{0, (a.whole > 0) - (a.whole < 0)};
        case UnaryOp::Floor: return {std::floor(a.real), 0};
        case UnaryOp::Ceil: return {std::ceil(a.real), 0};
        case UnaryOp::Round: return {std::nearbyint(a.real), 0};
        case UnaryOp::Sqrt: return rounded(type, std::sqrt(a.real));
        case UnaryOp::IsNan: return {0, std::isnan(a.real)};
        case UnaryOp::IsInf: return {0, std::isinf(a.real)};
        default: throwBug(__FILE__, __LINE__, "not in this interpreter");
        }
    }

    static Scalar realBinary(BinaryOp op, double a, double b, DType type)
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        switch (op) {
        case BinaryOp::Add: return rounded(type, a + b);
        case BinaryOp::Sub: return rounded(type, a - b);
        case BinaryOp::Mul: return rounded(type, a * b);
        case BinaryOp::Div: return rounded(type, a / b);
        case BinaryOp::Min: return {std::isnan(a) || std::isnan(b) ? nan : std::min(a, b), 0};
        case BinaryOp::Max: return {std::isnan(a) || std::isnan(b) ? nan : std::max(a, b), 0};
        case BinaryOp::TruncMod: return rounded(type, std::fmod(a, b));
        case BinaryOp::FloorMod: {
            const double rest = std::fmod(a, b);
            return rounded(type, rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
        }
        case BinaryOp::Lt: return {0, a < b};
        case BinaryOp::Le: return {0, a <= b};
        case BinaryOp::Gt: return {0, a > b};
        case BinaryOp::Ge: return {0, a >= b};
        case BinaryOp::Eq: return {0, a == b};
        case BinaryOp::Ne: return {0, a != b};
        default: throwBug(__FILE__, __LINE__, "not in this interpreter");
        }
    }

    static Scalar wholeBinary(BinaryOp op, std::int64_t a, std::int64_t b, DType type)
    {
        const auto u = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
        const bool isWild = b == 0 || b == -1;
        switch (op) {
        case BinaryOp::Add: return wrapped(type, static_cast<std::int64_t>(u(a) + u(b)));
        case BinaryOp::Sub: return wrapped(type, static_cast<std::int64_t>(u(a) - u(b)));
        case BinaryOp::Mul: return wrapped(type, static_cast<std::int64_t>(u(a) * u(b)));
        case BinaryOp::Div: return wrapped(type, isWild ? (b == 0 ? 0 : static_cast<std::int64_t>(0 - u(a))) : a / b);
        case BinaryOp::TruncMod: return wrapped(type, isWild ? 0 : a % b);
        case BinaryOp::FloorDiv: return wrapped(type, isWild ? (b == 0 ? 0 : static_cast<std::int64_t>(0 - u(a))) : floorOf(a, b));
        case BinaryOp::FloorMod: return wrapped(type, isWild ? 0 : a - floorOf(a, b) * b);
        case BinaryOp::Min: return {0, std::min(a, b)};
        case BinaryOp::Max: return {0, std::max(a, b)};
        case BinaryOp::And: return {0, a & b};
        case BinaryOp::Or: return {0, a | b};
        case BinaryOp::Xor: return {0, a ^ b};
        case BinaryOp::Lt: return {0, a < b};
        case BinaryOp::Le: return {0, a <= b};
        case BinaryOp::Gt: return {0, a > b};
        case BinaryOp::Ge: return {0, a >= b};
        case BinaryOp::Eq: return {0, a == b};
        case BinaryOp::Ne: return {0, a != b};
        default: throwBug(__FILE__, __LINE__, "not in this interpreter");
        }
    }

    Scalar binaryValue(const Binary& n, DType type)
    {
        const Scalar a = value(n.a);
        const Scalar b = value(n.b);
        return isFloat(n.a->type()) ? realBinary(n.op, a.real, b.real, type) : wholeBinary(n.op, a.whole, b.whole, type);
    }

    Scalar castValue(const Expr& from, DType type)
    {
        const Scalar a = value(from);
        if (type == DType::Bool) {
            return {0, isFloat(from->type()) ? a.real != 0 : a.whole != 0};
        }
        if (isFloat(type)) {
            return rounded(type, isFloat(from->type()) ? a.real : type == DType::F32 ? static_cast<float>(a.whole) : static_cast<double>(a.whole));
        }
        if (!isFloat(from->type())) {
            return wrapped(type, a.whole);
        }
        const double low = type == DType::I32 ? -2147483648.0 : -9223372036854775808.0;
        const std::int64_t lowest = type == DType::I32 ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
        if (std::isnan(a.real)) {
            return {0, 0};
        }
        return {0, a.real <= low ? lowest : a.real >= -low ? -(lowest + 1) : static_cast<std::int64_t>(a.real)};
    }

    void store(const lower::LStore& s)
    {
        const auto* const sum = s.value->as<Binary>();
        const auto* const product = sum == nullptr ? nullptr : sum->b->as<Binary>();
        Scalar result;
        if (fused && s.accumulates && isFloat(s.value->type()) && sum->op == BinaryOp::Add && product != nullptr && product->op == BinaryOp::Mul) {
            const double a = value(product->a).real;
            const double b = value(product->b).real;
            const double c = value(sum->a).real;
            result.real = s.value->type() == DType::F32
                ? static_cast<double>(std::fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)))
                : std::fma(a, b, c);
        } else {
            result = value(s.value);
        }
        at(s.buffer, s.offset) = result;
    }

    void run(const lower::LBody& body)
    {
        for (const lower::LStmt& statement : body) {
            std::visit(overloaded{
                           [&](const lower::LFor& loop) {
                               for (std::int64_t i = loop.begin; i < loop.end; ++i) {
                                   variables[loop.variable] = i;
                                   run(loop.body);
                               }
                           },
                           [&](const lower::LIf& n) { run(value(n.condition).whole != 0 ? n.then : n.otherwise); },
                           [&](const lower::LStore& s) { store(s); },
                           [&](const lower::LAlloc& n) {
                               memory[n.buffer].assign(static_cast<std::size_t>(lowered.buffer(n.buffer)->elements), Scalar{});
                               run(n.body);
                           },
                           [](const lower::LPrefetch&) {},
                       },
                       statement->kind());
        }
    }
};

} // namespace

void interpretLowered(const lower::Lowered& lowered, Memory& memory, bool fused)
{
    for (const lower::LBuffer& buffer : lowered.buffers) {
        if (buffer.scope == lower::Scope::Heap) {
            memory[buffer.name].assign(static_cast<std::size_t>(buffer.elements), Scalar{});
        }
    }
    Machine{lowered, memory, fused, {}}.run(lowered.body);
}

} // namespace nw::test
