// rfactor BLOCK over LOOP
//
//   for i in 0..8:                      for i in 0..8:
//     for ko in 0..4:                     for ko in 0..4:
//       for ki in 0..16:         =>         for ki in 0..16:
//         s: S[i] += f(i, ko*16+ki)           s.part: S.part[ko, i] += f(i, ko*16+ki)
//                                       for s.i in 0..8:
//                                         for s.ko in 0..4:
//                                           s: S[s.i] += S.part[s.ko, s.i]
//
// One sum a step of LOOP, put together afterwards: LOOP counts elements of S.part then, so that it may become parallel
// or a vector loop. A guard of the reduction turns into the combiner's identity for the steps that it leaves out, so
// that an empty part holds the identity too. Where the loops leave elements of an axis out, they are walked once more.
// Changes the order in which a sum is rounded, within the correctness contract.
// Refuses blocks that are no reduction, loops that count elements of the result, results that are private to a loop or
// used by a neighbour beneath the same loops, and guards that tie elements and steps together.

#include "engine/base/text.h"
#include "engine/compute/ops/index.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/region.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// Loops around the block by what their steps count.
struct Steps {
    std::set<std::string> ofElements, ofReduction;
};
Steps stepsOf(const Block& block)
{
    Steps steps;
    for (const std::string& name : boundLoops(block, false)) {
        steps.ofElements.insert(name);
    }
    for (const std::string& name : boundLoops(block, true)) {
        steps.ofReduction.insert(name);
    }
    return steps;
}

// A block beside it, beneath the same outermost loop, that uses what it writes; other than one that starts, or adds to,
// what this one goes on with, for which it does not matter that the parts come last.
const Block* neighbourUsing(const LoopNest::Path& path)
{
    if (path.loops.empty()) {
        return nullptr;
    }
    const Block& block = *path.block;
    for (const Block* other : blocksIn(path.loops.front()->body)) {
        const bool reads = readsBuffer(*other, block.buffer);
        const bool starts = block.continues() && (other->combiner == compute::Combiner::None || other->combiner == block.combiner);
        if (other != path.block && (reads || (other->buffer == block.buffer && !starts))) {
            return other;
        }
    }
    return nullptr;
}

// All elements over the block's axes: its loops walk each axis without a gap, and guards only keep them inside.
bool writesWhole(const LoopNest& nest, const Block& block)
{
    const Ranges ranges = nest.loopRanges();
    std::vector<Expr> guards = conjuncts(block.predicate);
    for (const IterVar& iter : block.iters) {
        const Interval met = boundsOf(iter.binding, ranges);
        const std::optional<std::int64_t> extent = constInt(iter.extent);
        if (!iter.reduction
            && (!extent || met.low != 0 || met.high + 1 < *extent || !isDense(iter.binding, met.high + 1, ranges))) {
            return false;
        }
        const Expr inside = simplify(lessThan(iter.binding, iter.extent), ranges);
        std::erase_if(guards, [&](const Expr& guard) { return equal(simplify(guard, ranges), inside); });
    }
    const Steps steps = stepsOf(block);
    // Axes that share loops may be walked from end to end each, and yet not every element of theirs.
    std::int64_t walked = 1;
    std::int64_t elements = 1;
    for (const std::string& name : steps.ofElements) {
        walked *= constantExtent(*nest.findLoop(name).loop).value_or(1);
    }
    for (const IterVar& iter : block.iters) {
        elements *= iter.reduction ? 1 : constInt(iter.extent).value_or(1);
    }
    return walked >= elements && std::all_of(guards.begin(), guards.end(), [&](const Expr& guard) { return usesAny(guard, steps.ofReduction); })
        && !movesTogether(nest, "", block);
}

