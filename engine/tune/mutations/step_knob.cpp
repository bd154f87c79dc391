// One knob goes to a neighbouring choice: the fine search around a good point.
#include "engine/tune/mutations/all.h"

namespace nw::tune {
namespace {

std::optional<Point> apply(const Space& space, std::span<const Point>, const Point& parent, Random& random)
{
    const std::vector<schedule::Knob>& knobs = space.members()[static_cast<std::size_t>(parent.sketch)].script.knobs;
    if (knobs.empty()) {
        return std::nullopt;
    }
    const auto chosen = static_cast<std::size_t>(random.below(knobs.size()));
    Point child = parent;
    const bool up = random.below(2) == 1;
    if (up ? child.at[chosen] + std::size_t{1} >= knobs[chosen].choices.size() : child.at[chosen] == 0) {
        return std::nullopt;
    }
    child.at[chosen] = static_cast<std::uint16_t>(child.at[chosen] + (up ? 1 : -1));
    return child;
}

} // namespace

const Mutation stepKnob{"step", 4, &apply};

} // namespace nw::tune
