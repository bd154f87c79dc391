#include "engine/schedule/script.h"

namespace nw::schedule {

std::vector<Offer> offers(const LoopNest& nest, const std::string& loopOrBlock,
                          std::span<const Primitive* const> primitives, const Context& context)
{
    std::vector<Offer> all;
    for (const Primitive* primitive : primitives) {
        for (const Args& args : primitive->propose(nest, loopOrBlock, context)) {
            all.push_back({primitive, stepText(*primitive, args), primitive->check(nest, args, context)});
        }
    }
    return all;
}

} // namespace nw::schedule
