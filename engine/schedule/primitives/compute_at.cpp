// compute_at BLOCK at LOOP
//
//   for i in 0..64:                     for j in 0..4:
//     p: T[i] = f(i)                      for p.i in 0..16:
//   for j in 0..4:               =>         p: T[p.i] = f(j * 16 + p.i)
//     for k in 0..16:                     for k in 0..16:
//       c: Y[j * 16 + k] = g(T[...])        c: Y[j * 16 + k] = g(T[k])
//
// The block is computed in each step of LOOP, just before those that read it, for the box of elements that they read
// there; the buffer shrinks to the box and becomes private to the step (on the stack up to 64 KiB); its layout stays.
// Loops of the block are made anew. Elements that several steps read are computed again in each.
// Keeps what is computed; guards keep every element inside of its buffer, the initial value of a reduction included.
// Refuses blocks that write an output or share their buffer with another writer, blocks with a reader outside of LOOP,
// and those that read what is private to another loop.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/analysis/window.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/buffer_home.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/kinds.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

std::vector<Place> readersOf(const LoopNest& nest, const std::string& buffer)
{
    std::vector<Place> readers = nest.blocks();
    std::erase_if(readers, [&](const Place& place) { return !readsBuffer(*place.block, buffer); });
    return readers;
}

bool fitsStack(const Buffer& buffer, const std::vector<Window>& windows)
{
    return elementsOf(windows) * static_cast<std::int64_t>(byteSize(buffer.type)) <= kLargestStack;
}

std::optional<Check> producerStays(const LoopNest& nest, const LoopNest::Path& producer, const std::string& at)
{
    const Block& block = *producer.block;
    const Buffer& buffer = *nest.buffer(block.buffer);
    if (contains(producer, at)) {
        return illegal("compute_at.inside", NW_WORDS("compute_at: {1} already stands inside {0}"), {at, block.name},
                       {at, block.name});
    }
    if (buffer.scope == Scope::Port) {
        return illegal("compute_at.output",
                       NW_WORDS("compute_at: {1} writes the output {2}, all of which must be there in the end; "
                                "it cannot become part of {0}"),
                       {at, block.name, buffer.name}, {block.name});
    }
    if (!buffer.atLoop.empty()) {
        return illegal("compute_at.already_local", NW_WORDS("compute_at: {2}, which {1} writes, already belongs to {0}"),
                       {buffer.atLoop, block.name, buffer.name}, {buffer.atLoop, block.name});
    }
    if (const Block* other = otherWriter(nest, block)) {
        return illegal("compute_at.other_writer", NW_WORDS("compute_at: {2} writes {1} as well, and {0} alone would not make all of it"),
                       {block.name, buffer.name, other->name}, {block.name, other->name});
    }
    const bool plain = std::all_of(block.indices.begin(), block.indices.end(), [&](const Expr& index) {
        const Var* axis = index->as<Var>();
        return (axis != nullptr && block.iter(axis->name) != nullptr) || constInt(index);
    });
    if (!plain) {
        return illegal("compute_at.indices", NW_WORDS("compute_at: {0} does not write one element for each step of its own axes"),
                       {block.name}, {block.name});
    }
    const LoopNest::Path target = nest.findLoop(at);
    for (const std::string& read : buffersRead(block)) {
        const Buffer* source = nest.buffer(read);
        if (!source->atLoop.empty() && source->atLoop != at && !contains(target, source->atLoop)) {
            return illegal("compute_at.reads_private", NW_WORDS("compute_at: {1} reads {2}, which is private to {0}"),
                           {source->atLoop, block.name, read}, {source->atLoop, block.name});
        }
    }
    return leavesRing(nest, "compute_at", block);
}

