// One knob takes any other of its choices.
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
    const std::size_t choices = knobs[chosen].choices.size();
    if (choices < 2) {
        return std::nullopt;
    }
    Point child = parent;
    child.at[chosen] = static_cast<std::uint16_t>((child.at[chosen] + 1 + random.below(choices - 1)) % choices);
    return child;
}

} // namespace

const Mutation redrawKnob{"redraw", 4, &apply};

} // namespace nw::tune
