#pragma once

#include "engine/base/expr.h"
#include "engine/base/simplify.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nw::schedule {

// Index arithmetic as loops make it: a sum of digits of numbers. Splits give v = outer * 8 + inner, fusions give
// v / 56 and v % 56; both are sums of pieces
//   coefficient * ((source / divisor) % extent)
// where the source is a loop variable, or a sum of pieces that itself never takes a value twice (a fused loop that was
// split again), or a number that may (the smaller of two: a last tile that is shifted inwards).
struct Piece {
    Expr value;                 // (source / divisor) % extent, in 0 .. extent-1
    std::string source;         // canonical text of the source
    std::int64_t total = 1;     // the source's values are 0 .. total-1
    std::int64_t divisor = 1;
    std::int64_t extent = 1;
    std::int64_t coefficient = 1;
    std::set<std::string> variables;
    bool distinct = true; // no two assignments of the variables give the source the same value

    bool sameDigit(const Piece& other) const
    {
        return source == other.source && divisor == other.divisor && extent == other.extent;
    }
};
struct PieceSum {
    std::int64_t constant = 0;
    std::vector<Piece> pieces; // no two of the same digit, none with coefficient 0
    Interval range() const;
    Expr toExpr() const;
};

// Nothing when the expression is no such sum (a load, min, a product of variables, an open range).
std::optional<PieceSum> piecesOf(const Expr& e, const Ranges& ranges);

// The pieces that loops of `moving` walk and those that the others fix, without the constant. Nothing when a digit mixes
// loops of both sorts.
struct Apart {
    PieceSum moved, still;
};
std::optional<Apart> apart(const PieceSum& sum, const std::set<std::string>& moving);

// The sum with loops that a guard bounds together, o * 4 + i < 34, as one piece of that many values. Guards that bound nothing
// of the sum change nothing.
PieceSum boundedBy(PieceSum sum, const std::vector<Expr>& guards);

// The pieces of `sum` that are known when the sum is known up to less than `window`: with strides that keep them
// apart, largest first. window 1 asks which are known from the exact sum.
std::vector<Piece> knownFrom(const std::vector<Piece>& pieces, std::int64_t window);

} // namespace nw::schedule
