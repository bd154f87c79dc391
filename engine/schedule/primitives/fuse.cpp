// fuse A B into C
//
//   for a in 0..3:           for c in 0..15:
//     for b in 0..5:    =>     body(c / 5, c % 5)
//       body(a, b)
//
// Loops outermost first, each the only statement in the one before it. What one of them is (parallel, vector, unrolled),
// the fused loop is as well.
// Keeps the order of iteration. Fusing a loop of a reduction with another gives a loop that takes part in a reduction.
// Refuses loops that are not nested directly, two of different kinds or a kind that the fused loop cannot have, an outer
// loop to which a buffer belongs, and a reduction with a loop around it that comes back to its elements.

#include "engine/base/text.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/kinds.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

Check checkPair(const LoopNest& nest, const Loop& outer, const Loop& inner)
{
    if (outer.body.size() != 1) {
        return illegal("fuse.not_alone", NW_WORDS("fuse: {0} holds {2} statements, so {1} is not all of it"),
                       {outer.name, inner.name, std::to_string(outer.body.size())}, {outer.name, inner.name});
    }
    const Loop* only = outer.body.front()->loop();
    if (only == nullptr || only->id != inner.id) {
        return illegal("fuse.not_nested", NW_WORDS("fuse: {1} does not stand directly inside {0}"), {outer.name, inner.name},
                       {outer.name, inner.name});
    }
    for (const Buffer& buffer : nest.buffers) {
        if (buffer.atLoop == outer.name) {
            return illegal("fuse.buffer", NW_WORDS("fuse: {2} is kept over all of {1} for each step of {0}"),
                           {outer.name, inner.name, buffer.name}, {outer.name, buffer.name});
        }
    }
    return legal();
}

// A reduction among the fused loops starts once for all steps of those around it then, which must not come back to an
// element (as a last tile that is shifted inwards does).
std::optional<Check> revisitsElements(const LoopNest& nest, const std::vector<const Loop*>& loops)
{
    const std::set<std::string> fixed = namesOf(nest.findLoop(loops.front()->id).loops);
    for (const LoopNest::Path& place : nest.blocks()) {
        const Loop* start = contains(place, loops.back()->name) ? outermostReduction(place) : nullptr;
        const auto at = std::find(loops.begin(), loops.end(), start);
        if (place.block->init == nullptr || at == loops.end() || isIdempotent(place.block->combiner)) {
            continue;
        }
        if (const Loop* again = revisits(nest, *place.block, {loops.begin(), at}, fixed)) {
            return illegal("fuse.revisits",
                           NW_WORDS("fuse: steps of {0} come back to elements of {1}, which start anew only where {2} does"),
                           {again->name, place.block->name, start->name}, {again->name, place.block->name, start->name});
        }
    }
    return std::nullopt;
}

LoopKind jointKindOf(const LoopNest& nest, const std::vector<std::string>& names)
{
    std::vector<LoopKind> kinds;
    for (const std::string& name : names) {
        kinds.push_back(nest.findLoop(name).loop->kind);
    }
    const std::optional<LoopKind> joint = jointKind(kinds);
    ENSURE(joint, "fuse: the loops are of different kinds");
    return *joint;
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context& context);

// Loops of one kind stay what they are; where only some are, the others must be able to follow.
std::optional<Check> kindsForbid(const LoopNest& nest, const Args& args, const Context& context)
{
    const std::vector<std::string>& names = args.names(0);
    const Loop* odd = nullptr;
    for (const std::string& name : names) {
        const Loop* loop = nest.findLoop(name).loop;
        if (loop->kind == LoopKind::Serial || (odd != nullptr && odd->kind == loop->kind)) {
            continue;
        }
        if (odd != nullptr) {
            return illegal("fuse.has_kind", NW_WORDS("fuse: {0} is {1} and {2} is {3}; one loop cannot be both"),
                           {odd->name, verbOf(odd->kind), name, verbOf(loop->kind)}, {odd->name, name});
        }
        odd = loop;
    }
    const bool alike = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return nest.findLoop(name).loop->kind == (odd == nullptr ? LoopKind::Serial : odd->kind);
    });
    if (alike) {
        return std::nullopt;
    }
    const Applied applied = rewrite(nest, args, context);
    const std::string& name = args.name(1);
    if (!kindForbidden(asSerial(applied.nest, applied.nest.findLoop(name).loop->id), {{name, odd->kind}}, context)) {
        return std::nullopt;
    }
    return illegal("fuse.has_kind", NW_WORDS("fuse: {0} is already {1}, which all of {2} together cannot be; fuse before that step"),
                   {odd->name, verbOf(odd->kind), join(names, ", ")}, {odd->name});
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    const std::vector<std::string>& names = args.names(0);
    if (names.empty()) {
        return illegal("fuse.nothing", NW_WORDS("fuse: name the loops, outermost first"), {}, {});
    }
    std::vector<const Loop*> loops;
    std::int64_t steps = 1;
    for (const std::string& name : names) {
        if (const auto missing = loopMissing(nest, "fuse", name)) {
            return *missing;
        }
        loops.push_back(nest.findLoop(name).loop);
        const Loop& loop = *loops.back();
        const std::optional<std::int64_t> extent = constantExtent(loop);
        if (!extent) {
            return illegal("fuse.symbolic", NW_WORDS("fuse: the extent {1} of {0} is not a number yet; bind its symbols first"),
                           {loop.name, toText(loop.extent)}, {loop.name});
        }
        if (__builtin_mul_overflow(steps, *extent, &steps) || steps > (std::int64_t{1} << 48)) {
            return illegal("fuse.too_large", NW_WORDS("fuse: the fused loop would have too many steps to count"), {}, names);
        }
    }
    for (std::size_t i = 0; i + 1 < loops.size(); ++i) {
        const Check pair = checkPair(nest, *loops[i], *loops[i + 1]);
        if (pair.verdict != Verdict::Legal) {
            return pair;
        }
    }
    if (const auto found = revisitsElements(nest, loops)) {
        return *found;
    }
    if (const auto taken = namesTaken(nest, "fuse", {args.name(1)})) {
        return *taken;
    }
    if (const auto found = kindsForbid(nest, args, context)) {
        return *found;
    }
    return names.size() > 1 ? legal()
                            : pointless("fuse.one_loop", NW_WORDS("fuse: with nothing to fuse with, {0} only gets another name"),
                                        {names.front()}, names);
}

