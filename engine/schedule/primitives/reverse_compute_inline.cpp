// reverse_compute_inline BLOCK
//
//   for i in 0..64:                     for i in 0..64:
//     p: T[i] = f(i)             =>       p: Y[i] = g(f(i))
//   for j in 0..64:
//     c: Y[j] = g(T[j])
//
// The block, which needs one element of what its producer writes, is put into the producer's write; the block, its loops
// and the buffer between the two vanish. Where the producer makes more than the block has, a guard leaves the rest out.
// Keeps what is computed; each element is made where its producer stood.
// Refuses reductions, a producer that is one unless the block only copies (its sums are unfinished before the last step;
// the write-back of a tile is no reduction), buffers with another reader or writer, reads that are not one to one or only sometimes happen, and what
// is not ready where the producer stands.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/inverse.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/buffer_home.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// The consumer, the one block whose result it takes in, and how its axes follow from an element of that.
struct Pair {
    Place consumer;
    Place producer;
    std::vector<Expr> indices; // of the read, over the consumer's iteration variables
    std::map<std::string, Told> axes;
    std::set<std::string> fixed; // loops that are the same for both at an element
};
struct Pairing {
    std::optional<Pair> pair;
    Check why;
};

// A read that happens whenever the value is computed.
bool readsAlways(const Expr& value, const std::string& buffer)
{
    bool found = false;
    walk(value, [&](const Expr& e) {
        const Load* read = e->as<Load>();
        found = found || (read != nullptr && read->buffer == buffer);
        const Select* choice = e->as<Select>();
        found = found || (choice != nullptr && readsAlways(choice->condition, buffer));
        return choice == nullptr && !found;
    });
    return found;
}

// Index by index a variable of its own that the element tells, or a dimension of one element.
std::optional<std::map<std::string, Told>> oneToOne(const LoopNest& nest, const Pair& pair, const Buffer& buffer)
{
    const Block& consumer = *pair.consumer.block;
    for (const std::vector<Expr>& read : readsOf(consumer, buffer.name)) {
        if (!std::equal(read.begin(), read.end(), pair.indices.begin(), [](const Expr& a, const Expr& b) { return equal(a, b); })) {
            return std::nullopt;
        }
    }
    std::set<std::string> needed = varsOf(consumer.indices);
    needed.merge(varsOf({consumer.value}));
    for (const IterVar& iter : consumer.iters) {
        if (!isPart(iter)) {
            needed.insert(iter.name); // none may leave its axis, used or not
        }
    }
    std::optional<std::map<std::string, Told>> axes
        = toldByElement(consumer, pair.indices, needed, pair.fixed, nest.loopRanges());
    for (std::size_t d = 0; axes && d < pair.indices.size(); ++d) {
        if (buffer.shape[d] == 1) {
            continue;
        }
        const std::set<std::string> names = varsOf({pair.indices[d]});
        const auto axis = names.size() == 1 ? axes->find(*names.begin()) : axes->end();
        if (axis == axes->end() || axis->second.dimension != d) {
            return std::nullopt;
        }
    }
    return axes;
}

// Guards of the consumer that hold for whole steps around both go along; those that keep an axis inside its extent are
// made anew where they are needed. Another one leaves elements to other steps, which the producer makes all the same.
std::optional<std::vector<Expr>> guardsTaken(const LoopNest& nest, const Block& consumer, const std::set<std::string>& fixed)
{
    const Ranges ranges = nest.loopRanges();
    std::vector<Expr> taken;
    for (const Expr& guard : conjuncts(consumer.predicate)) {
        const std::vector<std::string> names = freeVars(guard);
        if (std::all_of(names.begin(), names.end(), [&](const std::string& name) { return fixed.contains(name); })) {
            taken.push_back(guard);
            continue;
        }
        const Expr shown = simplify(guard, ranges);
        const bool ofAxis = std::any_of(consumer.iters.begin(), consumer.iters.end(), [&](const IterVar& iter) {
            return equal(shown, simplify(lessThan(iter.binding, iter.extent), ranges))
                || equal(shown, simplify(lessEqual(intImm(0), iter.binding), ranges));
        });
        if (!ofAxis) {
            return std::nullopt;
        }
    }
    return taken;
}

Pairing no(Check why)
{
    return {std::nullopt, std::move(why)};
}

