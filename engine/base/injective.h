#pragma once

#include "engine/base/index_map.h"

#include <vector>

namespace nw {

enum class Injective { Yes, No, Unknown };

// Whether `map` gives every point of the box `extents` a place of its own in the box `memory`. Maps that cut axes into
// digits are decided by looking at them, others by trying every point of boxes up to 2^24.
Injective isInjective(const IndexMap& map, const std::vector<std::int64_t>& extents,
                      const std::vector<std::int64_t>& memory);

} // namespace nw
