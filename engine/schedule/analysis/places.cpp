#include "engine/schedule/analysis/places.h"

#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/analysis/inverse.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>
#include <iterator>

namespace nw::schedule {

bool guardTellsElement(const Expr& guard, const std::vector<Expr>& indices, const std::set<std::string>& steps,
                       const std::set<std::string>& inside)
{
    const std::optional<Affine> form = atMostZero(guard);
    // Loops that the steps tie to the element: those of every number that moves with them.
    std::set<std::string> tied = steps;
    std::vector<Affine> numbers;
    for (const Expr& index : indices) {
        if (!usesAny(index, steps)) {
            continue;
        }
        const std::optional<Affine> number = affineOf(index);
        numbers.push_back(number.value_or(Affine{}));
        for (const std::string& name : freeVars(index)) {
            if (inside.contains(name)) {
                tied.insert(name);
            }
        }
    }
    const auto isMultiple = [&](const Affine& number) {
        std::optional<std::int64_t> times;
        for (const std::string& name : steps) {
            const std::int64_t unit = number.coefficient(name);
            times = unit != 0 && !times ? std::optional(form->coefficient(name) / unit) : times;
        }
        return times && std::all_of(tied.begin(), tied.end(), [&](const std::string& name) {
            return form->coefficient(name) == *times * number.coefficient(name);
        });
    };
    return !usesAny(guard, tied) || (form && std::any_of(numbers.begin(), numbers.end(), isMultiple));
}

bool stepMakesAll(const LoopNest& nest, const std::string& name, const std::string& at)
{
    const Buffer& buffer = *nest.buffer(name);
    const Ranges ranges = nest.loopRanges();
    const LoopNest::Path target = nest.findLoop(at);
    std::vector<Place> readers = usersOf(nest, name), writers;
    std::copy_if(readers.begin(), readers.end(), std::back_inserter(writers), [&](const Place& p) { return p.block->buffer == name; });
    std::erase_if(readers, [&](const Place& p) { return p.block->buffer == name; });
    if (writers.size() != 1 || writers.front().block->continues() || !contains(writers.front(), at)) {
        return false;
    }
    // Behind the writer in the step, not in turns with it.
    const Place& writer = writers.front();
    const std::size_t depth = target.loops.size() + 1;
    const auto below = [&](const Place& place) { return place.loops.size() > depth ? place.loops[depth] : nullptr; };
    bool passed = false;
    for (const Block* block : blocksIn(target.loop->body)) {
        passed = passed || block == writer.block;
        const auto reader = std::find_if(readers.begin(), readers.end(), [&](const Place& p) { return p.block == block; });
        if (reader != readers.end() && (!passed || (below(*reader) != nullptr && below(*reader) == below(writer)))) {
            return false;
        }
    }
    const std::set<std::string> inside = loopsInside(writer.loops, at);
    const std::vector<Expr> written = accessesOf(*writer.block).front().indices;
    const std::vector<Window> used = windowsOf(buffer, readers, at, ranges);
    std::set<std::string> seen;
    for (std::size_t d = 0; d < written.size(); ++d) {
        const std::optional<Span> span = spanOf(written[d], inside, ranges);
        if (!span || !isDense(span->local, span->extent, ranges) || usesAny(span->local, seen)) {
            return false;
        }
        seen.merge(varsOf({span->local}));
        const Interval before = boundsOf(simplify(used[d].base - span->base, ranges), ranges);
        const Interval behind = boundsOf(simplify(used[d].base + used[d].extent - span->base - span->extent, ranges), ranges);
        if (before.low < 0 || behind.high > 0) {
            return false;
        }
    }
    std::set<std::string> steps = namesOf(target.loops);
    steps.insert(at);
    const std::vector<Expr> guards = conjuncts(writer.block->predicate);
    return std::all_of(guards.begin(), guards.end(), [&](const Expr& guard) { return guardTellsElement(guard, written, steps, inside); });
}

namespace {

// The block's own variables.
std::optional<std::string> untoldVariable(const Block& writer, const std::set<std::string>& fixed, const Ranges& ranges)
{
    std::vector<Expr> all{writer.value};
    if (writer.init != nullptr) {
        all.push_back(writer.init);
    }
    for (const std::string& name : varsOf(all)) {
        const IterVar& iter = *writer.iter(name);
        // A part of an axis reads what was cut down for the step; which element that is the axis tells.
        const IterVar* axis = isPart(iter) ? writer.iter(name.substr(0, name.find('.'))) : &iter;
        const std::string& needed = axis == nullptr ? name : axis->name;
        if (!iter.reduction && !toldByElement(writer, writer.indices, {needed}, fixed, ranges)) {
            return needed;
        }
    }
    return std::nullopt;
}

// What it writes comes out of memory that is another's in each step of a loop, which the place does not name.
std::optional<std::string> untoldOfPrivate(const LoopNest& nest, const Place& writer, const std::set<std::string>& fixed)
{
    const std::set<std::string> told = varsOf(accessesOf(*writer.block).front().indices);
    for (const Access& access : accessesOf(*writer.block)) {
        const std::string& home = nest.buffer(access.buffer)->atLoop;
        if (access.isWrite || home.empty() || fixed.contains(home)) {
            continue;
        }
        for (const Loop* loop : writer.loops) {
            if (!fixed.contains(loop->name) && !isConst(loop->extent, 1) && !told.contains(loop->name)) {
                return loop->name;
            }
            if (loop->name == home) {
                break;
            }
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> untold(const LoopNest& nest, const Place& writer, const std::set<std::string>& fixed)
{
    const std::optional<std::string> variable = untoldVariable(*writer.block, fixed, nest.loopRanges());
    return variable ? variable : untoldOfPrivate(nest, writer, fixed);
}

bool readsRing(const LoopNest& nest, const Block& block)
{
    const std::vector<const Block*> all = blocksIn(nest.roots);
    return std::any_of(all.begin(), all.end(), [&](const Block* writer) {
        return readsBuffer(block, writer->buffer) && writesRing(nest, *writer);
    });
}

bool writesRing(const LoopNest& nest, const Block& block)
{
    Ranges ranges;
    std::set<std::string> walked = varsOf(block.indices);
    for (const IterVar& iter : block.iters) {
        const std::optional<std::int64_t> extent = constInt(iter.extent);
        ranges[iter.name] = extent ? Interval::ofExtent(*extent) : Interval{0, Interval::kPlusInf};
        if (extent && *extent <= 1) {
            walked.erase(iter.name);
        }
    }
    const bool folded = std::any_of(block.indices.begin(), block.indices.end(), [](const Expr& index) { return !affineOf(index); });
    const Access write{&block, block.buffer, block.indices, true};
    return folded && nest.buffer(block.buffer)->scope != Scope::Port
        && whereTheyMeet(write, write, {}, walked, ranges).same != walked;
}

bool guardsApart(const Place& a, const Place& b)
{
    const std::set<std::string> shared = namesOf(loopsAroundAll({a, b}));
    const auto guards = [&](const Block& block) {
        std::set<std::string> found;
        for (const Expr& guard : conjuncts(block.predicate)) {
            const std::vector<std::string> used = freeVars(guard);
            if (!used.empty() && std::includes(shared.begin(), shared.end(), used.begin(), used.end())) {
                found.insert(toText(guard));
            }
        }
        return found;
    };
    return guards(*a.block) != guards(*b.block);
}

} // namespace nw::schedule
