// Each knob from one or the other of two points of a script.
#include "engine/tune/mutations/all.h"

namespace nw::tune {
namespace {

std::optional<Point> apply(const Space&, std::span<const Point> parents, const Point& parent, Random& random)
{
    if (parents.empty()) {
        return std::nullopt;
    }
    const Point& other = parents[static_cast<std::size_t>(random.below(parents.size()))];
    if (other.sketch != parent.sketch || other == parent) {
        return std::nullopt;
    }
    Point child = parent;
    for (std::size_t i = 0; i < child.at.size(); ++i) {
        if (random.below(2) == 1) {
            child.at[i] = other.at[i];
        }
    }
    return child == parent ? std::nullopt : std::optional(std::move(child));
}

} // namespace

const Mutation crossPoints{"cross", 3, &apply};

} // namespace nw::tune
