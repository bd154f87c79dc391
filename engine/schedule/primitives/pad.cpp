// pad LOOP to multiple N        pad LOOP to extent N
//
//   for m in 0..30:                            for m in 0..32: with t [20] on the stack
//     for k in 0..24:                            for k in 0..24:
//       for n in 0..20:                            for n in 0..20:
//         b: t[n] += A[m, k] * B[k, n]    =>         b: t[n] += A[min(m, 29), k] * B[k, n]
//     for j in 0..20:                            for j in 0..20:
//       b.wb: Y[m, j] = t[j]                       b.wb: Y[m, j] = t[j] if m < 30
//
// The loop gets steps behind its end, up to a multiple of N, and the guard goes of a tail that the loop has part in. A
// block that writes a buffer of the kernel's own computes in these steps, too, so that whole tiles and vectors need no
// test: the buffer grows to hold the elements, which nobody reads, and reads stay where there is something. A constant
// gets a border of zeros, an input is read at its last element, or, along neighbouring elements, not at all (a mask). In
// padded steps of a reduction the value is what changes nothing when it is combined; the value and not a factor of it,
// since 0 times infinity is no 0. Blocks that write an argument of the kernel are guarded, and others that would spoil
// something; where all are, the step is pointless.
// Copies that a block reads should be padded before it: then they are read as they are.
// Keeps the order of iteration.
// Refuses an N below the steps that there are and far too many steps, a kind that the loop could not have with them, and
// tiles that grow too large.

#include "engine/base/tensor.h"
#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/kinds.h"
#include "engine/schedule/primitives/pad_steps.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// A few steps may become a whole vector or tile; many steps not many times as many.
constexpr std::int64_t kFewSteps = 64;
constexpr std::int64_t kMostTimes = 8;

std::string goalOf(const Args& args)
{
    return args.given(1) ? args.name(1) : "multiple";
}

// Nothing when there is no such number of steps.
std::optional<std::int64_t> stepsOf(std::int64_t extent, const Args& args)
{
    const std::int64_t number = args.number(2);
    if (goalOf(args) == "extent") {
        return number;
    }
    std::int64_t steps = 0;
    const bool counts = number > 0 && !__builtin_mul_overflow(extent / number + (extent % number == 0 ? 0 : 1), number, &steps);
    return counts ? std::optional(steps) : std::nullopt;
}

std::optional<Check> badSteps(const LoopNest& nest, const Loop& loop, const Args& args)
{
    const std::optional<std::int64_t> extent = constantExtent(loop);
    if (!extent) {
        return illegal("pad.symbolic", NW_WORDS("pad: the extent {1} of {0} is not a number yet; bind its symbols first"),
                       {loop.name, toText(loop.extent)}, {loop.name});
    }
    const std::string number = std::to_string(args.number(2));
    const std::optional<std::int64_t> steps = stepsOf(*extent, args);
    if (args.number(2) < 1) {
        return illegal("pad.not_positive", NW_WORDS("pad: {0} cannot be padded to {1} steps; say at least 1"), {loop.name, number},
                       {loop.name});
    }
    if (steps && *steps < *extent) {
        return illegal("pad.shorter", NW_WORDS("pad: {0} has {1} steps already, more than {2}"),
                       {loop.name, std::to_string(*extent), number}, {loop.name});
    }
    if (!steps || (*steps > (*extent == 0 ? 0 : kFewSteps) && (*steps - 1) / kMostTimes >= *extent)) {
        return illegal("pad.too_far", NW_WORDS("pad: {2} would give {0} more than {3} times its {1} steps"),
                       {loop.name, std::to_string(*extent), number, std::to_string(kMostTimes)}, {loop.name});
    }
    const LoopKind kind = effectiveKind(nest, loop);
    if (*steps != *extent && kind != loop.kind) {
        return illegal("pad.follows", NW_WORDS("pad: {0} is {1} because {2} is, which has as many steps; pad it before that step"),
                       {loop.name, verbOf(kind), loop.follows}, {loop.name, loop.follows});
    }
    return std::nullopt;
}

// All blocks are guarded in padded steps: the loop only counts them.
Check nothingOpen(const LoopNest& nest, const Loop& loop, const Padded& padded)
{
    const Padded::Guarded& first = padded.guarded.front();
    const Block& block = *nest.findBlock(first.block).block;
    switch (first.reason) {
    case Padded::Reason::Port:
        return pointless("pad.port",
                         NW_WORDS("pad: {1} writes {2}, an argument of the kernel, and nothing may be written behind its elements; a "
                                "tile of its own could hold them"),
                       {loop.name, block.name, block.buffer}, {loop.name, block.name});
    case Padded::Reason::Shared:
        return pointless("pad.shared",
                       NW_WORDS("pad: {1} shares elements of {2} with other blocks, or reads what they leave out in padded steps of {0}"),
                       {loop.name, block.name, block.buffer}, {loop.name, block.name});
    case Padded::Reason::Division:
        return pointless("pad.division",
                       NW_WORDS("pad: {1} divides by numbers that it reads, and in padded steps of {0} they may be 0"),
                       {loop.name, block.name}, {loop.name, block.name});
    case Padded::Reason::Steps: break;
    }
    return pointless("pad.steps",
                   NW_WORDS("pad: more steps of {0} would only do over what {1} does in others, or have no place in {2}"),
                   {loop.name, block.name, block.buffer}, {loop.name, block.name});
}

