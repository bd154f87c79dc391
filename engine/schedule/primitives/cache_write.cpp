// cache_write BLOCK at LOOP in registers|stack|heap
//
//   for o in 0..4:                          for o in 0..4: with b.reg [16] in registers
//     for k in 0..64:                  =>     for k in 0..64:
//       for i in 0..16:                         for i in 0..16:
//         b: Y[o * 16 + i] += ...                 b: b.reg[i] += ...
//                                             for b.wb.i in 0..16:
//                                               b.wb: Y[o * 16 + b.wb.i] = b.reg[b.wb.i]
//
// The block works on a tile of its own, as large as what it writes in one step of LOOP, and the tile is written back
// when the step ends. The loops of the write-back are copies of those that walk the tile, with their guards; each
// follows its original, so that it becomes a vector or unrolled loop with it. Where all readers of the block's buffer
// stand in the same step of LOOP there is no write-back: the buffer itself becomes the tile.
// Keeps the order of iteration.
// Refuses a LOOP with a loop of the block's reduction around or at it, a tile that cannot be told apart from the steps
// around, more registers than the target has, registers around a parallel loop, a parallel LOOP around another, more than
// 64 KiB of the stack, and the heap inside of a parallel loop.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/analysis/mirror.h"
#include "engine/schedule/analysis/window.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/kinds.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// The buffer is nobody else's outside of a step of the loop: no copy is needed.
bool becomesTile(const LoopNest& nest, const Buffer& buffer, const std::vector<Place>& users, const std::string& at)
{
    return buffer.scope != Scope::Port && users.size() > 1
        && std::all_of(users.begin(), users.end(), [&](const Place& user) { return contains(user, at); })
        && !handedOn(nest, buffer.name, at);
}

struct Tile {
    bool inPlace = false;
    std::vector<Place> users; // whose accesses move into it
    std::vector<Window> windows;
};
Tile tileOf(const LoopNest& nest, const LoopNest::Path& path, const std::string& at)
{
    const Buffer& buffer = *nest.buffer(path.block->buffer);
    Tile tile;
    tile.users = usersOf(nest, buffer.name);
    tile.inPlace = becomesTile(nest, buffer, tile.users, at);
    if (!tile.inPlace) {
        tile.users = {path};
    }
    tile.windows = windowsOf(buffer, tile.users, at, nest.loopRanges());
    return tile;
}

std::optional<Check> reductionOutside(const LoopNest& nest, const LoopNest::Path& path, const std::string& at,
                                      const Args& args, const Context& context)
{
    const std::set<std::string> inside = loopsInside(path.loops, at);
    std::vector<std::string> outside;
    for (const std::string& name : boundLoops(*path.block, true)) {
        if (!inside.contains(name)) {
            outside.push_back(name);
        }
    }
    if (outside.empty()) {
        return std::nullopt;
    }
    Check found = illegal("cache_write.reduction_outside",
                          NW_WORDS("cache_write: {1} adds to its result in every step of {2}, which is not inside {0}; "
                                   "a tile kept for a step of {0} would not hold all of it"),
                          {at, path.block->name, outside.front()}, {at, outside.front(), path.block->name});
    const std::vector<std::string> order = reductionsInwards(path, at);
    if (!order.empty()) {
        found.why.unlocks = ifItUnlocks(nest, context, reorder, {{order}}, line("reorder", order), cacheWrite, args);
    }
    return found;
}

std::optional<Check> tileImpossible(const LoopNest& nest, const LoopNest::Path& path, const std::string& at, Scope scope)
{
    const std::set<std::string> inside = loopsInside(path.loops, at);
    if (startsChain(nest, *nest.findLoop(at).loop)) {
        return illegal("cache_write.parallel_chain",
                       NW_WORDS("cache_write: the parallel loop {0} would hold the write-back beside the parallel loop inside of it"),
                       {at}, {at});
    }
    for (const Loop* loop : path.loops) {
        if (scope == Scope::Heap && !inside.contains(loop->name) && loop->kind == LoopKind::Parallel) {
            return illegal("cache_write.heap_shared",
                           NW_WORDS("cache_write: the heap is shared by the threads of {0}; keep the tile in registers or on the stack"),
                           {loop->name}, {loop->name});
        }
        if (scope == Scope::Registers && inside.contains(loop->name) && loop->kind == LoopKind::Parallel) {
            return illegal("cache_write.parallel_inside",
                           NW_WORDS("cache_write: {1} inside {0} is parallel; its threads reach the stack or the heap, but no registers"),
                           {at, loop->name}, {at, loop->name});
        }
    }
    if (const auto fault = cannotMirror(path, at)) {
        return fault->empty()
            ? illegal("cache_write.guard", NW_WORDS("cache_write: the guard of {1} ties its reduction to the element it writes"),
                      {at, path.block->name}, {path.block->name})
            : illegal("cache_write.mixed", NW_WORDS("cache_write: {2} walks elements of {1} and its reduction at once"),
                      {at, path.block->name, *fault}, {*fault, path.block->name});
    }
    const std::vector<Expr> written = accessesOf(*path.block).front().indices;
    for (const Expr& index : written) {
        if (!spanOf(index, inside, nest.loopRanges())) {
            return illegal("cache_write.region",
                           NW_WORDS("cache_write: what {1} writes in one step of {0} is no box; a loop that walks {2} mixes steps inside and around"),
                           {at, path.block->name, toText(index)}, {at, path.block->name});
        }
    }
    return std::nullopt;
}

