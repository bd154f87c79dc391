// Another script with what both have in common: knobs of the same name take the nearest value that there is, all others
// their default.
#include "engine/tune/mutations/all.h"

namespace nw::tune {
namespace {

std::optional<Point> apply(const Space& space, std::span<const Point>, const Point& parent, Random& random)
{
    const std::size_t sketches = space.members().size();
    if (sketches < 2) {
        return std::nullopt;
    }
    const auto to = static_cast<int>((static_cast<std::size_t>(parent.sketch) + 1 + random.below(sketches - 1)) % sketches);
    return space.nearest(to, space.values(parent));
}

} // namespace

const Mutation moveToSketch{"sketch", 1, &apply};

} // namespace nw::tune
