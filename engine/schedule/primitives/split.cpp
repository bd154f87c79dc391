// split LOOP into OUTER:_ INNER:8 tail guard|peel|shift|pad|mask
//
//   for i in 0..30:          for io in 0..4:
//     body(i)           =>     for ii in 0..8:   (tail)
//                                body(io * 8 + ii) if io * 8 + ii < 30
//
// Any number of parts, outermost first; one of them may be inferred ("_" or a bare name).
// Where the parts do not divide the extent there is a tail:
//   guard  the blocks beneath are guarded, as above; meant when nothing is said
//   peel   full turns only, then the steps that are left in a loop of their own (i.1), whose body is a copy
//   shift  the last turn starts earlier, so that it ends with the loop: body(min(io * 8, 22) + ii); steps where it
//          overlaps the turn before are done twice
//   pad    the loop gets the steps that are missing first, as pad gives them: blocks that write buffers of the kernel's
//          own compute in them without a guard, others are guarded
//   mask   guarded, and the innermost part becomes a vector loop right away, whose guard is a mask of its lanes
// Keeps the order of iteration but for those twice. Of a parallel loop the outermost part is parallel, of a vector loop the
// innermost part is a vector loop, of an unrolled loop all parts are unrolled.
// Refuses parts that could not take over the kind, parts that do not cover the extent, factors below 1 and names in use; to peel
// what partition refuses, to pad what pad does and to mask what vectorize does; to shift where doing a step twice would
// show: steps of a reduction, and steps that meet.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/kinds.h"
#include "engine/schedule/primitives/split_tails.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

Check checkParts(const Loop& loop, const std::vector<Part>& parts)
{
    if (parts.size() < 2) {
        return illegal("split.one_part", NW_WORDS("split: {0} must be cut into at least two loops"), {loop.name},
                       {loop.name});
    }
    if (std::count_if(parts.begin(), parts.end(), [](const Part& part) { return !part.extent; }) > 1) {
        return illegal("split.two_inferred", NW_WORDS("split: only one part of {0} can be inferred; give the others a number"),
                       {loop.name}, {loop.name});
    }
    for (const Part& part : parts) {
        if (part.extent && *part.extent < 1) {
            return illegal("split.factor_not_positive", NW_WORDS("split: {0} must have at least 1 step, not {1}"),
                           {part.name, std::to_string(*part.extent)}, {loop.name});
        }
    }
    const std::optional<std::int64_t> extent = constantExtent(loop);
    if (!extent) {
        return illegal("split.symbolic", NW_WORDS("split: the extent {1} of {0} is not a number yet; bind its symbols first"),
                       {loop.name, toText(loop.extent)}, {loop.name});
    }
    const std::optional<std::int64_t> product = productOf(parts);
    const bool inferred = std::any_of(parts.begin(), parts.end(), [](const Part& part) { return !part.extent; });
    if (!product || *product > (std::int64_t{1} << 48)) {
        return illegal("split.factor_too_large", NW_WORDS("split: the parts of {0} are too large to count"), {loop.name},
                       {loop.name});
    }
    if (!inferred && *product < *extent) {
        return illegal("split.does_not_cover",
                       NW_WORDS("split: {1} steps do not cover the {2} of {0}; enlarge a part or leave one inferred"),
                       {loop.name, std::to_string(*product), std::to_string(*extent)}, {loop.name});
    }
    const std::vector<std::int64_t> extents = extentsOf(parts, *extent);
    if (std::count(extents.begin(), extents.end(), 1) + 1 >= static_cast<std::ptrdiff_t>(extents.size())
        && *std::max_element(extents.begin(), extents.end()) == *extent) {
        return pointless("split.trivial", NW_WORDS("split: this leaves {0} as it is, with loops of one step around or inside"),
                         {loop.name}, {loop.name});
    }
    return legal();
}