// Other blocks that work on the buffer must find their elements where they look for them.
std::optional<Check> othersCutOff(const LoopNest& nest, const LoopNest::Path& path, const std::string& at, const Tile& tile)
{
    const Block& block = *path.block;
    if (!tile.inPlace && block.continues()) {
        return illegal("cache_write.continued",
                       NW_WORDS("cache_write: {0} goes on with what another block started in {1}, and a tile would begin empty"),
                       {block.name, block.buffer}, {block.name});
    }
    const std::string& home = nest.buffer(block.buffer)->atLoop;
    if (!home.empty() && loopsInside(path.loops, at).contains(home)) {
        return illegal("cache_write.outwards",
                       NW_WORDS("cache_write: {1} is private to a step of {2} inside {0}; kept for a step of {0}, one element "
                                "would stand for many"),
                       {at, block.buffer, home}, {at, home, block.name});
    }
    for (const Place& user : usersOf(nest, block.buffer)) {
        const std::set<std::string> inside = loopsInside(user.loops, at);
        for (const std::string& name : boundLoops(*user.block, true)) {
            if (tile.inPlace && user.block->buffer == block.buffer && !inside.contains(name)) {
                return illegal("cache_write.reduction_outside",
                               NW_WORDS("cache_write: {1} adds to its result in every step of {2}, which is not inside {0}; "
                                        "a tile kept for a step of {0} would not hold all of it"),
                               {at, user.block->name, name}, {at, name, user.block->name});
            }
        }
    }
    const std::vector<Stmt>& body = nest.findLoop(at).loop->body;
    const auto holder = std::find_if(body.begin(), body.end(), [&](const Stmt& statement) {
        const std::vector<const Block*> below = blocksIn({statement});
        return std::find(below.begin(), below.end(), &block) != below.end();
    });
    for (const Block* other : blocksIn({*holder})) {
        if (!tile.inPlace && other != &block && (other->buffer == block.buffer || readsBuffer(*other, block.buffer))) {
            return illegal("cache_write.other_user",
                           NW_WORDS("cache_write: {2} uses {1} beside {0}, before the tile of a step of {3} is written back"),
                           {block.name, block.buffer, other->name, at}, {at, other->name});
        }
    }
    return std::nullopt;
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    const std::string& at = args.name(1);
    if (const auto missing = blockMissing(nest, "cache_write", args.name(0))) {
        return *missing;
    }
    if (const auto missing = loopMissing(nest, "cache_write", at)) {
        return *missing;
    }
    const std::optional<Scope> scope = scopeNamed(args.name(2));
    if (!scope) {
        return illegal("cache_write.scope", NW_WORDS("cache_write: {0} is no place for a tile; say registers, stack or heap"),
                       {args.name(2)}, {});
    }
    const LoopNest::Path path = nest.findBlock(args.name(0));
    if (!contains(path, at)) {
        return illegal("cache_write.not_around", NW_WORDS("cache_write: {1} does not stand inside {0}"), {at, path.block->name},
                       {at, path.block->name});
    }
    const Buffer& buffer = *nest.buffer(path.block->buffer);
    if (auto found = reductionOutside(nest, path, at, args, context)) {
        return *std::move(found);
    }
    if (auto found = tileImpossible(nest, path, at, *scope)) {
        return *std::move(found);
    }
    const Tile tile = tileOf(nest, path, at);
    if (auto found = othersCutOff(nest, path, at, tile)) {
        return *std::move(found);
    }
    if (auto found = tooLarge("cache_write", path.block->name, *scope, buffer.type, elementsOf(tile.windows), context)) {
        return *std::move(found);
    }
    const bool inVector = effectiveKind(nest, *nest.findLoop(at).loop) == LoopKind::Vector;
    if (inVector && (*scope == Scope::Heap || elementsOf(tile.windows) != 1)) {
        return illegal("cache_write.vector",
                       NW_WORDS("cache_write: {0} is a vector loop; each of its lanes can keep one element, on the stack or in registers"),
                       {at}, {at});
    }
    if (buffer.scope == Scope::Registers || (buffer.scope == *scope && buffer.atLoop == at)) {
        return pointless("cache_write.already", NW_WORDS("cache_write: {0} already writes the tile {1}"),
                         {path.block->name, buffer.name}, {path.block->name});
    }
    if (!path.block->isReduction() && !tile.inPlace) {
        return pointless("cache_write.no_reuse", NW_WORDS("cache_write: {0} writes each element once, so a tile saves nothing"),
                         {path.block->name}, {path.block->name});
    }
    return legal();
}

