#include "engine/base/simplify.h"

#include "engine/base/int_math.h"
#include "engine/base/overloaded.h"
#include "engine/base/simplifier.h"

#include <limits>

namespace nw {
namespace {

bool isLeaf(const ExprNode& e)
{
    return e.as<Var>() != nullptr || e.as<IntImm>() != nullptr || e.as<FloatImm>() != nullptr;
}

bool isWithin(const Interval& inner, std::int64_t low, std::int64_t high)
{
    return inner.low >= low && inner.high <= high;
}

} // namespace

Expr Simplifier::simplified(const Expr& e)
{
    if (isLeaf(*e)) {
        const auto* name = e->as<Var>();
        const Interval* range = name != nullptr && e->type() == DType::I64 ? rangeOf(name->name) : nullptr;
        return range != nullptr && range->isPoint() ? intImm(range->low) : e;
    }
    // Bodies of computations share nodes; without memory a chain of shared nodes costs 2^depth.
    const bool mayRepeat = e.use_count() > 1 && !isInteger(e->type());
    if (mayRepeat) {
        if (const auto found = m_done.find(e.get()); found != m_done.end()) {
            return found->second.second;
        }
    }
    Expr result = simplifiedNode(e);
    if (result != e && equal(result, e)) {
        result = e;
    }
    if (mayRepeat) {
        m_done.emplace(e.get(), std::pair(e, result));
    }
    return result;
}

Expr Simplifier::simplifiedNode(const Expr& e)
{
    if (e->type() == DType::I64) {
        return toExpr(linear(e));
    }
    if (e->type() == DType::Bool) {
        return boolean(e);
    }
    if (const auto* n = e->as<Select>()) {
        return selected(e, *n);
    }
    if (const auto* n = e->as<CastTo>()) {
        return castOf(e, *n);
    }
    if (const auto* n = e->as<Load>()) {
        return loaded(e, *n);
    }
    return isFloat(e->type()) ? floating(e) : otherInteger(e);
}

Expr Simplifier::loaded(const Expr& e, const Load& n)
{
    std::vector<Expr> indices;
    indices.reserve(n.indices.size());
    bool isSame = true;
    for (const Expr& index : n.indices) {
        indices.push_back(simplified(index));
        isSame = isSame && indices.back() == index;
    }
    return isSame ? e : load(n.buffer, e->type(), std::move(indices));
}

// A choice is simplified knowing that the condition holds, or does not.
Expr Simplifier::selected(const Expr& e, const Select& n)
{
    const Expr condition = simplified(n.condition);
    if (const std::optional<std::int64_t> known = constInt(condition)) {
        return simplified(*known != 0 ? n.yes : n.no);
    }
    const auto choice = [&](const Expr& side, bool holds) {
        if (isLeaf(*side) && side->as<Var>() == nullptr) {
            return side;
        }
        KnownRanges narrowed = m_ranges;
        return narrow(narrowed, condition, holds) ? Simplifier(narrowed).simplified(side) : simplified(side);
    };
    const Expr yes = choice(n.yes, true);
    const Expr no = choice(n.no, false);
    if (equal(yes, no)) {
        return yes;
    }
    if (condition == n.condition && yes == n.yes && no == n.no) {
        return e;
    }
    return select(condition, yes, no);
}

Expr Simplifier::castOf(const Expr& e, const CastTo& n)
{
    const Expr a = simplified(n.a);
    const DType to = e->type();
    // i64(i32(x)) -> x when x fits
    const auto* inner = a->as<CastTo>();
    if (to == DType::I64 && inner != nullptr && inner->a->type() == DType::I64
        && (a->type() == DType::I32 || a->type() == DType::U32 || a->type() == DType::I16)) {
        const Interval range = bounds(linear(inner->a));
        const Interval type = atomBounds(var("%", a->type()));
        if (isWithin(range, type.low, type.high)) {
            return inner->a;
        }
    }
    const Expr cast = a == n.a ? e : castTo(to, a);
    const Expr folded = foldFloat(cast);
    return folded != nullptr ? folded : cast;
}

Expr Simplifier::floating(const Expr& e)
{
    Expr changed = e;
    if (const auto* n = e->as<Unary>()) {
        const Expr a = simplified(n->a);
        changed = a == n->a ? e : unary(n->op, a);
    } else if (const auto* m = e->as<Binary>()) {
        const Expr a = simplified(m->a);
        const Expr b = simplified(m->b);
        changed = a == m->a && b == m->b ? e : binary(m->op, a, b);
    }
    const Expr folded = foldFloat(changed);
    return folded != nullptr ? folded : changed;
}

// Integers other than I64 wrap at their own width, so only rules that hold under wrapping.
Expr Simplifier::otherInteger(const Expr& e)
{
    if (const auto* n = e->as<Unary>()) {
        const Expr a = simplified(n->a);
        return a == n->a ? e : unary(n->op, a);
    }
    const auto* n = e->as<Binary>();
    if (n == nullptr) {
        return e;
    }
    const Expr a = simplified(n->a);
    const Expr b = simplified(n->b);
    const bool isSame = equal(a, b);
    switch (n->op) {
    case BinaryOp::Add:
        if (isConst(a, 0)) {
            return b;
        }
        if (isConst(b, 0)) {
            return a;
        }
        break;
    case BinaryOp::Sub:
        if (isConst(b, 0)) {
            return a;
        }
        if (isSame) {
            return intImm(0, e->type());
        }
        break;
    case BinaryOp::Mul:
        if (isConst(a, 0) || isConst(b, 1)) {
            return a;
        }
        if (isConst(b, 0) || isConst(a, 1)) {
            return b;
        }
        break;
    case BinaryOp::Div:
    case BinaryOp::FloorDiv:
        if (isConst(b, 1)) {
            return a;
        }
        break;
    case BinaryOp::Min:
    case BinaryOp::Max:
        if (isSame) {
            return a;
        }
        break;
    default: break;
    }
    return a == n->a && b == n->b ? e : binary(n->op, a, b);
}

Expr simplify(const Expr& e, const Ranges& ranges)
{
    return Simplifier(ranges).simplified(e);
}

bool provedTrue(const Expr& condition, const Ranges& ranges)
{
    return isConst(simplify(condition, ranges), 1);
}

bool provedFalse(const Expr& condition, const Ranges& ranges)
{
    return isConst(simplify(condition, ranges), 0);
}

std::optional<Affine> affineOf(const Expr& e)
{
    if (e->type() != DType::I64) {
        return std::nullopt;
    }
    const std::optional<Linear> sum = collectLinear(e);
    if (!sum) {
        return std::nullopt;
    }
    Affine affine;
    affine.constant = sum->constant;
    for (const Linear::Term& term : sum->terms) {
        const auto* name = term.atom->as<Var>();
        if (name == nullptr) {
            return std::nullopt;
        }
        affine.terms.emplace(name->name, term.coefficient);
    }
    return affine;
}

std::optional<Affine> atMostZero(const Expr& comparison)
{
    const auto* compare = comparison->as<Binary>();
    if (compare == nullptr || (compare->op != BinaryOp::Lt && compare->op != BinaryOp::Le)) {
        return std::nullopt;
    }
    std::optional<Affine> form = affineOf(compare->a - compare->b);
    if (form && compare->op == BinaryOp::Lt) {
        ++form->constant;
    }
    return form;
}

Expr fromAffine(const Affine& a)
{
    Expr sum;
    for (const auto& [name, coefficient] : a.terms) {
        if (coefficient == 0) {
            continue;
        }
        const Expr term = coefficient == 1 ? var(name) : var(name) * coefficient;
        sum = sum == nullptr ? term : sum + term;
    }
    if (sum == nullptr) {
        return intImm(a.constant);
    }
    return a.constant == 0 ? sum : sum + a.constant;
}

} // namespace nw
