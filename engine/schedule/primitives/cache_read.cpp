// cache_read BUFFER for BLOCK at LOOP in registers|stack|heap
//
//   for o in 0..4:                          for o in 0..4: with X.stack [18] in stack
//     for k in 0..3:                  =>      for X.c.i in 0..18:
//       for i in 0..16:                         X.read: X.stack[X.c.i] = X[o * 16 + X.c.i]
//         b: Y[...] += X[o * 16 + i + k]      for k in 0..3:
//                                               for i in 0..16:
//                                                 b: Y[...] += X.stack[i + k]
//
// Blocks inside LOOP (or BLOCK alone) read a copy of the box of elements that they touch in one step, made when the step
// begins. Its dimensions lie in the order in which the readers' loops walk them, so that the innermost loop's elements
// are side by side. A loop of the copy that walks a dimension as a reader's loop does follows that loop: it becomes a
// vector or unrolled loop with it.
// Keeps what is computed: guards hold the copy inside of the buffer and its border of zeros, and to what the buffer's
// own writer wrote.
// Refuses buffers that are written inside LOOP, vector loops whose lanes would copy more than an element each, registers
// around a parallel loop, a parallel LOOP around another, the heap inside of a parallel loop, and copies that are too
// large for their place.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/window.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/cache_read.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/kinds.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

std::optional<Check> notThere(const LoopNest& nest, const Args& args)
{
    if (auto missing = bufferMissing(nest, "cache_read", args.name(0))) {
        return missing;
    }
    if (args.given(1)) {
        if (auto missing = blockMissing(nest, "cache_read", args.name(1))) {
            return missing;
        }
    }
    if (auto missing = loopMissing(nest, "cache_read", args.name(2))) {
        return missing;
    }
    if (!scopeNamed(args.name(3))) {
        return illegal("cache_read.scope", NW_WORDS("cache_read: {0} is no place for a copy; say registers, stack or heap"),
                       {args.name(3)}, {});
    }
    return std::nullopt;
}

std::optional<Check> loopUnfit(const LoopNest& nest, const std::string& buffer, const std::string& at, Scope scope)
{
    const LoopNest::Path path = nest.findLoop(at);
    if (scope == Scope::Registers && hasInside(nest, *path.loop, LoopKind::Parallel)) {
        return illegal("cache_read.parallel_inside",
                       NW_WORDS("cache_read: a loop inside {0} is parallel; its threads reach the stack or the heap, but no registers"),
                       {at}, {at});
    }
    if (startsChain(nest, *path.loop)) {
        return illegal("cache_read.parallel_chain",
                       NW_WORDS("cache_read: the parallel loop {0} would hold the copy beside the parallel loop inside of it"), {at}, {at});
    }
    std::vector<const Loop*> around = path.loops;
    around.push_back(path.loop);
    for (const Loop* loop : around) {
        if (scope == Scope::Heap && loop->kind == LoopKind::Parallel) {
            return illegal("cache_read.heap_shared",
                           NW_WORDS("cache_read: the heap is shared by the threads of {0}; keep the copy in registers or on the stack"),
                           {loop->name}, {loop->name});
        }
    }
    for (const Block* block : blocksIn(path.loop->body)) {
        if (block->buffer == buffer) {
            return illegal("cache_read.written",
                           NW_WORDS("cache_read: {2} writes {1} inside {0}; a copy made when the step begins would be out of date"),
                           {at, buffer, block->name}, {at, block->name});
        }
    }
    return std::nullopt;
}