Check check(const LoopNest& nest, const Args& args, const Context&)
{
    if (const auto missing = blockMissing(nest, "rfactor", args.name(0))) {
        return *missing;
    }
    if (const auto missing = loopMissing(nest, "rfactor", args.name(1))) {
        return *missing;
    }
    const LoopNest::Path path = nest.findBlock(args.name(0));
    const Block& block = *path.block;
    const Loop& loop = *nest.findLoop(args.name(1)).loop;
    if (!block.isReduction()) {
        return illegal("rfactor.no_reduction", NW_WORDS("rfactor: {0} adds nothing up"), {block.name}, {block.name});
    }
    if (!contains(path, loop.name)) {
        return illegal("rfactor.outside", NW_WORDS("rfactor: {1} does not stand inside {0}"), {loop.name, block.name},
                       {loop.name, block.name});
    }
    const Steps steps = stepsOf(block);
    const bool isSingle = isConst(loop.extent, 1); // such a loop is in no binding
    if ((!steps.ofReduction.contains(loop.name) && !isSingle) || steps.ofElements.contains(loop.name)) {
        return illegal("rfactor.elements", NW_WORDS("rfactor: {0} counts elements of {2}, not only steps of its reduction"),
                       {loop.name, block.name, block.buffer}, {loop.name, block.name});
    }
    if (!constantExtent(loop)) {
        return illegal("rfactor.symbolic", NW_WORDS("rfactor: the extent {1} of {0} is not a number; split it first"),
                       {loop.name, toText(loop.extent)}, {loop.name});
    }
    const Buffer& result = *nest.buffer(block.buffer);
    if (!result.atLoop.empty()) {
        return illegal("rfactor.private", NW_WORDS("rfactor: {1}, which {2} writes, belongs to a step of {0}; factor the reduction before that step"),
                       {result.atLoop, result.name, block.name}, {result.atLoop, block.name});
    }
    if (const Block* other = neighbourUsing(path)) {
        return illegal("rfactor.neighbour",
                       NW_WORDS("rfactor: {1} uses {2} beneath the loops of {0}, before its parts could be put together"),
                       {block.name, other->name, block.buffer}, {block.name, other->name});
    }
    if (const Block* other = otherWriter(nest, block); other != nullptr && !writesWhole(nest, block)) {
        return illegal("rfactor.other_writer", NW_WORDS("rfactor: {1} writes {2} as well; {0} does not add to all of it"),
                       {block.name, other->name, block.buffer}, {block.name, other->name});
    }
    for (const Expr& guard : conjuncts(block.predicate)) {
        // One that never holds stands for those of elements and of steps alike: the parts could not start without it.
        // A loop that counts neither only does over what others did, and the guard says when.
        const std::vector<std::string> loops = freeVars(guard);
        const bool counted = std::all_of(loops.begin(), loops.end(), [&](const std::string& name) {
            return steps.ofReduction.contains(name) || steps.ofElements.contains(name) || name == loop.name;
        });
        if (loops.empty() || !counted || (usesAny(guard, steps.ofReduction) && usesAny(guard, steps.ofElements))) {
            return illegal("rfactor.guard", NW_WORDS("rfactor: the guard {1} of {0} ties elements and steps of the reduction together"),
                           {block.name, toText(guard)}, {block.name});
        }
    }
    if (isSingle) {
        return pointless("rfactor.one_step", NW_WORDS("rfactor: {0} has a single step"), {loop.name}, {loop.name});
    }
    return legal();
}

