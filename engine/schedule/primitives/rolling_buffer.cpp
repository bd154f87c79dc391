// rolling_buffer BUFFER at LOOP size exact|power_of_two
//
//   for y in 0..64: with T [3, 80] in stack           for y in 0..64:                   T [3, 80] in heap
//     for j in 0..3:                                    for j in 0..3:
//       for x in 0..80:                                   for x in 0..80:
//         p: T[j, x] = f(y + j, x)             =>           p: T[(y + j) % 3, x] = f(y + j, x)  if y < 1 || j >= 2
//     for x in 0..80:                                   for x in 0..80:
//       c: Y[y, x] = T[0, x] + T[2, x]                    c: Y[y, x] = T[y % 3, x] + T[(y + 2) % 3, x]
//
// Steps of LOOP use windows of BUFFER that overlap. The memory moves out of LOOP; along the one dimension in which the
// window moves it is a ring, as large as a window or as the next power of two. Each element is computed once: in its
// first step the block computes the whole window, later what the step before did not.
// Keeps the order of iteration.
// Refuses ports, loops whose steps run at once, buffers with another writer or a user outside of LOOP, windows that do not
// overlap, stand still, move in several dimensions, backwards or by steps that are no number, blocks that leave gaps, and
// values or guards that depend on more than the element.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/buffer_home.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/rolling_window.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

const char* const kPowerOfTwo = "power_of_two";

std::optional<Check> cannotRoll(const LoopNest& nest, const Buffer& buffer, const Loop& loop)
{
    if (buffer.scope == Scope::Port) {
        return illegal("rolling_buffer.port", NW_WORDS("rolling_buffer: {0} is an argument of the kernel, all of which must be there"),
                       {buffer.name}, {buffer.name});
    }
    const LoopKind kind = effectiveKind(nest, loop);
    if (kind == LoopKind::Parallel || kind == LoopKind::Vector) {
        return illegal("rolling_buffer.kind",
                       NW_WORDS("rolling_buffer: {0} is {1}; its steps run at once, and none can rely on the one before"),
                       {loop.name, verbOf(kind)}, {loop.name});
    }
    return std::nullopt;
}

// The one block that makes the buffer, when it makes its elements in each step of the loop.
std::optional<Check> otherUse(const LoopNest& nest, const Args& args, const Context& context)
{
    const std::string& at = args.name(1);
    const std::vector<Place> users = usersOf(nest, args.name(0));
    const auto writes = [&](const Place& user) { return user.block->buffer == args.name(0); };
    const auto producer = std::find_if(users.begin(), users.end(), writes);
    ENSURE(producer != users.end(), "nothing writes " + args.name(0));
    if (const Block* other = otherWriter(nest, *producer->block)) {
        return illegal("rolling_buffer.other_writer",
                       NW_WORDS("rolling_buffer: {0} and {1} both write {2}; a ring is filled by one block"),
                       {producer->block->name, other->name, args.name(0)}, {producer->block->name, other->name});
    }
    for (const Place& user : users) {
        if (!contains(user, at)) {
            Check found = illegal("rolling_buffer.user_outside", NW_WORDS("rolling_buffer: {1} uses {2} outside of {0}"),
                                  {at, user.block->name, args.name(0)}, {at, user.block->name});
            if (writes(user)) {
                const std::string& block = user.block->name;
                found.why.unlocks = ifItUnlocks(nest, context, computeAt, {{block, at}}, line("compute_at", {block, "at", at}),
                                                rollingBuffer, args);
            }
            return found;
        }
    }
    if (users.size() < 2) {
        return illegal("rolling_buffer.no_reader", NW_WORDS("rolling_buffer: nothing reads what {0} writes"),
                       {producer->block->name}, {producer->block->name});
    }
    return std::nullopt;
}

// The loop around LOOP, to whose step the ring belongs; empty: the kernel's.
std::string homeOf(const LoopNest& nest, const std::string& at)
{
    const std::vector<const Loop*> around = nest.findLoop(at).loops;
    return around.empty() ? "" : around.back()->name;
}

// The buffer's elements by numbers that mean the same in each step of LOOP.
LoopNest numbered(const LoopNest& nest, const Buffer& buffer, const std::string& at)
{
    const bool isPrivate = buffer.atLoop == at || (!buffer.atLoop.empty() && contains(nest.findLoop(buffer.atLoop), at));
    return isPrivate ? unfolded(nest, buffer.name) : nest;
}

std::int64_t ringSize(const RollingWindow& window, const Args& args)
{
    std::int64_t size = window.extent;
    if (args.given(2) && args.name(2) == kPowerOfTwo) {
        size = 1;
        while (size < window.extent) {
            size *= 2;
        }
    }
    return size;
}

