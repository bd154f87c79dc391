#pragma once

#include "engine/schedule/primitive.h"

#include <optional>
#include <string>

namespace nw::schedule {

// "<primitive>.hint": the loop carries an annotation or a prefetch that it could not as a loop of this kind.
std::optional<Check> losesHints(const std::string& primitive, const Loop& loop, LoopKind kind);

} // namespace nw::schedule
