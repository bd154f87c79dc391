#include "engine/base/linear.h"

#include "engine/base/int_math.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace nw {
namespace {

// A product of sums is multiplied out only while it stays readable.
constexpr std::size_t kMostTerms = 32;

std::uint64_t magnitude(std::int64_t value)
{
    return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

void collectFactors(const Expr& atom, std::vector<Expr>& factors)
{
    const auto* n = atom->as<Binary>();
    if (n != nullptr && n->op == BinaryOp::Mul) {
        collectFactors(n->a, factors);
        collectFactors(n->b, factors);
    } else {
        factors.push_back(atom);
    }
}

// The product of two atoms, itself an atom: factors in order, so that equal products are equal.
Expr atomProduct(const Expr& a, const Expr& b)
{
    std::vector<Expr> factors;
    collectFactors(a, factors);
    collectFactors(b, factors);
    std::stable_sort(factors.begin(), factors.end(),
                     [](const Expr& x, const Expr& y) { return compareExpr(x, y) < 0; });
    Expr all = factors.front();
    for (std::size_t i = 1; i < factors.size(); ++i) {
        all = all * factors[i];
    }
    return all;
}

// into += factor * e, with each atom found as a term.
bool collectInto(const Expr& e, std::int64_t factor, Linear& into)
{
    if (const auto* imm = e->as<IntImm>()) {
        return into.addConstant(imm->value, factor);
    }
    if (const auto* n = e->as<Unary>(); n != nullptr && n->op == UnaryOp::Neg) {
        const std::optional<std::int64_t> negated = checkedMul(factor, -1);
        return negated && collectInto(n->a, *negated, into);
    }
    const auto* n = e->as<Binary>();
    if (n != nullptr && (n->op == BinaryOp::Add || n->op == BinaryOp::Sub)) {
        const std::optional<std::int64_t> second = n->op == BinaryOp::Add ? factor : checkedMul(factor, -1);
        return second && collectInto(n->a, factor, into) && collectInto(n->b, *second, into);
    }
    if (n == nullptr || n->op != BinaryOp::Mul) {
        return into.add(e, factor);
    }
    if (const auto* imm = n->b->as<IntImm>()) {
        const std::optional<std::int64_t> both = checkedMul(factor, imm->value);
        return both && (*both == 0 || collectInto(n->a, *both, into));
    }
    const std::optional<Linear> a = collectLinear(n->a);
    const std::optional<Linear> b = collectLinear(n->b);
    const std::optional<Linear> both = a && b ? product(*a, *b) : std::nullopt;
    return both ? into.add(*both, factor) : into.add(e, factor);
}

} // namespace

Linear Linear::ofAtom(Expr atom, std::int64_t coefficient)
{
    Linear one;
    if (coefficient != 0) {
        one.terms.push_back({std::move(atom), coefficient});
    }
    return one;
}

std::int64_t Linear::coefficientOf(const Expr& atom) const
{
    for (const Term& term : terms) {
        if (equal(term.atom, atom)) {
            return term.coefficient;
        }
    }
    return 0;
}

bool Linear::operator==(const Linear& other) const
{
    return constant == other.constant
        && std::equal(terms.begin(), terms.end(), other.terms.begin(), other.terms.end(),
                      [](const Term& a, const Term& b) {
                          return a.coefficient == b.coefficient && equal(a.atom, b.atom);
                      });
}

bool Linear::add(const Expr& atom, std::int64_t coefficient)
{
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const int order = compareExpr(terms[i].atom, atom);
        if (order > 0) {
            terms.insert(i, {atom, coefficient});
            return true;
        }
        if (order == 0) {
            if (__builtin_add_overflow(terms[i].coefficient, coefficient, &terms[i].coefficient)) {
                return false;
            }
            if (terms[i].coefficient == 0) {
                terms.erase(i);
            }
            return true;
        }
    }
    terms.push_back({atom, coefficient});
    return true;
}

bool Linear::addConstant(std::int64_t value, std::int64_t factor)
{
    std::int64_t more = 0;
    return !__builtin_mul_overflow(value, factor, &more) && !__builtin_add_overflow(constant, more, &constant);
}

bool Linear::add(const Linear& other, std::int64_t factor)
{
    if (factor == 0) {
        return true;
    }
    if (!addConstant(other.constant, factor)) {
        return false;
    }
    for (const Term& term : other.terms) {
        std::int64_t coefficient = 0;
        if (__builtin_mul_overflow(term.coefficient, factor, &coefficient) || !add(term.atom, coefficient)) {
            return false;
        }
    }
    return true;
}

