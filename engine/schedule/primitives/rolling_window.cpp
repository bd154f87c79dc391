#include "engine/schedule/primitives/rolling_window.h"

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/places.h"
#include "engine/schedule/analysis/window.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// One look at the block that fills the buffer.
struct Producer {
    const LoopNest& nest;
    const Buffer& buffer;
    Place place;
    std::string at;
    std::set<std::string> inside; // loops around it inside of `at`
    Ranges ranges;
    std::vector<Expr> written; // over loops
    std::vector<Span> spans;   // what a step of `at` writes
};

Check noWindow(const Producer& producer)
{
    return illegal("rolling_buffer.window",
                   NW_WORDS("rolling_buffer: a step of {0} uses all of {1} that its window moves along, or which part is not known"),
                   {producer.at, producer.buffer.name}, {producer.at, producer.buffer.name});
}

std::optional<Check> findDimension(const Producer& producer, std::size_t& dimension)
{
    std::vector<std::size_t> moving;
    for (std::size_t d = 0; d < producer.spans.size(); ++d) {
        if (usesVar(producer.spans[d].base, producer.at)) {
            moving.push_back(d);
        }
    }
    const std::vector<std::string> operands{producer.at, producer.place.block->name, producer.buffer.name};
    const std::vector<std::string> places{producer.at, producer.place.block->name};
    if (moving.empty()) {
        return illegal("rolling_buffer.same", NW_WORDS("rolling_buffer: {1} writes the same part of {2} in each step of {0}, as far as its indices tell"),
                       operands, places);
    }
    if (moving.size() > 1) {
        return illegal("rolling_buffer.diagonal", NW_WORDS("rolling_buffer: what {1} writes of {2} moves in several dimensions with {0}"),
                       operands, places);
    }
    dimension = moving.front();
    return std::nullopt;
}

// By how much the place moves on from one step of the loop to the next.
std::optional<std::int64_t> strideOf(const Expr& base, const Producer& producer)
{
    const std::optional<Affine> form = affineOf(base);
    if (form) {
        return form->coefficient(producer.at);
    }
    return constInt(simplify(substitute(base, {{producer.at, var(producer.at) + 1}}) - base, producer.ranges));
}

// The elements of a step are a box without gaps whose sides move apart from each other.
bool isBox(const Producer& producer, std::size_t dimension)
{
    const Span& span = producer.spans[dimension];
    const std::set<std::string> along = varsOf({span.local});
    for (std::size_t d = 0; d < producer.spans.size(); ++d) {
        if (d != dimension && usesAny(producer.spans[d].local, along)) {
            return false;
        }
    }
    return isDense(span.local, span.extent, producer.ranges);
}

std::optional<Check> guardsVary(const Producer& producer)
{
    for (const Expr& guard : conjuncts(producer.place.block->predicate)) {
        if (!guardTellsElement(guard, producer.written, {producer.at}, producer.inside)) {
            return illegal("rolling_buffer.guard",
                           NW_WORDS("rolling_buffer: {1} is guarded by {2}, which may hold in one step of {0} and not in another "
                                    "for the same element"),
                           {producer.at, producer.place.block->name, toText(guard)}, {producer.at, producer.place.block->name});
        }
    }
    return std::nullopt;
}

// Each element once: in the first step all, then what the step before did not write.
std::optional<Check> findFresh(const Producer& producer, std::size_t dimension, std::int64_t stride, RollingWindow& window)
{
    const Span& span = producer.spans[dimension];
    if (span.extent <= stride) {
        return std::nullopt;
    }
    const std::vector<std::string> places{producer.at, producer.place.block->name};
    if (!isBox(producer, dimension)) {
        return illegal("rolling_buffer.gaps", NW_WORDS("rolling_buffer: what {1} writes of {2} in a step of {0} is no box without gaps"),
                       {producer.at, producer.place.block->name, producer.buffer.name}, places);
    }
    const std::set<std::string> around = namesOf(producer.nest.findLoop(producer.at).loops);
    if (const std::optional<std::string> name = untold(producer.nest, producer.place, around)) {
        return illegal("rolling_buffer.value",
                       NW_WORDS("rolling_buffer: what {1} computes for an element depends on {2}, which the element does not tell"),
                       {producer.at, producer.place.block->name, *name}, places);
    }
    if (auto found = guardsVary(producer)) {
        return found;
    }
    const Expr behind = lessEqual(intImm(span.extent - stride), span.local);
    window.fresh = simplify(binary(BinaryOp::Or, lessThan(var(producer.at), intImm(1)), behind), producer.ranges);
    return std::nullopt;
}

} // namespace

std::optional<Check> rollingWindow(const LoopNest& nest, const std::string& name, const std::string& at, RollingWindow& window)
{
    const std::vector<Place> users = usersOf(nest, name);
    const auto writer = std::find_if(users.begin(), users.end(), [&](const Place& user) { return user.block->buffer == name; });
    ENSURE(writer != users.end(), "nothing writes " + name);
    Producer producer{nest, *nest.buffer(name), *writer, at, loopsInside(writer->loops, at), nest.loopRanges(), {}, {}};
    producer.written = accessesOf(*writer->block).front().indices;
    for (const Expr& index : producer.written) {
        const std::optional<Span> span = spanOf(index, producer.inside, producer.ranges);
        if (!span) {
            return noWindow(producer);
        }
        producer.spans.push_back(*span);
    }
    std::size_t d = 0;
    if (auto found = findDimension(producer, d)) {
        return found;
    }
    const Window used = windowsOf(producer.buffer, users, at, producer.ranges)[d];
    if (used.whole) {
        return noWindow(producer);
    }
    const std::optional<std::int64_t> stride = strideOf(producer.spans[d].base, producer);
    if (!stride || *stride <= 0 || strideOf(used.base, producer) != stride) {
        return illegal("rolling_buffer.not_monotone",
                       NW_WORDS("rolling_buffer: the part of {1} that a step of {0} uses does not move on by a fixed number of elements"),
                       {at, name}, {at, writer->block->name});
    }
    if (used.extent <= *stride) {
        return illegal("rolling_buffer.no_overlap",
                       NW_WORDS("rolling_buffer: steps of {0} use parts of {1} that do not overlap; there is nothing to keep"),
                       {at, name}, {at, writer->block->name});
    }
    window.dimension = d;
    window.extent = used.extent;
    return findFresh(producer, d, *stride, window);
}

} // namespace nw::schedule
