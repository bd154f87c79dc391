#include "engine/schedule/primitives/buffer_home.h"

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/analysis/inverse.h"
#include "engine/schedule/analysis/places.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// Where the part of a dimension that one step touches lies on the stage's axis.
struct Lies {
    std::string axis;
    std::int64_t extent = 1;
    Expr base; // over loops that are fixed in the step
};

// Axes of the block that a dimension may be about: the one that its index is a part of, the one whose element a copy
// reads, the stage's.
std::vector<std::string> axesFor(const Block& writer, std::size_t dimension, const Buffer& buffer, const compute::Stage* stage)
{
    std::vector<std::string> names;
    for (const std::string& name : freeVars(writer.indices[dimension])) {
        names.push_back(name.substr(0, name.find(".in")));
    }
    const Load* copied = writer.value->as<Load>();
    if (copied != nullptr && copied->indices.size() == buffer.shape.size()) {
        const std::vector<std::string> read = freeVars(copied->indices[dimension]);
        names.insert(names.end(), read.begin(), read.end());
    }
    if (stage != nullptr && stage->spatial.size() == buffer.shape.size()) {
        names.push_back(stage->spatial[dimension].name);
    }
    return names;
}

std::optional<Lies> toldBy(const Block& writer, std::size_t dimension, const std::vector<std::string>& axes,
                           const std::set<std::string>& fixed, const Ranges& ranges)
{
    const Expr local = substitute(writer.indices[dimension], writer.bindings());
    for (const std::string& name : axes) {
        const IterVar* axis = writer.iter(name);
        const std::optional<std::int64_t> extent = axis == nullptr || axis->reduction ? std::nullopt : constInt(axis->extent);
        if (!extent) {
            continue;
        }
        Lies lies{axis->name, *extent, simplify(axis->binding - local, ranges)};
        const std::vector<std::string> used = freeVars(lies.base);
        if (std::all_of(used.begin(), used.end(), [&](const std::string& loop) { return fixed.contains(loop); })) {
            return lies;
        }
    }
    return std::nullopt;
}

// Nothing when the writers do not agree, or when one of them does not tell.
std::optional<Lies> liesOf(const LoopNest& nest, const std::vector<Place>& users, const Buffer& buffer, std::size_t dimension)
{
    const std::set<std::string> fixed = lifetimeLoops(nest, buffer);
    const Ranges ranges = nest.loopRanges();
    std::optional<Lies> all;
    for (const Place& user : users) {
        const Block& block = *user.block;
        if (block.buffer != buffer.name) {
            continue;
        }
        const std::vector<std::string> axes = axesFor(block, dimension, buffer, nest.definition->stage(block.stage));
        const std::optional<Lies> one = toldBy(block, dimension, axes, fixed, ranges);
        if (!one || (all && (one->extent != all->extent || !equal(one->base, all->base)))) {
            return std::nullopt;
        }
        all = one;
    }
    return all;
}

// The index counted from the beginning of the axis: by a variable of the block that walks the axis, or else by the base
// as a variable of its own.
Expr raised(const Expr& index, Block& block, const Lies& lies, const Ranges& ranges)
{
    const Expr place = simplify(substitute(index, block.bindings()) + lies.base, ranges);
    for (const IterVar& iter : block.iters) {
        if (const std::optional<std::int64_t> ahead = constInt(simplify(place - iter.binding, ranges)); ahead && !isPart(iter)) {
            return simplify(var(iter.name) + *ahead);
        }
    }
    for (const std::string& name : freeVars(index)) {
        const IterVar* part = block.iter(name);
        const IterVar* axis = block.iter(name.substr(0, name.find(".in")));
        const std::optional<Affine> form = affineOf(index);
        if (axis != nullptr && axis != part && form && form->coefficient(name) == 1
            && isConst(simplify(axis->binding - part->binding - lies.base, ranges), 0)) {
            return simplify(substitute(index, {{name, var(axis->name)}}));
        }
    }
    const Interval met = boundsOf(lies.base, ranges);
    ENSURE(met.low > Interval::kMinusInf && met.high < Interval::kPlusInf, "the place of a part has no limits");
    IterVar at;
    at.name = lies.axis + ".at";
    for (int copy = 2; block.iter(at.name) != nullptr; ++copy) {
        at.name = lies.axis + ".at." + std::to_string(copy);
    }
    at.binding = simplify(lies.base - met.low, ranges);
    at.extent = intImm(met.high - met.low + 1);
    const Expr whole = simplify(index + var(at.name) + met.low);
    block.iters.push_back(std::move(at));
    return whole;
}