Pairing pairOf(const LoopNest& nest, const std::string& name)
{
    Pair pair;
    pair.consumer = nest.findBlock(name);
    const Block& consumer = *pair.consumer.block;
    if (consumer.isReduction()) {
        return no(illegal("reverse_compute_inline.reduction",
                          NW_WORDS("reverse_compute_inline: {0} is a reduction and needs many elements for each of its own"),
                          {consumer.name}, {consumer.name}));
    }
    for (const Place& place : nest.blocks()) {
        if (place.block->id != consumer.id && readsBuffer(consumer, place.block->buffer)
            && nest.buffer(place.block->buffer)->scope != Scope::Port) {
            pair.producer = place;
        }
    }
    if (!pair.producer) {
        return no(illegal("reverse_compute_inline.no_producer",
                          NW_WORDS("reverse_compute_inline: {0} reads nothing that another block makes for it alone"),
                          {consumer.name}, {consumer.name}));
    }
    const Block& producer = *pair.producer.block;
    const Buffer& buffer = *nest.buffer(producer.buffer);
    for (const Place& place : nest.blocks()) {
        const std::vector<std::string> operands{consumer.name, buffer.name, place.block->name};
        if (place.block->id != producer.id && place.block->buffer == buffer.name) {
            return no(illegal("reverse_compute_inline.other_writer",
                              NW_WORDS("reverse_compute_inline: {2} writes {1} too, so {0} has no single producer"), operands,
                              {consumer.name, place.block->name}));
        }
        if (place.block->id != consumer.id && readsBuffer(*place.block, buffer.name)) {
            return no(illegal("reverse_compute_inline.other_reader",
                              NW_WORDS("reverse_compute_inline: {2} reads {1} as well as {0}; it could not vanish"), operands,
                              {consumer.name, place.block->name}));
        }
    }
    pair.indices = readsOf(consumer, buffer.name).front();
    pair.fixed = lifetimeLoops(nest, buffer);
    const std::optional<std::map<std::string, Told>> axes = oneToOne(nest, pair, buffer);
    if (!axes) {
        return no(illegal("reverse_compute_inline.not_one_to_one",
                          NW_WORDS("reverse_compute_inline: {0} does not read {1} one to one (each index a variable of its own)"),
                          {consumer.name, buffer.name}, {consumer.name}));
    }
    pair.axes = *axes;
    if (!writesInside(nest, consumer)) {
        return no(illegal("reverse_compute_inline.writes_outside",
                          NW_WORDS("reverse_compute_inline: {0} leaves out elements that lie outside of {1}, and {2} makes them"),
                          {consumer.name, consumer.buffer, producer.name}, {consumer.name}));
    }
    if (!guardsTaken(nest, consumer, pair.fixed)) {
        return no(illegal("reverse_compute_inline.guard",
                          NW_WORDS("reverse_compute_inline: {0} runs only where {1}, which says nothing of the elements that {2} makes"),
                          {consumer.name, toText(consumer.predicate), producer.name}, {consumer.name}));
    }
    if (!readsAlways(consumer.value, buffer.name)) {
        return no(illegal("reverse_compute_inline.conditional",
                          NW_WORDS("reverse_compute_inline: {0} reads {1} only under a condition; where it does not hold {2} makes "
                                   "nothing that could stand for {0}"),
                          {consumer.name, buffer.name, producer.name}, {consumer.name}));
    }
    return {std::move(pair), legal()};
}

