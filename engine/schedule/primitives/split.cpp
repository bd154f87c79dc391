// split LOOP into OUTER:_ INNER:8 tail guard|peel|shift
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
// Keeps the order of iteration but for those twice.
// Refuses loops that already have a kind, parts that do not cover the extent, factors below 1 and names in use; to peel
// what partition refuses; to shift where doing a step twice would show: steps of a reduction, and steps that meet.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

std::optional<std::int64_t> productOf(const std::vector<Part>& parts)
{
    std::int64_t product = 1;
    for (const Part& part : parts) {
        if (part.extent && __builtin_mul_overflow(product, *part.extent, &product)) {
            return std::nullopt;
        }
    }
    return product;
}

std::vector<std::int64_t> extentsOf(const std::vector<Part>& parts, std::int64_t extent)
{
    const std::int64_t given = *productOf(parts);
    std::vector<std::int64_t> extents;
    for (const Part& part : parts) {
        extents.push_back(part.extent.value_or(std::max<std::int64_t>((extent + given - 1) / given, 1)));
    }
    return extents;
}

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

std::string tailOf(const Args& args)
{
    return args.given(2) ? args.name(2) : "guard";
}

// The part that takes as many steps as are needed: the inferred one, else the outermost.
std::size_t openPart(const std::vector<Part>& parts)
{
    const auto open = std::find_if(parts.begin(), parts.end(), [](const Part& part) { return !part.extent; });
    return open == parts.end() ? 0 : static_cast<std::size_t>(open - parts.begin());
}

// Steps of one turn of the open part, and the parts for as many full turns as there are.
struct Turns {
    std::int64_t steps = 1;
    std::int64_t full = 0;
    std::vector<Part> parts;
};
Turns turnsOf(const std::vector<Part>& parts, std::int64_t extent)
{
    Turns turns;
    turns.parts = parts;
    const std::size_t open = openPart(parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        turns.steps *= i == open ? 1 : *parts[i].extent;
    }
    turns.full = extent / turns.steps;
    turns.parts[open].extent = turns.full;
    return turns;
}

bool hasTail(const std::vector<Part>& parts, std::int64_t extent)
{
    std::int64_t covered = 1;
    for (const std::int64_t part : extentsOf(parts, extent)) {
        covered *= part;
    }
    return covered != extent;
}

Args partitionArgs(const std::string& loop, const Turns& turns)
{
    return {{loop, turns.full * turns.steps}};
}

Check checkPeel(const LoopNest& nest, const Loop& loop, const Turns& turns, const Context& context)
{
    const Args args = partitionArgs(loop.name, turns);
    Check found = partition.check(nest, args, context);
    if (found.verdict != Verdict::Legal) {
        return found;
    }
    std::vector<std::string> names;
    for (const Part& part : turns.parts) {
        names.push_back(part.name);
    }
    Check taken = namesTaken(partition.rewrite(nest, args, context).nest, "split", names).value_or(legal());
    taken.why.places = taken.verdict == Verdict::Legal ? std::vector<std::string>{} : std::vector<std::string>{loop.name};
    return taken;
}

// A step may be done twice: it starts its sums anew and meets no other step.
Check checkShift(const LoopNest& nest, const Loop& loop)
{
    for (const LoopNest::Path& place : nest.blocks()) {
        const Block& block = *place.block;
        if (!block.isReduction() || !contains(place, loop.name)) {
            continue;
        }
        const Loop* start = outermostReduction(place);
        const bool inside = start == nullptr || loopsInside(place.loops, loop.name).contains(start->name);
        const std::vector<const Block*> beneath = blocksIn(loop.body);
        const bool started = !block.continues() || std::any_of(beneath.begin(), beneath.end(), [&](const Block* other) {
            return other->buffer == block.buffer && !other->continues();
        });
        if (!inside || !started) {
            return illegal("split.shift_reduction",
                           NW_WORDS("split: {1} adds to what it holds from outside of a step of {0}; a step done twice would be added twice"),
                           {loop.name, block.name}, {loop.name, block.name});
        }
    }
    return iterationsMeet(nest, "split", {&loop}).value_or(legal());
}

Check checkTail(const LoopNest& nest, const Loop& loop, const Args& args, const Context& context)
{
    const std::string tail = tailOf(args);
    const std::vector<Part>& parts = args.parts(1);
    const std::int64_t extent = *constantExtent(loop);
    if (tail != "guard" && tail != "peel" && tail != "shift") {
        return illegal("split.tail", NW_WORDS("split: {0} is no way to treat a tail; say guard, peel or shift"), {tail}, {});
    }
    if (tail == "guard" || !hasTail(parts, extent)) {
        return legal();
    }
    const Turns turns = turnsOf(parts, extent);
    if (turns.full == 0) {
        return illegal("split.no_full_turn", NW_WORDS("split: the {1} steps of {0} are less than one turn of {2}; only a guard fits"),
                       {loop.name, std::to_string(extent), std::to_string(turns.steps)}, {loop.name});
    }
    if (tail == "peel") {
        return checkPeel(nest, loop, turns, context);
    }
    if (openPart(parts) != 0) {
        return illegal("split.shift_inner", NW_WORDS("split: {1} is not the outermost part of {0}; only the last turn of that can be shifted"),
                       {loop.name, parts[openPart(parts)].name}, {loop.name});
    }
    return checkShift(nest, loop);
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    if (const auto missing = loopMissing(nest, "split", args.name(0))) {
        return *missing;
    }
    const Loop& loop = *nest.findLoop(args.name(0)).loop;
    if (loop.kind != LoopKind::Serial) {
        return illegal("split.has_kind", NW_WORDS("split: {0} is already {1}; split it before that step"),
                       {loop.name, verbOf(loop.kind)}, {loop.name});
    }
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
    const Check tail = checkTail(nest, loop, args, context);
    return tail.verdict == Verdict::Legal ? found : tail;
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context& context);

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
    const std::string tail = hasTail(given, extent) ? tailOf(args) : "guard";
    const Turns turns = turnsOf(given, extent);
    if (tail == "peel") {
        return peeled(nest, old, turns, context);
    }
    const bool shifts = tail == "shift";

    Applied applied{nest, {}};
    std::int64_t covered = 1;
    for (const std::int64_t part : extents) {
        covered *= part;
    }
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
        proposals.push_back({{name, std::vector<Part>{{outer, std::nullopt}, {inner, factor}}}});
    }
    return proposals;
}

} // namespace

const Primitive split{
    "split",
    NW_WORDS("Cut one loop into nested loops"),
    {{"loop", ParamKind::Loop, ""},
     {"parts", ParamKind::Parts, "into"},
     {"tail", ParamKind::Choice, "tail", true, {"guard", "peel", "shift"}}},
    &check,
    &rewrite,
    &propose,
};

} // namespace nw::schedule