void addWriteBack(Applied& applied, const LoopNest& before, const LoopNest::Path& path, const std::string& at, const Block& tiled)
{
    LoopNest& nest = applied.nest;
    Block copy;
    copy.name = nest.freshName(path.block->name + ".wb");
    copy.stage = path.block->stage;
    copy.buffer = path.block->buffer;
    copy.indices = path.block->indices;
    copy.value = load(tiled.buffer, before.buffer(copy.buffer)->type, tiled.indices);

    std::vector<std::string> axes;
    for (const Expr& index : path.block->indices) {
        const Var* axis = index->as<Var>();
        const std::string name = axis != nullptr ? axis->name.substr(0, axis->name.find(".in")) : "";
        axes.push_back(name.empty() ? "d" + std::to_string(axes.size()) : name);
    }
    const std::optional<Mirror> mirror = mirrorOf(nest, path, at, copy.name, axes);
    ENSURE(mirror, "cache_write: the tile's loops cannot be copied");
    copy.id = nest.nextId++;
    copy.predicate = mirror->guard;
    Ranges ranges = before.loopRanges();
    for (const Loop& loop : mirror->loops) {
        ranges[loop.name] = Interval::ofExtent(*constantExtent(loop));
    }
    // A variable that only the value needed may walk a loop that the copy does not have.
    std::set<std::string> used = varsOf(copy.indices);
    used.merge(varsOf(tiled.indices));
    for (IterVar iter : tiled.iters) {
        if (!iter.reduction && used.contains(iter.name)) {
            iter.binding = simplify(substitute(iter.binding, mirror->renamed), ranges);
            copy.iters.push_back(std::move(iter));
        }
    }
    applied.forward.blocks[path.block->id] = {path.block->id, copy.id};
    const std::vector<Stmt> writeBack = wrap(mirror->loops, {makeStmt(std::move(copy))});
    insertBeside(nest, at, {path.block->name}, writeBack, true);
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const std::string& at = args.name(1);
    const LoopNest::Path path = nest.findBlock(args.name(0));
    const std::optional<Scope> scope = scopeNamed(args.name(2));
    ENSURE(path && scope && contains(path, at), "cache_write: there is no such block, loop or scope");
    const Tile tile = tileOf(nest, path, at);
    const Ranges ranges = nest.loopRanges();

    Applied applied{nest, {}};
    Buffer made = *nest.buffer(path.block->buffer);
    if (!tile.inPlace) {
        const char* suffix = *scope == Scope::Registers ? ".reg" : *scope == Scope::Stack ? ".stack" : ".heap";
        made.name = nest.freshName(path.block->name + suffix);
        made.port = -1;
    }
    made.scope = *scope;
    made.atLoop = at;
    made.shape.clear();
    for (const Window& window : tile.windows) {
        made.shape.push_back(window.extent);
    }
    made.layout = tile.inPlace ? keptLayout(made, made.shape, *scope) : Layout{};
    if (made.layout.isPlain()) {
        made.layout = orderedLayout(walkedOrder(path, loopsInside(path.loops, at), accessesOf(*path.block).front().indices));
    }
    std::optional<Block> tiled;
    for (const Place& user : tile.users) {
        Block moved = intoWindow(*user.block, path.block->buffer, made.name, tile.windows, loopsInside(user.loops, at), ranges);
        if (user.block->id == path.block->id) {
            tiled = moved;
        }
        replaceBlock(applied.nest, moved.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(moved)}; });
    }
    if (tile.inPlace) {
        *findBuffer(applied.nest, made.name) = made;
    } else {
        applied.nest.buffers.push_back(made);
        addWriteBack(applied, nest, path, at, *tiled);
    }
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    std::vector<Args> proposals;
    for (const LoopNest::Path& path : nest.blocks()) {
        const bool isBlock = path.block->name == name;
        if (!path.block->isReduction() || !(isBlock || contains(path, name))) {
            continue;
        }
        if (!isBlock) {
            proposals.push_back({{path.block->name, name, std::string("registers")}});
            continue;
        }
        // The loop around the outermost loop of the reduction.
        const std::vector<std::string> reduction = boundLoops(*path.block, true);
        for (std::size_t i = 0; i + 1 < path.loops.size(); ++i) {
            if (std::find(reduction.begin(), reduction.end(), path.loops[i + 1]->name) != reduction.end()) {
                proposals.push_back({{name, path.loops[i]->name, std::string("registers")}});
                break;
            }
        }
    }
    return proposals;
}

} // namespace

const Primitive cacheWrite{
    "cache_write",
    NW_WORDS("Let a block work on a tile that is written back when a loop's step ends"),
    {{"block", ParamKind::Block, ""}, {"loop", ParamKind::Loop, "at"}, {"scope", ParamKind::ScopeName, "in"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Data,
    'W',
};

} // namespace nw::schedule