// The producer with the consumer's value, and the binding of each of the consumer's variables there.
struct Joined {
    Block block;
    std::map<std::string, Expr> bindings;
};
Joined joined(const LoopNest& nest, const Pair& pair)
{
    const Block& consumer = *pair.consumer.block;
    const Block& producer = *pair.producer.block;
    const Ranges ranges = nest.loopRanges();
    const std::vector<Expr> written = accessesOf(producer).front().indices;
    Joined result{producer, {}};
    Block& block = result.block;
    std::vector<Expr> guards = conjuncts(producer.predicate);
    const auto addGuard = [&](const Expr& guard) {
        if (std::none_of(guards.begin(), guards.end(), [&](const Expr& known) { return equal(known, guard); })) {
            guards.push_back(guard);
        }
    };
    const std::optional<std::vector<Expr>> taken = guardsTaken(nest, consumer, pair.fixed);
    ENSURE(taken, "reverse_compute_inline: the consumer's guard does not hold for its producer");
    std::for_each(taken->begin(), taken->end(), addGuard);
    Substitution known;
    for (const auto& [name, how] : pair.axes) {
        IterVar iter = *consumer.iter(name);
        iter.binding = simplify(how.dimension ? written[*how.dimension] + how.rest : how.rest, ranges);
        result.bindings.emplace(name, iter.binding);
        const Interval met = boundsOf(iter.binding, ranges);
        if (met.low < 0) {
            addGuard(lessEqual(intImm(0), iter.binding));
        }
        if (met.high >= constInt(iter.extent).value_or(0)) {
            addGuard(lessThan(iter.binding, iter.extent));
        }
        // A variable of the producer at a fixed distance says it; two for one axis would not be independent.
        const auto near = std::find_if(block.iters.begin(), block.iters.end(), [&](const IterVar& other) {
            return constInt(simplify(iter.binding - other.binding, ranges)).has_value();
        });
        if (near != block.iters.end()) {
            known.emplace(name, simplify(var(near->name) + simplify(iter.binding - near->binding, ranges)));
            continue;
        }
        for (int copy = 2; block.iter(iter.name) != nullptr; ++copy) {
            iter.name = name + "." + std::to_string(copy);
        }
        known.emplace(name, var(iter.name));
        block.iters.push_back(std::move(iter));
    }
    block.predicate = allOf(guards);
    block.stage = consumer.stage;
    block.buffer = consumer.buffer;
    block.indices.clear();
    for (const Expr& index : consumer.indices) {
        block.indices.push_back(substitute(index, known));
    }
    // The producer's own variables are put in last, so that none of them is taken for one of the consumer.
    block.value = rewriteExpr(substitute(consumer.value, known), [&](const Expr& e) {
        const Load* read = e->as<Load>();
        return read != nullptr && read->buffer == producer.buffer ? castTo(e->type(), producer.value) : e;
    });
    return result;
}

std::optional<Check> unfinished(const LoopNest& nest, const Pair& pair, const Args& args, const Context& context)
{
    const Block& producer = *pair.producer.block;
    if (!producer.isReduction()) {
        return std::nullopt;
    }
    if (pair.consumer.block->value->as<Load>() != nullptr) {
        return equal(joined(nest, pair).block.predicate, producer.predicate)
            ? std::nullopt
            : std::optional(illegal("reverse_compute_inline.part_of_sums",
                                    NW_WORDS("reverse_compute_inline: {0} takes only a part of the sums of {1}"),
                                    {pair.consumer.block->name, producer.name}, {pair.consumer.block->name, producer.name}));
    }
    Check found = illegal("reverse_compute_inline.producer_reduction",
                          NW_WORDS("reverse_compute_inline: {1} is a reduction; {0} would be applied to each unfinished sum"),
                          {pair.consumer.block->name, producer.name}, {pair.consumer.block->name, producer.name});
    if (!nest.buffer(producer.buffer)->atLoop.empty()) { // a tile of a tile would be asked the same again
        return found;
    }
    for (const Args& tile : cacheWrite.propose(nest, producer.name, context)) {
        for (const char* scope : {"registers", "stack"}) {
            const Args step{{tile.name(0), tile.name(1), std::string(scope)}};
            found.why.unlocks = ifItUnlocks(nest, context, cacheWrite, step,
                                            line("cache_write", {tile.name(0), "at", tile.name(1), "in", scope}),
                                            reverseComputeInline, args);
            if (!found.why.unlocks.empty()) {
                return found;
            }
        }
    }
    return found;
}

