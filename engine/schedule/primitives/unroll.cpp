// unroll LOOP
//
//   for i in 0..3:           body(0)
//     body(i)           =>   body(1)
//                            body(2)
//
// Keeps the order and all else; only the code grows. Loops that follow this one (write-backs) are unrolled with it where
// the limit allows and stop following where not.
// A loop of another kind becomes an unrolled one.
// Refuses more than 4096 copies of statements (unrolled loops around and inside multiply, a vector loop counts as one
// statement's worth), extents that are no number, a parallel loop between two others, and loops that carry what an
// unrolled loop has no use for.

#include "engine/base/text.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/hint_checks.h"
#include "engine/schedule/primitives/kinds.h"
#include "engine/schedule/primitives/unrolled_size.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// Once this one is unrolled too.
std::int64_t statementsAfter(const LoopNest& nest, const LoopNest::Path& path)
{
    return statementsWith(nest, path, constantExtent(*path.loop).value_or(1));
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    if (const auto missing = loopMissing(nest, "unroll", args.name(0))) {
        return *missing;
    }
    const LoopNest::Path path = nest.findLoop(args.name(0));
    const Loop& loop = *path.loop;
    if (effectiveKind(nest, loop) == LoopKind::Unrolled) {
        return pointless("unroll.already", NW_WORDS("unroll: {0} is unrolled already"), {loop.name}, {loop.name});
    }
    if (linksParallel(nest, loop)) {
        return illegal("unroll.parallel_apart", NW_WORDS("unroll: the parallel loops around and inside of {0} would stand apart"),
                       {loop.name}, {loop.name});
    }
    if (loop.kind != LoopKind::Serial) {
        return check(asSerial(nest, loop.id), args, context);
    }
    const std::optional<std::int64_t> extent = constantExtent(loop);
    if (!extent) {
        return illegal("unroll.symbolic", NW_WORDS("unroll: the extent {1} of {0} is not a number; split it first"),
                       {loop.name, toText(loop.extent)}, {loop.name});
    }
    if (auto found = losesHints("unroll", loop, LoopKind::Unrolled)) {
        return *std::move(found);
    }
    const std::int64_t statements = statementsAfter(nest, path);
    if (statements > kMostStatements) {
        return illegal("unroll.too_large",
                       NW_WORDS("unroll: {0} would give {1} statements, more than {2}; split it and unroll the inner part"),
                       {loop.name, statements >= kManyStatements ? "too many" : std::to_string(statements), std::to_string(kMostStatements)},
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
    PrimitiveGroup::Loop,
    'U',
};

} // namespace nw::schedule
