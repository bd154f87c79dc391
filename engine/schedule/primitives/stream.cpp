// stream BLOCK
//
//   vector i in 0..16             vector i in 0..16
//     relu: Y[i] = ...      =>      relu: Y[i] = ... (streamed)
//
// What the block stores goes past the caches to memory: for large results that nobody reads soon, it costs neither the
// reading of each line before it is written, nor what else the caches hold.
// Keeps the order of iteration. Vectors go past only where they lie at a multiple of their size, which the code tests;
// others are stored as usual, and so is what a guard leaves out lanes of.
// Refuses reductions, blocks that read what they write, and buffers on the stack or in registers. Pointless where elements
// are read or stored again, which would bring them back from memory, and where stores are scattered, narrow or out of line.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

constexpr std::int64_t kSmallestVector = 16; // bytes that can be stored past the caches at once

// Elements that somebody comes back to.
std::optional<Check> usedAgain(const LoopNest& nest, const LoopNest::Path& path)
{
    const Block& block = *path.block;
    for (const LoopNest::Path& other : nest.blocks()) {
        const bool adds = other.block->id != block.id && other.block->buffer == block.buffer && other.block->isReduction();
        if (adds || readsBuffer(*other.block, block.buffer)) {
            return pointless("stream.read_again", NW_WORDS("stream: {1} reads {2} again, which would come back from memory"),
                             {block.name, other.block->name, block.buffer}, {block.name, other.block->name});
        }
    }
    if (const Loop* again = revisits(nest, block, path.loops, {})) {
        return pointless("stream.stored_again", NW_WORDS("stream: steps of {1} come back to elements of {2}, which would go to memory twice"),
                         {block.name, again->name, block.buffer}, {block.name, again->name});
    }
    return std::nullopt;
}

// Elements of memory from a step of the loop to the next; nothing when that differs.
std::optional<std::int64_t> strideOf(const LoopNest& nest, const Block& block, const Loop& loop)
{
    const Ranges ranges = nest.loopRanges();
    const Buffer& buffer = *nest.buffer(block.buffer);
    const auto offsetAt = [&](const Expr& step) {
        const Substitution bindings = block.bindings();
        std::vector<Expr> indices;
        for (const Expr& index : block.indices) {
            indices.push_back(substitute(substitute(index, bindings), {{loop.name, step}}));
        }
        return buffer.layout.offset(indices, buffer.shape, ranges);
    };
    // Blocks of a layout are crossed by whole loops only where each step moves alike.
    const std::int64_t last = constantExtent(loop).value_or(2) - 1;
    const std::optional<std::int64_t> first = constInt(simplify(offsetAt(intImm(1)) - offsetAt(intImm(0)), ranges));
    const std::optional<std::int64_t> all = constInt(simplify(offsetAt(intImm(last)) - offsetAt(intImm(0)), ranges));
    return first && all == *first * last ? first : std::nullopt;
}

// Why the stores would not go past the caches, as far as the nest can tell.
std::optional<Check> helpsLittle(const LoopNest& nest, const LoopNest::Path& path, const Context& context)
{
    const Block& block = *path.block;
    const auto size = static_cast<std::int64_t>(byteSize(nest.buffer(block.buffer)->type));
    const auto inner = std::find_if(path.loops.rbegin(), path.loops.rend(), [](const Loop* loop) { return !isConst(loop->extent, 1); });
    if (inner == path.loops.rend()) {
        return std::nullopt;
    }
    const Loop& loop = **inner;
    if (strideOf(nest, block, loop) != 1) {
        return pointless("stream.scattered", NW_WORDS("stream: steps of {1} do not store side by side in {2}; lines would go to memory in pieces"),
                         {block.name, loop.name, block.buffer}, {block.name, loop.name});
    }
    const bool isVector = effectiveKind(nest, loop) == LoopKind::Vector;
    const std::int64_t bytes = size * (isVector ? constantExtent(loop).value_or(1) : 1);
    if (isVector ? bytes % kSmallestVector != 0 : size < 4) {
        return pointless("stream.narrow", NW_WORDS("stream: {0} stores {1} bytes at once; the machine has no such store past the caches"),
                         {block.name, std::to_string(bytes)}, {block.name, loop.name});
    }
    const std::int64_t vector = context.target == nullptr ? kSmallestVector : context.target->vectorBytes;
    const std::int64_t wanted = std::min(bytes & -bytes, vector);
    for (auto outer = inner + 1; isVector && outer != path.loops.rend(); ++outer) {
        const std::optional<std::int64_t> stride = strideOf(nest, block, **outer);
        if (stride && *stride * size % wanted != 0) {
            return pointless("stream.unaligned",
                             NW_WORDS("stream: a step of {1} moves the stores of {0} by {2} bytes, no multiple of {3}; only vectors that lie "
                                      "at a multiple go past the caches"),
                             {block.name, (*outer)->name, std::to_string(*stride * size), std::to_string(wanted)},
                             {block.name, (*outer)->name});
        }
    }
    return std::nullopt;
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    if (const auto missing = blockMissing(nest, "stream", args.name(0))) {
        return *missing;
    }
    const LoopNest::Path path = nest.findBlock(args.name(0));
    const Block& block = *path.block;
    const Buffer& buffer = *nest.buffer(block.buffer);
    if (block.isReduction()) {
        return illegal("stream.reduction", NW_WORDS("stream: {0} adds to what it stores, again and again; only a block that stores each "
                                                    "element once can stream"),
                       {block.name}, {block.name});
    }
    if (buffer.scope == Scope::Stack || buffer.scope == Scope::Registers) {
        return illegal("stream.private", NW_WORDS("stream: {1}, which {0} writes, is not meant to reach memory"), {block.name, buffer.name},
                       {block.name});
    }
    if (readsBuffer(block, block.buffer)) {
        return illegal("stream.reads_itself", NW_WORDS("stream: {0} reads {1}, which it writes"), {block.name, buffer.name}, {block.name});
    }
    if (block.streams) {
        return pointless("stream.already", NW_WORDS("stream: {0} does so already"), {block.name}, {block.name});
    }
    if (auto found = usedAgain(nest, path)) {
        return *std::move(found);
    }
    return helpsLittle(nest, path, context).value_or(legal());
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path path = nest.findBlock(args.name(0));
    ENSURE(path, "stream: there is no such block");
    Applied applied{nest, {}};
    replaceBlock(applied.nest, path.block->id, [](const StmtNode& node) {
        Block block = *node.block();
        block.streams = true;
        return std::vector<Stmt>{makeStmt(std::move(block))};
    });
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    return nest.findBlock(name) ? std::vector<Args>{{{name}}} : std::vector<Args>{};
}

} // namespace

const Primitive stream{
    "stream",
    NW_WORDS("Store what a block computes past the caches"),
    {{"block", ParamKind::Block, ""}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Data,
};

} // namespace nw::schedule