std::optional<Check> consumersElsewhere(const LoopNest& nest, const LoopNest::Path& producer, const std::string& at)
{
    const Block& block = *producer.block;
    const std::vector<Place> readers = readersOf(nest, block.buffer);
    if (readers.empty()) {
        return illegal("compute_at.no_consumer", NW_WORDS("compute_at: nothing reads what {0} writes"), {block.name}, {block.name});
    }
    for (const Place& reader : readers) {
        if (!contains(reader, at)) {
            return illegal("compute_at.consumer_outside", NW_WORDS("compute_at: {2} reads {1} outside of {0}"),
                           {at, block.name, reader.block->name}, {at, reader.block->name});
        }
    }
    const LoopNest::Path target = nest.findLoop(at);
    if (!producer.loops.empty() && !target.loops.empty() && producer.loops.front()->id == target.loops.front()->id) {
        return illegal("compute_at.shared_loops", NW_WORDS("compute_at: {1} and {0} already share the loop {2}"),
                       {at, block.name, target.loops.front()->name}, {target.loops.front()->name, block.name});
    }
    if (!writesInside(nest, block)) { // its loops are made anew from its axes alone
        return illegal("compute_at.writes_outside",
                       NW_WORDS("compute_at: {1} runs over more than {2} holds and a guard leaves the rest out, which loops made anew for {0} "
                                "would not know"),
                       {at, block.name, block.buffer}, {at, block.name});
    }
    return movesTogether(nest, "compute_at", block);
}

std::optional<Check> targetUnfit(const LoopNest& nest, const std::string& at)
{
    const Loop& loop = *nest.findLoop(at).loop;
    if (effectiveKind(nest, loop) == LoopKind::Vector) {
        return illegal("compute_at.vector", NW_WORDS("compute_at: {0} is a vector loop and can hold no loops"), {at}, {at});
    }
    if (startsChain(nest, loop)) {
        return illegal("compute_at.parallel_chain",
                       NW_WORDS("compute_at: the parallel loop {0} would hold the block beside the parallel loop inside of it"), {at}, {at});
    }
    return std::nullopt;
}

Check check(const LoopNest& nest, const Args& args, const Context&)
{
    const std::string& at = args.name(1);
    if (const auto missing = blockMissing(nest, "compute_at", args.name(0))) {
        return *missing;
    }
    if (const auto missing = loopMissing(nest, "compute_at", at)) {
        return *missing;
    }
    const LoopNest::Path producer = nest.findBlock(args.name(0));
    if (const auto found = producerStays(nest, producer, at)) {
        return *found;
    }
    if (const auto found = consumersElsewhere(nest, producer, at)) {
        return *found;
    }
    if (const auto found = targetUnfit(nest, at)) {
        return *found;
    }
    const Buffer& buffer = *nest.buffer(producer.block->buffer);
    const std::vector<Window> windows = windowsOf(buffer, readersOf(nest, buffer.name), at, nest.loopRanges());
    const LoopNest::Path target = nest.findLoop(at);
    std::vector<const Loop*> around = target.loops;
    around.push_back(target.loop);
    if (!fitsStack(buffer, windows)) {
        for (const Loop* loop : around) {
            if (loop->kind == LoopKind::Parallel) {
                return illegal("compute_at.too_large",
                               NW_WORDS("compute_at: a step of {0} needs {2} bytes of {1}, more than the {3} of the stack, "
                                        "and threads of {4} cannot share the heap"),
                               {at, producer.block->name, std::to_string(elementsOf(windows) * static_cast<std::int64_t>(byteSize(buffer.type))),
                                std::to_string(kLargestStack), loop->name},
                               {at, producer.block->name});
            }
        }
    }
    const bool everything = std::all_of(windows.begin(), windows.end(), [](const Window& window) { return window.whole; });
    const bool repeats = std::any_of(around.begin(), around.end(), [](const Loop* loop) { return !isConst(loop->extent, 1); });
    if (everything && repeats) {
        return pointless("compute_at.everything", NW_WORDS("compute_at: each step of {0} needs all of {1}, which would be computed again and again"),
                         {at, producer.block->name}, {at, producer.block->name});
    }
    return legal();
}

