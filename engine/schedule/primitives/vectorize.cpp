// vectorize LOOP
//
//   for i in 0..16:          vector i in 0..16:
//     body(i)           =>     body(i)
//
// All steps run at once, statement by statement; guards become masks; what is the same in all of them stays a scalar.
// Keeps what each step computes. Loops that follow this one (write-backs) become vector loops where they can and stop
// following where not. A register tile gets the dimension along the lanes innermost.
// A loop of another kind becomes a vector loop.
// Refuses loops with loops inside, loops of a reduction, steps that meet at one element, more than 256 steps, and loops
// that carry what a vector loop has no use for.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/kinds.h"
#include "engine/schedule/primitives/hint_checks.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

constexpr std::int64_t kWidest = 256;

std::optional<Check> notInnermost(const Loop& loop)
{
    const auto inner = std::find_if(loop.body.begin(), loop.body.end(), [](const Stmt& s) { return s->loop() != nullptr; });
    if (inner == loop.body.end()) {
        return std::nullopt;
    }
    return illegal("vectorize.not_innermost", NW_WORDS("vectorize: {0} has {1} inside; only an innermost loop can be a vector loop"),
                   {loop.name, (*inner)->loop()->name}, {loop.name, (*inner)->loop()->name});
}

// Everything but the loop's own kind.
std::optional<Check> cannot(const LoopNest& nest, const Loop& loop)
{
    const std::optional<std::int64_t> extent = constantExtent(loop);
    if (!extent) {
        return illegal("vectorize.symbolic", NW_WORDS("vectorize: the extent {1} of {0} is not a number; split it first"),
                       {loop.name, toText(loop.extent)}, {loop.name});
    }
    if (*extent > kWidest) {
        return illegal("vectorize.too_wide", NW_WORDS("vectorize: {0} has {1} steps, more than {2}; split it first"),
                       {loop.name, std::to_string(*extent), std::to_string(kWidest)}, {loop.name});
    }
    if (auto found = walksReduction("vectorize", loop,
                                    NW_WORDS("vectorize: {0} counts steps of the reduction over {2} in {1}; "
                                             "its steps add to one element and cannot run at once"))) {
        return found;
    }
    if (auto found = notInnermost(loop)) {
        return found;
    }
    if (auto found = iterationsMeet(nest, "vectorize", {&loop})) {
        return found;
    }
    return losesHints("vectorize", loop, LoopKind::Vector);
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    if (const auto missing = loopMissing(nest, "vectorize", args.name(0))) {
        return *missing;
    }
    const Loop& loop = *nest.findLoop(args.name(0)).loop;
    if (effectiveKind(nest, loop) == LoopKind::Vector) {
        return pointless("vectorize.already", NW_WORDS("vectorize: {0} is a vector loop already"), {loop.name}, {loop.name});
    }
    const LoopNest plain = loop.kind == LoopKind::Serial ? nest : asSerial(nest, loop.id);
    std::optional<Check> found = cannot(plain, *plain.findLoop(loop.id).loop);
    if (!found) {
        return isConst(loop.extent, 1)
            ? pointless("vectorize.one_step", NW_WORDS("vectorize: {0} has a single step"), {loop.name}, {loop.name})
            : legal();
    }
    if (found->why.rule == "vectorize.not_innermost") {
        const std::vector<std::string> order = outermostLast(loop);
        if (order.size() > 1) {
            found->why.unlocks
                = ifItUnlocks(nest, context, reorder, {{order}}, line("reorder", order), vectorize, args);
        }
    }
    return *std::move(found);
}

// Lanes lie side by side: the dimension that the loop walks becomes the innermost one of each register tile.
void alignTiles(LoopNest& nest, const Loop& loop)
{
    for (const Block* block : blocksIn(loop.body)) {
        for (const Access& access : accessesOf(*block)) {
            Buffer* buffer = findBuffer(nest, access.buffer);
            if (buffer == nullptr || buffer->scope != Scope::Registers) {
                continue;
            }
            for (std::size_t d = 0; d < access.indices.size(); ++d) {
                if (!usesVar(access.indices[d], loop.name)) {
                    continue;
                }
                std::vector<std::size_t> order;
                const bool plain = buffer->layout.map.axes.empty();
                for (std::size_t i = 0; i < access.indices.size(); ++i) {
                    const Var* axis = plain ? nullptr : buffer->layout.map.out[i]->as<Var>();
                    const auto& axes = buffer->layout.map.axes;
                    const std::size_t dimension = axis == nullptr
                        ? i
                        : static_cast<std::size_t>(std::find(axes.begin(), axes.end(), axis->name) - axes.begin());
                    if (dimension != d) {
                        order.push_back(dimension);
                    }
                }
                order.push_back(d);
                buffer->layout = orderedLayout(order);
                break;
            }
        }
    }
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path path = nest.findLoop(args.name(0));
    ENSURE(path, "vectorize: there is no such loop");
    Applied applied{nest, {}};
    changeLoop(applied.nest, path.loop->id, [](Loop& loop) { loop.kind = LoopKind::Vector; });
    alignTiles(applied.nest, *path.loop);
    for (const Loop* follower : nest.allLoops()) {
        if (follower->follows != path.loop->name || follower->kind != LoopKind::Serial) {
            continue;
        }
        if (cannot(nest, *follower)) {
            changeLoop(applied.nest, follower->id, [](Loop& loop) { loop.follows.clear(); });
        } else {
            alignTiles(applied.nest, *follower);
        }
    }
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    return nest.findLoop(name) ? std::vector<Args>{{{name}}} : std::vector<Args>{};
}

} // namespace

const Primitive vectorize{
    "vectorize",
    NW_WORDS("Run the steps of an innermost loop as lanes of a vector"),
    {{"loop", ParamKind::Loop, ""}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Parallel,
    'V',
};

} // namespace nw::schedule
