// compute_inline BLOCK
//
//   for i in 0..64:                     for j in 0..64:
//     p: T[i] = f(i)             =>       c: Y[j] = g(f(j + 1))
//   for j in 0..64:
//     c: Y[j] = g(T[j + 1])
//
// The value takes the place of each read of it; the block, its loops and its buffer vanish. Elements that are read
// several times are computed again for each read.
// Keeps what is computed. Guards of the block need no place at its readers: an element that they leave out is read by
// nobody, since a nest reads only what was written.
// Refuses reductions, blocks that write an output or share their buffer with another writer, axes that the place of an
// element does not tell, reads of what is private to another loop, and values that would grow too large.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/inverse.h"
#include "engine/schedule/analysis/pieces.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

constexpr std::size_t kLargestValue = 4096; // parts of an expression

struct Users {
    std::vector<Place> readers;
    const Block* otherWriter = nullptr;
};
Users usersOf(const LoopNest& nest, const Block& block)
{
    Users users;
    for (const Place& place : nest.blocks()) {
        if (place.block->id != block.id && place.block->buffer == block.buffer) {
            users.otherWriter = place.block;
        }
        if (readsBuffer(*place.block, block.buffer)) {
            users.readers.push_back(place);
        }
    }
    return users;
}

std::optional<std::map<std::string, Told>> axesOf(const LoopNest& nest, const Block& block)
{
    const std::vector<std::string> used = freeVars(block.value);
    return toldByElement(block, block.indices, {used.begin(), used.end()}, lifetimeLoops(nest, *nest.buffer(block.buffer)),
                         nest.loopRanges());
}

std::size_t sizeOf(const Expr& e, std::size_t limit)
{
    std::size_t parts = 0;
    walk(e, [&](const Expr&) { return ++parts <= limit; });
    return parts;
}

// Parts that the readers' values would have, counted up to a little more than the limit.
std::size_t grownSize(const Block& block, const std::vector<Place>& readers)
{
    const std::size_t added = sizeOf(block.value, kLargestValue);
    std::size_t largest = 0;
    for (const Place& reader : readers) {
        std::size_t parts = 0;
        walk(reader.block->value, [&](const Expr& e) {
            const Load* read = e->as<Load>();
            parts += read != nullptr && read->buffer == block.buffer ? added : 1;
            return parts <= kLargestValue;
        });
        largest = std::max(largest, parts);
    }
    return largest;
}

std::optional<Check> blockStays(const LoopNest& nest, const Block& block, const Users& users)
{
    if (nest.buffer(block.buffer)->scope == Scope::Port) {
        return illegal("compute_inline.output",
                       NW_WORDS("compute_inline: {0} writes the output {1}, which must be there in the end"),
                       {block.name, block.buffer}, {block.name});
    }
    if (block.isReduction()) {
        return illegal("compute_inline.reduction",
                       NW_WORDS("compute_inline: {0} is a reduction; the value of an element is only there after all of its steps"),
                       {block.name}, {block.name});
    }
    if (users.otherWriter != nullptr) {
        return illegal("compute_inline.other_writer",
                       NW_WORDS("compute_inline: {2} writes {1} too, so {0} alone does not say what an element holds"),
                       {block.name, block.buffer, users.otherWriter->name}, {block.name, users.otherWriter->name});
    }
    if (users.readers.empty()) {
        return illegal("compute_inline.no_consumer", NW_WORDS("compute_inline: nothing reads what {0} writes"), {block.name},
                       {block.name});
    }
    return std::nullopt;
}

// An element of what the block writes is one value while its buffer lives: the loops that tell apart what it computes are
// told by its place, or stand around the buffer's own. Tiles that several steps use one after the other are not so.
bool holdsOneValue(const LoopNest& nest, const Block& writer)
{
    std::set<std::string> axes;
    for (const IterVar& iter : writer.iters) {
        if (!iter.reduction) {
            axes.insert(iter.name);
        }
    }
    return toldByElement(writer, writer.indices, axes, lifetimeLoops(nest, *nest.buffer(writer.buffer)), nest.loopRanges()).has_value();
}

