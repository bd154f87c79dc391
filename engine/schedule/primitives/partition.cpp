// partition LOOP at N
//
//   for i in 0..n:           for i.0 in 0..N:
//     body(i)           =>     body(i.0)
//                            for i.1 in 0..n-N:
//                              body(i.1 + N)
//
// The steps of the loop in two runs, one after the other. The second body is a copy: its loops, blocks and private
// buffers get names with a suffix ("conv.2"). In each part guards and conditions of values that hold in all of its
// steps go, so that the middle of a convolution needs no test for the border and full tiles none for the end.
// Keeps the order of iteration. A reduction that LOOP counts starts in the first part; the second continues it.
// Both parts have the loop's kind.
// Refuses a parallel loop directly inside another, an N that leaves one part empty, a LOOP that counts elements and steps of a
// reduction at once, steps of LOOP that meet at elements of a reduction that goes on around it, and guards by which
// the first step of a reduction may be left out.

#include "engine/base/text.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/copy_statements.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

bool uses(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

// The block's initial value is stored in front of LOOP or around it, once for both parts.
bool startsOutside(const LoopNest::Path& block, const std::string& loop)
{
    const Loop* outermost = outermostReduction(block);
    return block.block->init != nullptr && outermost != nullptr && !loopsInside(block.loops, loop).contains(outermost->name);
}

// Where a guard over steps of the reduction holds in some step of an element it holds in its first.
bool firstStepRuns(const Block& block)
{
    const std::vector<std::string> reduction = boundLoops(block, true);
    for (const Expr& guard : conjuncts(block.predicate)) {
        const std::optional<Affine> form = atMostZero(guard);
        for (const std::string& name : reduction) {
            if (usesVar(guard, name) && (!form || form->coefficient(name) < 0)) {
                return false;
            }
        }
    }
    return true;
}

std::optional<Check> breaksReduction(const LoopNest& nest, const LoopNest::Path& place, const std::string& loop)
{
    const Block& block = *place.block;
    if (!startsOutside(place, loop)) {
        return std::nullopt;
    }
    if (!uses(boundLoops(block, true), loop)) {
        if (revisits(nest, block, {nest.findLoop(loop).loop}, {}) == nullptr) {
            return std::nullopt;
        }
        return illegal("partition.meets",
                       NW_WORDS("partition: steps of {0} meet at elements of {2}, which {1} goes on adding to in loops around {0}"),
                       {loop, block.name, block.buffer}, {loop, block.name});
    }
    if (uses(boundLoops(block, false), loop)) {
        return illegal("partition.mixed",
                       NW_WORDS("partition: {0} counts both elements of {1} and steps of its reduction; a part would start some elements late"),
                       {loop, block.name}, {loop, block.name});
    }
    if (!firstStepRuns(block)) {
        return illegal("partition.guard", NW_WORDS("partition: the guard of {1} may leave out the first step of its reduction over {0}"),
                       {loop, block.name}, {loop, block.name});
    }
    return std::nullopt;
}

Check check(const LoopNest& nest, const Args& args, const Context&)
{
    if (const auto missing = loopMissing(nest, "partition", args.name(0))) {
        return *missing;
    }
    const LoopNest::Path path = nest.findLoop(args.name(0));
    const Loop& loop = *path.loop;
    if (loop.kind == LoopKind::Parallel && !path.loops.empty() && path.loops.back()->kind == LoopKind::Parallel) {
        return illegal("partition.parallel_chain",
                       NW_WORDS("partition: {1} stands directly inside the parallel loop {0}, which would hold two parallel loops then"),
                       {path.loops.back()->name, loop.name}, {loop.name, path.loops.back()->name});
    }
    const std::optional<std::int64_t> extent = constantExtent(loop);
    if (!extent) {
        return illegal("partition.symbolic", NW_WORDS("partition: the extent {1} of {0} is not a number yet; bind its symbols first"),
                       {loop.name, toText(loop.extent)}, {loop.name});
    }
    const std::int64_t at = args.number(1);
    if (at < 1 || at >= *extent) {
        return illegal("partition.empty_part", NW_WORDS("partition: {1} leaves one part of {0} empty; it has {2} steps"),
                       {loop.name, std::to_string(at), std::to_string(*extent)}, {loop.name});
    }
    for (const LoopNest::Path& place : nest.blocks()) {
        if (contains(place, loop.name)) {
            if (auto found = breaksReduction(nest, place, loop.name)) {
                return *std::move(found);
            }
        }
    }
    return legal();
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path path = nest.findLoop(args.name(0));
    ENSURE(path && constantExtent(*path.loop), "partition: there is no such loop of constant extent");
    const Loop& old = *path.loop;
    const std::int64_t at = args.number(1);
    const std::int64_t extent = *constantExtent(old);
    ENSURE(at > 0 && at < extent, "partition: a part is empty");

    Applied applied{nest, {}};
    LoopNest& now = applied.nest;
    Loop first = old, second = old;
    first.id = now.nextId++;
    second.id = now.nextId++;
    first.name = now.freshName(old.name + ".0");
    second.name = now.freshName(old.name + ".1");
    first.extent = intImm(at);
    second.extent = intImm(extent - at);
    first.follows.clear();
    second.follows.clear();
    first.kind = second.kind = effectiveKind(nest, old);

    StatementCopy copy = copyStatements(now, old.body, old.name, second.name);
    std::set<BlockId> continuing; // copies of blocks whose first part has already stored the initial value
    for (const LoopNest::Path& place : nest.blocks()) {
        if (contains(place, old.name) && startsOutside(place, old.name) && uses(boundLoops(*place.block, true), old.name)) {
            continuing.insert(copy.forward.blocks.at(place.block->id).back());
        }
    }
    copy.statements = mapBlocks(copy.statements, [&](const Block& block) -> std::optional<Block> {
        if (!continuing.contains(block.id)) {
            return std::nullopt;
        }
        Block changed = block;
        changed.init = nullptr;
        return changed;
    });
    second.body = copy.statements;
    replaceLoop(now, old.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(first), makeStmt(second)}; });
    moveBuffers(now, old.name, first.name);
    refollow(now, old.name, {first, second});
    const Ranges ranges = now.loopRanges();
    for (const LoopId id : {first.id, second.id}) {
        changeLoop(now, id, [&](Loop& part) {
            const Expr step = id == first.id ? var(part.name) : var(part.name) + at;
            part.body = tightened(substituteLoops(part.body, {{old.name, step}}, boolImm(true), ranges), ranges);
            const std::vector<const Block*> blocks = blocksIn(part.body);
            part.hasTail = part.hasTail
                && std::any_of(blocks.begin(), blocks.end(), [&](const Block* b) { return usesVar(b->predicate, part.name); });
        });
    }
    applied.forward = std::move(copy.forward);
    applied.forward.loops[old.id] = {first.id, second.id};
    return applied;
}

// Where border and middle meet: one step off either end of a loop by whose steps something is tested.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    const LoopNest::Path path = nest.findLoop(name);
    const std::optional<std::int64_t> extent = path ? constantExtent(*path.loop) : std::nullopt;
    std::vector<Args> proposals;
    if (!extent || *extent < 2) {
        return proposals;
    }
    const std::vector<const Block*> blocks = blocksIn(path.loop->body);
    if (std::any_of(blocks.begin(), blocks.end(), [&](const Block* block) { return testsSteps(*block, name); })) {
        proposals.push_back({{name, *extent - 1}});
        if (*extent > 2) {
            proposals.push_back({{name, std::int64_t{1}}});
        }
    }
    return proposals;
}

} // namespace

const Primitive partition{
    "partition",
    NW_WORDS("Run the steps of a loop in two parts, one after the other"),
    {{"loop", ParamKind::Loop, ""}, {"steps", ParamKind::Number, "at"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Loop,
};

} // namespace nw::schedule
