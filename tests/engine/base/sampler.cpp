#include "tests/engine/base/sampler.h"

#include "engine/base/overloaded.h"

#include <algorithm>

using namespace nw;

namespace {

__extension__ typedef __int128 Wide;

std::optional<std::int64_t> number(Wide value)
{
    const bool fits = value >= Interval::kMinusInf && value <= Interval::kPlusInf;
    return fits ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

std::optional<std::int64_t> combine(BinaryOp op, Wide a, Wide b)
{
    const auto floorOf = [&] {
        Wide q = a / b;
        while (q * b > a && b > 0) {
            --q;
        }
        while (q * b < a && b < 0) {
            --q;
        }
        return q;
    };
    switch (op) {
    case BinaryOp::Add: return number(a + b);
    case BinaryOp::Sub: return number(a - b);
    case BinaryOp::Mul: return number(a * b);
    case BinaryOp::Div: return b == 0 ? std::nullopt : number(a / b);
    case BinaryOp::TruncMod: return b == 0 ? std::nullopt : number(a % b);
    case BinaryOp::FloorDiv: return b == 0 ? std::nullopt : number(floorOf());
    case BinaryOp::FloorMod: return b == 0 ? std::nullopt : number(a - floorOf() * b);
    case BinaryOp::Min: return number(std::min(a, b));
    case BinaryOp::Max: return number(std::max(a, b));
    case BinaryOp::Lt: return a < b;
    case BinaryOp::Le: return a <= b;
    case BinaryOp::Gt: return a > b;
    case BinaryOp::Ge: return a >= b;
    case BinaryOp::Eq: return a == b;
    case BinaryOp::Ne: return a != b;
    case BinaryOp::And: return a != 0 && b != 0;
    case BinaryOp::Or: return a != 0 || b != 0;
    case BinaryOp::Xor: return (a != 0) != (b != 0);
    case BinaryOp::Pow: break;
    }
    return std::nullopt;
}

} // namespace

std::optional<std::int64_t> evaluate(const Expr& e, const Point& point)
{
    using Value = std::optional<std::int64_t>;
    return std::visit(overloaded{
                          [](const IntImm& n) { return Value(n.value); },
                          [](const FloatImm&) { return Value(); },
                          [&](const Var& n) { return Value(point.at(n.name)); },
                          [&](const Unary& n) {
                              const Value a = evaluate(n.a, point);
                              if (!a) {
                                  return a;
                              }
                              switch (n.op) {
                              case UnaryOp::Neg: return number(-static_cast<Wide>(*a));
                              case UnaryOp::Not: return Value(*a == 0 ? 1 : 0);
                              case UnaryOp::Abs: return number(*a < 0 ? -static_cast<Wide>(*a) : *a);
                              case UnaryOp::Sign: return Value(*a > 0 ? 1 : *a < 0 ? -1 : 0);
                              default: return Value();
                              }
                          },
                          [&](const Binary& n) {
                              const Value a = evaluate(n.a, point);
                              const Value b = evaluate(n.b, point);
                              return a && b ? combine(n.op, *a, *b) : Value();
                          },
                          [&](const Select& n) {
                              const Value condition = evaluate(n.condition, point);
                              return condition ? evaluate(*condition != 0 ? n.yes : n.no, point) : Value();
                          },
                          [&](const CastTo& n) {
                              const Value a = evaluate(n.a, point);
                              return a && e->type() == DType::Bool ? Value(*a != 0 ? 1 : 0) : a;
                          },
                          [&](const Load& n) {
                              // A buffer whose contents depend on the place: enough to tell places apart.
                              std::int64_t value = 17;
                              for (const Expr& index : n.indices) {
                                  const Value at = evaluate(index, point);
                                  if (!at) {
                                      return at;
                                  }
                                  value = (value * 31 + *at) % 1009;
                              }
                              return Value(value - 300);
                          },
                      },
                      e->kind());
}

Sampler::Sampler(std::uint64_t seed)
    : random(seed)
{
    const std::int64_t extents[] = {1, 2, 3, 4, 7, 8, 16, 20};
    for (const char* name : {"i", "j", "k", "l"}) {
        ranges[name] = Interval::ofExtent(extents[random.below(8)]);
    }
    const std::int64_t low = random.between(-20, 20);
    ranges["m"] = {low, low + random.between(0, 30)};
}

Expr Sampler::index(int depth)
{
    static const char* const names[] = {"i", "j", "k", "l", "m", "n"};
    static const std::int64_t constants[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 20, 32, 64, -1, -3, 0, 15};
    if (depth == 0 || random.below(8) == 0) {
        return random.below(4) == 0 ? intImm(constants[random.below(16)]) : var(names[random.below(6)]);
    }
    const auto divisor = [&] {
        const std::int64_t value = constants[random.below(12)];
        return intImm(random.below(20) == 0 ? -value : value);
    };
    switch (random.below(17)) {
    case 0:
    case 1:
    case 2: return index(depth - 1) + index(depth - 1);
    case 3: return index(depth - 1) - index(depth - 1);
    case 4:
    case 5:
    case 6: return index(depth - 1) * constants[random.below(16)];
    case 7:
    case 8: return floorDiv(index(depth - 1), divisor());
    case 9:
    case 10: return floorMod(index(depth - 1), divisor());
    case 11: return binary(BinaryOp::Min, index(depth - 1), index(depth - 1));
    case 12: return binary(BinaryOp::Max, index(depth - 1), index(depth - 1));
    case 13: return select(condition(depth - 1), index(depth - 1), index(depth - 1));
    case 14: {
        // The shapes that splits and layouts make.
        const Expr x = index(depth - 1);
        const std::int64_t width = constants[random.below(12)];
        const Expr whole = floorDiv(x, intImm(width)) * width;
        return random.below(2) == 0 ? whole + floorMod(x, intImm(width)) : x - whole;
    }
    case 15: return random.below(2) == 0 ? load("T", DType::I64, {index(depth - 1)}) : index(depth - 1) * index(depth - 1);
    default: {
        const BinaryOp ops[] = {BinaryOp::Div, BinaryOp::TruncMod, BinaryOp::FloorDiv, BinaryOp::FloorMod};
        const std::uint64_t which = random.below(6);
        if (which == 4) {
            return unary(random.below(2) == 0 ? UnaryOp::Abs : UnaryOp::Neg, index(depth - 1));
        }
        if (which == 5) {
            return castTo(DType::I64, condition(depth - 1));
        }
        return binary(ops[which], index(depth - 1), index(depth - 1));
    }
    }
}

Expr Sampler::condition(int depth)
{
    static const BinaryOp comparisons[]
        = {BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge, BinaryOp::Eq, BinaryOp::Ne};
    if (depth <= 0 || random.below(3) == 0) {
        return binary(comparisons[random.below(6)], index(std::max(depth - 1, 0)), index(std::max(depth - 1, 0)));
    }
    switch (random.below(8)) {
    case 0:
    case 1:
    case 2: return binary(BinaryOp::And, condition(depth - 1), condition(depth - 1));
    case 3:
    case 4: return binary(BinaryOp::Or, condition(depth - 1), condition(depth - 1));
    case 5: return unary(UnaryOp::Not, condition(depth - 1));
    case 6: return binary(BinaryOp::Xor, condition(depth - 1), condition(depth - 1));
    default: return select(condition(depth - 1), condition(depth - 1), condition(depth - 1));
    }
}

Point Sampler::point()
{
    Point at;
    for (const auto& [name, range] : ranges) {
        at[name] = random.between(range.low, range.high);
    }
    at["n"] = random.between(-200, 200);
    return at;
}
