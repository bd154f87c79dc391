// unroll LOOP
//
//   for i in 0..3:           body(0)
//     body(i)           =>   body(1)
//                            body(2)
//
// Keeps the order and all else; only the code grows. Loops that follow this one (write-backs) are unrolled with it where
// the limit allows and stop following where not.
// Refuses more than 4096 copies of statements (unrolled loops around and inside multiply, a vector loop counts as one
// statement's worth), extents that are no number, and loops that already have another kind.

#include "engine/base/text.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

constexpr std::int64_t kMostStatements = 4096;
constexpr std::int64_t kMany = std::int64_t{1} << 40;

std::int64_t copiesOf(const LoopNest& nest, const Loop& loop, const Loop& unrolled)
{
    std::int64_t inside = 0;
    for (const Stmt& statement : loop.body) {
        inside = std::min(kMany, inside + (statement->loop() != nullptr ? copiesOf(nest, *statement->loop(), unrolled) : 1));
    }
    const bool multiplies = loop.id == unrolled.id || effectiveKind(nest, loop) == LoopKind::Unrolled;
    const std::int64_t extent = std::clamp<std::int64_t>(constantExtent(loop).value_or(1), 0, kMany);
    std::int64_t product = 0;
    return multiplies ? (__builtin_mul_overflow(inside, extent, &product) ? kMany : std::min(product, kMany)) : inside;
}

// Statements beneath the outermost unrolled loop around this one, once this one is unrolled too.
std::int64_t statementsAfter(const LoopNest& nest, const LoopNest::Path& path)
{
    for (const Loop* around : path.loops) {
        if (effectiveKind(nest, *around) == LoopKind::Unrolled) {
            return copiesOf(nest, *around, *path.loop);
        }
    }
    return copiesOf(nest, *path.loop, *path.loop);
}

Check check(const LoopNest& nest, const Args& args, const Context&)
{
    if (const auto missing = loopMissing(nest, "unroll", args.name(0))) {
        return *missing;
    }
    const LoopNest::Path path = nest.findLoop(args.name(0));
    const Loop& loop = *path.loop;
    if (loop.kind == LoopKind::Unrolled) {
        return pointless("unroll.already", NW_WORDS("unroll: {0} is unrolled already"), {loop.name}, {loop.name});
    }
    if (loop.kind != LoopKind::Serial) {
        return illegal("unroll.has_kind", NW_WORDS("unroll: {0} is already {1}; undo that step first"),
                       {loop.name, verbOf(loop.kind)}, {loop.name});
    }
    const std::optional<std::int64_t> extent = constantExtent(loop);
    if (!extent) {
        return illegal("unroll.symbolic", NW_WORDS("unroll: the extent {1} of {0} is not a number; split it first"),
                       {loop.name, toText(loop.extent)}, {loop.name});
    }
    if (hasInside(nest, loop, LoopKind::Parallel)) {
        return illegal("unroll.parallel_inside", NW_WORDS("unroll: {0} has a parallel loop inside, which would be started again and again"),
                       {loop.name}, {loop.name});
    }
    const std::int64_t statements = statementsAfter(nest, path);
    if (statements > kMostStatements) {
        return illegal("unroll.too_large",
                       NW_WORDS("unroll: {0} would give {1} statements, more than {2}; split it and unroll the inner part"),
                       {loop.name, statements >= kMany ? "too many" : std::to_string(statements), std::to_string(kMostStatements)},
                       {loop.name});
    }
    if (*extent == 1) {
        return pointless("unroll.one_step", NW_WORDS("unroll: {0} has a single step"), {loop.name}, {loop.name});
    }
    return legal();
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path path = nest.findLoop(args.name(0));
    ENSURE(path, "unroll: there is no such loop");
    Applied applied{nest, {}};
    changeLoop(applied.nest, path.loop->id, [](Loop& loop) { loop.kind = LoopKind::Unrolled; });
    for (const Loop* follower : nest.allLoops()) {
        const bool grows = follower->follows == path.loop->name && follower->kind == LoopKind::Serial;
        if (grows && statementsAfter(applied.nest, applied.nest.findLoop(follower->id)) > kMostStatements) {
            changeLoop(applied.nest, follower->id, [](Loop& loop) { loop.follows.clear(); });
        }
    }
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    return nest.findLoop(name) ? std::vector<Args>{{{name}}} : std::vector<Args>{};
}

} // namespace

const Primitive unroll{
    "unroll",
    NW_WORDS("Write the steps of a loop out one after another"),
    {{"loop", ParamKind::Loop, ""}},
    &check,
    &rewrite,
    &propose,
};

} // namespace nw::schedule
