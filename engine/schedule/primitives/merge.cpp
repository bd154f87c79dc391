// merge A B
//
//   for a in 0..8:           for a in 0..8:
//     p(a)              =>     p(a)
//   for b in 0..8:             c(a)
//     c(b)
//
// Two loops of equal extent, the second directly behind the first, become one that keeps the first one's name: in each
// step what stood in the first runs, then what stood in the second.
// Keeps the order of iteration within each part.
// What one of them is (parallel, vector, unrolled), the merged loop is as well.
// Refuses loops that are no neighbours in this order, that differ in extent, two of different kinds or a kind that the
// merged loop cannot have, parallel ones with parallel loops inside, and a second loop that meets elements which the
// first one touches in a later step (of parallel and vector loops: in any other step).

#include "engine/base/text.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/kinds.h"
#include "engine/schedule/primitives/siblings.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

std::optional<Check> kindForbids(const LoopNest& nest, const Loop& first, const Loop& second)
{
    const LoopKind kind = effectiveKind(nest, first), other = effectiveKind(nest, second);
    for (const Loop* loop : {&first, &second}) {
        const LoopKind own = effectiveKind(nest, *loop);
        if (own == LoopKind::Parallel && hasInside(nest, *loop, LoopKind::Parallel)) {
            return illegal("merge.parallel_inside",
                           NW_WORDS("merge: a loop inside the parallel loop {0} is parallel, too, and would no longer be all of it"),
                           {loop->name}, {loop->name});
        }
    }
    if (!jointKind({kind, other})) {
        return illegal("merge.kinds", NW_WORDS("merge: {0} is {1} and {2} is {3}"),
                       {first.name, verbOf(kind), second.name, verbOf(other)}, {first.name, second.name});
    }
    return std::nullopt;
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context& context);

// Where one of the two is serial: the merged loop as the other.
std::optional<Check> otherKindForbids(const LoopNest& nest, const Loop& first, const Loop& second, const Args& args, const Context& context)
{
    const LoopKind kind = effectiveKind(nest, first), other = effectiveKind(nest, second);
    if (kind == other) {
        return std::nullopt;
    }
    LoopNest merged = rewrite(nest, args, context).nest;
    changeLoop(merged, first.id, [](Loop& loop) {
        loop.kind = LoopKind::Serial;
        loop.follows.clear();
    });
    if (!kindForbidden(merged, {{first.name, *jointKind({kind, other})}}, context)) {
        return std::nullopt;
    }
    const Loop& odd = kind == LoopKind::Serial ? second : first;
    return illegal("merge.kinds", NW_WORDS("merge: {0} is {1}, which {2} and {3} together cannot be"),
                   {odd.name, verbOf(effectiveKind(nest, odd)), first.name, second.name}, {first.name, second.name});
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    for (const std::size_t i : {0u, 1u}) {
        if (const auto missing = loopMissing(nest, "merge", args.name(i))) {
            return *missing;
        }
    }
    const LoopNest::Path path = nest.findLoop(args.name(0));
    const Loop& first = *path.loop;
    const Loop& second = *nest.findLoop(args.name(1)).loop;
    const std::vector<Stmt>& siblings = siblingsOf(nest, path);
    const auto place = std::find_if(siblings.begin(), siblings.end(),
                                    [&](const Stmt& s) { return s->loop() != nullptr && s->loop()->id == first.id; });
    if (place + 1 == siblings.end() || (place[1])->loop() == nullptr || (place[1])->loop()->id != second.id) {
        return illegal("merge.not_neighbours", NW_WORDS("merge: {1} does not stand directly behind {0}"), {first.name, second.name},
                       {first.name, second.name});
    }
    if (!equal(first.extent, second.extent)) {
        return illegal("merge.extents", NW_WORDS("merge: {0} has {1} steps and {2} has {3}; only loops of as many steps can become one"),
                       {first.name, toText(first.extent), second.name, toText(second.extent)}, {first.name, second.name});
    }
    if (auto found = kindForbids(nest, first, second)) {
        return *std::move(found);
    }
    Parts parts{first.name, namesOf(path.loops), accessesIn(first.body), accessesIn(second.body), nest.loopRanges()};
    for (Access& access : parts.second) {
        for (Expr& index : access.indices) {
            index = substitute(index, {{second.name, var(first.name)}});
        }
    }
    const LoopKind kind = effectiveKind(nest, first);
    const bool atOnce = kind == LoopKind::Parallel || kind == LoopKind::Vector;
    if (auto carried = orderMatters(parts, atOnce)) {
        return takesTurns("merge", *carried,
                          atOnce ? NW_WORDS("merge: {3} touches elements of {4} that {2} uses in other steps of {1}, which run at the same time")
                                 : NW_WORDS("merge: {3} touches elements of {4} that {2} uses in a later step of {1}; all of {2} must run before"));
    }
    return otherKindForbids(nest, first, second, args, context).value_or(legal());
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path first = nest.findLoop(args.name(0));
    const LoopNest::Path second = nest.findLoop(args.name(1));
    ENSURE(first && second, "merge: there is no such loop");
    Applied applied{nest, {}};
    Loop merged = *first.loop;
    merged.hasTail = merged.hasTail || second.loop->hasTail;
    const std::optional<LoopKind> joint = jointKind({effectiveKind(nest, merged), effectiveKind(nest, *second.loop)});
    ENSURE(joint, "merge: the loops are of different kinds");
    if (*joint != effectiveKind(nest, merged)) {
        merged.kind = *joint;
        merged.follows.clear();
    }
    const std::vector<Stmt> moved
        = substituteLoops(second.loop->body, {{second.loop->name, var(merged.name)}}, boolImm(true), nest.loopRanges());
    merged.body.insert(merged.body.end(), moved.begin(), moved.end());
    replaceLoop(applied.nest, second.loop->id, [](const StmtNode&) { return std::vector<Stmt>{}; });
    replaceLoop(applied.nest, merged.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(merged)}; });
    moveBuffers(applied.nest, second.loop->name, merged.name);
    refollow(applied.nest, second.loop->name, {merged});
    applied.forward.loops[second.loop->id] = {merged.id};
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    const LoopNest::Path path = nest.findLoop(name);
    std::vector<Args> proposals;
    if (!path) {
        return proposals;
    }
    const std::vector<Stmt>& siblings = siblingsOf(nest, path);
    for (std::size_t i = 0; i + 1 < siblings.size(); ++i) {
        const Loop* first = siblings[i]->loop();
        const Loop* second = siblings[i + 1]->loop();
        if (first != nullptr && second != nullptr && (first->name == name || second->name == name)) {
            proposals.push_back({{first->name, second->name}});
        }
    }
    return proposals;
}

} // namespace

const Primitive merge{
    "merge",
    NW_WORDS("Make one loop of two that stand one behind the other"),
    {{"first", ParamKind::Loop, ""}, {"second", ParamKind::Loop, ""}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Loop,
};

} // namespace nw::schedule
