// reorder L1 L2 ...
//
//   for i in 0..n:           for j in 0..m:
//     for j in 0..m:    =>     for i in 0..n:
//       body(i, j)               body(i, j)
//
// The loops stand in the given order afterwards, in the places that they took together; loops between them that are not
// named keep theirs.
// Changes the order of iteration: steps of a reduction may be added up in another order.
// Refuses loops that are not on one chain of directly nested loops (a loop with several statements ends it), an order in
// which blocks would meet each other's elements at the wrong time, one in which a reduction would not start at its
// first step or be added to again by steps that come back to an element, a vector loop that would no longer be
// innermost, parallel loops torn apart, and parallel steps that would meet.

#include "engine/base/text.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>
#include <iterator>

namespace nw::schedule {

namespace {

// From the outermost to the innermost named loop, before and after.
struct Permutation {
    std::vector<const Loop*> before, after;
};

std::optional<Permutation> permutationOf(const LoopNest& nest, const std::vector<std::string>& names)
{
    // The deepest of them has all others around it when they are on one chain.
    LoopNest::Path deepest;
    for (const std::string& name : names) {
        LoopNest::Path path = nest.findLoop(name);
        if (!deepest || path.loops.size() > deepest.loops.size()) {
            deepest = std::move(path);
        }
    }
    std::vector<const Loop*> around = deepest.loops;
    around.push_back(deepest.loop);
    const auto named = [&](const Loop* loop) { return std::find(names.begin(), names.end(), loop->name) != names.end(); };
    if (std::count_if(around.begin(), around.end(), named) != static_cast<std::ptrdiff_t>(names.size())) {
        return std::nullopt;
    }
    Permutation result;
    result.before.assign(std::find_if(around.begin(), around.end(), named), around.end());
    std::size_t next = 0;
    for (const Loop* loop : result.before) {
        if (!named(loop)) {
            result.after.push_back(loop);
            continue;
        }
        const std::string& wanted = names[next++];
        result.after.push_back(*std::find_if(around.begin(), around.end(), [&](const Loop* l) { return l->name == wanted; }));
    }
    return result;
}

std::string statementName(const Stmt& statement)
{
    return statement->loop() != nullptr ? statement->loop()->name : statement->block()->name;
}

Check checkChain(const Permutation& order)
{
    for (std::size_t i = 0; i + 1 < order.before.size(); ++i) {
        const Loop& loop = *order.before[i];
        if (loop.body.size() == 1) {
            continue;
        }
        std::string other;
        for (const Stmt& statement : loop.body) {
            if (statement->loop() == nullptr || statement->loop()->id != order.before[i + 1]->id) {
                other = statementName(statement);
                break;
            }
        }
        return illegal("reorder.broken_chain", NW_WORDS("reorder: {0} holds {2} beside {1}, so no loop can move across it"),
                       {loop.name, order.before[i + 1]->name, other}, {loop.name, other});
    }
    return legal();
}

// Kinds in the new order: a vector loop stays innermost, parallel ones stay together.
Check checkKinds(const LoopNest& nest, const Permutation& order)
{
    for (std::size_t i = 0; i + 1 < order.after.size(); ++i) {
        if (effectiveKind(nest, *order.after[i]) == LoopKind::Vector) {
            return illegal("reorder.vector_outer", NW_WORDS("reorder: {0} is a vector loop and must stay innermost"),
                           {order.after[i]->name}, {order.after[i]->name});
        }
    }
    const std::vector<const Loop*> above = nest.findLoop(order.before.front()->id).loops;
    std::vector<const Loop*> below = chainFrom(*order.before.back());
    below.erase(below.begin());
    bool seen = false;
    bool ended = false;
    for (const std::vector<const Loop*>& loops : {above, order.after, below}) {
        for (const Loop* loop : loops) {
            const bool isParallel = loop->kind == LoopKind::Parallel;
            if (isParallel && ended) {
                return illegal("reorder.parallel_apart", NW_WORDS("reorder: {0} would stand apart from the other parallel loops"),
                               {loop->name}, {loop->name});
            }
            seen = seen || isParallel;
            ended = seen && !isParallel;
        }
    }
    return legal();
}

// Of a reduction's loops, one that also moves the element (a fused loop that was split) and changes sides with another
// of the same iteration variable: the element's first visit would no longer be step 0.
Check checkReductionStart(const Permutation& order)
{
    const auto rank = [](const std::vector<const Loop*>& loops, const std::string& name) {
        return std::find_if(loops.begin(), loops.end(), [&](const Loop* l) { return l->name == name; }) - loops.begin();
    };
    const auto length = static_cast<std::ptrdiff_t>(order.before.size());
    for (const Block* block : blocksIn(order.before.back()->body)) {
        const std::vector<std::string> spatial = boundLoops(*block, false);
        for (const IterVar& iter : block->iters) {
            if (!iter.reduction) {
                continue;
            }
            const std::vector<std::string> used = freeVars(iter.binding);
            for (const std::string& a : used) {
                for (const std::string& b : used) {
                    const std::ptrdiff_t ra = rank(order.before, a), rb = rank(order.before, b);
                    if (ra >= rb || rb >= length || rank(order.after, a) < rank(order.after, b)) {
                        continue;
                    }
                    const bool mixed = std::find(spatial.begin(), spatial.end(), a) != spatial.end()
                        || std::find(spatial.begin(), spatial.end(), b) != spatial.end();
                    if (mixed) {
                        return illegal("reorder.reduction_start",
                                       NW_WORDS("reorder: {0} and {1} together walk elements of {2} and its reduction over {3}; "
                                                "in this order the reduction would not start at its first step"),
                                       {a, b, block->name, iter.name}, {a, b, block->name});
                    }
                }
            }
        }
    }
    return legal();
}

// The loops that stood around this one and stand inside of it afterwards.
std::vector<const Loop*> passedBy(const Permutation& order, const Loop* loop)
{
    const auto from = std::find(order.before.begin(), order.before.end(), loop);
    const auto to = std::find(order.after.begin(), order.after.end(), loop);
    std::vector<const Loop*> passed;
    std::copy_if(order.before.begin(), from, std::back_inserter(passed),
                 [&](const Loop* other) { return std::find(to, order.after.end(), other) != order.after.end(); });
    return passed;
}

// Memory of the block's own in each step of all the loops together.
bool isPrivate(const LoopNest& nest, const Block& block, const Permutation& order)
{
    const Buffer& buffer = *nest.buffer(block.buffer);
    const std::set<std::string> around = namesOf(nest.findLoop(order.before.front()->id).loops);
    return (buffer.scope == Scope::Stack || buffer.scope == Scope::Registers) && !buffer.atLoop.empty() && !around.contains(buffer.atLoop);
}

// Steps of a parallel loop do not meet while the loops around it stand still; of those it may have passed some.
Check checkMeetings(const LoopNest& nest, const Permutation& order)
{
    std::set<std::string> fixed = namesOf(nest.findLoop(order.before.front()->id).loops);
    for (const Loop* loop : order.after) {
        const bool passes = loop->kind == LoopKind::Parallel && !passedBy(order, loop).empty();
        for (const Block* block : passes ? blocksIn(order.before.back()->body) : std::vector<const Block*>{}) {
            if (!isPrivate(nest, *block, order) && revisits(nest, *block, {loop}, fixed) != nullptr) {
                return illegal("reorder.race",
                               NW_WORDS("reorder: steps of {0} run at once and would meet at elements of {1} when {2} stands inside"),
                               {loop->name, block->name, passedBy(order, loop).front()->name}, {loop->name, block->name});
            }
        }
        fixed.insert(loop->name);
    }
    return legal();
}

using LoopPlace = std::vector<const Loop*>::const_iterator;

// A loop inside of the reduction's first one (`from`) that is outside of its first one then (`to`) and comes back to elements.
const Loop* restartsIn(const LoopNest& nest, const Block& block, const Permutation& order, LoopPlace from, LoopPlace to)
{
    const bool startsHere = outermostReduction(nest.findBlock(block.name)) == *from;
    std::set<std::string> fixed = namesOf(nest.findLoop(order.before.front()->id).loops);
    std::vector<const Loop*> left;
    for (auto loop = order.after.begin(); loop != to && startsHere; ++loop) {
        if (std::find(from, order.before.end(), *loop) != order.before.end()) {
            left.push_back(*loop);
        } else {
            fixed.insert((*loop)->name);
        }
    }
    return left.empty() ? nullptr : revisits(nest, block, left, fixed);
}

// A reduction that moves outwards starts once for all steps of the loops that it passes: those must not come back to an
// element (as a last tile that is shifted inwards does), or it would be added to again.
Check checkRevisits(const LoopNest& nest, const Permutation& order)
{
    for (const Block* block : blocksIn(order.before.back()->body)) {
        const std::vector<std::string> reduction = boundLoops(*block, true);
        const auto start = [&](const std::vector<const Loop*>& loops) {
            return std::find_if(loops.begin(), loops.end(), [&](const Loop* loop) {
                return std::find(reduction.begin(), reduction.end(), loop->name) != reduction.end();
            });
        };
        const auto from = start(order.before), to = start(order.after);
        if (block->init == nullptr || from == order.before.end()) {
            continue;
        }
        if (const Loop* again = restartsIn(nest, *block, order, from, to)) {
            return illegal("reorder.restarts",
                           NW_WORDS("reorder: steps of {0} come back to elements of {1}, which would start anew in each of them"),
                           {again->name, block->name}, {again->name, block->name});
        }
        if (isIdempotent(block->combiner)) {
            continue;
        }
        // Of those around its first loop the ones that are inside of the new first one.
        std::vector<const Loop*> passed;
        std::copy_if(order.before.begin(), from, std::back_inserter(passed),
                     [&](const Loop* other) { return std::find(to, order.after.end(), other) != order.after.end(); });
        std::set<std::string> fixed = namesOf(nest.findLoop(order.before.front()->id).loops);
        for (auto loop = order.after.begin(); loop != to; ++loop) {
            fixed.insert((*loop)->name);
        }
        if (const Loop* again = revisits(nest, *block, passed, fixed)) {
            return illegal("reorder.revisits",
                           NW_WORDS("reorder: steps of {0} come back to elements of {1}, which would be added to again inside of {2}"),
                           {again->name, block->name, (*to)->name}, {again->name, block->name, (*to)->name});
        }
    }
    return legal();
}

// Something is handed on from one step of the innermost loop to another of the same step of loop `home`.
bool isCarried(const LoopNest& nest, const Buffer& buffer, const Permutation& order, std::size_t home)
{
    for (const Block* block : blocksIn(order.before.back()->body)) {
        const std::vector<std::string> reduction = boundLoops(*block, true);
        const bool adds = std::any_of(order.before.begin() + static_cast<std::ptrdiff_t>(home) + 1, order.before.end(), [&](const Loop* loop) {
            return std::find(reduction.begin(), reduction.end(), loop->name) != reduction.end();
        });
        if (block->buffer == buffer.name && adds) {
            return true;
        }
    }
    return handedOn(nest, buffer.name, order.before.back()->name);
}

Check checkBuffers(const LoopNest& nest, const Permutation& order)
{
    for (std::size_t i = 0; i + 1 < order.before.size(); ++i) {
        for (const Buffer& buffer : nest.buffers) {
            if (buffer.atLoop == order.before[i]->name && isCarried(nest, buffer, order, i)) {
                return illegal("reorder.buffer", NW_WORDS("reorder: {1} is kept for each step of {0}, across the loops inside it"),
                               {order.before[i]->name, buffer.name}, {order.before[i]->name, buffer.name});
            }
        }
    }
    return legal();
}

Check checkDependences(const LoopNest& nest, const Permutation& order)
{
    if (blocksIn(order.before.back()->body).size() < 2) {
        return legal();
    }
    const std::optional<Carried> carried = carriedBy(nest, order.before, false);
    if (!carried) {
        return legal();
    }
    const std::vector<std::string> operands{carried->first->name, carried->second->name, carried->buffer, carried->loop};
    const std::vector<std::string> places{carried->loop, carried->first->name, carried->second->name};
    if (carried->gaveUp) {
        return unproven("reorder.dependence_unknown",
                        NW_WORDS("reorder: whether {0} and {1} meet at elements of {2} in different steps of {3} is not known"),
                        operands, places);
    }
    return illegal("reorder.dependence",
                   NW_WORDS("reorder: {0} and {1} use the same elements of {2} in different steps of {3}, whose order matters"),
                   operands, places);
}

Check check(const LoopNest& nest, const Args& args, const Context&)
{
    const std::vector<std::string>& names = args.names(0);
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (const auto missing = loopMissing(nest, "reorder", names[i])) {
            return *missing;
        }
        if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i])
            != names.begin() + static_cast<std::ptrdiff_t>(i)) {
            return illegal("reorder.twice", NW_WORDS("reorder: {0} is named twice"), {names[i]}, {names[i]});
        }
    }
    if (names.empty()) {
        return illegal("reorder.nothing", NW_WORDS("reorder: name the loops in the order they shall have"), {}, {});
    }
    const std::optional<Permutation> order = permutationOf(nest, names);
    if (!order) {
        return illegal("reorder.not_nested", NW_WORDS("reorder: {0} are not all nested in one another"), {join(names, ", ")},
                       names);
    }
    if (order->before == order->after) {
        return pointless("reorder.same", NW_WORDS("reorder: {0} already stand in this order"), {join(names, ", ")}, names);
    }
    Check found = checkChain(*order);
    if (found.verdict == Verdict::Legal) {
        found = checkKinds(nest, *order);
    }
    if (found.verdict == Verdict::Legal) {
        found = checkBuffers(nest, *order);
    }
    if (found.verdict == Verdict::Legal) {
        found = checkReductionStart(*order);
    }
    if (found.verdict == Verdict::Legal) {
        found = checkRevisits(nest, *order);
    }
    if (found.verdict == Verdict::Legal) {
        found = checkMeetings(nest, *order);
    }
    return found.verdict == Verdict::Legal ? checkDependences(nest, *order) : found;
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const std::optional<Permutation> order = permutationOf(nest, args.names(0));
    ENSURE(order, "reorder: the loops are not nested");
    Applied applied{nest, {}};
    if (order->before == order->after) {
        return applied; // what stands beside the inner loops stays, too
    }
    std::vector<Stmt> body = order->before.back()->body;
    for (auto loop = order->after.rbegin(); loop != order->after.rend(); ++loop) {
        Loop moved = **loop;
        moved.body = std::move(body);
        body = {makeStmt(std::move(moved))};
    }
    replaceLoop(applied.nest, order->before.front()->id, [&](const StmtNode&) { return body; });
    // What is kept for a step of one of the loops is kept for one of all of them together.
    const std::set<std::string> homes = namesOf(order->before);
    for (Buffer& buffer : applied.nest.buffers) {
        buffer.atLoop = homes.contains(buffer.atLoop) ? order->after.back()->name : buffer.atLoop;
    }
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    const LoopNest::Path path = nest.findLoop(name);
    if (!path) {
        return {};
    }
    std::vector<Args> proposals;
    const std::vector<const Loop*> chain = chainFrom(*path.loop);
    const auto add = [&](std::vector<std::string> names) { proposals.push_back({{std::move(names)}}); };
    if (chain.size() > 1) {
        add({chain[1]->name, name});
    }
    if (chain.size() > 2) {
        std::vector<std::string> innermost;
        for (std::size_t i = 1; i < chain.size(); ++i) {
            innermost.push_back(chain[i]->name);
        }
        innermost.push_back(name);
        add(std::move(innermost));
    }
    if (!path.loops.empty() && path.loops.back()->body.size() == 1) {
        add({name, path.loops.back()->name});
    }
    return proposals;
}

} // namespace

const Primitive reorder{
    "reorder",
    NW_WORDS("Nest loops in another order"),
    {{"loops", ParamKind::Loops, ""}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Loop,
    'R',
};

} // namespace nw::schedule