std::optional<Check> readsNothing(const Args& args, const ReadCopy& copy)
{
    if (!copy.readers.empty()) {
        return std::nullopt;
    }
    return args.given(1)
        ? illegal("cache_read.not_a_reader", NW_WORDS("cache_read: {2} does not read {1} inside {0}"),
                  {args.name(2), args.name(0), args.name(1)}, {args.name(2), args.name(1)})
        : illegal("cache_read.no_reader", NW_WORDS("cache_read: nothing inside {0} reads {1}"), {args.name(2), args.name(0)},
                  {args.name(2)});
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    if (const auto missing = notThere(nest, args)) {
        return *missing;
    }
    const std::string& at = args.name(2);
    const Scope scope = *scopeNamed(args.name(3));
    const Buffer& buffer = *nest.buffer(args.name(0));
    if (buffer.scope == Scope::Registers) {
        return illegal("cache_read.registers", NW_WORDS("cache_read: {0} lies in registers, the nearest place there is"),
                       {buffer.name}, {buffer.name});
    }
    if (auto found = loopUnfit(nest, buffer.name, at, scope)) {
        return *std::move(found);
    }
    const ReadCopy copy = readCopy(nest, buffer, args.given(1) ? args.name(1) : "", at);
    if (auto found = readsNothing(args, copy)) {
        return *std::move(found);
    }
    const bool inVector = effectiveKind(nest, *nest.findLoop(at).loop) == LoopKind::Vector;
    if (inVector && (scope == Scope::Heap || elementsOf(copy.windows) != 1)) {
        return illegal("cache_read.vector",
                       NW_WORDS("cache_read: {0} is a vector loop; each of its lanes can keep one element, on the stack or in registers"),
                       {at}, {at});
    }
    if (!copy.unknownWriter.empty()) {
        return unproven("cache_read.unwritten",
                        NW_WORDS("cache_read: whether {2} has written all that would be copied of {1} when a step of {0} begins "
                                 "is not known"),
                        {at, buffer.name, copy.unknownWriter}, {at, copy.unknownWriter});
    }
    if (auto found = tooLarge("cache_read", buffer.name, scope, buffer.type, elementsOf(copy.windows), context)) {
        return *std::move(found);
    }
    const LoopNest::Path path = nest.findLoop(at);
    const bool repeats = !isConst(path.loop->extent, 1)
        || std::any_of(path.loops.begin(), path.loops.end(), [](const Loop* loop) { return !isConst(loop->extent, 1); });
    if (copy.everything && repeats) {
        return pointless("cache_read.everything", NW_WORDS("cache_read: each step of {0} would copy all of {1}"), {at, buffer.name},
                         {at});
    }
    return legal();
}

// The reader's loop inside of the copy's loop that alone walks the dimension, step by step.
std::string followed(const Place& reader, const std::set<std::string>& inside, const Expr& index, std::int64_t extent,
                     const Ranges& ranges)
{
    const std::optional<Span> span = spanOf(index, inside, ranges);
    const Var* walker = span ? span->local->as<Var>() : nullptr;
    for (const Loop* loop : reader.loops) {
        if (walker != nullptr && loop->name == walker->name && isConst(loop->extent, extent)) {
            return loop->follows.empty() ? loop->name : loop->follows;
        }
    }
    return "";
}

