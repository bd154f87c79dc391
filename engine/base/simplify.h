#pragma once

#include "engine/base/expr.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>

namespace nw {

// Closed interval of 64-bit integers; kMinusInf / kPlusInf are open ends and saturate in arithmetic.
struct Interval {
    static constexpr std::int64_t kMinusInf = std::numeric_limits<std::int64_t>::min();
    static constexpr std::int64_t kPlusInf = std::numeric_limits<std::int64_t>::max();
    std::int64_t low = kMinusInf;
    std::int64_t high = kPlusInf;
    bool isPoint() const { return low == high; }
    static Interval ofExtent(std::int64_t extent) { return {0, extent - 1}; }
    bool operator==(const Interval&) const = default;
};
// Known ranges of variables; a variable that is absent may be anything.
using Ranges = std::map<std::string, Interval>;

// Interval that holds every value of an integer expression (interval arithmetic after affine collection, so that
// i - i is 0). A Load gives the full range.
Interval boundsOf(const Expr& e, const Ranges& ranges);

// constant + sum of coefficient * variable. Terms with coefficient 0 are absent.
struct Affine {
    std::int64_t constant = 0;
    std::map<std::string, std::int64_t> terms;
    std::int64_t coefficient(const std::string& name) const
    {
        const auto found = terms.find(name);
        return found == terms.end() ? 0 : found->second;
    }
};
std::optional<Affine> affineOf(const Expr& e); // nothing when not affine with literal coefficients
// A comparison a < b or a <= b as a form that is at most 0 where it holds; nothing for any other or when that is not affine.
std::optional<Affine> atMostZero(const Expr& comparison);
Expr fromAffine(const Affine& a);              // terms in name order, constant last

// Equal value for every assignment within `ranges`. Integer rules: affine collection, floor division and modulo of
// affine forms by literals ((a*f + r)/f -> a when 0 <= r < f), min/max/comparison decided by bounds, boolean algebra,
// selects with known conditions. Never touches the order or rounding of float arithmetic: x*0.0, x-x, x+0.0 stay
// (CASES.md 25); float literals fold exactly as the element type would compute them.
Expr simplify(const Expr& e, const Ranges& ranges = {});

// True only when proved for every value in `ranges`.
bool provedTrue(const Expr& condition, const Ranges& ranges);
bool provedFalse(const Expr& condition, const Ranges& ranges);

} // namespace nw
