#include "engine/tune/mutations/all.h"

#include <array>

namespace nw::tune {

std::span<const Mutation* const> allMutations()
{
    static const std::array<const Mutation*, 5> all{&stepKnob, &redrawKnob, &tradeKnobs, &crossPoints, &moveToSketch};
    return all;
}

} // namespace nw::tune