bool hasGuards(const Loop& loop)
{
    const std::vector<const Block*> blocks = blocksIn(loop.body);
    return std::any_of(blocks.begin(), blocks.end(), [&](const Block* block) { return usesVar(block->predicate, loop.name); });
}

// All but the unlocks.
Check judge(const LoopNest& nest, const Args& args, const Context& context)
{
    if (const auto missing = loopMissing(nest, "pad", args.name(0))) {
        return *missing;
    }
    if (goalOf(args) != "multiple" && goalOf(args) != "extent") {
        return illegal("pad.goal", NW_WORDS("pad: {0} is no goal; say multiple or extent"), {goalOf(args)}, {});
    }
    const Loop& loop = *nest.findLoop(args.name(0)).loop;
    if (auto found = badSteps(nest, loop, args)) {
        return *std::move(found);
    }
    const std::int64_t extent = *constantExtent(loop);
    const std::int64_t steps = *stepsOf(extent, args);
    if (steps == extent && !hasGuards(loop)) {
        return pointless("pad.already", NW_WORDS("pad: the {1} steps of {0} are what was asked for, without a guard"),
                         {loop.name, std::to_string(extent)}, {loop.name});
    }
    const LoopNest plain = loop.kind == LoopKind::Serial ? nest : asSerial(nest, loop.id);
    const Padded made = padded(plain, *plain.findLoop(loop.id).loop, steps);
    if (made.open.empty()) {
        return nothingOpen(nest, loop, made);
    }
    if (loop.kind != LoopKind::Serial && kindForbidden(made.nest, {{loop.name, loop.kind}}, context)) {
        return illegal("pad.has_kind", NW_WORDS("pad: {0} is already {1}, which it could not be then; pad it before that step"),
                       {loop.name, verbOf(loop.kind)}, {loop.name});
    }
    for (const Buffer& buffer : made.nest.buffers) {
        const Result<std::int64_t> elements = elementCount(buffer.shape);
        if (buffer.shape != nest.buffer(buffer.name)->shape) {
            if (auto found = tooLarge("pad", buffer.name, buffer.scope, buffer.type, elements ? *elements : Interval::kPlusInf, context)) {
                return *std::move(found);
            }
        }
    }
    return legal();
}

// A tile of its own for the block, such that the step becomes legal.
std::vector<std::string> tileUnlocks(const LoopNest& nest, const std::string& block, const Args& args, const Context& context)
{
    for (const Args& tile : cacheWrite.propose(nest, block, context)) {
        const bool fits = cacheWrite.check(nest, tile, context).verdict == Verdict::Legal
            && judge(cacheWrite.rewrite(nest, tile, context).nest, args, context).verdict == Verdict::Legal;
        if (fits) {
            return {format("cache_write {} at {} in {}", tile.name(0), tile.name(1), tile.name(2))};
        }
    }
    return {};
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    Check found = judge(nest, args, context);
    if (found.why.rule == "pad.port") {
        found.why.unlocks = tileUnlocks(nest, found.why.operands[1], args, context);
    }
    return found;
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path path = nest.findLoop(args.name(0));
    ENSURE(path && constantExtent(*path.loop), "pad: there is no such loop of constant extent");
    const std::int64_t extent = *constantExtent(*path.loop);
    const std::optional<std::int64_t> steps = stepsOf(extent, args);
    ENSURE(steps && *steps >= extent, "pad: there are no such steps");
    return {padded(nest, *path.loop, *steps).nest, {}};
}

// Up to whole vectors; for a loop that has a tail, its steps as they are, without the guard.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context& context)
{
    const LoopNest::Path path = nest.findLoop(name);
    const std::optional<std::int64_t> extent = path ? constantExtent(*path.loop) : std::nullopt;
    if (!extent || walksReduction("pad", *path.loop, "")) {
        return {};
    }
    std::vector<Args> proposals;
    if (path.loop->hasTail && hasGuards(*path.loop)) {
        proposals.push_back({{name, std::string("extent"), *extent}});
    }
    const std::int64_t lanes = context.target != nullptr ? context.target->lanes(DType::F32) : 8;
    if (*extent > 1 && lanes > 1 && *extent % lanes != 0) {
        proposals.push_back({{name, std::string("multiple"), lanes}});
    }
    return proposals;
}

} // namespace

const Primitive pad{
    "pad",
    NW_WORDS("Give a loop more steps, in which blocks compute what nobody reads instead of being guarded"),
    {{"loop", ParamKind::Loop, ""},
     {"goal", ParamKind::Choice, "to", true, {"multiple", "extent"}},
     {"steps", ParamKind::Number, ""}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Loop,
};

} // namespace nw::schedule
