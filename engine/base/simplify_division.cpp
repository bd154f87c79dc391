// Floor division and modulo of sums by positive literals, and putting the two together again:
//
//   (a * f + r) / f -> a        (a * f + r) % f -> r        when 0 <= r < f
//   x / a / b -> x / (a * b)    x % (a * b) % a -> x % a    x % (a * b) / a -> x / a % b
//   x / f * f + x % f -> x      x - x / f * f -> x % f

#include "engine/base/int_math.h"
#include "engine/base/simplifier.h"

#include <algorithm>
#include <numeric>

namespace nw {
namespace {

// a + b where both came from one form of smaller numbers; the rules below never meet an overflow here in practice,
// but must not be wrong when they do.
Linear joined(const std::optional<Linear>& sum, const Linear& a, const Linear& b)
{
    return sum ? *sum : Linear::ofAtom(binary(BinaryOp::Add, toExpr(a), toExpr(b)));
}

Linear added(const Linear& a, const Linear& b)
{
    return joined(addScaled(a, b, 1), a, b);
}

// Fewer terms, or as many of which a division and its rest are gone: x / d * d + x % d where x is itself a sum.
bool isShorter(const Linear& now, const Linear& before)
{
    const auto divisions = [](const Linear& a) {
        return std::count_if(a.terms.begin(), a.terms.end(), [](const Linear::Term& term) { return literalDivision(term.atom).has_value(); });
    };
    return now.terms.size() < before.terms.size() || (now.terms.size() == before.terms.size() && divisions(now) + 2 <= divisions(before));
}

// (b - a) / divisor when that has no remainder, term by term.
std::optional<Linear> wholeTurns(const Linear& a, const Linear& b, std::int64_t divisor)
{
    std::optional<Linear> apart = addScaled(b, a, -1);
    if (!apart || apart->constant % divisor != 0) {
        return std::nullopt;
    }
    apart->constant /= divisor;
    for (Linear::Term& term : apart->terms) {
        if (term.coefficient % divisor != 0) {
            return std::nullopt;
        }
        term.coefficient /= divisor;
    }
    return apart;
}

} // namespace

std::optional<Simplifier::Digits> Simplifier::cutAt(const Linear& a, std::int64_t divisor)
{
    if (a.terms.size() + (a.constant != 0 ? 1 : 0) < 2) {
        return std::nullopt;
    }
    std::vector<std::int64_t> widths;
    for (const Linear::Term& term : a.terms) {
        if (term.coefficient == Interval::kMinusInf) {
            return std::nullopt;
        }
        const std::int64_t width = std::gcd(term.coefficient, divisor);
        if (width > 1) {
            widths.push_back(width);
        }
    }
    std::sort(widths.begin(), widths.end(), std::greater<>());
    widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
    for (const std::int64_t width : widths) {
        Digits digits;
        digits.width = width;
        digits.high.constant = floorDivide(a.constant, width);
        digits.low.constant = floorModulo(a.constant, width);
        for (const Linear::Term& term : a.terms) {
            if (term.coefficient % width == 0) {
                digits.high.terms.push_back({term.atom, term.coefficient / width});
            } else {
                digits.low.terms.push_back(term);
            }
        }
        if (const std::optional<std::int64_t> period = commonPeriod(bounds(digits.low), width)) {
            digits.period = *period;
            return digits;
        }
    }
    return std::nullopt;
}

Linear Simplifier::divided(const Linear& a, std::int64_t divisor)
{
    if (divisor == 1) {
        return a;
    }
    Linear whole = Linear::ofConstant(floorDivide(a.constant, divisor));
    Linear rest = Linear::ofConstant(floorModulo(a.constant, divisor));
    for (const Linear::Term& term : a.terms) {
        if (term.coefficient % divisor == 0) {
            whole.terms.push_back({term.atom, term.coefficient / divisor});
        } else {
            rest.terms.push_back(term);
        }
    }
    if (rest.terms.empty()) {
        return whole;
    }
    if (const std::optional<std::int64_t> period = commonPeriod(bounds(rest), divisor)) {
        return added(whole, Linear::ofConstant(*period));
    }
    if (const std::int64_t common = std::gcd(coefficientGcd(rest), divisor); common > 1) {
        return added(whole, divided(divideExactly(rest, common), divisor / common));
    }
    if (std::optional<Digits> digits = cutAt(rest, divisor)) {
        const Linear high = added(digits->high, Linear::ofConstant(digits->period));
        return added(whole, divided(high, divisor / digits->width));
    }
    if (rest.terms.size() == 1 && rest.terms.front().coefficient == 1) {
        const std::optional<LiteralDivision> inner = literalDivision(rest.terms.front().atom);
        const std::optional<Linear> dividend = inner ? collectLinear(inner->dividend) : std::nullopt;
        if (dividend && !inner->isModulo) {
            const std::optional<std::int64_t> both = checkedMul(inner->divisor, divisor);
            const std::optional<std::int64_t> shift = checkedMul(inner->divisor, rest.constant);
            const std::optional<Linear> shifted
                = both && shift ? addScaled(*dividend, Linear::ofConstant(*shift), 1) : std::nullopt;
            if (shifted) {
                return added(whole, divided(*shifted, *both));
            }
        }
        if (dividend && inner->isModulo && rest.constant == 0 && inner->divisor % divisor == 0) {
            return added(whole, modulo(divided(*dividend, divisor), inner->divisor / divisor));
        }
    }
    return added(whole, Linear::ofAtom(floorDiv(toExpr(rest), intImm(divisor))));
}

Linear Simplifier::modulo(const Linear& a, std::int64_t divisor)
{
    if (divisor == 1) {
        return Linear();
    }
    Linear rest = Linear::ofConstant(floorModulo(a.constant, divisor));
    for (const Linear::Term& term : a.terms) {
        if (term.coefficient % divisor != 0) {
            rest.terms.push_back({term.atom, term.coefficient % divisor});
        }
    }
    for (const Linear::Term& term : rest.terms) {
        // c * (x % e) = c * x modulo d when d divides c * e
        const std::optional<LiteralDivision> inner = literalDivision(term.atom);
        const std::optional<std::int64_t> step
            = inner && inner->isModulo ? checkedMul(inner->divisor, term.coefficient) : std::nullopt;
        if (step && *step % divisor == 0) {
            const std::optional<Linear> dividend = collectLinear(inner->dividend);
            const std::optional<Linear> without = addScaled(rest, Linear::ofAtom(term.atom), -term.coefficient);
            const std::optional<Linear> opened
                = dividend && without ? addScaled(*without, *dividend, term.coefficient) : std::nullopt;
            if (opened) {
                return modulo(*opened, divisor);
            }
        }
    }
    if (rest.terms.empty()) {
        return rest;
    }
    if (const std::optional<std::int64_t> period = commonPeriod(bounds(rest), divisor)) {
        return added(rest, Linear::ofConstant(-*period * divisor));
    }
    if (const std::int64_t common = std::gcd(coefficientGcd(rest), divisor); common > 1) {
        const Linear inside = modulo(divideExactly(rest, common), divisor / common);
        const std::optional<Linear> back = scaled(inside, common);
        if (back) {
            return added(*back, Linear::ofConstant(floorModulo(rest.constant, common)));
        }
    }
    if (std::optional<Digits> digits = cutAt(rest, divisor)) {
        const Linear high = added(digits->high, Linear::ofConstant(digits->period));
        const std::optional<Linear> back = scaled(modulo(high, divisor / digits->width), digits->width);
        if (back) {
            return added(*back, added(digits->low, Linear::ofConstant(-digits->period * digits->width)));
        }
    }
    return Linear::ofAtom(floorMod(toExpr(rest), intImm(divisor)));
}

// With k * (x % d) written as k * x - k * d * (x / d).
std::optional<Linear> Simplifier::withoutModulo(const Linear& a, const Linear::Term& term, const LiteralDivision& of)
{
    const std::optional<Linear> dividend = collectLinear(of.dividend);
    const std::optional<std::int64_t> step = checkedMul(of.divisor, term.coefficient);
    if (!dividend || !step || *step == Interval::kMinusInf || term.coefficient == Interval::kMinusInf) {
        return std::nullopt;
    }
    std::optional<Linear> opened = addScaled(a, Linear::ofAtom(term.atom), -term.coefficient);
    opened = opened ? addScaled(*opened, *dividend, term.coefficient) : std::nullopt;
    // What is divided elsewhere may be some turns ahead, as (8 * x + y) / 7 is x ahead of (x + y) / 7.
    for (const Linear::Term& other : a.terms) {
        const std::optional<LiteralDivision> by = literalDivision(other.atom);
        const bool mayCancel = opened && by && !by->isModulo && by->divisor == of.divisor && other.coefficient == *step;
        const std::optional<Linear> divides = mayCancel ? collectLinear(by->dividend) : std::nullopt;
        const std::optional<Linear> ahead = divides ? wholeTurns(*dividend, *divides, of.divisor) : std::nullopt;
        if (ahead && !ahead->terms.empty()) {
            opened = addScaled(*opened, Linear::ofAtom(other.atom), -*step);
            return opened ? addScaled(*opened, *ahead, *step) : std::nullopt;
        }
    }
    return opened ? addScaled(*opened, divided(*dividend, of.divisor), -*step) : std::nullopt;
}

// With k * x - k * d * (x / d) written as k * (x % d), when that leaves fewer terms.
std::optional<Linear> Simplifier::withModulo(const Linear& a, const Linear::Term& term, const LiteralDivision& of)
{
    const auto attempt = [&](const Linear& x, std::int64_t divisor) -> std::optional<Linear> {
        if (divisor <= 1 || term.coefficient % divisor != 0 || term.coefficient == Interval::kMinusInf) {
            return std::nullopt;
        }
        const std::int64_t factor = -(term.coefficient / divisor);
        for (const Linear::Term& part : x.terms) {
            const std::optional<std::int64_t> needed = checkedMul(part.coefficient, factor);
            if (!needed || a.coefficientOf(part.atom) != *needed) {
                return std::nullopt;
            }
        }
        std::optional<Linear> closed = addScaled(a, Linear::ofAtom(term.atom), -term.coefficient);
        closed = closed ? addScaled(*closed, x, -factor) : std::nullopt;
        closed = closed ? addScaled(*closed, modulo(x, divisor), factor) : std::nullopt;
        return closed && closed->terms.size() < a.terms.size() ? closed : std::nullopt;
    };
    const bool isPlain = of.dividend->as<Var>() != nullptr;
    if (!isPlain || a.coefficientOf(of.dividend) != 0) {
        const std::optional<Linear> dividend = collectLinear(of.dividend);
        std::optional<Linear> found = dividend ? attempt(*dividend, of.divisor) : std::nullopt;
        if (found) {
            return found;
        }
    }
    // x / d is also (x / e) / (d / e): the finer division may be there instead of x.
    for (const Linear::Term& finer : a.terms) {
        const std::optional<LiteralDivision> by = literalDivision(finer.atom);
        if (!by || by->isModulo || by->divisor >= of.divisor || of.divisor % by->divisor != 0) {
            continue;
        }
        const std::int64_t ratio = of.divisor / by->divisor;
        const std::optional<std::int64_t> needed = checkedMul(finer.coefficient, -ratio);
        if (!needed || *needed != term.coefficient) {
            continue;
        }
        const Linear one = Linear::ofAtom(finer.atom);
        const Linear coarser = divided(one, ratio);
        if (coarser.isAtom() && equal(coarser.terms.front().atom, term.atom)) {
            if (std::optional<Linear> found = attempt(one, ratio)) {
                return found;
            }
        }
    }
    return std::nullopt;
}

// All modulos opened and closed again, when that leaves fewer terms.
std::optional<Linear> Simplifier::withoutModulos(const Linear& a)
{
    Linear opened = a;
    for (int rounds = 0; rounds < 8; ++rounds) {
        std::optional<Linear> next;
        // x / 7 % 7 before x % 7, which then finds x / 7 beside it.
        const auto begins = [](const Linear::Term& term, bool withDivision) {
            const std::optional<LiteralDivision> of = literalDivision(term.atom);
            return of && of->isModulo && literalDivision(of->dividend).has_value() == withDivision;
        };
        for (const bool withDivision : {true, false}) {
            const auto term = std::find_if(opened.terms.begin(), opened.terms.end(), [&](const Linear::Term& t) { return begins(t, withDivision); });
            if (!next && term != opened.terms.end()) {
                next = withoutModulo(opened, *term, *literalDivision(term->atom));
                if (!next) {
                    return std::nullopt;
                }
            }
        }
        if (!next) {
            break;
        }
        opened = *std::move(next);
    }
    for (bool isChanged = true; isChanged && opened.terms.size() > 1;) {
        isChanged = false;
        for (const Linear::Term& term : opened.terms) {
            const std::optional<LiteralDivision> of = literalDivision(term.atom);
            std::optional<Linear> next = of && !of->isModulo ? withModulo(opened, term, *of) : std::nullopt;
            if (next) {
                opened = *std::move(next);
                isChanged = true;
                break;
            }
        }
    }
    return opened.terms.size() < a.terms.size() ? std::optional(opened) : std::nullopt;
}

Linear Simplifier::tidied(Linear a)
{
    for (;;) {
        if (a.terms.size() < 2) {
            return a;
        }
        std::size_t modulos = 0;
        std::size_t divisions = 0;
        for (const Linear::Term& term : a.terms) {
            const std::optional<LiteralDivision> of = literalDivision(term.atom);
            modulos += of && of->isModulo ? 1 : 0;
            divisions += of && !of->isModulo ? 1 : 0;
        }
        std::optional<Linear> shorter;
        for (const Linear::Term& term : a.terms) {
            const std::optional<LiteralDivision> of = literalDivision(term.atom);
            if (!of || shorter) {
                continue;
            }
            if (!of->isModulo) {
                shorter = withModulo(a, term, *of);
                continue;
            }
            // Opening k * (x % d) helps only when k * x or k * d * (x / d) cancels something.
            bool mayCancel = of->dividend->as<Binary>() != nullptr && of->dividend->as<Binary>()->op != BinaryOp::FloorDiv;
            for (const Linear::Term& other : a.terms) {
                mayCancel = mayCancel || other.coefficient == -term.coefficient
                    || (other.coefficient / of->divisor == term.coefficient && other.coefficient % of->divisor == 0);
            }
            std::optional<Linear> opened = mayCancel ? withoutModulo(a, term, *of) : std::nullopt;
            if (opened && isShorter(*opened, a)) {
                shorter = std::move(opened);
            }
        }
        if (!shorter && modulos > 1) {
            shorter = withoutModulos(a);
        }
        if (!shorter) {
            return a;
        }
        a = *std::move(shorter);
    }
}

} // namespace nw
