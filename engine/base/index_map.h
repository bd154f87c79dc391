#pragma once

#include "engine/base/expr.h"
#include "engine/base/result.h"
#include "engine/base/simplify.h"

#include <string>
#include <utility>
#include <vector>

namespace nw {

// Invertible map from logical indices to memory indices, e.g. (n, c, h, w) -> (n, c / 16, h, w, c % 16).
struct IndexMap {
    std::vector<std::string> axes; // names of the logical axes, the arguments
    std::vector<Expr> out;         // memory index expressions over those names, outermost first

    static IndexMap identity(std::size_t rank); // (a0, a1, ...) -> itself
    bool isIdentity() const;
    // Memory indices of a point given by expressions (simplified under `ranges`).
    std::vector<Expr> apply(const std::vector<Expr>& indices, const Ranges& ranges = {}) const;
    // "(n, c, h, w) -> (n, c / 16, h, w, c % 16)"
    std::string toText() const;
};
Result<IndexMap> parseIndexMap(std::string_view text);

// How a port's logical tensor lies in memory. `border` widens the *memory* by zeros that stand around the logical
// box: one (before, after) pair per logical axis, applied before the map, so that a convolution may read outside.
struct Layout {
    IndexMap map; // no axes: row-major of the logical shape
    std::vector<std::pair<std::int64_t, std::int64_t>> border; // empty: none

    bool isPlain() const { return (map.axes.empty() || map.isIdentity()) && border.empty(); }
    // Memory extents for a constant logical shape (with border). A map that blocks a non-dividing extent rounds up;
    // the padding elements are zero.
    Result<std::vector<std::int64_t>> memoryShape(const std::vector<std::int64_t>& logical) const;
    // Row-major element offset of a logical point, which may lie in the border, simplified under `ranges`.
    Expr offset(const std::vector<Expr>& indices, const std::vector<std::int64_t>& logical, const Ranges& ranges) const;
    // Refused unless the map is injective on the shape (decided exactly, by mixed-radix form or enumeration).
    Status checkInvertible(const std::vector<std::int64_t>& logical) const;
    // "(n, c, h, w) -> (n, c / 16, h, w, c % 16) border 0 0 1 1" (one number per axis when both sides are equal,
    // "1:2" otherwise); "plain" for row-major.
    std::string toText() const;
    bool operator==(const Layout& other) const { return toText() == other.toText(); }
};
Result<Layout> parseLayout(std::string_view text);

} // namespace nw
