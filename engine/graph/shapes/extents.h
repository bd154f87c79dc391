#pragma once

#include "engine/base/result.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nw::graph {

// Arithmetic on shapes whose extents may be symbolic. A symbol that is still free is taken to be 1 or more; binding it
// imports again, so 0 and everything else is then decided exactly.

using Extents = std::vector<Expr>;

Extents extentsOf(const std::vector<std::int64_t>& values);
std::optional<std::vector<std::int64_t>> literalsOf(std::span<const Expr> extents);
Expr simplifyExtent(const Expr& extent);
// Proved equal.
bool sameExtent(const Expr& a, const Expr& b);
// "[N, 3, 224]"
std::string shapeText(std::span<const Expr> extents);
// "N, seq": the free symbols, for "bind ..." messages.
std::string symbolsText(std::span<const Expr> extents);

// Product of extents; nothing when its literal part passes 2^62.
std::optional<Expr> productOf(std::span<const Expr> extents);
// product(total) / product(by) when it divides for every value of the symbols; nothing otherwise, also for 0 / 0.
std::optional<Expr> quotientOf(std::span<const Expr> total, std::span<const Expr> by);

// Multidirectional broadcast, aligned at the right.
Result<Extents> broadcastExtents(const Extents& a, const Extents& b);
// Failed unless `from` broadcasts to exactly `to`.
Status checkBroadcastTo(const Extents& from, const Extents& to);
// Failed, naming `what`, unless proved equal.
Status checkSame(const Expr& a, const Expr& b, std::string_view what);
// A negative axis counts from the end; Failed outside [-rank, rank).
Result<std::int64_t> axisOf(std::int64_t axis, std::size_t rank);

} // namespace nw::graph