// Loops and bindings of the moved block: the box's for what it writes, whole axes for its reduction.
struct Moved {
    Block block;
    std::vector<Loop> loops;
};
Moved madeAnew(LoopNest& nest, const Block& old, const std::vector<Window>& windows, Ranges& ranges)
{
    Moved moved{old, {}};
    moved.block.iters.clear();
    std::vector<Expr> guards;
    const auto addLoop = [&](const IterVar& iter, std::int64_t extent) {
        if (extent == 1) {
            return intImm(0);
        }
        Loop loop;
        loop.id = nest.nextId++;
        loop.name = nest.freshName(old.name + "." + iter.name);
        loop.extent = intImm(extent);
        ranges[loop.name] = Interval::ofExtent(extent);
        moved.loops.push_back(loop);
        return var(loop.name);
    };
    for (const bool reduction : {false, true}) {
        for (IterVar iter : old.iters) {
            if (iter.reduction != reduction) {
                continue;
            }
            std::size_t d = 0;
            while (d < old.indices.size() && !usesVar(old.indices[d], iter.name)) {
                ++d;
            }
            if (d == old.indices.size()) {
                const std::optional<std::int64_t> extent = constInt(iter.extent);
                ENSURE(extent, "compute_at: an extent is no number");
                iter.binding = addLoop(iter, *extent);
            } else {
                iter.binding = simplify(windows[d].base + addLoop(iter, windows[d].extent), ranges);
                const Interval met = boundsOf(iter.binding, ranges);
                if (met.low < 0) {
                    guards.push_back(lessEqual(intImm(0), iter.binding));
                }
                if (met.high >= constInt(iter.extent).value_or(0)) {
                    guards.push_back(lessThan(iter.binding, iter.extent));
                }
            }
            moved.block.iters.push_back(std::move(iter));
        }
    }
    moved.block.predicate = allOf(guards);
    for (Loop& loop : moved.loops) {
        loop.hasTail = std::any_of(guards.begin(), guards.end(), [&](const Expr& guard) { return usesVar(guard, loop.name); });
    }
    return moved;
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const std::string& at = args.name(1);
    const LoopNest::Path producer = nest.findBlock(args.name(0));
    ENSURE(producer && nest.findLoop(at), "compute_at: there is no such block or loop");
    const Buffer& buffer = *nest.buffer(producer.block->buffer);
    const std::vector<Place> readers = readersOf(nest, buffer.name);
    Ranges ranges = nest.loopRanges();
    const std::vector<Window> windows = windowsOf(buffer, readers, at, ranges);
    const bool shrinks = fitsStack(buffer, windows);

    Applied applied{nest, {}};
    const std::vector<const Loop*> gone = removeBlock(applied.nest, producer.block->name);
    for (const Loop* loop : gone) {
        refollow(applied.nest, loop->name, {});
    }
    Moved moved = madeAnew(applied.nest, *producer.block, windows, ranges);
    forwardByAxis(applied.forward, *producer.block, moved.block, moved.loops, gone);
    std::set<std::string> names;
    for (const Place& reader : readers) {
        names.insert(reader.block->name);
        if (shrinks) {
            const Block local = intoWindow(*reader.block, buffer.name, buffer.name, windows, loopsInside(reader.loops, at), ranges);
            replaceBlock(applied.nest, local.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(local)}; });
        }
    }
    if (shrinks) {
        std::set<std::string> inside;
        for (const Loop& loop : moved.loops) {
            inside.insert(loop.name);
        }
        moved.block = intoWindow(moved.block, buffer.name, buffer.name, windows, inside, ranges);
        Buffer* shrunk = findBuffer(applied.nest, buffer.name);
        shrunk->scope = Scope::Stack;
        shrunk->atLoop = at;
        for (std::size_t d = 0; d < windows.size(); ++d) {
            shrunk->shape[d] = windows[d].extent;
        }
        shrunk->layout = keptLayout(buffer, shrunk->shape, Scope::Stack);
    }
    insertBeside(applied.nest, at, names, wrap(moved.loops, {makeStmt(moved.block)}), false);
    return applied;
}

// Each loop around all of its readers, innermost first.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    const LoopNest::Path path = nest.findBlock(name);
    const std::vector<Place> readers = path ? readersOf(nest, path.block->buffer) : std::vector<Place>{};
    std::vector<Args> proposals;
    if (!readers.empty()) {
        const std::vector<const Loop*>& loops = readers.front().loops;
        for (auto loop = loops.rbegin(); loop != loops.rend() && proposals.size() < 3; ++loop) {
            const bool aroundAll = std::all_of(readers.begin(), readers.end(),
                                               [&](const Place& reader) { return contains(reader, (*loop)->name); });
            if (aroundAll && effectiveKind(nest, **loop) != LoopKind::Vector) {
                proposals.push_back({{name, (*loop)->name}});
            }
        }
    }
    return proposals;
}

} // namespace

const Primitive computeAt{
    "compute_at",
    NW_WORDS("Compute a block in each step of a loop of its readers"),
    {{"block", ParamKind::Block, ""}, {"loop", ParamKind::Loop, "at"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Structure,
    'A',
};

} // namespace nw::schedule
