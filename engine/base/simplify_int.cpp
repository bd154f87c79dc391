// Integer sums: affine collection in which everything that is no sum is an atom, with the rules for products,
// minimum and maximum, and truncating division. Floor division and modulo by literals are in simplify_division.cpp.

#include "engine/base/int_math.h"
#include "engine/base/simplifier.h"

#include <algorithm>

namespace nw {
namespace {

// The node itself with simplified operands, where the sum rules would overflow.
Linear opaque(BinaryOp op, const Linear& a, const Linear& b)
{
    const Expr node = binary(op, toExpr(a), toExpr(b));
    if (const std::optional<std::int64_t> value = constInt(node)) {
        return Linear::ofConstant(*value);
    }
    return Linear::ofAtom(node);
}

Linear orOpaque(std::optional<Linear> result, BinaryOp op, const Linear& a, const Linear& b)
{
    return result ? *std::move(result) : opaque(op, a, b);
}

// Whether `a` = factor * `b` for a form `b` with terms.
std::optional<std::int64_t> multipleOf(const Linear& a, const Linear& b)
{
    if (a.terms.empty() || a.terms.size() != b.terms.size() || a.terms.front().coefficient % b.terms.front().coefficient != 0
        || !canDivide(a.terms.front().coefficient, b.terms.front().coefficient)) {
        return std::nullopt;
    }
    const std::int64_t factor = a.terms.front().coefficient / b.terms.front().coefficient;
    const std::optional<Linear> same = scaled(b, factor);
    return same && *same == a ? std::optional(factor) : std::nullopt;
}

// atom / divisor where the divisor is a factor of the atom's product.
std::optional<Expr> withoutFactor(const Expr& atom, const Expr& divisor)
{
    if (equal(atom, divisor)) {
        return intImm(1);
    }
    std::vector<Expr> factors;
    std::vector<Expr> removed;
    collectOperands(atom, BinaryOp::Mul, factors);
    collectOperands(divisor, BinaryOp::Mul, removed);
    for (const Expr& factor : removed) {
        const auto found = std::find_if(factors.begin(), factors.end(), [&](const Expr& f) { return equal(f, factor); });
        if (found == factors.end()) {
            return std::nullopt;
        }
        factors.erase(found);
    }
    if (factors.empty()) {
        return intImm(1);
    }
    Expr rest = factors.front();
    for (std::size_t i = 1; i < factors.size(); ++i) {
        rest = rest * factors[i];
    }
    return rest;
}

} // namespace

Linear Simplifier::linear(const Expr& e)
{
    Linear into;
    return addTo(into, e, 1) ? tidied(std::move(into)) : tidied(sum(e));
}

// into += factor * simplified e. False on overflow; sum() finds then what can be kept.
bool Simplifier::addTo(Linear& into, const Expr& e, std::int64_t factor)
{
    if (const auto* imm = e->as<IntImm>()) {
        return into.addConstant(imm->value, factor);
    }
    if (const auto* name = e->as<Var>()) {
        const Interval* range = rangeOf(name->name);
        return range != nullptr && range->isPoint() ? into.addConstant(range->low, factor) : into.add(e, factor);
    }
    const auto* n = e->as<Binary>();
    if (n != nullptr && (n->op == BinaryOp::Add || n->op == BinaryOp::Sub)) {
        const std::optional<std::int64_t> second = n->op == BinaryOp::Add ? factor : checkedMul(factor, -1);
        return second && addTo(into, n->a, factor) && addTo(into, n->b, *second);
    }
    if (n != nullptr && n->op == BinaryOp::Mul) {
        const auto* literalB = n->b->as<IntImm>();
        const auto* literalFactor = literalB != nullptr ? literalB : n->a->as<IntImm>();
        if (literalFactor != nullptr) {
            const std::optional<std::int64_t> both = checkedMul(factor, literalFactor->value);
            return both && (*both == 0 || addTo(into, literalB != nullptr ? n->a : n->b, *both));
        }
        Linear a;
        Linear b;
        const bool isRead = addTo(a, n->a, 1) && addTo(b, n->b, 1);
        const std::optional<Linear> both = isRead ? product(a, b) : std::nullopt;
        return both && into.add(*both, factor);
    }
    return into.add(nodeSum(e), factor);
}

// The sum where an operation that would overflow stays an atom.
Linear Simplifier::sum(const Expr& e)
{
    const auto* n = e->as<Binary>();
    if (n == nullptr || (n->op != BinaryOp::Add && n->op != BinaryOp::Sub && n->op != BinaryOp::Mul)) {
        Linear into;
        return addTo(into, e, 1) ? into : Linear::ofAtom(e);
    }
    const Linear a = sum(n->a);
    const Linear b = sum(n->b);
    return orOpaque(n->op == BinaryOp::Mul ? product(a, b) : addScaled(a, b, n->op == BinaryOp::Add ? 1 : -1), n->op, a, b);
}

// Of what is no sum and no product.
Linear Simplifier::nodeSum(const Expr& e)
{
    if (const auto* n = e->as<Binary>()) {
        return sumOfBinary(*n);
    }
    if (const auto* n = e->as<Unary>()) {
        return sumOfUnary(*n);
    }
    Expr changed = e;
    if (const auto* n = e->as<Select>()) {
        changed = selected(e, *n);
    } else if (const auto* cast = e->as<CastTo>()) {
        changed = castOf(e, *cast);
    } else if (const auto* read = e->as<Load>()) {
        changed = loaded(e, *read);
    }
    return collectLinear(changed).value_or(Linear::ofAtom(changed));
}

Linear Simplifier::sumOfUnary(const Unary& n)
{
    if (n.op == UnaryOp::Neg) {
        const Linear a = sum(n.a);
        const std::optional<Linear> negative = scaled(a, -1);
        return negative ? *negative : Linear::ofAtom(unary(n.op, toExpr(a)));
    }
    const Linear a = linear(n.a);
    const Interval range = bounds(a);
    if (n.op == UnaryOp::Abs) {
        const std::optional<Linear> negative = range.high <= 0 ? scaled(a, -1) : std::nullopt;
        if (range.low >= 0 || negative) {
            return negative ? *negative : a;
        }
    }
    if (n.op == UnaryOp::Sign && (range.low > 0 || range.high < 0 || (range.isPoint() && range.low == 0))) {
        return Linear::ofConstant(range.low > 0 ? 1 : range.high < 0 ? -1 : 0);
    }
    return Linear::ofAtom(unary(n.op, toExpr(a)));
}

Linear Simplifier::sumOfBinary(const Binary& n)
{
    switch (n.op) {
    case BinaryOp::FloorDiv: return quotient(n);
    case BinaryOp::FloorMod: return remainder(n);
    case BinaryOp::Div:
    case BinaryOp::TruncMod: return truncated(n);
    case BinaryOp::Min:
    case BinaryOp::Max: return extremum(n);
    default: return opaque(n.op, linear(n.a), linear(n.b));
    }
}

// floor(a / b) for a form `b` that is no literal and not 0: the part of `a` that is a multiple of `b` comes out.
std::optional<Linear> Simplifier::symbolicQuotient(const Linear& a, const Linear& b)
{
    if (const std::optional<std::int64_t> factor = multipleOf(a, b)) {
        return Linear::ofConstant(*factor);
    }
    if (b.terms.size() != 1 || b.constant != 0 || bounds(b).low <= 0) {
        return std::nullopt;
    }
    const Linear::Term& divisor = b.terms.front();
    Linear whole;
    Linear rest = Linear::ofConstant(a.constant);
    for (const Linear::Term& term : a.terms) {
        const std::optional<Expr> left
            = term.coefficient % divisor.coefficient == 0 ? withoutFactor(term.atom, divisor.atom) : std::nullopt;
        const std::optional<Linear> sum = left
            ? addScaled(whole, collectLinear(*left).value_or(Linear::ofAtom(*left)), term.coefficient / divisor.coefficient)
            : addScaled(rest, Linear::ofAtom(term.atom, term.coefficient), 1);
        if (!sum) {
            return std::nullopt;
        }
        (left ? whole : rest) = *sum;
    }
    const Interval restBounds = bounds(rest);
    if (restBounds.low >= 0 && restBounds.high < bounds(b).low) {
        return whole;
    }
    if (whole.terms.empty() && whole.constant == 0) {
        return std::nullopt;
    }
    return addScaled(whole, Linear::ofAtom(floorDiv(toExpr(rest), toExpr(b))), 1);
}

Linear Simplifier::quotient(const Binary& n)
{
    const Linear a = linear(n.a);
    const Linear b = linear(n.b);
    if (b.isConstant() && b.constant != 0) {
        const std::optional<Linear> positive = b.constant > 0 ? std::optional(a) : scaled(a, -1);
        const std::optional<std::int64_t> divisor = b.constant > 0 ? b.constant : checkedSub(0, b.constant);
        if (positive && divisor) {
            return divided(*positive, *divisor);
        }
        return opaque(n.op, a, b);
    }
    const Interval divisorBounds = bounds(b);
    if (divisorBounds.low > 0 || divisorBounds.high < 0) {
        const Interval range = floorDivided(bounds(a), divisorBounds);
        if (range.isPoint()) {
            return Linear::ofConstant(range.low);
        }
        if (std::optional<Linear> found = symbolicQuotient(a, b)) {
            return *std::move(found);
        }
    }
    return opaque(n.op, a, b);
}

Linear Simplifier::remainder(const Binary& n)
{
    const Linear a = linear(n.a);
    const Linear b = linear(n.b);
    if (b.isConstant() && b.constant != 0) {
        // a mod -d = -(-a mod d)
        const std::optional<Linear> positive = b.constant > 0 ? std::optional(a) : scaled(a, -1);
        const std::optional<std::int64_t> divisor = b.constant > 0 ? b.constant : checkedSub(0, b.constant);
        const std::optional<Linear> rest = positive && divisor ? scaled(modulo(*positive, *divisor), b.constant > 0 ? 1 : -1)
                                                               : std::nullopt;
        return orOpaque(rest, n.op, a, b);
    }
    const Interval divisorBounds = bounds(b);
    if (divisorBounds.low <= 0) {
        return opaque(n.op, a, b);
    }
    const Interval range = bounds(a);
    if (range.low >= 0 && range.high < divisorBounds.low) {
        return a;
    }
    // a mod b = rest mod b where a = whole * b + rest
    const std::optional<Linear> whole = symbolicQuotient(a, b);
    if (whole && b.terms.size() == 1) {
        const std::optional<Linear> multiple = product(*whole, b);
        const std::optional<Linear> rest = multiple ? addScaled(a, *multiple, -1) : std::nullopt;
        if (rest && rest->terms.size() < a.terms.size()) {
            const Interval left = bounds(*rest);
            return left.low >= 0 && left.high < divisorBounds.low ? *rest : opaque(n.op, *rest, b);
        }
    }
    return opaque(n.op, a, b);
}

// Truncating division and remainder agree with the flooring ones where nothing is negative.
Linear Simplifier::truncated(const Binary& n)
{
    const Linear a = linear(n.a);
    const Linear b = linear(n.b);
    if (bounds(a).low >= 0 && bounds(b).low > 0) {
        const BinaryOp op = n.op == BinaryOp::Div ? BinaryOp::FloorDiv : BinaryOp::FloorMod;
        const Binary floored{op, toExpr(a), toExpr(b)};
        return op == BinaryOp::FloorDiv ? quotient(floored) : remainder(floored);
    }
    if (b.isConstant() && b.constant == 1) {
        return n.op == BinaryOp::Div ? a : Linear();
    }
    return opaque(n.op, a, b);
}

Linear Simplifier::extremum(const Binary& n)
{
    std::vector<Expr> operands;
    collectOperands(n.a, n.op, operands);
    collectOperands(n.b, n.op, operands);
    std::vector<Linear> kept;
    for (const Expr& operand : operands) {
        const Linear value = linear(operand);
        bool isBeaten = false;
        for (std::size_t i = 0; i < kept.size() && !isBeaten;) {
            const std::optional<Linear> difference = addScaled(value, kept[i], -1);
            const Interval range = difference ? bounds(*difference) : Interval();
            const bool isMin = n.op == BinaryOp::Min;
            isBeaten = isMin ? range.low >= 0 : range.high <= 0;
            if (!isBeaten && (isMin ? range.high <= 0 : range.low >= 0)) {
                kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
        }
        if (!isBeaten) {
            kept.push_back(value);
        }
    }
    if (kept.size() == 1) {
        return kept.front();
    }
    std::vector<Expr> parts;
    for (const Linear& value : kept) {
        parts.push_back(toExpr(value));
    }
    // Literals last: min(n, 16).
    std::stable_sort(parts.begin(), parts.end(), [](const Expr& x, const Expr& y) {
        const bool isLiteralX = x->as<IntImm>() != nullptr;
        const bool isLiteralY = y->as<IntImm>() != nullptr;
        return isLiteralX != isLiteralY ? isLiteralY : compareExpr(x, y) < 0;
    });
    Expr all = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) {
        all = binary(n.op, all, parts[i]);
    }
    return Linear::ofAtom(all);
}

} // namespace nw
