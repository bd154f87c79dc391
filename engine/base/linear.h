#pragma once

#include "engine/base/expr.h"
#include "engine/base/small_vector.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace nw {

// constant + sum of coefficient * atom over I64. Atoms are whatever is no sum: variables, loads, floor divisions, and
// products of atoms. Each atom stands once, in compareExpr's order, with a coefficient other than 0. The normal form
// that the simplifier works on.
struct Linear {
    struct Term {
        Expr atom;
        std::int64_t coefficient = 1;
    };

    std::int64_t constant = 0;
    SmallVector<Term, 5> terms;

    static Linear ofConstant(std::int64_t value) { return {value, {}}; }
    static Linear ofAtom(Expr atom, std::int64_t coefficient = 1);
    bool isConstant() const { return terms.empty(); }
    bool isAtom() const { return terms.size() == 1 && constant == 0 && terms.front().coefficient == 1; }
    std::int64_t coefficientOf(const Expr& atom) const;
    bool operator==(const Linear& other) const;

    // Adding in place; false on overflow, and then the form is of no use any more.
    bool add(const Expr& atom, std::int64_t coefficient);
    bool add(const Linear& other, std::int64_t factor);
    bool addConstant(std::int64_t value, std::int64_t factor);
};

// All give nothing on overflow of 64 bits.
std::optional<Linear> addScaled(const Linear& a, const Linear& b, std::int64_t factor); // a + factor * b
std::optional<Linear> scaled(const Linear& a, std::int64_t factor);
std::optional<Linear> product(const Linear& a, const Linear& b); // nothing also when it has very many terms
// Divides every coefficient, which `by` divides; the constant is rounded down.
Linear divideExactly(const Linear& a, std::int64_t by);
std::int64_t coefficientGcd(const Linear& a); // of the terms; 0 when there is none

// Reads sums and products of an expression without simplifying what is below. Nothing on overflow.
std::optional<Linear> collectLinear(const Expr& e);
// Larger coefficients first, then subtractions, then the constant.
Expr toExpr(const Linear& a);

// A floor division or modulo of an atom's kind by a positive literal.
struct LiteralDivision {
    bool isModulo = false;
    Expr dividend;
    std::int64_t divisor = 1;
};
std::optional<LiteralDivision> literalDivision(const Expr& atom);

} // namespace nw
