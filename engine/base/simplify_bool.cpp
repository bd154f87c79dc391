// Comparisons and logic. A conjunction loses conjuncts that the others and the ranges imply; a disjunction is handled
// as the negation of a conjunction.

#include "engine/base/simplifier.h"

#include <algorithm>

namespace nw {

// What stands in one conjunction, each item as an expression and, for comparisons of integers, as a constraint.
class Conditions {
public:
    explicit Conditions(Simplifier& simplifier)
        : m_simplifier(simplifier)
    {}

    // Adds a simplified condition. With `isNegated` its negation takes part.
    void add(const Expr& e, bool isNegated)
    {
        Item item{e, isNegated, constraintOf(e), true};
        if (item.constraint && isNegated) {
            item.constraint = opposite(*item.constraint);
        }
        m_items.push_back(std::move(item));
    }

    // False when the items contradict each other. Items that follow from others are dropped.
    bool reduce()
    {
        for (std::size_t i = 0; i < m_items.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (m_items[i].isKept && m_items[j].isKept && !relate(m_items[j], m_items[i])) {
                    return false;
                }
            }
        }
        return dropImplied();
    }

    std::vector<Expr> kept() const
    {
        std::vector<Expr> expressions;
        for (const Item& item : m_items) {
            if (item.isKept) {
                expressions.push_back(item.e);
            }
        }
        return expressions;
    }

private:
    struct Item {
        Expr e;
        bool isNegated = false;
        std::optional<Constraint> constraint; // with the negation in it
        bool isKept = true;
    };

    static const Expr& stripped(const Item& item, bool& isNegated)
    {
        const auto* n = item.e->as<Unary>();
        const bool isNot = n != nullptr && n->op == UnaryOp::Not;
        isNegated = item.isNegated != isNot;
        return isNot ? n->a : item.e;
    }

    // Compares two items; drops the weaker one. False when both cannot hold.
    static bool relate(Item& a, Item& b)
    {
        if (a.constraint && b.constraint) {
            return relateConstraints(a, b);
        }
        bool negatedA = false;
        bool negatedB = false;
        if (equal(stripped(a, negatedA), stripped(b, negatedB))) {
            b.isKept = false;
            return negatedA == negatedB;
        }
        return true;
    }

    static bool relateConstraints(Item& a, Item& b)
    {
        using Kind = Constraint::Kind;
        const Constraint& x = *a.constraint;
        const Constraint& y = *b.constraint;
        const std::optional<Linear> difference = addScaled(x.form, y.form, -1);
        const std::optional<Linear> sum = addScaled(x.form, y.form, 1);
        const bool isSame = difference && difference->isConstant();
        const bool isOpposite = sum && sum->isConstant();
        if (!isSame && !isOpposite) {
            return true;
        }
        if (x.kind == Kind::AtLeastZero && y.kind == Kind::AtLeastZero) {
            if (isSame) {
                (difference->constant > 0 ? a : b).isKept = false;
                return true;
            }
            return sum->constant >= 0;
        }
        // T + c >= 0 or != 0 beside T + d == 0: the equality decides.
        const std::int64_t distance = isSame ? difference->constant : sum->constant;
        if (x.kind == Kind::Zero && y.kind == Kind::Zero) {
            b.isKept = false;
            return distance == 0;
        }
        if (x.kind != Kind::Zero && y.kind != Kind::Zero) {
            b.isKept = b.isKept && !(x.kind == y.kind && distance == 0);
            return true;
        }
        Item& other = x.kind == Kind::Zero ? b : a;
        other.isKept = false;
        if (other.constraint->kind == Kind::NotZero) {
            return distance != 0;
        }
        // Value of the other form where the equality holds.
        return isSame ? (&other == &a ? distance >= 0 : distance <= 0) : distance >= 0;
    }

    // Drops an item that holds wherever the other kept ones do; false when one of them cannot hold there.
    bool dropImplied()
    {
        for (Item& item : m_items) {
            if (!item.isKept) {
                continue;
            }
            KnownRanges ranges = m_simplifier.m_ranges;
            bool isNarrowed = false;
            for (const Item& other : m_items) {
                if (&other != &item && other.isKept) {
                    const bool isLearnt = other.constraint ? narrow(ranges, *other.constraint)
                                                           : narrow(ranges, other.e, !other.isNegated);
                    isNarrowed = isLearnt || isNarrowed;
                }
            }
            if (ranges.isContradiction()) {
                return false;
            }
            const std::optional<bool> holds = isNarrowed ? holdsUnder(item, ranges) : std::nullopt;
            if (holds && !*holds) {
                return false;
            }
            item.isKept = !holds;
        }
        return true;
    }

