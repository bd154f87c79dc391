#pragma once

#include "engine/base/simplify.h"
#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nw::schedule {

// What one iteration of a loop touches: an index over loop variables cut into a part that is fixed in the iteration
// and a part that the loops inside move, which starts at 0.
//   oc = oco * 16 + oci inside of oco:  base oco * 16, local oci, extent 16
struct Span {
    Expr base;
    Expr local;
    std::int64_t extent = 1;
};
// Nothing when the index is not quasi-affine, or a digit mixes loops of both sorts.
std::optional<Span> spanOf(const Expr& index, const std::set<std::string>& inside, const Ranges& ranges);

// An expression over loops that takes all numbers from 0 to below `extent`, each in one way.
bool isDense(const Expr& local, std::int64_t extent, const Ranges& ranges);

// Spans of a block's iteration variables.
std::optional<std::map<std::string, Span>> spansOf(const Block& block, const std::set<std::string>& inside,
                                                   const Ranges& ranges);

// The block's variable that walks the local part of the axis ("oc.in"), added where there is none yet.
std::string partOf(Block& block, const std::string& axis, const Span& span);
// `e` over iteration variables, counted from where the iteration of the loop starts: each variable whose base is not
// 0 is replaced by one bound to its local part ("oc.in"), which is added to the block.
Expr localised(const Expr& e, Block& block, const std::map<std::string, Span>& spans);

// An iteration variable that walks part of an axis beside the axis itself ("oc.in", "oc.at"): the two are not independent.
bool isPart(const IterVar& iter);

// Loops of `path` inside of `at`, outermost first, that are in `used`.
std::vector<const Loop*> insideLoops(const std::vector<const Loop*>& path, const std::string& at,
                                     const std::set<std::string>& used);

// Variables of the expressions.
std::set<std::string> varsOf(const std::vector<Expr>& expressions);

} // namespace nw::schedule
