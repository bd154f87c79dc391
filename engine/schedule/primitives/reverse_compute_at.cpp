// reverse_compute_at BLOCK at LOOP
//
//   for i in 0..4:                        for i in 0..4:
//     for j in 0..16:                       for j in 0..16:
//       p: T[i * 16 + j] = ...                p: T[j] = ...
//   for k in 0..64:                  =>     for c.k in 0..16:
//     c: Y[k] = f(T[k])                       c: Y[i * 16 + c.k] = f(T[c.k])
//
// The block, which reads one to one what the blocks inside LOOP write, runs at the end of each step of LOOP for exactly
// the elements made there. Its loops are copies of the producer's that walk them, with their guards; each follows its
// original, so that it becomes vector or unrolled with it. Axes that the producer does not have are walked whole. A
// write-back whose result only this block reads falls away: the block reads the tile. A buffer that only LOOP uses from
// then on shrinks to what a step needs.
// Keeps what is computed; every element is computed once.
// Refuses reads that are not one to one, steps that do not complete what they make (a reduction around LOOP), steps that
// make an element twice, and readers that would overtake another block.

#include "engine/schedule/primitives/reverse_compute_at.h"

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/analysis/mirror.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/buffer_home.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

std::optional<Check> unfinished(const LoopNest& nest, const Follower& follower, const Args& args, const Context& context)
{
    for (const Place& producer : producersIn(nest, follower)) {
        const std::set<std::string> inside = loopsInside(producer.loops, follower.at);
        for (const std::string& name : boundLoops(*producer.block, true)) {
            if (inside.contains(name)) {
                continue;
            }
            Check found = illegal("reverse_compute_at.reduction_outside",
                                  NW_WORDS("reverse_compute_at: {1} goes on adding in every step of {2}, which is not inside {0}; "
                                           "{3} would read unfinished sums"),
                                  {follower.at, producer.block->name, name, follower.consumer.block->name},
                                  {follower.at, name, producer.block->name});
            const std::vector<std::string> order = reductionsInwards(producer, follower.at);
            if (!order.empty()) {
                found.why.unlocks = ifItUnlocks(nest, context, reorder, {{order}}, line("reorder", order), reverseComputeAt, args);
            }
            return found;
        }
    }
    return std::nullopt;
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    if (const auto missing = blockMissing(nest, "reverse_compute_at", args.name(0))) {
        return *missing;
    }
    if (const auto missing = loopMissing(nest, "reverse_compute_at", args.name(1))) {
        return *missing;
    }
    if (auto found = leavesRing(nest, "reverse_compute_at", *nest.findBlock(args.name(0)).block)) {
        return *std::move(found);
    }
    const Pairing pairing = pair(nest, args.name(0), args.name(1));
    if (!pairing.follower) {
        return pairing.why;
    }
    const Follower& follower = *pairing.follower;
    if (auto found = unfinished(nest, follower, args, context)) {
        return *std::move(found);
    }
    return blocked(nest, follower).value_or(legal());
}

struct Moved {
    Block block;
    std::vector<Loop> loops;
    Mirror mirror;
};

// Lanes of a vector cannot add to one element: a loop that now counts steps of a reduction follows no other.
void dropFollow(std::vector<Loop>& loops, const Block& block)
{
    for (Loop& loop : loops) {
        for (const IterVar& iter : block.iters) {
            if (iter.reduction && usesVar(iter.binding, loop.name)) {
                loop.follows.clear();
                loop.kind = LoopKind::Serial;
            }
        }
    }
}