// What the block reads must be there, with the same contents, where its readers stand.
std::optional<Check> readsElsewhere(const LoopNest& nest, const Place& producer, const Place& reader)
{
    const Block& block = *producer.block;
    const std::set<std::string> fixed = lifetimeLoops(nest, *nest.buffer(block.buffer));
    const Ranges ranges = nest.loopRanges();
    const std::vector<const Loop*> shared = sharedLoops(producer, reader, fixed);
    const Access written = accessesOf(block).front();
    bool sameStep = true;
    for (const Access& access : accessesOf(*reader.block)) {
        if (!access.isWrite && access.buffer == block.buffer) {
            sameStep = sameStep && meetInOneStep(producer, written, reader, access, fixed, ranges);
        }
    }
    for (const std::string& read : buffersRead(block)) {
        const Buffer& source = *nest.buffer(read);
        const bool alive = source.atLoop.empty() || fixed.contains(source.atLoop)
            || (sameStep && contains(reader, source.atLoop));
        if (!alive) {
            return illegal("compute_inline.reads_private",
                           NW_WORDS("compute_inline: {1} reads {2}, which is private to {0} and not there for {3}"),
                           {source.atLoop, block.name, read, reader.block->name}, {source.atLoop, block.name, reader.block->name});
        }
        for (const Place& writer : nest.blocks()) {
            const bool changes = !sameStep && !shared.empty() && contains(writer, shared.front()->name);
            if (writer.block->buffer == read && (changes || !holdsOneValue(nest, *writer.block))) {
                return unproven("compute_inline.unknown",
                                NW_WORDS("compute_inline: whether {1} still holds what {0} reads of it where {2} stands is not known"),
                                {block.name, read, reader.block->name}, {block.name, reader.block->name});
            }
        }
    }
    return std::nullopt;
}

// What the reader's iteration variables can be while it runs.
Ranges rangesOf(const Block& block, const Ranges& loops)
{
    Ranges ranges;
    for (const IterVar& iter : block.iters) {
        Interval met = boundsOf(iter.binding, loops);
        met.low = std::max<std::int64_t>(met.low, 0);
        if (const std::optional<std::int64_t> extent = constInt(iter.extent)) {
            met.high = std::min(met.high, *extent - 1);
        }
        ranges[iter.name] = met;
    }
    return ranges;
}

// A variable of the reader for a digit of what loops around say. A digit each: its range stays plain to see whatever is
// done to the loops.
Expr variableFor(const std::string& axis, const Piece& piece, bool reduction, Block& reader)
{
    const auto same = std::find_if(reader.iters.begin(), reader.iters.end(), [&](const IterVar& iter) {
        return iter.reduction == reduction && equal(iter.binding, piece.value);
    });
    if (same != reader.iters.end()) {
        return var(same->name);
    }
    IterVar added;
    added.name = axis + ".at";
    for (int copy = 2; reader.iter(added.name) != nullptr; ++copy) {
        added.name = axis + ".at." + std::to_string(copy);
    }
    added.binding = piece.value;
    added.extent = intImm(piece.extent);
    added.reduction = reduction;
    reader.iters.push_back(added);
    return var(added.name);
}

// The part of an axis that loops around say, over the reader's iteration variables: what its own reduction walks apart
// from the rest, since a variable belongs to the one or the other. Nothing when they cannot be told apart.
std::optional<Expr> overIters(const std::string& axis, const Expr& rest, Block& reader, const Ranges& loops)
{
    if (constInt(rest)) {
        return rest;
    }
    for (const IterVar& iter : reader.iters) {
        const Expr apart = simplify(rest - iter.binding, loops);
        if (constInt(apart)) {
            return var(iter.name) + apart;
        }
    }
    const std::optional<PieceSum> sum = piecesOf(rest, loops);
    if (!sum) {
        return std::nullopt;
    }
    const std::vector<std::string> names = boundLoops(reader, true);
    const std::set<std::string> reduction(names.begin(), names.end());
    Expr total = intImm(sum->constant);
    for (const Piece& piece : sum->pieces) {
        const auto reduces = std::count_if(piece.variables.begin(), piece.variables.end(),
                                           [&](const std::string& name) { return reduction.contains(name); });
        if (reduces != 0 && static_cast<std::size_t>(reduces) != piece.variables.size()) {
            return std::nullopt;
        }
        total = total + variableFor(axis, piece, reduces != 0, reader) * piece.coefficient;
    }
    return total;
}

// An index counted from elsewhere and what loops around have to add to it. Where the reader has a variable that counts
// from where the rest would begin, it takes the place of the index's own.
struct Counted {
    Expr index, rest;
};
Counted counted(Expr index, Expr rest, const Block& reader, const Ranges& loops)
{
    const std::optional<Affine> form = affineOf(index);
    for (const auto& [name, coefficient] : form ? form->terms : std::map<std::string, std::int64_t>{}) {
        const IterVar& own = *reader.iter(name);
        for (const IterVar& other : reader.iters) {
            const Expr left = simplify(rest - (other.binding - own.binding) * coefficient, loops);
            if (other.reduction == own.reduction && freeVars(left).size() < freeVars(rest).size()) {
                index = substitute(index, {{name, var(other.name)}});
                rest = left;
                break;
            }
        }
    }
    return {index, rest};
}

// Parts of axes that nothing uses any more.
void dropParts(Block& block)
{
    std::set<std::string> used = varsOf(block.indices);
    used.merge(varsOf({block.value}));
    std::erase_if(block.iters, [&](const IterVar& iter) { return isPart(iter) && !used.contains(iter.name); });
}

