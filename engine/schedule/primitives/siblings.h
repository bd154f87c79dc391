#pragma once

#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/primitive.h"

#include <optional>
#include <string>
#include <vector>

namespace nw::schedule {

// What `fission` and `merge` share: two parts that take turns in one loop or run one after the other.

// The statements that stand beside the loop, itself among them.
const std::vector<Stmt>& siblingsOf(const LoopNest& nest, const LoopNest::Path& loop);
// Accesses beneath the statements, over loop variables.
std::vector<Access> accessesIn(const std::vector<Stmt>& statements);
// "<primitive>.dependence" or "<primitive>.unknown" for what orderMatters() found. The words have {0} the primitive,
// {1} the loop, {2} and {3} the earlier and the later block, {4} the buffer.
Check takesTurns(const std::string& primitive, const Carried& carried, const char* words);

} // namespace nw::schedule
