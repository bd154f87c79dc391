#include "engine/schedule/primitives/unrolled_size.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// Copies of the body in the code.
std::int64_t copiesOf(const LoopNest& nest, const Loop& loop)
{
    const std::int64_t extent = std::clamp<std::int64_t>(constantExtent(loop).value_or(1), 0, kManyStatements);
    if (effectiveKind(nest, loop) == LoopKind::Unrolled) {
        return extent;
    }
    const auto hint = loop.annotations.find("unroll_hint");
    return hint == loop.annotations.end() ? 1 : std::min(hint->second, extent);
}

struct Wanted {
    LoopId loop = 0;
    std::int64_t copies = 1;
};

std::int64_t statementsIn(const LoopNest& nest, const Loop& loop, const Wanted& wanted)
{
    std::int64_t inside = 0;
    for (const Stmt& statement : loop.body) {
        const Loop* inner = statement->loop();
        inside = std::min(kManyStatements, inside + (inner != nullptr ? statementsIn(nest, *inner, wanted) : 1));
    }
    const std::int64_t copies = loop.id == wanted.loop ? std::clamp<std::int64_t>(wanted.copies, 0, kManyStatements) : copiesOf(nest, loop);
    std::int64_t product = 0;
    return __builtin_mul_overflow(inside, copies, &product) ? kManyStatements : std::min(product, kManyStatements);
}

} // namespace

std::int64_t statementsWith(const LoopNest& nest, const LoopNest::Path& loop, std::int64_t copies)
{
    const Wanted wanted{loop.loop->id, copies};
    for (const Loop* around : loop.loops) {
        if (copiesOf(nest, *around) > 1) {
            return statementsIn(nest, *around, wanted);
        }
    }
    return statementsIn(nest, *loop.loop, wanted);
}

} // namespace nw::schedule