std::optional<Linear> addScaled(const Linear& a, const Linear& b, std::int64_t factor)
{
    std::optional<Linear> sum(a);
    if (!sum->add(b, factor)) {
        sum.reset();
    }
    return sum;
}

std::optional<Linear> scaled(const Linear& a, std::int64_t factor)
{
    if (factor == 1) {
        return a;
    }
    return addScaled(Linear(), a, factor);
}

std::optional<Linear> product(const Linear& a, const Linear& b)
{
    if (a.isConstant()) {
        return scaled(b, a.constant);
    }
    if (b.isConstant()) {
        return scaled(a, b.constant);
    }
    if ((a.terms.size() + 1) * (b.terms.size() + 1) > kMostTerms) {
        return std::nullopt;
    }
    std::optional<Linear> sum = scaled(a, b.constant);
    if (sum) {
        sum = addScaled(*sum, Linear{0, b.terms}, a.constant);
    }
    for (const Linear::Term& x : a.terms) {
        for (const Linear::Term& y : b.terms) {
            const std::optional<std::int64_t> coefficient = checkedMul(x.coefficient, y.coefficient);
            if (!sum || !coefficient) {
                return std::nullopt;
            }
            sum = addScaled(*sum, Linear::ofAtom(atomProduct(x.atom, y.atom), *coefficient), 1);
        }
    }
    return sum;
}

Linear divideExactly(const Linear& a, std::int64_t by)
{
    Linear quotient = a;
    quotient.constant = floorDivide(a.constant, by);
    for (Linear::Term& term : quotient.terms) {
        term.coefficient /= by;
    }
    return quotient;
}

std::int64_t coefficientGcd(const Linear& a)
{
    std::uint64_t divisor = 0;
    for (const Linear::Term& term : a.terms) {
        divisor = std::gcd(divisor, magnitude(term.coefficient));
    }
    // 2^63 does not fit; its half divides as well.
    return divisor > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
        ? std::int64_t{1} << 62
        : static_cast<std::int64_t>(divisor);
}

std::optional<Linear> collectLinear(const Expr& e)
{
    if (e->as<Var>() != nullptr) {
        return Linear::ofAtom(e);
    }
    Linear sum;
    if (!collectInto(e, 1, sum)) {
        return std::nullopt;
    }
    return sum;
}

Expr toExpr(const Linear& a)
{
    if (a.terms.size() == 1 && a.constant == 0 && a.terms.front().coefficient == 1) {
        return a.terms.front().atom;
    }
    SmallVector<const Linear::Term*, 8> ordered;
    for (const Linear::Term& term : a.terms) {
        ordered.push_back(&term);
    }
    constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
    const auto isAdded = [](std::int64_t c) { return c > 0 || c == kSmallest; };
    const auto isBefore = [&](const Linear::Term* x, const Linear::Term* y) {
        const bool addsX = isAdded(x->coefficient);
        const bool addsY = isAdded(y->coefficient);
        return addsX != addsY ? addsX : magnitude(x->coefficient) > magnitude(y->coefficient);
    };
    for (std::size_t i = 1; i < ordered.size(); ++i) {
        for (std::size_t j = i; j > 0 && isBefore(ordered[j], ordered[j - 1]); --j) {
            std::swap(ordered[j], ordered[j - 1]);
        }
    }

    Expr sum;
    bool usesConstant = false;
    for (const Linear::Term* term : ordered) {
        const std::int64_t c = term->coefficient;
        if (isAdded(c)) {
            const Expr part = c == 1 ? term->atom : term->atom * c;
            sum = sum == nullptr ? part : sum + part;
            continue;
        }
        if (sum == nullptr && a.constant > 0) {
            sum = intImm(a.constant);
            usesConstant = true;
        }
        if (sum == nullptr) {
            sum = c == -1 ? unary(UnaryOp::Neg, term->atom) : term->atom * c;
        } else {
            sum = sum - (c == -1 ? term->atom : term->atom * -c);
        }
    }
    if (sum == nullptr) {
        return intImm(a.constant);
    }
    if (a.constant == 0 || usesConstant) {
        return sum;
    }
    return a.constant > 0 || a.constant == kSmallest ? sum + a.constant : sum - (-a.constant);
}

std::optional<LiteralDivision> literalDivision(const Expr& atom)
{
    const auto* n = atom->as<Binary>();
    if (n == nullptr || (n->op != BinaryOp::FloorDiv && n->op != BinaryOp::FloorMod)
        || atom->type() != DType::I64) {
        return std::nullopt;
    }
    const auto* divisor = n->b->as<IntImm>();
    if (divisor == nullptr || divisor->value <= 0) {
        return std::nullopt;
    }
    return LiteralDivision{n->op == BinaryOp::FloorMod, n->a, divisor->value};
}

} // namespace nw
