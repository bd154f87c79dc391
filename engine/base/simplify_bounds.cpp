// Intervals of sums and of the atoms in them. Expressions here were simplified, so each atom stands once in a sum and
// adding the intervals of the terms is tight.

#include "engine/base/int_math.h"
#include "engine/base/simplifier.h"

#include <algorithm>
#include <limits>

namespace nw {
namespace {

Interval rangeOfType(DType type)
{
    switch (type) {
    case DType::Bool: return {0, 1};
    case DType::I8: return {-128, 127};
    case DType::U8: return {0, 255};
    case DType::I16: return {-32768, 32767};
    case DType::U16: return {0, 65535};
    case DType::I32: return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case DType::U32: return {0, std::numeric_limits<std::uint32_t>::max()};
    default: return {};
    }
}

Interval minimumOf(const Interval& a, const Interval& b)
{
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
}

Interval maximumOf(const Interval& a, const Interval& b)
{
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

Interval moduloBounds(const Interval& a, const Interval& divisor)
{
    if (divisor.isPoint() && divisor.low > 0) {
        if (const std::optional<std::int64_t> period = commonPeriod(a, divisor.low)) {
            return {a.low - *period * divisor.low, a.high - *period * divisor.low};
        }
    }
    if (divisor.low > 0 && a.low >= 0) {
        // No larger than the dividend, and smaller than the divisor.
        const Interval below{0, isFiniteEnd(divisor.high) ? divisor.high - 1 : Interval::kPlusInf};
        const Interval small{0, a.high};
        return a.high < divisor.low ? a : intersected(below, small);
    }
    const std::int64_t high = divisor.high == Interval::kPlusInf ? Interval::kPlusInf
                                                                 : std::max<std::int64_t>(divisor.high - 1, 0);
    const std::int64_t low = divisor.low == Interval::kMinusInf ? Interval::kMinusInf
                                                                : std::min<std::int64_t>(divisor.low + 1, 0);
    return {low, high};
}

Interval truncatedDivision(const Interval& a, const Interval& b)
{
    const Interval quotient = floorDivided(a, b);
    if (quotient == Interval()) {
        return quotient;
    }
    // Truncating is at most one above flooring.
    return quotient + Interval{0, 1};
}

Interval truncatedModulo(const Interval& a, const Interval& b)
{
    if (!isFiniteEnd(b.low) || !isFiniteEnd(b.high)) {
        return {a.low >= 0 ? 0 : Interval::kMinusInf, a.high <= 0 ? 0 : Interval::kPlusInf};
    }
    const std::int64_t most = std::max(std::max(b.high, -b.low) - 1, std::int64_t{0});
    return {a.low >= 0 ? 0 : -most, a.high <= 0 ? 0 : most};
}

} // namespace

Interval Simplifier::binaryBounds(const Expr& e, const Binary& n)
{
    if (n.op == BinaryOp::Mul) {
        if (const std::optional<std::int64_t> factor = constInt(n.b)) {
            return atomBounds(n.a) * *factor;
        }
    }
    const Interval a = atomBounds(n.a);
    const Interval b = atomBounds(n.b);
    if (isEmpty(a) || isEmpty(b)) {
        return {1, 0};
    }
    switch (n.op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Sub: return a + -b;
    case BinaryOp::Mul: {
        const Interval square = multiplied(a, b);
        return equal(n.a, n.b) ? intersected(square, {0, Interval::kPlusInf}) : square;
    }
    case BinaryOp::FloorDiv: return floorDivided(a, b);
    case BinaryOp::FloorMod: return moduloBounds(a, b);
    case BinaryOp::Div: return truncatedDivision(a, b);
    case BinaryOp::TruncMod: return truncatedModulo(a, b);
    case BinaryOp::Min: return minimumOf(a, b);
    case BinaryOp::Max: return maximumOf(a, b);
    default: return rangeOfType(e->type());
    }
}

Interval Simplifier::atomBounds(const Expr& e)
{
    if (const auto* imm = e->as<IntImm>()) {
        return {imm->value, imm->value};
    }
    if (const auto* name = e->as<Var>()) {
        const Interval* range = rangeOf(name->name);
        return range != nullptr ? *range : rangeOfType(e->type());
    }
    if (const auto* n = e->as<Binary>()) {
        const Interval range = binaryBounds(e, *n);
        // Arithmetic of narrow types wraps; a sum that leaves the type says nothing.
        const Interval type = rangeOfType(e->type());
        return range.low < type.low || range.high > type.high ? type : range;
    }
    if (const auto* n = e->as<Unary>(); n != nullptr && isInteger(e->type())) {
        const Interval a = atomBounds(n->a);
        if (n->op == UnaryOp::Neg && e->type() == DType::I64) {
            return -a;
        }
        if (n->op == UnaryOp::Abs && e->type() == DType::I64) {
            return a.low >= 0 ? a : a.high <= 0 ? -a : Interval{0, std::max((-a).high, a.high)};
        }
        if (n->op == UnaryOp::Sign) {
            return {a.low > 0 ? 1 : a.low == 0 ? 0 : -1, a.high < 0 ? -1 : a.high == 0 ? 0 : 1};
        }
    }
    if (const auto* n = e->as<Select>(); n != nullptr && !isFloat(e->type())) {
        const auto within = [&](const Expr& choice, bool holds) {
            KnownRanges narrowed = m_ranges;
            return narrow(narrowed, n->condition, holds) ? Simplifier(narrowed).atomBounds(choice) : atomBounds(choice);
        };
        return hull(within(n->yes, true), within(n->no, false));
    }
    if (const auto* n = e->as<CastTo>(); n != nullptr && !isFloat(n->a->type())) {
        const Interval from = atomBounds(n->a);
        const Interval type = rangeOfType(e->type());
        return from.low >= type.low && from.high <= type.high && e->type() != DType::Bool ? from : type;
    }
    return rangeOfType(e->type());
}

Interval Simplifier::bounds(const Linear& a, int depth)
{
    Interval range{a.constant, a.constant};
    bool hasChoice = false;
    for (const Linear::Term& term : a.terms) {
        const Interval atom = atomBounds(term.atom);
        if (isEmpty(atom)) {
            return {1, 0};
        }
        range = range + atom * term.coefficient;
        const auto* n = term.atom->as<Binary>();
        hasChoice = hasChoice || term.atom->as<Select>() != nullptr
            || (n != nullptr && (n->op == BinaryOp::Min || n->op == BinaryOp::Max));
    }
    if (hasChoice && depth > 0 && a.terms.size() > 1) {
        if (const std::optional<Interval> chosen = boundsByChoice(a, depth)) {
            return intersected(range, *chosen);
        }
    }
    return range;
}

// min(A, B) + rest lies between what A + rest and B + rest allow, where terms may cancel: the width of a tail,
// min(i * 16 + 16, n) - i * 16, is at most 16.
std::optional<Interval> Simplifier::boundsByChoice(const Linear& a, int depth)
{
    for (const Linear::Term& term : a.terms) {
        const auto* n = term.atom->as<Binary>();
        const auto* choice = term.atom->as<Select>();
        const bool isExtremum = n != nullptr && (n->op == BinaryOp::Min || n->op == BinaryOp::Max);
        if (choice == nullptr && !isExtremum) {
            continue;
        }
        const std::optional<Linear> without = addScaled(a, Linear::ofAtom(term.atom), -term.coefficient);
        const auto with = [&](const Expr& e) -> std::optional<Interval> {
            const std::optional<Linear> value = collectLinear(e);
            const std::optional<Linear> all
                = without && value ? addScaled(*without, *value, term.coefficient) : std::nullopt;
            return all ? std::optional(bounds(*all, depth - 1)) : std::nullopt;
        };
        const std::optional<Interval> first = with(choice != nullptr ? choice->yes : n->a);
        const std::optional<Interval> second = with(choice != nullptr ? choice->no : n->b);
        if (!first || !second) {
            return std::nullopt;
        }
        if (choice != nullptr) {
            return hull(*first, *second);
        }
        const bool isLeast = (n->op == BinaryOp::Min) == (term.coefficient > 0);
        return isLeast ? minimumOf(*first, *second) : maximumOf(*first, *second);
    }
    return std::nullopt;
}

Interval boundsOf(const Expr& e, const Ranges& ranges)
{
    Simplifier simplifier(ranges);
    if (e->type() != DType::I64) {
        return simplifier.atomBounds(e);
    }
    const Interval asSum = simplifier.bounds(simplifier.linear(e));
    const Interval asWritten = simplifier.atomBounds(e);
    if (isEmpty(asSum) || isEmpty(asWritten)) {
        return asSum;
    }
    return intersected(asSum, asWritten);
}

} // namespace nw