// A parallel loop's outermost part is parallel, or all of them where the chain of parallel loops goes on inside; a vector
// loop's innermost part are its lanes; an unrolled loop's parts are all unrolled.
LoopKind kindOfPart(const Loop& loop, std::size_t part, std::size_t count)
{
    const Loop* inner = loop.body.size() == 1 ? loop.body.front()->loop() : nullptr;
    const bool goesOn = inner != nullptr && inner->kind == LoopKind::Parallel;
    switch (loop.kind) {
    case LoopKind::Parallel: return part == 0 || goesOn ? LoopKind::Parallel : LoopKind::Serial;
    case LoopKind::Vector: return part + 1 == count ? LoopKind::Vector : LoopKind::Serial;
    case LoopKind::Unrolled: return LoopKind::Unrolled;
    case LoopKind::Serial: break;
    }
    return LoopKind::Serial;
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context& context);

// A loop that is no longer serial is split as if it were, then its parts take over the kind.
Check checkKind(const LoopNest& nest, const Loop& loop, const Args& args, const Context& context)
{
    const LoopNest plain = asSerial(nest, loop.id);
    Check tail = checkTail(plain, *plain.findLoop(loop.id).loop, args, context);
    if (tail.verdict != Verdict::Legal) {
        tail.why.unlocks.clear(); // they are of the plain loop
        return tail;
    }
    const std::vector<Part>& parts = args.parts(1);
    const std::int64_t extent = *constantExtent(loop);
    if (tailOf(args) == "peel" && stepsOf(parts, extent) != extent) {
        Check rest = partition.check(nest, partitionArgs(loop.name, turnsOf(parts, extent)), context);
        if (rest.verdict != Verdict::Legal) {
            return rest;
        }
    }
    if (loop.kind == LoopKind::Parallel && extent == 1 && tailOf(args) != "shift") { // a step done once meets no other
        return legal();
    }
    const LoopNest after = rewrite(plain, args, context).nest;
    std::vector<Kinded> wanted;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (after.findLoop(parts[i].name).loop->kind == LoopKind::Serial) { // no lanes yet
            wanted.push_back({parts[i].name, kindOfPart(loop, i, parts.size())});
        }
    }
    return kindForbidden(after, wanted, context)
        ? illegal("split.has_kind", NW_WORDS("split: {0} is already {1}, which its parts could not be; split it before that step"),
                  {loop.name, verbOf(loop.kind)}, {loop.name})
        : legal();
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    if (const auto missing = loopMissing(nest, "split", args.name(0))) {
        return *missing;
    }
    const Loop& loop = *nest.findLoop(args.name(0)).loop;
    std::vector<std::string> names;
    for (const Part& part : args.parts(1)) {
        names.push_back(part.name);
    }
    if (const auto taken = namesTaken(nest, "split", names)) {
        return *taken;
    }
    const Check found = checkParts(loop, args.parts(1));
    if (found.verdict == Verdict::Illegal) {
        return found;
    }
    const Check tail = loop.kind == LoopKind::Serial ? checkTail(nest, loop, args, context) : checkKind(nest, loop, args, context);
    return tail.verdict == Verdict::Legal ? found : tail;
}

// The full turns and the rest apart, then the full turns split.
Applied peeled(const LoopNest& nest, const Loop& old, const Turns& turns, const Context& context)
{
    Applied apart = partition.rewrite(nest, partitionArgs(old.name, turns), context);
    std::vector<LoopId>& runs = apart.forward.loops[old.id];
    const LoopId full = runs.front();
    Applied applied = rewrite(apart.nest, {{apart.nest.findLoop(full).loop->name, turns.parts}}, context);
    std::vector<LoopId> to = applied.forward.loops.at(full);
    to.insert(to.end(), runs.begin() + 1, runs.end());
    runs = std::move(to);
    applied.forward = std::move(apart.forward);
    return applied;
}