// A step of an outer loop is as many of the fused one as the loops inside have together.
void countInFused(Loop& fused, const std::vector<const Loop*>& loops)
{
    std::int64_t steps = 1;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        for (const auto& [key, value] : (*loop)->annotations) {
            std::int64_t& now = fused.annotations[key];
            now = key == "grain" ? std::max(now, value * steps) : now == 0 ? value : now;
        }
        for (Prefetch prefetch : (*loop)->prefetches) {
            prefetch.ahead *= steps;
            fused.prefetches.push_back(std::move(prefetch));
        }
        steps *= std::max<std::int64_t>(*constantExtent(**loop), 1);
    }
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    Applied applied{nest, {}};
    Loop fused;
    fused.id = applied.nest.nextId++;
    fused.name = args.name(1);
    std::vector<const Loop*> loops;
    std::int64_t steps = 1;
    for (const std::string& name : args.names(0)) {
        loops.push_back(nest.findLoop(name).loop);
        ENSURE(loops.back() != nullptr && constantExtent(*loops.back()), "fuse: there is no such loop of constant extent");
        const std::vector<Stmt>* around = loops.size() < 2 ? nullptr : &loops[loops.size() - 2]->body;
        ENSURE(around == nullptr || (around->size() == 1 && around->front()->loop() == loops.back()), "fuse: the loops are not nested directly");
        steps *= *constantExtent(*loops.back());
        fused.hasTail = fused.hasTail || loops.back()->hasTail;
        applied.forward.loops[loops.back()->id] = {fused.id};
    }
    fused.kind = jointKindOf(nest, args.names(0));
    fused.extent = intImm(steps);
    countInFused(fused, loops);

    Ranges ranges = nest.loopRanges();
    ranges[fused.name] = Interval::ofExtent(steps);
    Substitution digits;
    std::int64_t stride = 1;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        const std::int64_t extent = *constantExtent(**loop);
        Expr digit = var(fused.name);
        digit = stride == 1 ? digit : floorDiv(digit, intImm(stride));
        digits[(*loop)->name] = *loop == loops.front() ? digit : floorMod(digit, intImm(std::max<std::int64_t>(extent, 1)));
        stride *= std::max<std::int64_t>(extent, 1);
    }
    fused.body = substituteLoops(loops.back()->body, digits, boolImm(true), ranges);
    replaceLoop(applied.nest, loops.front()->id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(fused)}; });
    moveBuffers(applied.nest, loops.back()->name, fused.name);
    for (const Loop* loop : loops) {
        refollow(applied.nest, loop->name, {fused});
    }
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    const LoopNest::Path path = nest.findLoop(name);
    if (!path) {
        return {};
    }
    std::vector<Args> proposals;
    const std::vector<const Loop*> chain = chainFrom(*path.loop);
    if (chain.size() > 1) {
        const std::string& inner = chain[1]->name;
        proposals.push_back({{std::vector<std::string>{name, inner}, nest.freshName(name + "_" + inner)}});
    }
    if (!path.loops.empty() && path.loops.back()->body.size() == 1) {
        const std::string& outer = path.loops.back()->name;
        proposals.push_back({{std::vector<std::string>{outer, name}, nest.freshName(outer + "_" + name)}});
    }
    return proposals;
}

} // namespace

const Primitive fuse{
    "fuse",
    NW_WORDS("Make one loop of loops that are nested directly"),
    {{"loops", ParamKind::Loops, ""}, {"name", ParamKind::NewName, "into"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Loop,
    'F',
};

} // namespace nw::schedule
