#pragma once

#include "engine/schedule/loop_nest.h"

#include <cstdint>

namespace nw::schedule {

constexpr std::int64_t kMostStatements = 4096; // in the code of one tree of unrolled loops
constexpr std::int64_t kManyStatements = std::int64_t{1} << 40; // what counting stops at

// Statements in the code of the outermost unrolled (or hinted) loop around this one, itself included, once the body of
// this one stands there `copies` times. A vector loop counts as one statement's worth.
std::int64_t statementsWith(const LoopNest& nest, const LoopNest::Path& loop, std::int64_t copies);

} // namespace nw::schedule
