#pragma once

#include "engine/compute/definition.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw::compute {

// Index arithmetic written by hand instead of through simplify(), so that the canonical text of a definition never
// depends on how far the simplifier goes.

Expr scaled(const Expr& e, std::int64_t factor);   // e * factor, without "* 1"
Expr shifted(const Expr& e, std::int64_t distance); // e + distance; "- 1" for -1, without "+ 0"
Expr divided(const Expr& e, std::int64_t divisor); // floor(e / divisor), without "/ 1"
Expr added(const Expr& a, const Expr& b);          // without a literal zero

std::vector<Expr> varsOf(const std::vector<Axis>& axes);

// n c h w for rank 4, else d0, d1, ...
std::vector<Axis> axesByRank(const std::vector<Expr>& shape);
// r0, r1, ... in the order of the extents.
std::vector<Axis> reductionAxes(const std::vector<Expr>& extents);
bool sameShape(const std::vector<Expr>& a, const std::vector<Expr>& b);

// Indices that read a tensor of `shape` at the place `at` of the broadcast shape `full`: aligned from the right, an
// extent of one stays at 0.
std::vector<Expr> broadcastIndices(const std::vector<Expr>& shape, const std::vector<Expr>& full,
                                   const std::vector<Expr>& at);

// Row-major number of the element at `indices`.
Expr flatIndex(const std::vector<Expr>& indices, const std::vector<Expr>& shape);
// Its inverse.
std::vector<Expr> unflattened(const Expr& flat, const std::vector<Expr>& shape);

// Neutral elements of Max and Min: -inf and inf, or the ends of an integer type.
Expr lowest(DType type);
Expr highest(DType type);

// A number of elements in the element type, to divide by.
Expr countAs(DType type, const Expr& count);

std::string lowerCase(std::string_view text);

} // namespace nw::compute