// Whether what the consumer touches beside the buffer between the two is alive and complete where the producer stands.
std::optional<Check> notReady(const LoopNest& nest, const Pair& pair)
{
    const Block& consumer = *pair.consumer.block;
    const Block& producer = *pair.producer.block;
    const Ranges ranges = nest.loopRanges();
    const Access written = accessesOf(producer).front();
    bool sameStep = true;
    std::vector<std::string> touched{consumer.buffer};
    for (const Access& access : accessesOf(consumer)) {
        if (access.buffer == producer.buffer) {
            sameStep = sameStep && meetInOneStep(pair.producer, written, pair.consumer, access, pair.fixed, ranges);
        } else {
            touched.push_back(access.buffer);
        }
    }
    for (const std::string& name : touched) {
        const std::string& home = nest.buffer(name)->atLoop;
        if (!home.empty() && !pair.fixed.contains(home) && !(sameStep && contains(pair.producer, home))) {
            return illegal("reverse_compute_inline.private",
                           NW_WORDS("reverse_compute_inline: {1} uses {2}, which is private to {0} and not there for {3}"),
                           {home, consumer.name, name, producer.name}, {home, consumer.name, producer.name});
        }
    }
    const Joined made = joined(nest, pair);
    for (const Access& access : accessesOf(made.block)) {
        bool passed = false;
        for (const Place& writer : nest.blocks()) {
            passed = passed || writer.block->id == producer.id;
            if (access.isWrite || writer.block->buffer != access.buffer) {
                continue;
            }
            const std::set<std::string> fixed = lifetimeLoops(nest, *nest.buffer(access.buffer));
            if (passed || !meetInOneStep(writer, accessesOf(*writer.block).front(), pair.producer, access, fixed, ranges)) {
                return illegal("reverse_compute_inline.overtakes",
                               NW_WORDS("reverse_compute_inline: {0} also reads {1}, which {2} has not finished where {3} stands"),
                               {consumer.name, access.buffer, writer.block->name, producer.name},
                               {consumer.name, writer.block->name, producer.name});
            }
        }
    }
    return std::nullopt;
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&);

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    if (const auto missing = blockMissing(nest, "reverse_compute_inline", args.name(0))) {
        return *missing;
    }
    const Pairing pairing = pairOf(nest, args.name(0));
    if (!pairing.pair) {
        return pairing.why;
    }
    std::optional<Check> found = leavesRing(nest, "reverse_compute_inline", *pairing.pair->consumer.block);
    found = found ? found : unfinished(nest, *pairing.pair, args, context);
    found = found ? found : notReady(nest, *pairing.pair);
    if (found) {
        return *std::move(found);
    }
    // Steps that made elements in memory of their own may meet in the consumer's buffer.
    const LoopNest after = rewrite(nest, args, context).nest;
    for (const Loop* loop : after.findBlock(pairing.pair->producer.block->name).loops) {
        const LoopKind kind = effectiveKind(after, *loop);
        if (kind == LoopKind::Parallel || kind == LoopKind::Vector) {
            if (auto meet = iterationsMeet(after, "reverse_compute_inline", {loop})) {
                return *std::move(meet);
            }
        }
    }
    return legal();
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    ENSURE(nest.findBlock(args.name(0)), "reverse_compute_inline: there is no such block");
    const Pairing pairing = pairOf(nest, args.name(0));
    ENSURE(pairing.pair, "reverse_compute_inline: " + fillWords(pairing.why.why.words, pairing.why.why.operands));
    const Pair& pair = *pairing.pair;
    const Joined made = joined(nest, pair);
    Applied applied{nest, {}};
    replaceBlock(applied.nest, made.block.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(made.block)}; });
    const std::vector<Stmt> kept = applied.nest.roots; // the loops that go are told from it
    const std::vector<const Loop*> gone = removeBlock(applied.nest, pair.consumer.block->name);
    for (const Loop* loop : gone) {
        refollow(applied.nest, loop->name, {});
        std::vector<LoopId>& to = applied.forward.loops[loop->id];
        for (const auto& [name, binding] : made.bindings) {
            for (const Loop* around : pair.producer.loops) {
                if (usesVar(pair.consumer.block->iter(name)->binding, loop->name) && usesVar(binding, around->name)
                    && std::find(to.begin(), to.end(), around->id) == to.end()) {
                    to.push_back(around->id);
                }
            }
        }
    }
    applied.forward.blocks[pair.consumer.block->id] = {made.block.id};
    eraseBuffer(applied.nest, pair.producer.block->buffer);
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    const Place path = nest.findBlock(name);
    const bool follows = path && !path.block->isReduction()
        && std::any_of(nest.buffers.begin(), nest.buffers.end(), [&](const Buffer& buffer) {
               return buffer.scope != Scope::Port && readsBuffer(*path.block, buffer.name);
           });
    return follows ? std::vector<Args>{{{name}}} : std::vector<Args>{};
}

} // namespace

const Primitive reverseComputeInline{
    "reverse_compute_inline",
    NW_WORDS("Put a block's value into the write of the block that it reads from"),
    {{"block", ParamKind::Block, ""}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Structure,
};

} // namespace nw::schedule