    static std::optional<bool> holdsUnder(const Item& item, const KnownRanges& ranges)
    {
        Simplifier simplifier(ranges);
        if (item.constraint) {
            return simplifier.decided(*item.constraint);
        }
        const std::optional<std::int64_t> value = constInt(simplifier.simplified(item.e));
        return value ? std::optional((*value != 0) != item.isNegated) : std::nullopt;
    }

    Simplifier& m_simplifier;
    std::vector<Item> m_items;
};

void collectOperands(const Expr& e, BinaryOp op, std::vector<Expr>& operands)
{
    const auto* n = e->as<Binary>();
    if (n != nullptr && n->op == op) {
        collectOperands(n->a, op, operands);
        collectOperands(n->b, op, operands);
    } else {
        operands.push_back(e);
    }
}

namespace {

Expr joined(const std::vector<Expr>& operands, BinaryOp op)
{
    Expr all;
    for (const Expr& operand : operands) {
        all = all == nullptr ? operand : binary(op, all, operand);
    }
    return all == nullptr ? boolImm(op == BinaryOp::And) : all;
}

bool isComparison(BinaryOp op)
{
    switch (op) {
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge:
    case BinaryOp::Eq:
    case BinaryOp::Ne: return true;
    default: return false;
    }
}

// Whether evaluating `e` can never fail, so that it may be evaluated where a select would not: it reads no memory and
// divides by nothing that may be 0.
bool isHarmless(const Expr& e)
{
    bool isSafe = true;
    walk(e, [&isSafe](const Expr& node) {
        const auto* n = node->as<Binary>();
        const bool divides = n != nullptr && !isFloat(n->a->type())
            && (n->op == BinaryOp::Div || n->op == BinaryOp::FloorDiv || n->op == BinaryOp::FloorMod
                || n->op == BinaryOp::TruncMod || n->op == BinaryOp::Pow);
        const bool mayFail = divides && constInt(n->b).value_or(0) == 0;
        isSafe = isSafe && node->as<Load>() == nullptr && !mayFail;
        return isSafe;
    });
    return isSafe;
}

} // namespace

Expr Simplifier::boolean(const Expr& e)
{
    if (const auto* n = e->as<Binary>()) {
        switch (n->op) {
        case BinaryOp::And: return conjunction(e);
        case BinaryOp::Or: return disjunction(e);
        case BinaryOp::Xor: return comparedLogic(BinaryOp::Ne, simplified(n->a), simplified(n->b));
        default: return compared(*n);
        }
    }
    if (const auto* n = e->as<Unary>()) {
        if (n->op == UnaryOp::Not) {
            return negated(simplified(n->a));
        }
        return floating(e);
    }
    if (const auto* n = e->as<Select>()) {
        const Expr chosen = selected(e, *n);
        const auto* s = chosen->as<Select>();
        if (s == nullptr) {
            return chosen;
        }
        if (isConst(s->yes, 1) && isHarmless(s->no)) {
            return simplified(binary(BinaryOp::Or, s->condition, s->no));
        }
        if (isConst(s->no, 0) && isHarmless(s->yes)) {
            return simplified(binary(BinaryOp::And, s->condition, s->yes));
        }
        return isConst(s->yes, 0) && isConst(s->no, 1) ? negated(s->condition) : chosen;
    }
    if (const auto* n = e->as<CastTo>()) {
        const Expr cast = castOf(e, *n);
        const auto* c = cast->as<CastTo>();
        if (c != nullptr && c->a->type() == DType::I64) {
            const std::optional<bool> isZero = decided({Constraint::Kind::Zero, linear(c->a)});
            return isZero ? boolImm(!*isZero) : cast;
        }
        return cast;
    }
    if (const auto* n = e->as<Load>()) {
        return loaded(e, *n);
    }
    return e;
}

