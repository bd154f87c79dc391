// What becomes of the steps that are left over by a split; see split.cpp.

#include "engine/schedule/primitives/split_tails.h"

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// The part that takes as many steps as are needed: the inferred one, else the outermost.
std::size_t openPart(const std::vector<Part>& parts)
{
    const auto open = std::find_if(parts.begin(), parts.end(), [](const Part& part) { return !part.extent; });
    return open == parts.end() ? 0 : static_cast<std::size_t>(open - parts.begin());
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
        if (!block.isReduction() || isIdempotent(block.combiner) || !contains(place, loop.name)) {
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

// What stands in the way of lanes, told of the loop that is there now.
Check checkMask(const LoopNest& nest, const Loop& loop, const Args& args, const Context& context)
{
    const LoopNest guarded = split.rewrite(nest, guardedArgs(args), context).nest;
    Check found = vectorize.check(guarded, {{args.parts(1).back().name}}, context);
    if (found.verdict == Verdict::Legal || found.verdict == Verdict::Pointless) {
        return legal();
    }
    std::erase_if(found.why.places, [&](const std::string& place) { return !nest.nameTaken(place) || place == loop.name; });
    found.why.places.insert(found.why.places.begin(), loop.name);
    found.why.unlocks.clear();
    const std::vector<std::string> order = outermostLast(loop);
    if (order.size() > 1) {
        found.why.unlocks = ifItUnlocks(nest, context, reorder, {{order}}, line("reorder", order), split, args);
    }
    return found;
}

} // namespace

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

std::int64_t stepsOf(const std::vector<Part>& parts, std::int64_t extent)
{
    std::int64_t steps = 1;
    for (const std::int64_t part : extentsOf(parts, extent)) {
        steps *= part;
    }
    return steps;
}

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

std::string tailOf(const Args& args)
{
    return args.given(2) ? args.name(2) : "guard";
}

Args guardedArgs(const Args& args)
{
    Args guarded = args;
    guarded.values.resize(2);
    return guarded;
}

Args partitionArgs(const std::string& loop, const Turns& turns)
{
    return {{loop, turns.full * turns.steps}};
}

Args padArgs(const Loop& loop, const std::vector<Part>& parts)
{
    return {{loop.name, std::string("extent"), stepsOf(parts, *constantExtent(loop))}};
}

Check checkTail(const LoopNest& nest, const Loop& loop, const Args& args, const Context& context)
{
    const std::string tail = tailOf(args);
    const std::vector<Part>& parts = args.parts(1);
    const std::int64_t extent = *constantExtent(loop);
    if (tail != "guard" && tail != "peel" && tail != "shift" && tail != "pad" && tail != "mask") {
        return illegal("split.tail", NW_WORDS("split: {0} is no way to treat a tail; say guard, peel, shift, pad or mask"), {tail}, {});
    }
    if (tail == "mask") {
        return checkMask(nest, loop, args, context);
    }
    if (tail == "guard" || stepsOf(parts, extent) == extent) {
        return legal();
    }
    if (tail == "pad") {
        Check found = pad.check(nest, padArgs(loop, parts), context);
        return found.verdict == Verdict::Pointless ? legal() : found;
    }
    // Of a shift the outermost part's last turn has to fit, whichever part is open.
    const Turns turns = turnsOf(parts, extent);
    const std::int64_t outermost = stepsOf(parts, extent) / extentsOf(parts, extent).front();
    if (tail == "shift" ? outermost > extent : turns.full == 0) {
        return illegal("split.no_full_turn", NW_WORDS("split: the {1} steps of {0} are less than one turn of {2}; say guard, pad or mask"),
                       {loop.name, std::to_string(extent), std::to_string(tail == "shift" ? outermost : turns.steps)}, {loop.name});
    }
    if (tail == "peel") {
        return checkPeel(nest, loop, turns, context);
    }
    return checkShift(nest, loop);
}

} // namespace nw::schedule