// Loops of the copy, outermost first, and the block in them.
struct Copying {
    std::vector<Loop> loops;
    Block block;
};
Copying copying(LoopNest& nest, const LoopNest& before, const Buffer& source, const Buffer& made, const ReadCopy& copy,
                const std::vector<std::size_t>& order)
{
    const Place& reader = copy.readers.front();
    const std::vector<Expr> read = copy.indices;
    Ranges ranges = before.loopRanges();
    Copying result;
    std::vector<Expr> walked(copy.windows.size(), intImm(0));
    for (const std::size_t d : order) {
        const std::int64_t extent = copy.windows[d].extent;
        if (extent == 1) {
            continue;
        }
        Loop loop;
        loop.id = nest.nextId++;
        loop.name = nest.freshName(source.name + ".c." + copy.axes[d]);
        loop.extent = intImm(extent);
        loop.follows = followed(reader, copy.inside, read[d], extent, ranges);
        ranges[loop.name] = Interval::ofExtent(extent);
        walked[d] = var(loop.name);
        result.loops.push_back(std::move(loop));
    }
    // Only the innermost loop can be a vector loop.
    for (std::size_t i = 0; i + 1 < result.loops.size(); ++i) {
        const LoopNest::Path leader = before.findLoop(result.loops[i].follows);
        if (leader && leader.loop->kind == LoopKind::Vector) {
            result.loops[i].follows.clear();
        }
    }
    Block& block = result.block;
    block.id = nest.nextId++;
    block.name = nest.freshName(source.name + ".read");
    block.stage = reader.block->stage;
    block.buffer = made.name;
    std::vector<Expr> guards, from;
    const auto guard = [&](const Expr& condition) {
        const Expr shown = simplify(condition, ranges);
        if (!isConst(shown, 1) && std::none_of(guards.begin(), guards.end(), [&](const Expr& known) { return equal(known, shown); })) {
            guards.push_back(shown);
        }
    };
    for (std::size_t d = 0; d < copy.windows.size(); ++d) {
        const std::int64_t border = copy.border[d].first;
        IterVar iter;
        iter.name = copy.axes[d];
        iter.extent = intImm(source.shape[d] + border + copy.border[d].second);
        iter.binding = simplify(copy.windows[d].base + walked[d] + border, ranges);
        guard(lessEqual(intImm(0), iter.binding));
        guard(lessThan(iter.binding, iter.extent));
        from.push_back(simplify(var(iter.name) - border));
        // The place in the copy: counted from the window's base, which may move with the loops around.
        const Expr base = simplify(copy.windows[d].base + border, ranges);
        if (const std::optional<std::int64_t> fixed = constInt(base)) {
            block.indices.push_back(simplify(var(iter.name) - *fixed));
        } else if (copy.windows[d].extent == 1) {
            block.indices.push_back(intImm(0));
        } else {
            IterVar local;
            local.name = iter.name + ".in";
            local.extent = intImm(copy.windows[d].extent);
            local.binding = walked[d];
            block.indices.push_back(var(local.name));
            block.iters.push_back(std::move(local));
        }
        block.iters.push_back(std::move(iter));
    }
    for (const ReadCopy::Limit& limit : copy.limits) {
        const Expr place = limit.dimension
            ? copy.windows[*limit.dimension].base + walked[*limit.dimension] + limit.rest
            : limit.rest;
        guard(limit.end ? lessThan(place, limit.end) : lessEqual(intImm(0), place));
    }
    block.predicate = allOf(guards);
    block.value = load(source.name, source.type, from);
    for (Loop& loop : result.loops) {
        loop.hasTail = usesVar(block.predicate, loop.name);
    }
    return result;
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const Buffer* source = nest.buffer(args.name(0));
    const std::string& at = args.name(2);
    const std::optional<Scope> scope = scopeNamed(args.name(3));
    ENSURE(source != nullptr && nest.findLoop(at) && scope, "cache_read: there is no such buffer, loop or scope");
    const ReadCopy copy = readCopy(nest, *source, args.given(1) ? args.name(1) : "", at);
    ENSURE(!copy.readers.empty(), "cache_read: nothing reads the buffer there");
    const Ranges ranges = nest.loopRanges();

    Applied applied{nest, {}};
    Buffer made;
    const char* suffix = *scope == Scope::Registers ? ".reg" : *scope == Scope::Stack ? ".stack" : ".heap";
    made.name = nest.freshName(source->name + suffix);
    made.type = source->type;
    made.scope = *scope;
    made.atLoop = at;
    for (const Window& window : copy.windows) {
        made.shape.push_back(window.extent);
    }
    const std::vector<std::size_t> order = walkedOrder(copy.readers.front(), copy.inside, copy.indices);
    made.layout = orderedLayout(order);
    applied.nest.buffers.push_back(made);

    std::set<std::string> names;
    for (const Place& reader : copy.readers) {
        Block moved = intoWindow(*reader.block, source->name, made.name, copy.windows, loopsInside(reader.loops, at), ranges);
        moved.value = rewriteExpr(moved.value, [&](const Expr& e) {
            const Load* read = e->as<Load>();
            if (read == nullptr || read->buffer != made.name) {
                return e;
            }
            std::vector<Expr> indices = read->indices;
            for (std::size_t d = 0; d < indices.size(); ++d) {
                // A whole dimension is not counted anew; with a border of zeros it starts in front of 0.
                indices[d] = copy.windows[d].whole ? simplify(indices[d] + copy.border[d].first) : indices[d];
            }
            return load(made.name, e->type(), indices);
        });
        names.insert(moved.name);
        replaceBlock(applied.nest, moved.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(moved)}; });
    }
    const Copying copied = copying(applied.nest, nest, *source, made, copy, order);
    insertBeside(applied.nest, at, names, wrap(copied.loops, {makeStmt(copied.block)}), false);
    return applied;
}

// At a loop: what is read inside and written outside. For a block: what it reads, where its reduction begins.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    const LoopNest::Path loop = nest.findLoop(name);
    const Place place = nest.findBlock(name);
    std::vector<const Block*> blocks = loop ? blocksIn(loop.loop->body) : std::vector<const Block*>{};
    std::string at = name;
    if (place) {
        const std::vector<std::string> reduction = boundLoops(*place.block, true);
        const auto first = std::find_if(place.loops.begin(), place.loops.end(), [&](const Loop* around) {
            return std::find(reduction.begin(), reduction.end(), around->name) != reduction.end();
        });
        if (first == place.loops.end()) {
            return {};
        }
        at = (*first)->name;
        blocks = {place.block};
    }
    std::vector<Args> proposals;
    for (const Buffer& buffer : nest.buffers) {
        const bool reads = std::any_of(blocks.begin(), blocks.end(),
                                       [&](const Block* block) { return readsBuffer(*block, buffer.name); });
        const bool writes = std::any_of(blocks.begin(), blocks.end(), [&](const Block* block) { return block->buffer == buffer.name; });
        if (reads && !writes && buffer.scope != Scope::Registers) {
            const ArgValue only = place ? ArgValue(name) : ArgValue();
            proposals.push_back({{buffer.name, only, at, std::string("stack")}});
        }
    }
    return proposals;
}

} // namespace

const Primitive cacheRead{
    "cache_read",
    NW_WORDS("Let blocks read a copy of what they touch in a loop's step"),
    {{"buffer", ParamKind::Buffer, ""},
     {"block", ParamKind::Block, "for", true},
     {"loop", ParamKind::Loop, "at"},
     {"scope", ParamKind::ScopeName, "in"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Data,
    'C',
};

} // namespace nw::schedule