Moved movedBlock(LoopNest& nest, const LoopNest& before, const Follower& follower, bool producerGoes)
{
    const Block& old = *follower.consumer.block;
    Ranges ranges = before.loopRanges();
    std::vector<std::string> axes;
    for (const Expr& index : follower.indices) {
        const std::vector<std::string> names = freeVars(index);
        axes.push_back(names.empty() ? "d" + std::to_string(axes.size()) : names.front());
    }
    std::optional<Mirror> mirror = mirrorOf(nest, follower.producer, follower.at, old.name, axes);
    ENSURE(mirror, "reverse_compute_at: the producer's loops cannot be copied");
    bool vectorInside = false;
    for (std::size_t i = 0; i < mirror->loops.size(); ++i) {
        Loop& copy = mirror->loops[i];
        const Loop& original = *mirror->of[i];
        ranges[copy.name] = Interval::ofExtent(constantExtent(copy).value_or(1));
        vectorInside = vectorInside || effectiveKind(before, original) == LoopKind::Vector;
        if (producerGoes) {
            copy.follows = original.follows;
            copy.kind = original.kind;
        }
    }
    Moved moved{old, mirror->loops, *mirror};
    const std::vector<Expr> written = accessesOf(*follower.producer.block).front().indices;
    std::vector<Expr> guards = conjuncts(mirror->guard);
    const auto addGuard = [&](const Expr& guard) {
        if (std::none_of(guards.begin(), guards.end(), [&](const Expr& known) { return equal(known, guard); })) {
            guards.push_back(guard);
        }
    };
    std::vector<Loop> whole;
    for (IterVar& iter : moved.block.iters) {
        const auto linked = follower.links.find(iter.name);
        if (linked == follower.links.end()) {
            iter.binding = intImm(0);
            if (!isConst(iter.extent, 1)) {
                Loop loop;
                loop.id = nest.nextId++;
                loop.name = nest.freshName(old.name + "." + iter.name);
                const auto isCopy = [&](const Loop& copy) { return copy.name == loop.name; };
                for (int again = 2; std::any_of(moved.loops.begin(), moved.loops.end(), isCopy); ++again) {
                    loop.name = nest.freshName(old.name + "." + iter.name + "." + std::to_string(again));
                }
                loop.extent = iter.extent;
                ranges[loop.name] = Interval::ofExtent(constantExtent(loop).value_or(1));
                iter.binding = var(loop.name);
                whole.push_back(std::move(loop));
            }
            continue;
        }
        const Expr position = substitute(written[linked->second.dimension], mirror->renamed);
        iter.binding = simplify(position - linked->second.offset, ranges);
        const Interval met = boundsOf(iter.binding, ranges);
        if (met.low < 0) {
            addGuard(lessEqual(intImm(0), iter.binding));
        }
        if (met.high >= constInt(iter.extent).value_or(0)) {
            addGuard(lessThan(iter.binding, iter.extent));
        }
    }
    moved.block.predicate = allOf(guards);
    moved.loops.insert(vectorInside ? moved.loops.begin() : moved.loops.end(), whole.begin(), whole.end());
    dropFollow(moved.loops, moved.block);
    return moved;
}

// The consumer reads the tile where the copy found it.
void readTile(Moved& moved, const Follower& follower, const Ranges& ranges)
{
    const Block& copy = *follower.producer.block;
    const Load& source = *copy.value->as<Load>();
    Substitution known;
    for (const std::string& name : varsOf(source.indices)) {
        const Expr binding = simplify(substitute(copy.iter(name)->binding, moved.mirror.renamed), ranges);
        const auto same = std::find_if(moved.block.iters.begin(), moved.block.iters.end(),
                                       [&](const IterVar& iter) { return equal(iter.binding, binding); });
        if (same != moved.block.iters.end()) {
            known.emplace(name, var(same->name));
            continue;
        }
        IterVar added = *copy.iter(name);
        for (int again = 2; moved.block.iter(added.name) != nullptr; ++again) {
            added.name = name + "." + std::to_string(again);
        }
        added.binding = binding;
        known.emplace(name, var(added.name));
        moved.block.iters.push_back(std::move(added));
    }
    std::vector<Expr> indices;
    for (const Expr& index : source.indices) {
        indices.push_back(substitute(index, known));
    }
    moved.block.value = rewriteExpr(moved.block.value, [&](const Expr& e) {
        const Load* read = e->as<Load>();
        return read != nullptr && read->buffer == copy.buffer ? load(source.buffer, e->type(), indices) : e;
    });
}

