// parallel LOOP ...
//
//   for i in 0..8:           parallel i in 0..8:
//     body(i)           =>     body(i)
//
// The steps are shared out among the threads, in any order. Several loops that are nested directly count as one. Loops of
// another kind become parallel. Memory on the stack around them is the threads' together.
// Keeps what each step computes. What is allocated in a step of the innermost of them is private to it.
// Refuses loops of a reduction, steps that meet at one element, registers kept around them, a parallel loop inside
// another that is not directly around it, and loops that carry what a parallel loop has no use for.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/hint_checks.h"
#include "engine/schedule/primitives/kinds.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

bool directlyInside(const Loop& outer, const Loop& inner)
{
    return outer.body.size() == 1 && outer.body.front()->loop() != nullptr && outer.body.front()->loop()->id == inner.id;
}

void outermostFirst(const LoopNest& nest, std::vector<const Loop*>& loops)
{
    const auto depth = [&](const Loop* loop) { return nest.findLoop(loop->id).loops.size(); };
    std::stable_sort(loops.begin(), loops.end(), [&](const Loop* a, const Loop* b) { return depth(a) < depth(b); });
    loops.erase(std::unique(loops.begin(), loops.end()), loops.end());
}

std::optional<Check> notOneChain(const std::vector<const Loop*>& loops)
{
    for (std::size_t i = 0; i + 1 < loops.size(); ++i) {
        if (!directlyInside(*loops[i], *loops[i + 1])) {
            return illegal("parallel.not_nested",
                           NW_WORDS("parallel: {1} is not the only statement of {0}; name loops nested directly"),
                           {loops[i]->name, loops[i + 1]->name}, {loops[i]->name, loops[i + 1]->name});
        }
    }
    return std::nullopt;
}

// One set of threads does the work of all: parallel loops stand in one chain.
std::optional<Check> apartFromOthers(const LoopNest& nest, const std::vector<const Loop*>& loops)
{
    const LoopNest::Path path = nest.findLoop(loops.front()->id);
    for (const Loop* around : path.loops) {
        if (around->kind == LoopKind::Parallel && !(path.loops.back()->kind == LoopKind::Parallel
                                                    && directlyInside(*path.loops.back(), *loops.front()))) {
            return illegal("parallel.nested", NW_WORDS("parallel: {0} stands inside the parallel loop {1}, but not directly"),
                           {loops.front()->name, around->name}, {loops.front()->name, around->name});
        }
    }
    const Loop& innermost = *loops.back();
    const bool goesOn = innermost.body.size() == 1 && innermost.body.front()->loop() != nullptr
        && innermost.body.front()->loop()->kind == LoopKind::Parallel;
    if (!goesOn && hasInside(nest, innermost, LoopKind::Parallel)) {
        return illegal("parallel.around", NW_WORDS("parallel: a loop inside {0} is parallel already, but not directly inside"),
                       {innermost.name}, {innermost.name});
    }
    return std::nullopt;
}

// Registers of one thread are not there for threads started by it.
std::optional<Check> usesPrivate(const LoopNest& nest, const std::vector<const Loop*>& loops)
{
    const std::vector<const Loop*> path = nest.findLoop(loops.back()->id).loops;
    for (const Block* block : blocksIn(loops.back()->body)) {
        for (const Access& access : accessesOf(*block)) {
            const Buffer* buffer = nest.buffer(access.buffer);
            const bool outside = buffer->atLoop.empty()
                || std::any_of(path.begin(), path.end(), [&](const Loop* l) { return l->name == buffer->atLoop; });
            if (buffer->scope == Scope::Registers && outside) {
                return illegal("parallel.private", NW_WORDS("parallel: {1} uses {2}, kept in registers around {0}, where other threads cannot reach it"),
                               {loops.back()->name, block->name, buffer->name}, {loops.back()->name, block->name});
            }
        }
    }
    return std::nullopt;
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    const std::vector<std::string>& names = args.names(0);
    std::vector<const Loop*> loops;
    for (const std::string& name : names) {
        if (const auto missing = loopMissing(nest, "parallel", name)) {
            return *missing;
        }
        const Loop& loop = *nest.findLoop(name).loop;
        loops.push_back(&loop);
        if (loop.kind != LoopKind::Serial && loop.kind != LoopKind::Parallel) {
            return check(asSerial(nest, loop.id), args, context);
        }
    }
    outermostFirst(nest, loops);
    if (loops.empty()) {
        return illegal("parallel.nothing", NW_WORDS("parallel: name the loops, outermost first"), {}, {});
    }
    if (std::all_of(loops.begin(), loops.end(), [](const Loop* loop) { return loop->kind == LoopKind::Parallel; })) {
        return pointless("parallel.already", NW_WORDS("parallel: {0} is parallel already"), {join(names, ", ")}, names);
    }
    for (const Loop* loop : loops) {
        if (const auto found = losesHints("parallel", *loop, LoopKind::Parallel)) {
            return *found;
        }
        if (const auto found = walksReduction("parallel", *loop,
                                              NW_WORDS("parallel: {0} counts steps of the reduction over {2} in {1}; "
                                                       "threads would add to one element at the same time"))) {
            return *found;
        }
    }
    if (const auto found = notOneChain(loops)) {
        return *found;
    }
    if (const auto found = apartFromOthers(nest, loops)) {
        return *found;
    }
    if (const auto found = usesPrivate(nest, loops)) {
        return *found;
    }
    if (const auto found = iterationsMeet(nest, "parallel", loops)) {
        return *found;
    }
    if (std::all_of(loops.begin(), loops.end(), [](const Loop* loop) { return isConst(loop->extent, 1); })) {
        return pointless("parallel.one_step", NW_WORDS("parallel: there is a single step"), {}, names);
    }
    return legal();
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    Applied applied{nest, {}};
    for (const std::string& name : args.names(0)) {
        const LoopNest::Path path = nest.findLoop(name);
        ENSURE(path, "parallel: there is no such loop");
        changeLoop(applied.nest, path.loop->id, [](Loop& loop) { loop.kind = LoopKind::Parallel; });
    }
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    const LoopNest::Path path = nest.findLoop(name);
    if (!path) {
        return {};
    }
    std::vector<Args> proposals{{{std::vector<std::string>{name}}}};
    const std::vector<const Loop*> chain = chainFrom(*path.loop);
    if (chain.size() > 1) {
        proposals.push_back({{std::vector<std::string>{name, chain[1]->name}}});
    }
    return proposals;
}

} // namespace

const Primitive parallel{
    "parallel",
    NW_WORDS("Share the steps of loops out among threads"),
    {{"loops", ParamKind::Loops, ""}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Parallel,
    'P',
};

} // namespace nw::schedule
