// decompose_reduction BLOCK at LOOP
//
//   for i in 0..8:                     for b.init.i in 0..8:
//     for k in 0..64:          =>        b.init: Y[b.init.i] = 0.0
//       b: Y[i] += f(i, k)             for i in 0..8:
//                                        for k in 0..64:
//                                          b: Y[i] += f(i, k)   (continued)
//
// The initial value is written by a block of its own, just in front of LOOP, for all elements that BLOCK adds to in LOOP;
// BLOCK only adds then. Loops of the new block are copies of those at and inside LOOP that walk its elements, with
// their guards; each follows its original, so that it becomes a vector or unrolled loop with it.
// Keeps the order of iteration.
// Refuses blocks without an initial value of their own, a LOOP with a loop of the reduction around it, results that are
// private to a step of LOOP, steps of LOOP that start the same elements again, guards that tie elements and steps
// together, and a parallel LOOP directly inside another.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/analysis/mirror.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>
#include <set>

namespace nw::schedule {

namespace {

// The loops around the block: further out than LOOP, LOOP and inside of it, and of these the ones that walk elements.
struct Loops {
    std::vector<const Loop*> around, inside, copied;
};
Loops loopsOf(const LoopNest::Path& path, const std::string& at)
{
    const std::vector<std::string> elements = boundLoops(*path.block, false);
    Loops loops;
    for (const Loop* loop : path.loops) {
        const bool isInside = !loops.inside.empty() || loop->name == at;
        (isInside ? loops.inside : loops.around).push_back(loop);
        if (isInside && std::find(elements.begin(), elements.end(), loop->name) != elements.end()) {
            loops.copied.push_back(loop);
        }
    }
    return loops;
}

std::optional<Check> reductionOutside(const LoopNest& nest, const LoopNest::Path& path, const Loops& loops, const Args& args,
                                      const Context& context)
{
    const std::set<std::string> inside = namesOf(loops.inside);
    for (const std::string& name : boundLoops(*path.block, true)) {
        if (inside.contains(name)) {
            continue;
        }
        const std::string& at = args.name(1);
        Check found = illegal("decompose_reduction.reduction_outside",
                              NW_WORDS("decompose_reduction: {1} goes on adding in every step of {2} around {0}; "
                                       "starting values in front of {0} would come again and again"),
                              {at, path.block->name, name}, {at, name, path.block->name});
        const std::vector<std::string> order = reductionsInwards(path, at);
        if (!order.empty()) {
            found.why.unlocks
                = ifItUnlocks(nest, context, reorder, {{order}}, line("reorder", order), decomposeReduction, args);
        }
        return found;
    }
    return std::nullopt;
}

// Whether a step of LOOP finds elements already started, or used, by another.
bool startsAgain(const LoopNest& nest, const LoopNest::Path& path, const Loops& loops)
{
    for (const Block* other : blocksIn(loops.inside.front()->body)) {
        if (other->id == path.block->id) {
            break;
        }
        if (other->buffer == path.block->buffer || readsBuffer(*other, path.block->buffer)) {
            return true;
        }
    }
    const Loop* start = outermostReduction(path);
    std::vector<const Loop*> steps;
    for (const Loop* loop : loops.inside) {
        if (start != nullptr && loop->id == start->id) {
            break;
        }
        steps.push_back(loop);
    }
    return revisits(nest, *path.block, steps, namesOf(loops.around)) != nullptr;
}

// A guard of the loops around and of the reduction's steps at the first of these, where it holds if it does for any of
// them: a comparison that grows no easier.
std::optional<Expr> atFirstStep(const Expr& guard, const std::set<std::string>& around)
{
    const Binary* compare = guard->as<Binary>();
    if (compare == nullptr || (compare->op != BinaryOp::Lt && compare->op != BinaryOp::Le)) {
        return std::nullopt;
    }
    const std::optional<Affine> form = affineOf(compare->a - compare->b);
    Substitution first;
    for (const std::string& name : freeVars(guard)) {
        if (!around.contains(name)) {
            if (!form || form->coefficient(name) < 0) {
                return std::nullopt;
            }
            first.emplace(name, intImm(0));
        }
    }
    return simplify(substitute(guard, first));
}

// Guards of the new block: those that speak of what it knows. Nothing when one ties that to other loops.
std::optional<std::vector<Expr>> guardsOf(const Block& block, const Loops& loops)
{
    const std::set<std::string> around = namesOf(loops.around), copied = namesOf(loops.copied);
    std::vector<Expr> kept;
    for (const Expr& guard : conjuncts(block.predicate)) {
        bool others = false, walks = false;
        for (const std::string& name : freeVars(guard)) {
            walks = walks || copied.contains(name);
            others = others || (!copied.contains(name) && !around.contains(name));
        }
        if (others && walks) {
            return std::nullopt;
        }
        if (!others) {
            kept.push_back(guard);
        } else if (const std::optional<Expr> first = atFirstStep(guard, around)) {
            kept.push_back(*first);
        }
    }
    return kept;
}

std::optional<Check> noReduction(const Block& block)
{
    if (!block.isReduction()) {
        return illegal("decompose_reduction.no_reduction", NW_WORDS("decompose_reduction: {0} adds nothing up"), {block.name},
                       {block.name});
    }
    if (block.continues()) {
        return illegal("decompose_reduction.continued",
                       NW_WORDS("decompose_reduction: {0} goes on with what another block started; it has no initial value"),
                       {block.name}, {block.name});
    }
    return std::nullopt;
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    const std::string& at = args.name(1);
    if (const auto missing = blockMissing(nest, "decompose_reduction", args.name(0))) {
        return *missing;
    }
    if (const auto missing = loopMissing(nest, "decompose_reduction", at)) {
        return *missing;
    }
    const LoopNest::Path path = nest.findBlock(args.name(0));
    const Block& block = *path.block;
    if (auto found = noReduction(block)) {
        return *std::move(found);
    }
    if (!contains(path, at)) {
        return illegal("decompose_reduction.not_around", NW_WORDS("decompose_reduction: {1} does not stand inside {0}"),
                       {at, block.name}, {at, block.name});
    }
    const Loops loops = loopsOf(path, at);
    const Loop& loop = *loops.inside.front();
    if (auto found = reductionOutside(nest, path, loops, args, context)) {
        return *std::move(found);
    }
    const std::string& home = nest.buffer(block.buffer)->atLoop;
    if (!home.empty() && namesOf(loops.inside).contains(home)) {
        return illegal("decompose_reduction.private",
                       NW_WORDS("decompose_reduction: {1}, which {2} writes, is kept for one step of {3} and not there in front of {0}"),
                       {at, block.buffer, block.name, home}, {at, home, block.name});
    }
    if (loop.kind == LoopKind::Parallel && !loops.around.empty() && loops.around.back()->kind == LoopKind::Parallel) {
        return illegal("decompose_reduction.parallel_chain",
                       NW_WORDS("decompose_reduction: {0} would no longer be all of the parallel loop {1}"),
                       {at, loops.around.back()->name}, {at, loops.around.back()->name});
    }
    if (!guardsOf(block, loops)) {
        return illegal("decompose_reduction.guard",
                       NW_WORDS("decompose_reduction: the guard of {1} ties its reduction to the element it writes"), {at, block.name},
                       {block.name});
    }
    if (startsAgain(nest, path, loops)) {
        return illegal("decompose_reduction.again",
                       NW_WORDS("decompose_reduction: several steps of {0} use the same elements of {2}, which {1} starts anew in each"),
                       {at, block.name, block.buffer}, {at, block.name});
    }
    return legal();
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path path = nest.findBlock(args.name(0));
    ENSURE(path && contains(path, args.name(1)), "decompose_reduction: there is no such block or loop around it");
    const Block& old = *path.block;
    const Loops loops = loopsOf(path, args.name(1));
    ENSURE(old.init != nullptr, "decompose_reduction: there is no initial value");

    Applied applied{nest, {}};
    LoopNest& now = applied.nest;
    Block start;
    start.name = nest.freshName(old.name + ".init");
    start.stage = old.stage;
    start.buffer = old.buffer;
    start.indices = old.indices;
    start.value = old.init;

    Ranges ranges = nest.loopRanges();
    Substitution renamed;
    std::vector<Loop> copies;
    std::set<std::string> names;
    for (const Loop* loop : loops.copied) {
        Loop copy = *loop;
        copy.body.clear();
        copy.id = now.nextId++;
        const std::string wanted = start.name + "." + stripped(loop->name, old.name);
        copy.name = nest.freshName(wanted);
        for (int again = 2; !names.insert(copy.name).second; ++again) {
            copy.name = nest.freshName(wanted + "." + std::to_string(again));
        }
        // Threads keep their share; the other kinds come by following.
        copy.kind = loop->kind == LoopKind::Parallel ? LoopKind::Parallel : LoopKind::Serial;
        copy.follows = loop->follows.empty() ? loop->name : loop->follows;
        ranges[copy.name] = ranges[loop->name];
        renamed.emplace(loop->name, var(copy.name));
        applied.forward.loops[loop->id] = {loop->id, copy.id};
        copies.push_back(std::move(copy));
    }
    start.id = now.nextId++;
    start.predicate = substitute(allOf(guardsOf(old, loops).value_or(std::vector<Expr>{})), renamed);
    for (Loop& copy : copies) {
        copy.hasTail = copy.hasTail && usesVar(start.predicate, copy.name);
    }
    for (IterVar iter : old.iters) {
        if (!iter.reduction) {
            iter.binding = simplify(substitute(iter.binding, renamed), ranges);
            start.iters.push_back(std::move(iter));
        }
    }
    applied.forward.blocks[old.id] = {old.id, start.id};
    std::vector<Stmt> added = wrap(copies, {makeStmt(std::move(start))});
    Block update = old;
    update.init = nullptr;
    replaceBlock(now, old.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(update)}; });
    replaceLoop(now, loops.inside.front()->id, [&](const StmtNode& loop) {
        added.push_back(makeStmt(*loop.loop()));
        return added;
    });
    return applied;
}

// In front of the reduction's outermost loop, and of the loop around that.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    std::vector<Args> proposals;
    for (const LoopNest::Path& path : nest.blocks()) {
        const Loop* start = outermostReduction(path);
        if (path.block->init == nullptr || start == nullptr) {
            continue;
        }
        for (std::size_t i = 0; i < path.loops.size(); ++i) {
            const std::string& loop = path.loops[i]->name;
            const bool offered = loop == start->name || (i + 1 < path.loops.size() && path.loops[i + 1]->id == start->id);
            if (loop == name || (offered && path.block->name == name)) {
                proposals.push_back({{path.block->name, loop}});
            }
        }
    }
    return proposals;
}

} // namespace

const Primitive decomposeReduction{
    "decompose_reduction",
    NW_WORDS("Write the initial value of a reduction in a block of its own"),
    {{"block", ParamKind::Block, ""}, {"loop", ParamKind::Loop, "at"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Structure,
};

} // namespace nw::schedule