std::optional<Block> withValue(Block reader, const Block& producer, DType type, const std::map<std::string, Told>& axes,
                               const Ranges& loops)
{
    bool apart = true;
    const Expr value = rewriteExpr(reader.value, [&](const Expr& e) {
        const Load* read = e->as<Load>();
        if (read == nullptr || read->buffer != producer.buffer) {
            return e;
        }
        Substitution known;
        for (const auto& [axis, how] : axes) {
            const Counted place = counted(how.dimension ? read->indices[*how.dimension] : intImm(0), how.rest, reader, loops);
            const std::optional<Expr> rest = overIters(axis, place.rest, reader, loops);
            apart = apart && rest;
            known.emplace(axis, place.index + rest.value_or(intImm(0)));
        }
        return castTo(type, substitute(producer.value, known));
    });
    if (!apart) {
        return std::nullopt;
    }
    reader.value = simplify(value, rangesOf(reader, loops));
    dropParts(reader);
    return reader;
}

Check check(const LoopNest& nest, const Args& args, const Context&)
{
    if (const auto missing = blockMissing(nest, "compute_inline", args.name(0))) {
        return *missing;
    }
    const Place producer = nest.findBlock(args.name(0));
    const Users users = usersOf(nest, *producer.block);
    if (auto found = blockStays(nest, *producer.block, users)) {
        return *std::move(found);
    }
    for (const Place& reader : users.readers) {
        if (auto found = readsElsewhere(nest, producer, reader)) {
            return *std::move(found);
        }
    }
    const Block& block = *producer.block;
    if (grownSize(block, users.readers) > kLargestValue) {
        return illegal("compute_inline.too_large",
                       NW_WORDS("compute_inline: with {0} in their values its readers would have more than {1} operations and reads"),
                       {block.name, std::to_string(kLargestValue)}, {block.name});
    }
    const std::optional<std::map<std::string, Told>> axes = axesOf(nest, block);
    const bool told = axes && std::all_of(users.readers.begin(), users.readers.end(), [&](const Place& reader) {
        return withValue(*reader.block, block, nest.buffer(block.buffer)->type, *axes, nest.loopRanges()).has_value();
    });
    if (!told) {
        return illegal("compute_inline.not_inverted",
                       NW_WORDS("compute_inline: from the place of an element in {1} the axes of {0} cannot be told"),
                       {block.name, block.buffer}, {block.name});
    }
    return legal();
}

// Loops of the block are followed to those loops of its readers that walk its axes now.
void forwardLoops(Applied& applied, const Place& producer, const std::vector<const Loop*>& gone,
                  const std::vector<Place>& readers, const std::map<std::string, Told>& axes)
{
    for (const Loop* loop : gone) {
        std::vector<LoopId>& to = applied.forward.loops[loop->id];
        for (const Place& reader : readers) {
            std::set<std::string> walkers;
            for (const Access& access : accessesOf(*reader.block)) {
                for (const IterVar& iter : producer.block->iters) {
                    const auto axis = axes.find(iter.name);
                    if (!access.isWrite && access.buffer == producer.block->buffer && axis != axes.end() && axis->second.dimension
                        && usesVar(iter.binding, loop->name)) {
                        walkers.merge(varsOf({access.indices[*axis->second.dimension]}));
                    }
                }
            }
            for (const Loop* around : reader.loops) {
                if (walkers.contains(around->name) && std::find(to.begin(), to.end(), around->id) == to.end()) {
                    to.push_back(around->id);
                }
            }
        }
    }
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const Place producer = nest.findBlock(args.name(0));
    ENSURE(producer, "compute_inline: there is no such block");
    const Block& block = *producer.block;
    const std::optional<std::map<std::string, Told>> axes = axesOf(nest, block);
    ENSURE(axes, "compute_inline: the block's axes cannot be told from its elements");
    const std::vector<Place> readers = usersOf(nest, block).readers;
    const DType type = nest.buffer(block.buffer)->type;

    Applied applied{nest, {}};
    std::vector<BlockId>& to = applied.forward.blocks[block.id];
    for (const Place& reader : readers) {
        const std::optional<Block> changed = withValue(*reader.block, block, type, *axes, nest.loopRanges());
        ENSURE(changed, "compute_inline: a reader's loops cannot be told apart");
        replaceBlock(applied.nest, changed->id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(*changed)}; });
        to.push_back(changed->id);
    }
    const std::vector<Stmt> kept = applied.nest.roots; // the loops that go are told from it
    const std::vector<const Loop*> gone = removeBlock(applied.nest, block.name);
    for (const Loop* loop : gone) {
        refollow(applied.nest, loop->name, {});
    }
    eraseBuffer(applied.nest, block.buffer);
    forwardLoops(applied, producer, gone, readers, *axes);
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    const Place path = nest.findBlock(name);
    const bool isRead = path && !usersOf(nest, *path.block).readers.empty();
    return isRead ? std::vector<Args>{{{name}}} : std::vector<Args>{};
}

} // namespace

const Primitive computeInline{
    "compute_inline",
    NW_WORDS("Put a block's value into the blocks that read it"),
    {{"block", ParamKind::Block, ""}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Structure,
    'I',
};

} // namespace nw::schedule