void dropUnusedParts(Block& block)
{
    std::vector<Expr> all = block.indices;
    all.push_back(block.value);
    if (block.init != nullptr) {
        all.push_back(block.init);
    }
    const std::set<std::string> used = varsOf(all);
    std::erase_if(block.iters, [&](const IterVar& iter) { return isPart(iter) && !iter.reduction && !used.contains(iter.name); });
}

// Lanes of a register tile lie where vector loops want them.
Layout layoutOf(const Buffer& before, const Buffer& now)
{
    return now.scope == Scope::Registers ? before.layout : keptLayout(before, now.shape, now.scope);
}

} // namespace

LoopNest unfolded(const LoopNest& nest, const std::string& name)
{
    LoopNest now = nest;
    const Buffer& buffer = *nest.buffer(name);
    const std::vector<Place> users = usersOf(nest, name);
    const Ranges ranges = nest.loopRanges();
    std::vector<std::optional<Lies>> lies;
    Buffer& changed = *findBuffer(now, name);
    for (std::size_t d = 0; d < buffer.shape.size(); ++d) {
        lies.push_back(liesOf(nest, users, buffer, d));
        changed.shape[d] = lies[d] ? lies[d]->extent : buffer.shape[d];
    }
    for (const Place& user : users) {
        Block block = *user.block;
        const auto whole = [&](const std::vector<Expr>& indices) {
            std::vector<Expr> result = indices;
            for (std::size_t d = 0; d < result.size(); ++d) {
                if (lies[d]) {
                    result[d] = raised(indices[d], block, *lies[d], ranges);
                }
            }
            return result;
        };
        if (block.buffer == name) {
            block.indices = whole(block.indices);
        }
        block.value = rewriteExpr(block.value, [&](const Expr& e) {
            const Load* read = e->as<Load>();
            return read != nullptr && read->buffer == name ? load(name, e->type(), whole(read->indices)) : e;
        });
        dropUnusedParts(block);
        replaceBlock(now, block.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(block)}; });
    }
    changed.atLoop.clear();
    changed.scope = suitableScope(now, changed);
    changed.layout = layoutOf(buffer, changed);
    return now;
}

LoopNest shrunkTo(const LoopNest& nest, const std::string& name, const std::string& at, std::optional<std::size_t> keep)
{
    LoopNest now = nest;
    const Buffer& buffer = *nest.buffer(name);
    Buffer& changed = *findBuffer(now, name);
    changed.atLoop = at;
    if (!at.empty()) {
        const std::vector<Place> users = usersOf(nest, name);
        const Ranges ranges = nest.loopRanges();
        std::vector<Window> windows = windowsOf(buffer, users, at, ranges);
        if (keep) {
            windows[*keep] = Window{intImm(0), buffer.shape[*keep], true};
        }
        for (const Place& user : users) {
            Block block = intoWindow(*user.block, name, name, windows, loopsInside(user.loops, at), ranges);
            dropUnusedParts(block);
            replaceBlock(now, block.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(block)}; });
        }
        for (std::size_t d = 0; d < windows.size(); ++d) {
            changed.shape[d] = windows[d].extent;
        }
    }
    changed.scope = suitableScope(now, changed);
    changed.layout = layoutOf(buffer, changed);
    return now;
}

