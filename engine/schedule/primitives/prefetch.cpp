// prefetch BUFFER of BLOCK at LOOP ahead N
//
//   k in 0..64                      k in 0..64 prefetching B of mul 4 ahead
//     vector j in 0..16       =>      vector j in 0..16
//       mul: .. * B[k, j]               mul: .. * B[k, j]
//
// In each step of LOOP the code asks for the cache lines that BLOCK will read of BUFFER N steps of LOOP later: from the
// element that it reads first in that step on, the lines that the loops inside walk without a gap, at most eight.
// Where that leaves the buffer nothing happens. Keeps all else; another N takes the place of the one before.
// Refuses buffers in registers, buffers that a step of LOOP has for itself, reads whose place is itself read from memory,
// vector loops, and N below 1.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/hints.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

constexpr std::int64_t kFarthest = std::int64_t{1} << 20;

Prefetch wantedBy(const Args& args)
{
    return {args.name(1), args.name(0), args.number(3)};
}

// Some read of the block goes elsewhere in another step of the loop.
bool moves(const Block& block, const std::string& buffer, const std::string& loop)
{
    const Substitution bindings = block.bindings();
    const std::vector<std::vector<Expr>> reads = readsOf(block, buffer);
    return std::any_of(reads.begin(), reads.end(), [&](const std::vector<Expr>& indices) {
        return std::any_of(indices.begin(), indices.end(), [&](const Expr& index) { return usesVar(substitute(index, bindings), loop); });
    });
}

Check cannot(const LoopNest& nest, const Loop& loop, const Prefetch& wanted)
{
    const LoopNest::Path path = nest.findBlock(wanted.block);
    const Buffer& buffer = *nest.buffer(wanted.buffer);
    const std::vector<std::string> places{loop.name, wanted.block};
    if (!readsBuffer(*path.block, buffer.name)) {
        return illegal("prefetch.not_read", NW_WORDS("prefetch: {1} does not read {0}"), {buffer.name, wanted.block}, {wanted.block});
    }
    if (!contains(path, loop.name)) {
        return illegal("prefetch.not_inside", NW_WORDS("prefetch: {1} does not stand inside {0}"), {loop.name, wanted.block}, places);
    }
    if (buffer.scope == Scope::Registers) {
        return illegal("prefetch.registers", NW_WORDS("prefetch: {0} lies in registers, which need no fetching"), {buffer.name}, places);
    }
    if (madeAnewIn(nest, loop, buffer)) {
        return illegal("prefetch.made_anew", NW_WORDS("prefetch: each step of {1} has a {0} of its own; what a later step reads is not there yet"),
                       {buffer.name, loop.name}, places);
    }
    if (indexIsRead(*path.block, buffer.name)) {
        return illegal("prefetch.index_read", NW_WORDS("prefetch: where {1} reads {0} is itself read from memory; it cannot be told ahead"),
                       {buffer.name, wanted.block}, places);
    }
    if (effectiveKind(nest, loop) == LoopKind::Vector) {
        return illegal("prefetch.vector", NW_WORDS("prefetch: the steps of {0} run at once; name a loop around it"), {loop.name}, places);
    }
    if (wanted.ahead < 1 || wanted.ahead > kFarthest) {
        return illegal("prefetch.ahead", NW_WORDS("prefetch: from 1 to {0} steps ahead, not {1}"),
                       {std::to_string(kFarthest), std::to_string(wanted.ahead)}, places);
    }
    return legal();
}

Check check(const LoopNest& nest, const Args& args, const Context&)
{
    if (const auto missing = bufferMissing(nest, "prefetch", args.name(0))) {
        return *missing;
    }
    if (const auto missing = blockMissing(nest, "prefetch", args.name(1))) {
        return *missing;
    }
    if (const auto missing = loopMissing(nest, "prefetch", args.name(2))) {
        return *missing;
    }
    const Prefetch wanted = wantedBy(args);
    const Loop& loop = *nest.findLoop(args.name(2)).loop;
    const Check found = cannot(nest, loop, wanted);
    if (found.verdict != Verdict::Legal) {
        return found;
    }
    const std::vector<std::string> places{loop.name, wanted.block};
    if (!moves(*nest.findBlock(wanted.block).block, wanted.buffer, loop.name)) {
        return pointless("prefetch.stands_still", NW_WORDS("prefetch: {2} reads the same of {0} in all steps of {1}"),
                         {wanted.buffer, loop.name, wanted.block}, places);
    }
    const std::optional<std::int64_t> extent = constantExtent(loop);
    if (extent && wanted.ahead >= *extent) {
        return pointless("prefetch.too_far", NW_WORDS("prefetch: {0} has {1} steps; none is {2} ahead of another"),
                         {loop.name, std::to_string(*extent), std::to_string(wanted.ahead)}, places);
    }
    const bool already = std::any_of(loop.prefetches.begin(), loop.prefetches.end(), [&](const Prefetch& other) {
        return other.block == wanted.block && other.buffer == wanted.buffer && other.ahead == wanted.ahead;
    });
    return already ? pointless("prefetch.already", NW_WORDS("prefetch: {1} does so already for {0}"), {wanted.buffer, loop.name}, places)
                   : legal();
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path path = nest.findLoop(args.name(2));
    const Prefetch wanted = wantedBy(args);
    ENSURE(path && nest.findBlock(wanted.block) && nest.buffer(wanted.buffer) != nullptr, "prefetch: something is not there");
    Applied applied{nest, {}};
    const LoopKind kind = effectiveKind(nest, *path.loop);
    changeLoop(applied.nest, path.loop->id, [&](Loop& loop) {
        loop.kind = kind; // of its own from now on: as a vector loop it could not prefetch
        loop.follows.clear();
        std::erase_if(loop.prefetches, [&](const Prefetch& other) { return other.block == wanted.block && other.buffer == wanted.buffer; });
        loop.prefetches.push_back(wanted);
    });
    return applied;
}

// For a block: each buffer in memory that it reads, at the innermost loop that can. For a loop: the same of the blocks in it.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context& context)
{
    constexpr std::int64_t kAhead = 4;
    std::vector<Args> proposals;
    const LoopNest::Path at = nest.findLoop(name);
    for (const LoopNest::Path& path : nest.blocks()) {
        if (path.block->name != name && !(at && contains(path, name))) {
            continue;
        }
        for (const std::string& buffer : buffersRead(*path.block)) {
            for (auto loop = path.loops.rbegin(); loop != path.loops.rend(); ++loop) {
                const Args args{{buffer, path.block->name, (*loop)->name, std::min(kAhead, std::max<std::int64_t>(constantExtent(**loop).value_or(kAhead) / 2, 1))}};
                if ((!at || (*loop)->name == name) && check(nest, args, context).verdict == Verdict::Legal) {
                    proposals.push_back(args);
                    break;
                }
            }
        }
    }
    return proposals;
}

} // namespace

const Primitive prefetch{
    "prefetch",
    NW_WORDS("Fetch what a block reads some steps later into the cache"),
    {{"buffer", ParamKind::Buffer, ""},
     {"block", ParamKind::Block, "of"},
     {"loop", ParamKind::Loop, "at"},
     {"steps", ParamKind::Number, "ahead"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Data,
};

} // namespace nw::schedule