Expr Simplifier::compared(const Binary& n)
{
    const DType type = n.a->type();
    if (type == DType::I64) {
        const Linear a = linear(n.a);
        const Linear b = linear(n.b);
        std::optional<Constraint> c = constraintOf(n.op, a, b);
        if (!c) {
            return binary(n.op, toExpr(a), toExpr(b));
        }
        c->form = tidied(c->form);
        std::optional<bool> known = decided(*c);
        if (!known && normalise(*c)) {
            known = decided(*c);
        }
        return known ? boolImm(*known) : toExpr(*c);
    }
    const Expr a = simplified(n.a);
    const Expr b = simplified(n.b);
    if (type == DType::Bool) {
        return comparedLogic(n.op, a, b);
    }
    if (isInteger(type) && equal(a, b)) {
        return boolImm(n.op == BinaryOp::Le || n.op == BinaryOp::Ge || n.op == BinaryOp::Eq);
    }
    const Expr node = binary(n.op, a, b);
    const Expr folded = foldFloat(node);
    return folded != nullptr ? folded : node;
}

// == and != of truth values; `op` is Eq or Ne.
Expr Simplifier::comparedLogic(BinaryOp op, const Expr& a, const Expr& b)
{
    const bool wantsEqual = op == BinaryOp::Eq;
    if (equal(a, b)) {
        return boolImm(wantsEqual);
    }
    const std::optional<std::int64_t> knownA = constInt(a);
    const std::optional<std::int64_t> known = knownA ? knownA : constInt(b);
    if (known) {
        const Expr& other = knownA ? b : a;
        return (*known != 0) == wantsEqual ? other : negated(other);
    }
    return binary(wantsEqual ? BinaryOp::Eq : BinaryOp::Xor, a, b);
}

Expr Simplifier::negated(const Expr& e)
{
    if (const auto* n = e->as<Unary>(); n != nullptr && n->op == UnaryOp::Not) {
        return n->a;
    }
    if (const auto* n = e->as<Binary>()) {
        if (std::optional<Constraint> c = constraintOf(e)) {
            return toExpr(opposite(*c));
        }
        if (n->op == BinaryOp::And || n->op == BinaryOp::Or) {
            return binary(n->op == BinaryOp::And ? BinaryOp::Or : BinaryOp::And, negated(n->a), negated(n->b));
        }
        // Exact complements also where an operand is NaN, which < and >= are not.
        if (n->op == BinaryOp::Eq || n->op == BinaryOp::Ne) {
            const bool isLogic = n->a->type() == DType::Bool;
            const BinaryOp flipped = n->op == BinaryOp::Ne ? BinaryOp::Eq : isLogic ? BinaryOp::Xor : BinaryOp::Ne;
            return binary(flipped, n->a, n->b);
        }
        if (n->op == BinaryOp::Xor) {
            return binary(BinaryOp::Eq, n->a, n->b);
        }
        if (isInteger(n->a->type()) && isComparison(n->op)) {
            const BinaryOp flipped = n->op == BinaryOp::Lt ? BinaryOp::Ge
                : n->op == BinaryOp::Le                    ? BinaryOp::Gt
                : n->op == BinaryOp::Gt                    ? BinaryOp::Le
                                                           : BinaryOp::Lt;
            return binary(flipped, n->a, n->b);
        }
    }
    return unary(UnaryOp::Not, e);
}

Expr Simplifier::conjunction(const Expr& e)
{
    std::vector<Expr> given;
    collectOperands(e, BinaryOp::And, given);
    std::vector<Expr> parts;
    for (const Expr& part : given) {
        collectOperands(simplified(part), BinaryOp::And, parts);
    }
    Conditions conditions(*this);
    for (const Expr& part : parts) {
        if (isConst(part, 0)) {
            return part;
        }
        if (!isConst(part, 1)) {
            conditions.add(part, false);
        }
    }
    return conditions.reduce() ? joined(conditions.kept(), BinaryOp::And) : boolImm(false);
}

Expr Simplifier::disjunction(const Expr& e)
{
    std::vector<Expr> given;
    collectOperands(e, BinaryOp::Or, given);
    std::vector<Expr> parts;
    for (const Expr& part : given) {
        collectOperands(simplified(part), BinaryOp::Or, parts);
    }
    Conditions conditions(*this);
    for (const Expr& part : parts) {
        if (isConst(part, 1)) {
            return part;
        }
        if (!isConst(part, 0)) {
            conditions.add(part, true);
        }
    }
    return conditions.reduce() ? joined(conditions.kept(), BinaryOp::Or) : boolImm(true);
}

} // namespace nw