namespace {

std::int64_t elementsIn(const Buffer& buffer)
{
    std::int64_t elements = 1;
    for (const std::int64_t extent : buffer.shape) {
        elements *= extent;
    }
    return elements;
}

bool isParallel(const Loop* loop)
{
    return loop->kind == LoopKind::Parallel;
}

// The parallel loop around the buffer's home or that itself; null when there is none.
const Loop* parallelAround(const LoopNest& nest, const Buffer& buffer)
{
    if (buffer.atLoop.empty()) {
        return nullptr;
    }
    const LoopNest::Path home = nest.findLoop(buffer.atLoop);
    const auto found = std::find_if(home.loops.begin(), home.loops.end(), isParallel);
    return found != home.loops.end() ? *found : isParallel(home.loop) ? home.loop : nullptr;
}

// One inside of the home whose threads use the buffer.
const Loop* parallelInside(const LoopNest& nest, const Buffer& buffer)
{
    for (const Place& user : usersOf(nest, buffer.name)) {
        const std::set<std::string> inside
            = buffer.atLoop.empty() ? namesOf(user.loops) : loopsInside(user.loops, buffer.atLoop);
        for (const Loop* loop : user.loops) {
            if (isParallel(loop) && inside.contains(loop->name)) {
                return loop;
            }
        }
    }
    return nullptr;
}

} // namespace

Scope suitableScope(const LoopNest& nest, const Buffer& buffer)
{
    if (buffer.scope == Scope::Registers) {
        return Scope::Registers;
    }
    if (buffer.atLoop.empty() || parallelInside(nest, buffer) != nullptr) {
        return Scope::Heap;
    }
    const bool fits = elementsIn(buffer) * static_cast<std::int64_t>(byteSize(buffer.type)) <= kLargestStack;
    return fits || parallelAround(nest, buffer) != nullptr ? Scope::Stack : Scope::Heap;
}

std::optional<Check> leavesRing(const LoopNest& nest, const std::string& primitive, const Block& block)
{
    if (!writesRing(nest, block) && !readsRing(nest, block)) {
        return std::nullopt;
    }
    return illegal(primitive + ".ring",
                   NW_WORDS("{0}: {1} uses a ring, whose elements are written over, and must take turns with its other users"),
                   {primitive, block.name}, {block.name});
}

std::optional<Check> cannotLive(const LoopNest& nest, const std::string& primitive, const std::string& name, const Context& context)
{
    const Buffer& buffer = *nest.buffer(name);
    const std::string& at = buffer.atLoop;
    if (!at.empty() && effectiveKind(nest, *nest.findLoop(at).loop) == LoopKind::Vector) {
        return illegal(primitive + ".vector", NW_WORDS("{0}: {1} is a vector loop; its lanes cannot keep memory of their own"),
                       {primitive, at}, {at});
    }
    const Loop* around = parallelAround(nest, buffer);
    const Loop* inside = parallelInside(nest, buffer);
    if (inside != nullptr && (around != nullptr || buffer.scope == Scope::Registers)) {
        return illegal(primitive + ".parallel_inside",
                       NW_WORDS("{0}: threads of {2} would share what is private to a step around them, {1}"),
                       {primitive, name, inside->name}, {name, inside->name});
    }
    return tooLarge(primitive, name, buffer.scope, buffer.type, elementsIn(buffer), context);
}

std::optional<Check> stepsMeet(const LoopNest& nest, const std::string& primitive, const std::string& name)
{
    const std::string& at = nest.buffer(name)->atLoop;
    std::vector<const Loop*> shared; // parallel loops whose steps use the same memory
    bool passed = at.empty();
    for (const Loop* loop : loopsAroundAll(usersOf(nest, name))) {
        if (passed && isParallel(loop)) {
            shared.push_back(loop);
        } else if (passed && effectiveKind(nest, *loop) == LoopKind::Vector) {
            if (auto found = iterationsMeet(nest, primitive, {loop})) {
                return found;
            }
        }
        passed = passed || loop->name == at;
    }
    return shared.empty() ? std::nullopt : iterationsMeet(nest, primitive, shared);
}

} // namespace nw::schedule
