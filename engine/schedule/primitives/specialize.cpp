// specialize LOOP when OTHER from A to B
//
//   for y in 0..9:                               for y in 0..9:
//     for x in 0..10:                              for x.2 in 0..10:
//       b: Y[y, x] = select(y >= 1, ...)    =>       b.2: Y[y, x.2] = ...  if 1 <= y
//                                                  for x in 0..10:
//                                                    b: Y[y, x] = select(y >= 1, ...)  if y < 1
//
// LOOP is there twice, beneath OTHER, a loop around it: a copy for the steps of OTHER from A to below B, and the loop
// itself for the others. In each, guards and conditions that hold in all of its steps are gone. OTHER stays one loop, so
// that it can be parallel. Loops, blocks and private buffers of the copy get names with a suffix. The conditions on OTHER
// stand at the blocks; code tests them around the two loops, once a step.
// Keeps the order of iteration.
// Refuses an OTHER that is not around LOOP or counts steps of a reduction beneath it, ranges of no steps or of all, and a
// LOOP that stands directly in a parallel loop and is, or holds, a parallel one.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/copy_statements.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

std::optional<Check> notAround(const LoopNest& nest, const Args& args, const Context& context)
{
    const std::string& name = args.name(0);
    const std::string& other = args.name(1);
    if (contains(nest.findLoop(name), other)) {
        return std::nullopt;
    }
    Check found = illegal("specialize.not_around", NW_WORDS("specialize: {1} does not stand around {0}"), {name, other},
                          {name, other});
    if (contains(nest.findLoop(other), name)) {
        const std::vector<std::string> order{other, name};
        found.why.unlocks = ifItUnlocks(nest, context, reorder, {{order}}, line("reorder", order), specialize, args);
    }
    return found;
}

std::optional<Check> badRange(const Loop& other, std::int64_t from, std::int64_t to)
{
    const std::optional<std::int64_t> extent = constantExtent(other);
    if (!extent) {
        return illegal("specialize.symbolic", NW_WORDS("specialize: the extent {1} of {0} is not a number yet; bind its symbols first"),
                       {other.name, toText(other.extent)}, {other.name});
    }
    const std::vector<std::string> operands{other.name, std::to_string(from), std::to_string(to), std::to_string(*extent)};
    if (from < 0 || from >= to || to > *extent) {
        return illegal("specialize.range",
                       NW_WORDS("specialize: from {1} to below {2} is no range of the {3} steps of {0}, counted from 0"), operands,
                       {other.name});
    }
    if (from == 0 && to == *extent) {
        return illegal("specialize.all_steps",
                       NW_WORDS("specialize: from {1} to {2} are all steps of {0}; none would be left for what is there now"), operands,
                       {other.name});
    }
    return std::nullopt;
}

// Threads do the work of one chain of loops, each directly in the one before it.
std::optional<Check> breaksChain(const LoopNest& nest, const LoopNest::Path& path)
{
    const Loop& loop = *path.loop;
    const Loop& around = *path.loops.back();
    const bool isParallel = loop.kind == LoopKind::Parallel || hasInside(nest, loop, LoopKind::Parallel);
    if (around.kind != LoopKind::Parallel || !isParallel) {
        return std::nullopt;
    }
    return illegal("specialize.parallel_chain",
                   NW_WORDS("specialize: {0} stands directly inside the parallel loop {1}, which would hold two parallel loops then"),
                   {loop.name, around.name}, {loop.name, around.name});
}

std::optional<Check> countsReduction(const LoopNest& nest, const Loop& loop, const Loop& other)
{
    for (const LoopNest::Path& place : nest.blocks()) {
        const Block& block = *place.block;
        if (!contains(place, loop.name)) {
            continue;
        }
        for (const IterVar& iter : block.iters) {
            if (iter.reduction && usesVar(iter.binding, other.name)) {
                return illegal("specialize.reduction",
                               NW_WORDS("specialize: {0} counts steps of the reduction over {2} in {1}, which would start in both copies"),
                               {other.name, block.name, iter.name}, {other.name, block.name});
            }
        }
    }
    return std::nullopt;
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    for (const std::size_t index : {0, 1}) {
        if (const auto missing = loopMissing(nest, "specialize", args.name(index))) {
            return *missing;
        }
    }
    if (auto found = notAround(nest, args, context)) {
        return *std::move(found);
    }
    const LoopNest::Path path = nest.findLoop(args.name(0));
    const Loop& other = *nest.findLoop(args.name(1)).loop;
    if (auto found = badRange(other, args.number(2), args.number(3))) {
        return *std::move(found);
    }
    if (auto found = breaksChain(nest, path)) {
        return *std::move(found);
    }
    return countsReduction(nest, *path.loop, other).value_or(legal());
}

