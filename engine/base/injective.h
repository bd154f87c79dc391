#pragma once

#include "engine/base/index_map.h"

#include <optional>
#include <vector>

namespace nw {

enum class Injective { Yes, No, Unknown };

// Whether `map` gives every point of the box `extents` a place of its own in the box `memory`. Maps that cut axes into
// digits, and sums of those with axes that other indices tell, are decided by looking at them, others by trying every
// point of boxes up to 2^20.
Injective isInjective(const IndexMap& map, const std::vector<std::int64_t>& extents,
                      const std::vector<Interval>& memory);

// Two points that share a place. Those near the origin and along single axes are looked at first; nothing when the box
// is too large to try the rest.
struct SamePlace {
    std::vector<std::int64_t> first, second;
};
std::optional<SamePlace> samePlace(const IndexMap& map, const std::vector<std::int64_t>& extents);

} // namespace nw
