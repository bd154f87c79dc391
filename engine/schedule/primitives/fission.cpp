// fission LOOP after BLOCK
//
//   for i in 0..8:           for i in 0..8:
//     A(i)              =>     A(i)
//     B(i)                   for i.2 in 0..8:
//                              B(i.2)
//
// The loop is cut behind the statement of its body that holds BLOCK: all steps of what stands before the cut run ahead
// of all steps of what stands behind it. The first part keeps the loop, the second gets a copy with a fresh name.
// Keeps the order of iteration within each part.
// Both parts have the loop's kind.
// Refuses a BLOCK that is not inside LOOP or behind which nothing stands, a parallel loop directly inside another, memory of one step of LOOP that both parts use, and parts of which the later one
// makes what the earlier one uses in a later step.

#include "engine/base/text.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/siblings.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

bool holds(const Stmt& statement, const std::string& block)
{
    const std::vector<const Block*> below = blocksIn({statement});
    return std::any_of(below.begin(), below.end(), [&](const Block* b) { return b->name == block; });
}

struct Cut {
    std::vector<Stmt> before, behind;
};
Cut cutOf(const Loop& loop, const std::string& block)
{
    auto place = std::find_if(loop.body.begin(), loop.body.end(), [&](const Stmt& s) { return holds(s, block); });
    ENSURE(place != loop.body.end(), "fission: the block does not stand in the loop");
    ++place;
    return {{loop.body.begin(), place}, {place, loop.body.end()}};
}

bool touches(const std::vector<Stmt>& statements, const std::string& buffer)
{
    const std::vector<Access> accesses = accessesIn(statements);
    return std::any_of(accesses.begin(), accesses.end(), [&](const Access& access) { return access.buffer == buffer; });
}

std::optional<Check> kindForbids(const LoopNest::Path& path)
{
    const Loop& loop = *path.loop;
    if (loop.kind == LoopKind::Parallel && !path.loops.empty() && path.loops.back()->kind == LoopKind::Parallel) {
        return illegal("fission.parallel_chain",
                       NW_WORDS("fission: {1} stands directly inside the parallel loop {0}, which would hold two parallel loops then"),
                       {path.loops.back()->name, loop.name}, {loop.name, path.loops.back()->name});
    }
    return std::nullopt;
}

Check check(const LoopNest& nest, const Args& args, const Context&)
{
    const std::string& block = args.name(1);
    if (const auto missing = loopMissing(nest, "fission", args.name(0))) {
        return *missing;
    }
    if (const auto missing = blockMissing(nest, "fission", block)) {
        return *missing;
    }
    const LoopNest::Path path = nest.findLoop(args.name(0));
    const Loop& loop = *path.loop;
    if (!contains(nest.findBlock(block), loop.name)) {
        return illegal("fission.not_around", NW_WORDS("fission: {1} does not stand inside {0}"), {loop.name, block},
                       {loop.name, block});
    }
    const Cut cut = cutOf(loop, block);
    if (cut.behind.empty()) {
        return illegal("fission.last", NW_WORDS("fission: nothing stands in {0} behind the statement with {1}"), {loop.name, block},
                       {loop.name, block});
    }
    if (auto found = kindForbids(path)) {
        return *std::move(found);
    }
    for (const Buffer& buffer : nest.buffers) {
        if (buffer.atLoop == loop.name && touches(cut.before, buffer.name) && touches(cut.behind, buffer.name)) {
            return illegal("fission.private",
                           NW_WORDS("fission: {1} is kept for one step of {0} and used on both sides of the cut"),
                           {loop.name, buffer.name}, {loop.name, buffer.name});
        }
    }
    const Parts parts{loop.name, namesOf(path.loops), accessesIn(cut.before), accessesIn(cut.behind), nest.loopRanges()};
    if (const auto carried = orderMatters(parts, false)) {
        return takesTurns("fission", *carried,
                          NW_WORDS("fission: {3} touches elements of {4} before {2} uses them in a later step of {1}; "
                                   "the two must take turns"));
    }
    return legal();
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path path = nest.findLoop(args.name(0));
    ENSURE(path, "fission: there is no such loop");
    const Cut cut = cutOf(*path.loop, args.name(1));
    ENSURE(!cut.behind.empty(), "fission: nothing stands behind the cut");

    Applied applied{nest, {}};
    Loop first = *path.loop;
    first.body = cut.before;
    Loop second = *path.loop;
    second.id = applied.nest.nextId++;
    second.name = nest.freshName(first.name);
    Ranges ranges = nest.loopRanges();
    ranges[second.name] = ranges[first.name];
    second.body = substituteLoops(cut.behind, {{first.name, var(second.name)}}, boolImm(true), ranges);
    for (Buffer& buffer : applied.nest.buffers) {
        if (buffer.atLoop == first.name && touches(cut.behind, buffer.name)) {
            buffer.atLoop = second.name;
        }
    }
    applied.forward.loops[first.id] = {first.id, second.id};
    replaceLoop(applied.nest, first.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(first), makeStmt(second)}; });
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    std::vector<Args> proposals;
    if (const LoopNest::Path path = nest.findLoop(name)) {
        const std::vector<Stmt>& body = path.loop->body;
        for (std::size_t i = 0; i + 1 < body.size() && proposals.size() < 3; ++i) {
            proposals.push_back({{name, blocksIn({body[i]}).back()->name}});
        }
        return proposals;
    }
    // Loops around the block that go on behind it, innermost first.
    const LoopNest::Path block = nest.findBlock(name);
    for (auto loop = block.loops.rbegin(); loop != block.loops.rend() && proposals.size() < 3; ++loop) {
        if (!cutOf(**loop, name).behind.empty()) {
            proposals.push_back({{(*loop)->name, name}});
        }
    }
    return proposals;
}

} // namespace

const Primitive fission{
    "fission",
    NW_WORDS("Cut a loop in two behind one of its statements"),
    {{"loop", ParamKind::Loop, ""}, {"block", ParamKind::Block, "after"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Loop,
};

} // namespace nw::schedule