LoopNest rolled(const LoopNest& before, const Args& args, const RollingWindow& window)
{
    const std::string& name = args.name(0);
    const std::size_t d = window.dimension;
    LoopNest nest = shrunkTo(before, name, homeOf(before, args.name(1)), d);
    const std::int64_t size = ringSize(window, args);
    const bool folds = size < nest.buffer(name)->shape[d];
    const auto inRing = [&](std::vector<Expr> indices) {
        indices[d] = folds ? floorMod(indices[d], intImm(size)) : indices[d];
        return indices;
    };
    for (const Place& user : usersOf(nest, name)) {
        Block block = *user.block;
        if (block.buffer == name) {
            block.indices = inRing(block.indices);
            std::vector<Expr> guards = conjuncts(block.predicate);
            if (window.fresh != nullptr) {
                guards.push_back(window.fresh);
            }
            block.predicate = allOf(guards);
        }
        block.value = rewriteExpr(block.value, [&](const Expr& e) {
            const Load* read = e->as<Load>();
            return read != nullptr && read->buffer == name ? load(name, e->type(), inRing(read->indices)) : e;
        });
        replaceBlock(nest, block.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(block)}; });
    }
    Buffer& ring = *findBuffer(nest, name);
    if (folds) {
        const Buffer whole = ring;
        ring.shape[d] = size;
        ring.scope = suitableScope(nest, ring);
        ring.layout = ring.scope == Scope::Registers ? whole.layout : keptLayout(whole, ring.shape, ring.scope);
    }
    return nest;
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    const std::string& at = args.name(1);
    if (const auto missing = bufferMissing(nest, "rolling_buffer", args.name(0))) {
        return *missing;
    }
    if (const auto missing = loopMissing(nest, "rolling_buffer", at)) {
        return *missing;
    }
    const Buffer& buffer = *nest.buffer(args.name(0));
    if (auto found = cannotRoll(nest, buffer, *nest.findLoop(at).loop)) {
        return *std::move(found);
    }
    if (auto found = otherUse(nest, args, context)) {
        return *std::move(found);
    }
    const bool stepsOfHome = !homeOf(nest, at).empty()
        && (buffer.atLoop.empty() || contains(nest.findLoop(homeOf(nest, at)), buffer.atLoop));
    if (stepsOfHome && handedOn(nest, buffer.name, homeOf(nest, at))) {
        return illegal("rolling_buffer.handed_on",
                       NW_WORDS("rolling_buffer: elements of {1} are handed on between steps of {0}, around {2}; a ring begins anew in each"),
                       {homeOf(nest, at), buffer.name, at}, {homeOf(nest, at), buffer.name});
    }
    const LoopNest whole = numbered(nest, buffer, at);
    RollingWindow window;
    if (auto found = rollingWindow(whole, buffer.name, at, window)) {
        return *std::move(found);
    }
    if (auto found = cannotLive(rolled(whole, args, window), "rolling_buffer", buffer.name, context)) {
        return *std::move(found);
    }
    // In one step of LOOP no two elements share a place: the ring need not be looked at.
    return stepsMeet(shrunkTo(whole, buffer.name, homeOf(nest, at), window.dimension), "rolling_buffer", buffer.name).value_or(legal());
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const Buffer* buffer = nest.buffer(args.name(0));
    ENSURE(buffer != nullptr && nest.findLoop(args.name(1)), "rolling_buffer: there is no such buffer or loop");
    const LoopNest whole = numbered(nest, *buffer, args.name(1));
    RollingWindow window;
    ENSURE(!rollingWindow(whole, buffer->name, args.name(1), window), "rolling_buffer: the buffer has no window that moves on");
    return {rolled(whole, args, window), {}};
}

// The loop's own buffers, or what a block writes, at the loop that it belongs to.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context& context)
{
    const LoopNest::Path path = nest.findBlock(name);
    std::vector<Args> proposals;
    for (const Buffer& buffer : nest.buffers) {
        const bool asked = path ? path.block->buffer == buffer.name && !buffer.atLoop.empty() : buffer.atLoop == name && nest.findLoop(name);
        if (buffer.scope == Scope::Port || !asked) {
            continue;
        }
        LoopNest::Path home = nest.findLoop(buffer.atLoop);
        home.loops.push_back(home.loop);
        for (auto loop = home.loops.rbegin(); loop != home.loops.rend(); ++loop) {
            const Args args{{buffer.name, (*loop)->name, ArgValue()}};
            if (check(nest, args, context).verdict == Verdict::Legal) {
                proposals.push_back(args);
            }
        }
    }
    return proposals;
}

} // namespace

const Primitive rollingBuffer{
    "rolling_buffer",
    NW_WORDS("Keep what steps of a loop have in common in a ring, so that each element is computed once"),
    {{"buffer", ParamKind::Buffer, ""},
     {"loop", ParamKind::Loop, "at"},
     {"size", ParamKind::Choice, "size", true, {"exact", kPowerOfTwo}}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Data,
};

} // namespace nw::schedule
