// Comparisons of integers as forms against zero, and how they are written again.

#include "engine/base/int_math.h"
#include "engine/base/simplifier.h"

#include <cstdlib>
#include <optional>

namespace nw {
namespace {

// The terms that are added, or those that are taken away with their sign turned.
Linear part(const Linear& a, bool positive)
{
    Linear side;
    for (const Linear::Term& term : a.terms) {
        if ((term.coefficient > 0) == positive) {
            side.terms.push_back({term.atom, positive ? term.coefficient : -term.coefficient});
        }
    }
    return side;
}

Linear withConstant(Linear a, std::int64_t constant)
{
    a.constant = constant;
    return a;
}

// low <= high + constant
Expr atLeastZeroText(const Linear& low, const Linear& high, std::int64_t constant)
{
    if (low.isConstant()) {
        return binary(BinaryOp::Ge, toExpr(high), intImm(-constant));
    }
    if (high.isConstant()) {
        return constant == Interval::kPlusInf ? binary(BinaryOp::Le, toExpr(low), intImm(constant))
                                              : lessThan(toExpr(low), intImm(constant + 1));
    }
    if (constant == -1) {
        return lessThan(toExpr(low), toExpr(high));
    }
    return constant >= 0 ? lessEqual(toExpr(low), toExpr(withConstant(high, constant)))
                         : lessEqual(toExpr(withConstant(low, -constant)), toExpr(high));
}

// form >= 0 bounds each variable by what the other terms can reach at most.
bool narrowAtLeastZero(KnownRanges& ranges, const Linear& form, std::int64_t sign)
{
    // Close to the ends of 64 bits there is nothing to learn that matters.
    constexpr std::int64_t kFarthest = std::int64_t{1} << 60;
    Simplifier simplifier(ranges);
    SmallVector<Interval, 6> reaches;
    std::size_t open = 0; // terms without an upper end
    std::int64_t most = form.constant * sign;
    for (const Linear::Term& term : form.terms) {
        const Interval atom = simplifier.atomBounds(term.atom);
        const Interval reach = atom * term.coefficient * sign;
        if (isEmpty(atom) || most > kFarthest || most < -kFarthest) {
            return false;
        }
        const bool isOpen = reach.high > kFarthest || reach.high < -kFarthest;
        open += isOpen ? 1 : 0;
        most += isOpen ? 0 : reach.high;
        reaches.push_back(isOpen ? Interval() : reach);
    }
    bool isLearnt = false;
    for (std::size_t i = 0; i < form.terms.size(); ++i) {
        const Expr& atom = form.terms[i].atom;
        const bool isOpen = reaches[i].high == Interval::kPlusInf;
        if (atom->as<Var>() == nullptr || open > (isOpen ? 1 : 0)) {
            continue;
        }
        const std::int64_t rest = isOpen ? most : most - reaches[i].high;
        const std::int64_t c = form.terms[i].coefficient * sign;
        const Interval to = c > 0 ? Interval{ceilDivide(-rest, c), Interval::kPlusInf}
                                  : Interval{Interval::kMinusInf, floorDivide(rest, -c)};
        isLearnt = ranges.narrow(atom, to) || isLearnt;
    }
    return isLearnt;
}

} // namespace

std::optional<Constraint> constraintOf(BinaryOp op, const Linear& a, const Linear& b)
{
    const auto difference = [](const Linear& x, const Linear& y, std::int64_t constant) {
        std::optional<Linear> form = x;
        if (!form->add(y, -1) || !form->addConstant(constant, 1)) {
            form.reset();
        }
        return form;
    };
    Constraint c;
    std::optional<Linear> form;
    switch (op) {
    case BinaryOp::Lt: form = difference(b, a, -1); break;
    case BinaryOp::Le: form = difference(b, a, 0); break;
    case BinaryOp::Gt: form = difference(a, b, -1); break;
    case BinaryOp::Ge: form = difference(a, b, 0); break;
    case BinaryOp::Eq:
    case BinaryOp::Ne:
        c.kind = op == BinaryOp::Eq ? Constraint::Kind::Zero : Constraint::Kind::NotZero;
        form = difference(a, b, 0);
        break;
    default: break;
    }
    // The smallest numbers have no negation; nothing that matters comes near them.
    if (!form || form->constant == Interval::kMinusInf) {
        return std::nullopt;
    }
    for (const Linear::Term& term : form->terms) {
        if (term.coefficient == Interval::kMinusInf) {
            return std::nullopt;
        }
    }
    c.form = std::move(*form);
    return c;
}

std::optional<Constraint> constraintOf(const Expr& comparison)
{
    const auto* n = comparison->as<Binary>();
    if (n == nullptr || comparison->type() != DType::Bool || n->a->type() != DType::I64) {
        return std::nullopt;
    }
    const std::optional<Linear> a = collectLinear(n->a);
    const std::optional<Linear> b = collectLinear(n->b);
    return a && b ? constraintOf(n->op, *a, *b) : std::nullopt;
}

Constraint opposite(const Constraint& c)
{
    switch (c.kind) {
    case Constraint::Kind::Zero: return {Constraint::Kind::NotZero, c.form};
    case Constraint::Kind::NotZero: return {Constraint::Kind::Zero, c.form};
    case Constraint::Kind::AtLeastZero: break;
    }
    Linear form;
    form.constant = -1 - c.form.constant;
    for (const Linear::Term& term : c.form.terms) {
        form.terms.push_back({term.atom, -term.coefficient});
    }
    return {Constraint::Kind::AtLeastZero, form};
}

Expr toExpr(const Constraint& c)
{
    const Linear positive = part(c.form, true);
    const Linear negative = part(c.form, false);
    if (c.kind == Constraint::Kind::AtLeastZero) {
        return atLeastZeroText(negative, positive, c.form.constant);
    }
    const BinaryOp op = c.kind == Constraint::Kind::Zero ? BinaryOp::Eq : BinaryOp::Ne;
    if (negative.isConstant()) {
        return binary(op, toExpr(positive), intImm(-c.form.constant));
    }
    if (positive.isConstant()) {
        return binary(op, toExpr(negative), intImm(c.form.constant));
    }
    return c.form.constant >= 0 ? binary(op, toExpr(withConstant(positive, c.form.constant)), toExpr(negative))
                                : binary(op, toExpr(positive), toExpr(withConstant(negative, -c.form.constant)));
}

bool narrow(KnownRanges& ranges, const Constraint& c)
{
    if (c.kind == Constraint::Kind::NotZero || c.form.constant == Interval::kMinusInf) {
        return false;
    }
    const bool isLearnt = narrowAtLeastZero(ranges, c.form, 1);
    return (c.kind == Constraint::Kind::Zero && narrowAtLeastZero(ranges, c.form, -1)) || isLearnt;
}

bool narrow(KnownRanges& ranges, const Expr& condition, bool holds)
{
    const auto* n = condition->as<Binary>();
    if (n == nullptr) {
        const auto* negation = condition->as<Unary>();
        return negation != nullptr && negation->op == UnaryOp::Not && narrow(ranges, negation->a, !holds);
    }
    if (n->op == (holds ? BinaryOp::And : BinaryOp::Or)) {
        const bool first = narrow(ranges, n->a, holds);
        return narrow(ranges, n->b, holds) || first;
    }
    const std::optional<Constraint> stated = constraintOf(condition);
    return stated && narrow(ranges, holds ? *stated : opposite(*stated));
}

std::optional<bool> Simplifier::decided(const Constraint& c)
{
    const Interval range = bounds(c.form);
    if (isEmpty(range)) {
        return std::nullopt;
    }
    switch (c.kind) {
    case Constraint::Kind::AtLeastZero:
        if (range.low >= 0) {
            return true;
        }
        return range.high < 0 ? std::optional(false) : std::nullopt;
    case Constraint::Kind::Zero:
    case Constraint::Kind::NotZero: {
        const bool isZero = c.kind == Constraint::Kind::Zero;
        if (range.low == 0 && range.high == 0) {
            return isZero;
        }
        const std::int64_t common = coefficientGcd(c.form);
        const bool never = range.low > 0 || range.high < 0 || (common > 1 && c.form.constant % common != 0);
        return never ? std::optional(!isZero) : std::nullopt;
    }
    }
    return std::nullopt;
}

bool Simplifier::normalise(Constraint& c)
{
    // Every step removes a factor, a term or a division; the limit only guards against a rule that undoes another.
    int steps = 0;
    while (steps < 16 && normaliseOnce(c)) {
        ++steps;
    }
    return steps > 0;
}

// One step towards the form with the smallest numbers and the fewest divisions; false when there is none.
bool Simplifier::normaliseOnce(Constraint& c)
{
    if (c.form.terms.empty()) {
        return false;
    }
    const std::int64_t common = coefficientGcd(c.form);
    if (c.kind != Constraint::Kind::AtLeastZero) {
        if (common > 1 && c.form.constant % common == 0) {
            c.form = divideExactly(c.form, common);
            return true;
        }
        return false;
    }
    if (common > 1) {
        c.form = divideExactly(c.form, common);
        return true;
    }
    // w * high + low >= 0 where low stays in one period of w is a statement on high alone.
    for (const Linear::Term& term : c.form.terms) {
        const std::int64_t width = std::abs(term.coefficient);
        if (width <= 1) {
            continue;
        }
        if (std::optional<Digits> digits = cutAt(c.form, width); digits && !digits->high.terms.empty()) {
            const std::optional<Linear> high = addScaled(digits->high, Linear::ofConstant(digits->period), 1);
            if (high) {
                c.form = *high;
                return true;
            }
        }
    }
    // x / d >= y  <=>  x >= d * y;   x / d <= y  <=>  x <= d * y + d - 1
    for (const Linear::Term& term : c.form.terms) {
        const std::optional<LiteralDivision> of = literalDivision(term.atom);
        if (!of || of->isModulo || std::abs(term.coefficient) != 1) {
            continue;
        }
        const std::optional<Linear> dividend = collectLinear(of->dividend);
        std::optional<Linear> form = addScaled(c.form, Linear::ofAtom(term.atom), -term.coefficient);
        form = form ? scaled(*form, of->divisor) : std::nullopt;
        form = form && dividend ? addScaled(*form, *dividend, term.coefficient) : std::nullopt;
        form = form && term.coefficient < 0 ? addScaled(*form, Linear::ofConstant(of->divisor - 1), 1) : form;
        if (form) {
            c.form = tidied(*form);
            return true;
        }
    }
    return false;
}

} // namespace nw
