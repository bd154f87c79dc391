// One knob grows where another shrinks: tiles that share a capacity (registers, a cache) keep filling it.
#include "engine/tune/mutations/all.h"

namespace nw::tune {
namespace {

std::optional<Point> apply(const Space& space, std::span<const Point>, const Point& parent, Random& random)
{
    const std::vector<schedule::Knob>& knobs = space.members()[static_cast<std::size_t>(parent.sketch)].script.knobs;
    if (knobs.size() < 2) {
        return std::nullopt;
    }
    const auto grows = static_cast<std::size_t>(random.below(knobs.size()));
    const auto shrinks = static_cast<std::size_t>((grows + 1 + random.below(knobs.size() - 1)) % knobs.size());
    if (parent.at[grows] + std::size_t{1} >= knobs[grows].choices.size() || parent.at[shrinks] == 0) {
        return std::nullopt;
    }
    Point child = parent;
    ++child.at[grows];
    --child.at[shrinks];
    return child;
}

} // namespace

const Mutation tradeKnobs{"trade", 3, &apply};

} // namespace nw::tune
