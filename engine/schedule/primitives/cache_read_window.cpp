// Which elements cache_read copies, and whether they are written by then; see cache_read.cpp.

#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/inverse.h"
#include "engine/schedule/analysis/pieces.h"
#include "engine/schedule/primitives/cache_read.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// The guard as a limit of the axis that it holds inside of its extent. Nothing when it is another guard, or one whose
// axis does not follow from the element.
std::optional<ReadCopy::Limit> limitOf(const Expr& guard, const Block& writer, const std::set<std::string>& fixed, const Ranges& ranges)
{
    for (const IterVar& iter : writer.iters) {
        const bool isEnd = equal(guard, simplify(lessThan(iter.binding, iter.extent), ranges))
            || equal(guard, lessThan(iter.binding, iter.extent));
        const bool isStart = equal(guard, simplify(lessEqual(intImm(0), iter.binding), ranges))
            || equal(guard, lessEqual(intImm(0), iter.binding));
        if (!isEnd && !isStart) {
            continue;
        }
        const auto told = toldByElement(writer, writer.indices, {iter.name}, fixed, ranges);
        if (told) {
            const Told& how = told->at(iter.name);
            return ReadCopy::Limit{how.dimension, how.rest, isEnd ? iter.extent : nullptr};
        }
    }
    return std::nullopt;
}

// What lies in the border around the written elements is there from the start, and is read as they are.
void widenIntoBorder(ReadCopy::Limit& limit, const ReadCopy& copy, const Buffer& buffer)
{
    const bool isPlace = limit.dimension && isConst(limit.rest, 0);
    if (!isPlace || (limit.end != nullptr && !isConst(limit.end, buffer.shape[*limit.dimension]))) {
        return;
    }
    const auto& [before, behind] = copy.border[*limit.dimension];
    if (limit.end != nullptr) {
        limit.end = simplify(limit.end + behind);
    } else {
        limit.rest = intImm(before);
    }
}

// A step of the innermost loop that both share writes a box that holds the windows.
bool holds(const Place& writer, const std::string& shared, const std::vector<Window>& windows, const Buffer& buffer,
           const Ranges& ranges)
{
    const std::set<std::string> inside = loopsInside(writer.loops, shared);
    const std::vector<Expr> indices = accessesOf(*writer.block).front().indices;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        const std::optional<Span> span = spanOf(indices[d], inside, ranges);
        if (!span || !isDense(span->local, span->extent, ranges)) {
            return false;
        }
        const Interval before = boundsOf(simplify(windows[d].base - span->base, ranges), ranges);
        const Interval behind
            = boundsOf(simplify(windows[d].base + windows[d].extent - span->base - span->extent, ranges), ranges);
        const bool toTheEnd = boundsOf(simplify(span->base + span->extent, ranges), ranges).low >= buffer.shape[d];
        if (before.low < 0 || (behind.high > 0 && !toTheEnd)) {
            return false;
        }
    }
    return true;
}

// Limits from the writers' guards, or the writer that stands in the way.
void judgeWriters(ReadCopy& copy, const LoopNest& nest, const Buffer& buffer, const std::string& at)
{
    const std::set<std::string> fixed = lifetimeLoops(nest, buffer);
    const Ranges ranges = nest.loopRanges();
    const LoopNest::Path target = nest.findLoop(at);
    Place here{target.loops, nullptr, copy.readers.front().block};
    here.loops.push_back(target.loop);
    std::vector<Place> writers = nest.blocks();
    std::erase_if(writers, [&](const Place& place) { return place.block->buffer != buffer.name; });
    for (const Place& writer : writers) {
        for (const Expr& guard : conjuncts(writer.block->predicate)) {
            const std::optional<ReadCopy::Limit> limit = limitOf(guard, *writer.block, fixed, ranges);
            // Elements of another writer's share may lie on the other side.
            const bool ofElements = limit && (writers.size() == 1 || (limit->dimension && isConst(limit->rest, 0)));
            if (!ofElements) {
                copy.unknownWriter = writer.block->name;
                return;
            }
            copy.limits.push_back(*limit);
            widenIntoBorder(copy.limits.back(), copy, buffer);
        }
        const std::vector<const Loop*> shared = sharedLoops(writer, here, fixed);
        if (!shared.empty() && !holds(writer, shared.back()->name, copy.windows, buffer, ranges)) {
            copy.unknownWriter = writer.block->name;
            return;
        }
    }
}

// The one variable that walks the dimension, or the one beside steps of a reduction, as in a window.
std::string axisName(const Block& reader, const Expr& index, std::size_t dimension, const std::vector<std::string>& taken)
{
    std::vector<std::string> names = freeVars(index);
    if (names.size() > 1) {
        std::erase_if(names, [&](const std::string& name) { return reader.iter(name)->reduction; });
    }
    std::string name = names.size() == 1 ? names.front().substr(0, names.front().find(".in")) : "";
    if (name.empty() || std::find(taken.begin(), taken.end(), name) != taken.end()) {
        name = "d" + std::to_string(dimension);
    }
    while (std::find(taken.begin(), taken.end(), name) != taken.end()) {
        name += "_";
    }
    return name;
}

} // namespace

ReadCopy readCopy(const LoopNest& nest, const Buffer& buffer, const std::string& only, const std::string& at)
{
    ReadCopy copy;
    for (const Place& place : nest.blocks()) {
        if (contains(place, at) && readsBuffer(*place.block, buffer.name) && (only.empty() || place.block->name == only)) {
            copy.readers.push_back(place);
        }
    }
    if (copy.readers.empty()) {
        return copy;
    }
    const Place& first = copy.readers.front();
    copy.inside = loopsInside(first.loops, at);
    for (const Access& access : accessesOf(*first.block)) {
        if (!access.isWrite && access.buffer == buffer.name && copy.indices.empty()) {
            copy.indices = access.indices;
        }
    }
    const std::vector<Expr> own = readsOf(*first.block, buffer.name).front();
    copy.windows = windowsOf(buffer, copy.readers, at, nest.loopRanges());
    copy.everything = true;
    for (std::size_t d = 0; d < copy.windows.size(); ++d) {
        const bool bordered = buffer.scope == Scope::Port && !buffer.layout.border.empty();
        copy.border.push_back(bordered ? buffer.layout.border[d] : std::pair<std::int64_t, std::int64_t>());
        copy.axes.push_back(axisName(*first.block, own[d], d, copy.axes));
        Window& window = copy.windows[d];
        copy.everything = copy.everything && window.whole;
        if (window.whole) {
            window.base = intImm(-copy.border[d].first);
            window.extent += copy.border[d].first + copy.border[d].second;
        }
    }
    judgeWriters(copy, nest, buffer, at);
    return copy;
}

} // namespace nw::schedule
