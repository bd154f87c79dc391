#include "engine/schedule/primitives/siblings.h"

#include "engine/base/text.h"
#include "engine/schedule/primitives/common.h"

namespace nw::schedule {

const std::vector<Stmt>& siblingsOf(const LoopNest& nest, const LoopNest::Path& loop)
{
    return loop.loops.empty() ? nest.roots : loop.loops.back()->body;
}

std::vector<Access> accessesIn(const std::vector<Stmt>& statements)
{
    std::vector<Access> all;
    for (const Block* block : blocksIn(statements)) {
        for (Access& access : accessesOf(*block)) {
            all.push_back(std::move(access));
        }
    }
    return all;
}

Check takesTurns(const std::string& primitive, const Carried& carried, const char* words)
{
    const std::vector<std::string> operands{primitive, carried.loop, carried.first->name, carried.second->name, carried.buffer};
    const std::vector<std::string> places{carried.loop, carried.first->name, carried.second->name};
    if (carried.gaveUp) {
        return unproven(primitive + ".unknown",
                        NW_WORDS("{0}: whether {3} touches elements of {4} that {2} uses in a later step of {1} is not known"),
                        operands, places);
    }
    return illegal(primitive + ".dependence", words, operands, places);
}

} // namespace nw::schedule
