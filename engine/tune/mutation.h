#pragma once

#include "engine/tune/space.h"

#include <optional>
#include <span>

namespace nw::tune {

// One way to make a new point of old ones. Deterministic in the random stream. Nothing where it has nothing to change; the
// result need not satisfy the constraints.
struct Mutation {
    const char* name; // TuneTrial::from
    int weight;       // how often it is drawn, beside the others'
    std::optional<Point> (*apply)(const Space& space, std::span<const Point> parents, const Point& parent, Random& random);
};
std::span<const Mutation* const> allMutations();

} // namespace nw::tune