// The steps of the loop from `from` to below `to`, and the others.
struct Sides {
    Expr within, outside;
};
Sides sidesOf(const Loop& other, std::int64_t from, std::int64_t to)
{
    const Expr step = var(other.name);
    const Expr begun = lessEqual(intImm(from), step), goesOn = lessThan(step, intImm(to));
    const Expr before = lessThan(step, intImm(from)), behind = lessEqual(intImm(to), step);
    if (from == 0) {
        return {goesOn, behind};
    }
    if (to == constantExtent(other)) {
        return {begun, before};
    }
    return {allOf({begun, goesOn}), binary(BinaryOp::Or, before, behind)};
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path path = nest.findLoop(args.name(0));
    const LoopNest::Path around = nest.findLoop(args.name(1));
    const std::int64_t from = args.number(2), to = args.number(3);
    ENSURE(path && around && contains(path, around.loop->name), "specialize: there is no such loop around the other");
    const std::optional<std::int64_t> extent = constantExtent(*around.loop);
    ENSURE(extent && from >= 0 && from < to && to <= *extent && to - from < *extent, "specialize: one of the copies has no steps");

    Applied applied{nest, {}};
    LoopNest& now = applied.nest;
    const std::string& other = around.loop->name;
    const Stmt original = makeStmt(*path.loop);
    StatementCopy copy = copyStatements(now, {original});
    replaceLoop(now, path.loop->id, [&](const StmtNode&) {
        std::vector<Stmt> both = copy.statements;
        both.push_back(original);
        return both;
    });
    const Sides sides = sidesOf(*around.loop, from, to);
    Ranges ranges = now.loopRanges();
    const auto confine = [&](LoopId id, Interval steps, const Expr& guard) {
        ranges[other] = steps;
        replaceLoop(now, id, [&](const StmtNode& node) {
            return substituteLoops(tightened({makeStmt(*node.loop())}, ranges), {}, guard, ranges);
        });
    };
    confine(copy.forward.loops.at(path.loop->id).back(), {from, to - 1}, sides.within);
    confine(path.loop->id, {from == 0 ? to : 0, to == *extent ? from - 1 : *extent - 1}, sides.outside);
    applied.forward = std::move(copy.forward);
    return applied;
}

// How many blocks beneath still test steps of the other loop when it runs from `from` to below `to`.
std::int64_t testsLeft(const LoopNest& nest, const Loop& loop, const std::string& other, std::int64_t from, std::int64_t to)
{
    Ranges ranges = nest.loopRanges();
    ranges[other] = {from, to - 1};
    const std::vector<Stmt> tried = tightened({makeStmt(loop)}, ranges);
    const std::vector<const Block*> blocks = blocksIn(tried);
    return std::count_if(blocks.begin(), blocks.end(), [&](const Block* block) { return testsSteps(*block, other); });
}

// By the innermost loop around whose steps something is tested: the most of its steps in which nothing is.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    const LoopNest::Path path = nest.findLoop(name);
    for (auto other = path.loops.rbegin(); path.loop != nullptr && other != path.loops.rend(); ++other) {
        const std::int64_t extent = constantExtent(**other).value_or(0);
        if (extent < 2 || testsLeft(nest, *path.loop, (*other)->name, 0, extent) == 0) {
            continue;
        }
        for (const std::int64_t border : {1, 2, 3}) {
            const std::pair<std::int64_t, std::int64_t> ranges[]{{0, extent - border}, {border, extent}, {border, extent - border}};
            for (const auto& [from, to] : ranges) {
                if (from < to && testsLeft(nest, *path.loop, (*other)->name, from, to) == 0) {
                    return {{{name, (*other)->name, from, to}}};
                }
            }
        }
    }
    return {};
}

} // namespace

const Primitive specialize{
    "specialize",
    NW_WORDS("Give some steps of a loop around a copy of their own, without tests that always hold in them"),
    {{"loop", ParamKind::Loop, ""},
     {"other", ParamKind::Loop, "when"},
     {"from", ParamKind::Number, "from"},
     {"to", ParamKind::Number, "to"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Loop,
};

} // namespace nw::schedule
