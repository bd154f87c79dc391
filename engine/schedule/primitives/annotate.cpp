// annotate LOOP grain|unroll_hint|align VALUE
//
//   parallel i in 0..4096:    =>   parallel i in 0..4096 (grain 64):
//
//   grain        parallel loops: there are so many steps a thread at least; fewer threads work where there are too few steps
//   unroll_hint  serial loops: the loop's body stands so often in the code, and the loop turns so much less; what is left
//                over comes behind. 1 keeps the code generator from doing so by itself. The loop stays one in the nest.
//   align        serial and parallel loops: their code starts at a multiple of so many bytes
//
// Changes how the code runs, never what is computed or in which order. Another value takes the place of the one before.
// Refuses keys that the loop's kind has no use for, values out of range, and more than 4096 copies of statements.

#include "engine/base/text.h"
#include "engine/schedule/hints.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/unrolled_size.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// "serial or parallel"
std::string kindsOf(const AnnotationKey& key)
{
    std::vector<std::string> words;
    for (const LoopKind kind : key.kinds) {
        words.push_back(verbOf(kind));
    }
    return join(words, " or ");
}

std::optional<Check> badValue(const AnnotationKey& key, const Loop& loop, std::int64_t value)
{
    if (value < key.least || value > key.most) {
        return illegal("annotate.value", NW_WORDS("annotate: {0} must be from {1} to {2}, not {3}"),
                       {key.name, std::to_string(key.least), std::to_string(key.most), std::to_string(value)}, {loop.name});
    }
    if (!key.takes(value)) {
        return illegal("annotate.power_of_two", NW_WORDS("annotate: {0} must be a power of two, not {1}"),
                       {key.name, std::to_string(value)}, {loop.name});
    }
    return std::nullopt;
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    if (const auto missing = loopMissing(nest, "annotate", args.name(0))) {
        return *missing;
    }
    const LoopNest::Path path = nest.findLoop(args.name(0));
    const Loop& loop = *path.loop;
    const AnnotationKey* key = annotationKey(args.name(1));
    if (key == nullptr) {
        return illegal("annotate.key", NW_WORDS("annotate: {0} is nothing that a loop can carry"), {args.name(1)}, {loop.name});
    }
    const std::int64_t value = args.number(2);
    const LoopKind kind = effectiveKind(nest, loop);
    if (!key->fits(kind)) {
        const std::vector<std::string> unlocks = key->name == "grain"
            ? ifItUnlocks(nest, context, parallel, {{std::vector<std::string>{loop.name}}}, line("parallel", {loop.name}), annotate, args)
            : std::vector<std::string>{};
        return illegal("annotate.kind", NW_WORDS("annotate: {0} is for loops that are {1}; {2} is {3}"),
                       {key->name, kindsOf(*key), loop.name, verbOf(kind)}, {loop.name}, unlocks);
    }
    if (auto found = badValue(*key, loop, value)) {
        return *std::move(found);
    }
    if (key->name == "unroll_hint") {
        const std::optional<std::int64_t> extent = constantExtent(loop);
        const std::int64_t statements = statementsWith(nest, path, extent ? std::min(value, *extent) : value);
        if (statements > kMostStatements) {
            return illegal("annotate.too_large", NW_WORDS("annotate: {0} would give {1} statements, more than {2}; choose a smaller one"),
                           {key->name, statements >= kManyStatements ? "too many" : std::to_string(statements), std::to_string(kMostStatements)},
                           {loop.name});
        }
    }
    const auto before = loop.annotations.find(key->name);
    if (before != loop.annotations.end() && before->second == value) {
        return pointless("annotate.already", NW_WORDS("annotate: {0} of {1} is {2} already"),
                         {key->name, loop.name, std::to_string(value)}, {loop.name});
    }
    return isConst(loop.extent, 1) ? pointless("annotate.one_step", NW_WORDS("annotate: {0} has a single step"), {loop.name}, {loop.name})
                                   : legal();
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path path = nest.findLoop(args.name(0));
    ENSURE(path, "annotate: there is no such loop");
    Applied applied{nest, {}};
    const LoopKind kind = effectiveKind(nest, *path.loop);
    changeLoop(applied.nest, path.loop->id, [&](Loop& loop) {
        loop.kind = kind; // of its own from now on: another's might have no use for what it carries
        loop.follows.clear();
        loop.annotations[args.name(1)] = args.number(2);
    });
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context& context)
{
    const LoopNest::Path path = nest.findLoop(name);
    const std::optional<std::int64_t> extent = path ? constantExtent(*path.loop) : std::nullopt;
    if (!extent || *extent < 2) {
        return {};
    }
    std::vector<Args> proposals;
    const LoopKind kind = effectiveKind(nest, *path.loop);
    if (kind == LoopKind::Parallel) {
        const std::int64_t cores = context.target == nullptr ? 2 : std::max(context.target->cores, 2);
        proposals.push_back({{name, std::string("grain"), std::max<std::int64_t>(*extent / cores, 2)}});
    } else if (kind == LoopKind::Serial) {
        for (const std::int64_t copies : {std::int64_t{4}, std::int64_t{2}, std::int64_t{1}}) {
            if (copies < *extent) {
                proposals.push_back({{name, std::string("unroll_hint"), copies}});
            }
        }
        proposals.push_back({{name, std::string("align"), std::int64_t{64}}});
    }
    return proposals;
}

} // namespace

const Primitive annotate{
    "annotate",
    NW_WORDS("Tell the code generator how to run a loop"),
    {{"loop", ParamKind::Loop, ""}, {"key", ParamKind::Choice, "", false, {"grain", "unroll_hint", "align"}}, {"value", ParamKind::Number, ""}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Loop,
};

} // namespace nw::schedule
