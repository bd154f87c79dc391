#pragma once

#include "engine/base/interval.h"
#include "engine/base/linear.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace nw {

// `form` against zero: what every comparison of integers becomes.
struct Constraint {
    enum class Kind { AtLeastZero, Zero, NotZero };
    Kind kind = Kind::AtLeastZero;
    Linear form;
};

// One simplification under fixed ranges. The functions are spread over simplify_int.cpp (sums, divisions),
// simplify_bounds.cpp, simplify_bool.cpp (comparisons, logic) and simplify.cpp (the rest).
class Simplifier {
public:
    explicit Simplifier(const Ranges& ranges)
        : m_ranges(ranges)
    {}
    explicit Simplifier(KnownRanges ranges)
        : m_ranges(std::move(ranges))
    {}

    Expr simplified(const Expr& e);

    // I64: the simplified value as a sum.
    Linear linear(const Expr& e);
    Linear divided(const Linear& a, std::int64_t divisor); // floor; divisor > 0
    Linear modulo(const Linear& a, std::int64_t divisor);  // floor; divisor > 0

    // Every value of a form, or of an expression whose sums are already collected.
    Interval bounds(const Linear& a) { return bounds(a, 3); }
    Interval atomBounds(const Expr& e);

    // True, false or not known.
    std::optional<bool> decided(const Constraint& c);

private:
    Expr simplifiedNode(const Expr& e);
    Expr floating(const Expr& e);
    Expr otherInteger(const Expr& e);
    Expr selected(const Expr& e, const Select& n);
    Expr loaded(const Expr& e, const Load& n);
    Expr castOf(const Expr& e, const CastTo& n);

    bool addTo(Linear& into, const Expr& e, std::int64_t factor);
    Linear sum(const Expr& e);
    Linear nodeSum(const Expr& e);
    Linear sumOfBinary(const Binary& n);
    Linear quotient(const Binary& n);
    Linear remainder(const Binary& n);
    Linear truncated(const Binary& n);
    Linear extremum(const Binary& n);
    Linear sumOfUnary(const Unary& n);
    std::optional<Linear> symbolicQuotient(const Linear& a, const Linear& b);
    std::optional<Linear> withoutModulos(const Linear& a);
    std::optional<Linear> withoutModulo(const Linear& a, const Linear::Term& term, const LiteralDivision& of);
    std::optional<Linear> withModulo(const Linear& a, const Linear::Term& term, const LiteralDivision& of);
    Linear tidied(Linear a);
    // Largest g > 1 dividing the divisor and some coefficients, such that the other terms stay within one period of g.
    struct Digits {
        std::int64_t width = 1;
        std::int64_t period = 0;
        Linear high; // (terms and constant that g divides) / g
        Linear low;
    };
    std::optional<Digits> cutAt(const Linear& a, std::int64_t divisor);

    Interval bounds(const Linear& a, int depth);
    Interval binaryBounds(const Expr& e, const Binary& n);
    std::optional<Interval> boundsByChoice(const Linear& a, int depth);

    Expr boolean(const Expr& e);
    Expr compared(const Binary& n);
    Expr comparedLogic(BinaryOp op, const Expr& a, const Expr& b);
    Expr conjunction(const Expr& e);
    Expr disjunction(const Expr& e);
    Expr negated(const Expr& simplifiedBool);
    bool normalise(Constraint& c); // true when changed
    bool normaliseOnce(Constraint& c);

    const Interval* rangeOf(const std::string& name) const { return m_ranges.find(name); }

    KnownRanges m_ranges;
    std::unordered_map<const ExprNode*, std::pair<Expr, Expr>> m_done; // shared nodes: the node, its result

    friend class Conditions;
};

// The constraint that a comparison of I64 states, not normalised; nothing for other expressions or on overflow.
std::optional<Constraint> constraintOf(const Expr& comparison);
std::optional<Constraint> constraintOf(BinaryOp op, const Linear& a, const Linear& b);
Constraint opposite(const Constraint& c); // its negation; only where the constant does not overflow
Expr toExpr(const Constraint& c);
// Narrows `ranges` by what `condition` (or its negation) says of single variables; false when nothing was learnt.
bool narrow(KnownRanges& ranges, const Expr& condition, bool holds);
bool narrow(KnownRanges& ranges, const Constraint& c);

// The operands of nested `op`s, in order.
void collectOperands(const Expr& e, BinaryOp op, std::vector<Expr>& operands);

// Folds a float operation on literals as the element type computes it; nothing where that is not certain.
Expr foldFloat(const Expr& e);

} // namespace nw
