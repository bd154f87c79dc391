#pragma once

#include "engine/base/expr.h"

#include <vector>

namespace nw::compute {

// Index expressions that are known to be >= 0.
using Facts = std::vector<Expr>;

// Adds what holds when `condition` is `truth`. Only comparisons of index expressions and their conjunctions say
// something; false when a part of the condition could not be put as a fact.
bool addFacts(const Expr& condition, bool truth, Facts& facts);

} // namespace nw::compute