// The innermost part as lanes.
Applied masked(const LoopNest& nest, const Args& args, const Context& context)
{
    Applied applied = rewrite(nest, guardedArgs(args), context);
    applied.nest = vectorize.rewrite(applied.nest, {{args.parts(1).back().name}}, context).nest;
    return applied;
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context& context)
{
    const LoopNest::Path path = nest.findLoop(args.name(0));
    ENSURE(path && constantExtent(*path.loop), "split: there is no such loop of constant extent");
    const Loop& old = *path.loop;
    const std::int64_t extent = *constantExtent(old);
    const std::vector<Part>& given = args.parts(1);
    const bool countable = std::none_of(given.begin(), given.end(), [](const Part& part) { return part.extent && *part.extent < 1; });
    ENSURE(countable && !given.empty() && productOf(given), "split: the parts cannot be counted");
    const std::vector<std::int64_t> extents = extentsOf(given, extent);
    if (tailOf(args) == "mask") {
        return masked(nest, args, context);
    }
    const std::int64_t covered = stepsOf(given, extent);
    const std::string tail = covered != extent ? tailOf(args) : "guard";
    if (tail == "peel") {
        return peeled(nest, old, turnsOf(given, extent), context);
    }
    if (tail == "pad") {
        return rewrite(pad.rewrite(nest, padArgs(old, given), context).nest, guardedArgs(args), context);
    }
    const bool shifts = tail == "shift";

    Applied applied{nest, {}};
    Ranges ranges = nest.loopRanges();
    ranges.erase(old.name);
    std::vector<Loop> parts;
    Expr value;
    std::int64_t stride = covered;
    for (std::size_t i = 0; i < given.size(); ++i) {
        stride /= extents[i];
        Loop part;
        part.id = applied.nest.nextId++;
        part.name = given[i].name;
        part.extent = intImm(extents[i]);
        part.kind = kindOfPart(old, i, given.size());
        part.hasTail = old.hasTail || (covered != extent && !shifts && i > 0);
        ranges[part.name] = Interval::ofExtent(extents[i]);
        Expr term = stride == 1 ? var(part.name) : var(part.name) * stride;
        if (shifts && i == 0) {
            term = binary(BinaryOp::Min, term, intImm(extent - stride));
        }
        value = value == nullptr ? term : value + term;
        applied.forward.loops[old.id].push_back(part.id);
        parts.push_back(std::move(part));
    }
    const Expr guard = covered == extent || shifts ? boolImm(true) : lessThan(simplify(value, ranges), old.extent);
    replaceLoop(applied.nest, old.id, [&](const StmtNode&) {
        return wrap(parts, substituteLoops(old.body, {{old.name, value}}, guard, ranges));
    });
    moveBuffers(applied.nest, old.name, parts.back().name);
    refollow(applied.nest, old.name, parts);
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context& context)
{
    const LoopNest::Path path = nest.findLoop(name);
    const std::optional<std::int64_t> extent = path ? constantExtent(*path.loop) : std::nullopt;
    if (!extent) {
        return {};
    }
    std::vector<std::int64_t> factors;
    const auto add = [&](std::int64_t factor) {
        if (factor > 1 && factor < *extent && std::find(factors.begin(), factors.end(), factor) == factors.end()) {
            factors.push_back(factor);
        }
    };
    if (context.target != nullptr) {
        add(context.target->lanes(DType::F32));
    }
    for (std::int64_t factor = 16; factor > 1 && factors.size() < 4; --factor) {
        if (*extent % factor == 0) {
            add(factor);
        }
    }
    std::vector<Args> proposals;
    const std::string outer = nest.freshName(name + "o");
    const std::string inner = nest.freshName(name + "i");
    for (const std::int64_t factor : factors) {
        const std::vector<Part> parts{{outer, std::nullopt}, {inner, factor}};
        proposals.push_back({{name, parts}});
        if (*extent % factor == 0) {
            continue;
        }
        for (const char* tail : {"peel", "shift", "pad"}) {
            Args other{{name, parts, std::string(tail)}};
            const bool guards = other.name(2) == "pad" && pad.check(nest, padArgs(*path.loop, parts), context).verdict != Verdict::Legal;
            if (!guards && check(nest, other, context).verdict == Verdict::Legal) {
                proposals.push_back(std::move(other));
            }
        }
    }
    return proposals;
}

} // namespace

const Primitive split{
    "split",
    NW_WORDS("Cut one loop into nested loops"),
    {{"loop", ParamKind::Loop, ""},
     {"parts", ParamKind::Parts, "into"},
     {"tail", ParamKind::Choice, "tail", true, {"guard", "peel", "shift", "pad", "mask"}}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Loop,
    'S',
};

} // namespace nw::schedule