void shrink(LoopNest& nest, const std::string& name, const std::string& at)
{
    const std::vector<Stmt> kept = nest.roots; // the places below point into it while the nest changes
    Buffer* buffer = findBuffer(nest, name);
    const std::vector<Place> users = usersOf(nest, name);
    if (buffer == nullptr || buffer->scope != Scope::Heap
        || !std::all_of(users.begin(), users.end(), [&](const Place& user) { return contains(user, at); })
        || handedOn(nest, name, at)) {
        return;
    }
    const Ranges ranges = nest.loopRanges();
    const std::vector<Window> windows = windowsOf(*buffer, users, at, ranges);
    if (elementsOf(windows) * static_cast<std::int64_t>(byteSize(buffer->type)) > kLargestStack) {
        return;
    }
    buffer->scope = Scope::Stack;
    buffer->atLoop = at;
    for (std::size_t d = 0; d < windows.size(); ++d) {
        buffer->shape[d] = windows[d].extent;
    }
    buffer->layout = keptLayout(*buffer, buffer->shape, Scope::Stack);
    for (const Place& user : users) {
        const Block local = intoWindow(*user.block, name, name, windows, loopsInside(user.loops, at), ranges);
        replaceBlock(nest, local.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(local)}; });
    }
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const Pairing pairing = pair(nest, args.name(0), args.name(1));
    ENSURE(pairing.follower, "reverse_compute_at: " + fillWords(pairing.why.why.words, pairing.why.why.operands));
    const Follower& follower = *pairing.follower;
    const Block& producer = *follower.producer.block;
    const bool producerGoes = copyFallsAway(nest, follower);

    Applied applied{nest, {}};
    const std::vector<const Loop*> gone = removeBlock(applied.nest, follower.consumer.block->name);
    for (const Loop* loop : gone) {
        refollow(applied.nest, loop->name, {});
    }
    Moved moved = movedBlock(applied.nest, nest, follower, producerGoes);
    forwardByAxis(applied.forward, *follower.consumer.block, moved.block, moved.loops, gone);
    std::set<std::string> producers;
    for (const Place& place : producersIn(nest, follower)) {
        producers.insert(place.block->name);
    }
    if (producerGoes) {
        Ranges ranges = nest.loopRanges();
        for (const Loop& loop : moved.loops) {
            ranges[loop.name] = Interval::ofExtent(constantExtent(loop).value_or(1));
        }
        readTile(moved, follower, ranges);
    }
    insertBeside(applied.nest, follower.at, producers, wrap(moved.loops, {makeStmt(moved.block)}), true);
    if (producerGoes) {
        const std::vector<Stmt> kept = applied.nest.roots;
        const std::vector<const Loop*> copied = removeBlock(applied.nest, producer.name);
        applied.forward.blocks[producer.id] = {moved.block.id};
        for (const Loop* loop : copied) {
            const Loop* to = moved.mirror.copyOf(loop->name);
            applied.forward.loops[loop->id] = to == nullptr ? std::vector<LoopId>{} : std::vector<LoopId>{to->id};
            refollow(applied.nest, loop->name, {});
        }
        eraseBuffer(applied.nest, producer.buffer);
    } else {
        for (const std::string& read : buffersRead(moved.block)) {
            shrink(applied.nest, read, follower.at);
        }
    }
    return applied;
}

// Loops around the last block whose result it reads, innermost of the sensible ones first.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    const LoopNest::Path path = nest.findBlock(name);
    std::vector<Args> proposals;
    if (!path) {
        return proposals;
    }
    for (const Place& place : nest.blocks()) {
        if (place.block->name == name || !readsBuffer(*path.block, place.block->buffer)) {
            continue;
        }
        const std::vector<std::string> reduction = boundLoops(*place.block, true);
        for (const Loop* loop : place.loops) {
            if (std::find(reduction.begin(), reduction.end(), loop->name) != reduction.end() || proposals.size() == 4) {
                break;
            }
            proposals.insert(proposals.begin(), Args{{name, loop->name}});
        }
    }
    return proposals;
}

} // namespace

const Primitive reverseComputeAt{
    "reverse_compute_at",
    NW_WORDS("Run a block in each step of a loop that makes what it reads"),
    {{"block", ParamKind::Block, ""}, {"loop", ParamKind::Loop, "at"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Structure,
};

} // namespace nw::schedule