// The block with an iteration variable for each loop that its reduction walks, `loop`'s a spatial one; its guards of the
// reduction as a select.
Block partial(const Block& old, const LoopNest::Path& path, const Loop& loop, const std::string& to, DType type)
{
    const Steps steps = stepsOf(old);
    Block block = old;
    std::erase_if(block.iters, [](const IterVar& iter) { return iter.reduction; });
    Substitution loops; // a loop of the reduction -> its iteration variable
    std::string factored;
    for (const Loop* around : path.loops) {
        const bool isFactored = around->id == loop.id;
        if (!steps.ofReduction.contains(around->name) && !isFactored) {
            continue;
        }
        std::string name = around->name;
        while (block.iter(name) != nullptr) {
            name += ".at";
        }
        block.iters.push_back({name, !isFactored, around->extent, var(around->name)});
        loops[around->name] = var(name);
        factored = isFactored ? name : factored;
    }
    Substitution axes; // an old reduction variable -> its binding over the new ones
    for (const IterVar& iter : old.iters) {
        if (iter.reduction) {
            axes[iter.name] = substitute(iter.binding, loops);
        }
    }
    block.value = substitute(old.value, axes);
    std::vector<Expr> kept;
    std::vector<Expr> turned;
    for (const Expr& guard : conjuncts(old.predicate)) {
        if (usesAny(guard, steps.ofReduction)) {
            turned.push_back(substitute(guard, loops));
        } else {
            kept.push_back(guard);
        }
    }
    block.predicate = allOf(kept);
    const Expr identity = identityOf(old.combiner, type);
    if (!turned.empty()) {
        block.value = select(allOf(turned), block.value, identity);
    }
    block.init = identity;
    block.buffer = to;
    block.indices.insert(block.indices.begin(), var(factored));
    return block;
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path path = nest.findBlock(args.name(0));
    ENSURE(path && contains(path, args.name(1)), "rfactor: there is no such block or loop around it");
    const Block& old = *path.block;
    const Loop& loop = *nest.findLoop(args.name(1)).loop;
    const Buffer result = *nest.buffer(old.buffer);
    ENSURE(old.isReduction() && constantExtent(loop), "rfactor: no reduction, or a loop without a number of steps");

    Applied applied{nest, {}};
    LoopNest& now = applied.nest;
    Buffer parts;
    parts.name = now.freshName(old.buffer + ".part");
    parts.type = result.type;
    parts.shape = result.shape;
    parts.shape.insert(parts.shape.begin(), *constantExtent(loop));
    parts.scope = Scope::Heap;
    now.buffers.push_back(parts);

    Block first = partial(old, path, loop, parts.name, result.type);
    first.name = now.freshName(old.name + ".part");
    replaceBlock(now, old.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(first)}; });

    // Afterwards: every element of the result from its parts. Axes of one element get no loop, as in the plain nest.
    // Where the loops leave elements of an axis out (those that a smaller consumer does not need), the same loops walk
    // once more under the same guards: the elements left out may have no place in the result.
    Block second = old;
    second.id = now.nextId++;
    std::erase_if(second.iters, [](const IterVar& iter) { return iter.reduction; });
    second.predicate = boolImm(true);
    std::vector<Loop> loops;
    const auto addLoop = [&](const std::string& name, const Expr& extent) {
        Loop made;
        made.id = now.nextId++;
        made.name = now.freshName(name);
        made.extent = extent;
        loops.push_back(made);
        return var(made.name);
    };
    if (writesWhole(nest, old)) {
        for (IterVar& iter : second.iters) {
            iter.binding = isConst(iter.extent, 1) ? intImm(0) : addLoop(old.name + "." + iter.name, iter.extent);
        }
    } else {
        const Steps steps = stepsOf(old);
        Substitution again; // a loop that counts elements -> the one that walks them afterwards
        for (const Loop* around : path.loops) {
            if (steps.ofElements.contains(around->name)) {
                again[around->name] = addLoop(old.name + "." + around->name, around->extent);
            }
        }
        for (IterVar& iter : second.iters) {
            iter.binding = substitute(iter.binding, again);
        }
        std::vector<Expr> kept = conjuncts(old.predicate);
        std::erase_if(kept, [&](const Expr& guard) { return usesAny(guard, steps.ofReduction); });
        second.predicate = substitute(allOf(kept), again);
    }
    std::vector<Expr> read;
    const Expr part = addLoop(old.name + "." + loop.name, loop.extent);
    std::string step = loop.name;
    while (second.iter(step) != nullptr) {
        step += ".at";
    }
    second.iters.push_back({step, true, loop.extent, part});
    read.push_back(var(step));
    read.insert(read.end(), old.indices.begin(), old.indices.end());
    second.value = load(parts.name, parts.type, read);
    const auto root = std::find_if(now.roots.begin(), now.roots.end(), [&](const Stmt& s) {
        const std::vector<const Block*> beneath = blocksIn({s});
        return std::any_of(beneath.begin(), beneath.end(), [&](const Block* b) { return b->id == first.id; });
    });
    const std::vector<Stmt> added = wrap(loops, {makeStmt(second)});
    now.roots.insert(root + 1, added.begin(), added.end());
    applied.forward.blocks[old.id] = {first.id, second.id};
    applied.forward.loops[loop.id] = {loop.id, loops.back().id};
    return applied;
}

// For a block each loop of its reduction, outermost first; for a loop the reductions whose steps it counts.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    std::vector<Args> proposals;
    for (const LoopNest::Path& path : nest.blocks()) {
        if (!path.block->isReduction()) {
            continue;
        }
        const Steps steps = stepsOf(*path.block);
        for (const Loop* loop : path.loops) {
            const bool asked = path.block->name == name || loop->name == name;
            if (asked && steps.ofReduction.contains(loop->name) && !steps.ofElements.contains(loop->name) && proposals.size() < 3) {
                proposals.push_back({{path.block->name, loop->name}});
            }
        }
    }
    return proposals;
}

} // namespace

const Primitive rfactor{
    "rfactor",
    NW_WORDS("One partial sum for each step of a loop, put together afterwards"),
    {{"block", ParamKind::Block, ""}, {"loop", ParamKind::Loop, "over"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Structure,
};

} // namespace nw::schedule
