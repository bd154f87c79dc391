#include "engine/base/text.h"
#include "engine/schedule/unit_loops.h"

#include <algorithm>
#include <set>

namespace nw::schedule {

namespace {

// a >= 0 as an affine form, for a comparison of affine sides; nothing for anything else.
std::optional<Affine> notNegative(const Expr& condition)
{
    const Binary* compare = condition->as<Binary>();
    if (compare == nullptr || compare->a->type() != DType::I64) {
        return std::nullopt;
    }
    switch (compare->op) {
    case BinaryOp::Ge: return affineOf(compare->a - compare->b);
    case BinaryOp::Gt: return affineOf(compare->a - compare->b - 1);
    case BinaryOp::Le: return affineOf(compare->b - compare->a);
    case BinaryOp::Lt: return affineOf(compare->b - compare->a - 1);
    default: return std::nullopt;
    }
}

// An index inside 0 .. extent-1 makes the condition (a >= 0) true.
bool followsFromBounds(const Affine& condition, const Expr& index, std::int64_t extent)
{
    const std::optional<Affine> position = affineOf(index);
    if (!position) {
        return false;
    }
    if (position->terms == condition.terms) {
        return condition.constant >= position->constant;
    }
    Affine mirrored;
    for (const auto& [name, coefficient] : position->terms) {
        mirrored.terms[name] = -coefficient;
    }
    return mirrored.terms == condition.terms && condition.constant + position->constant >= extent - 1;
}

bool isZero(const Expr& e)
{
    const FloatImm* real = e->as<FloatImm>();
    return isConst(e, 0) || (real != nullptr && real->value == 0.0);
}

// The select that guards a padded read says nothing that the port's border of zeros does not: wherever its condition
// fails the index is outside of the logical box, and every index it can meet is inside of the border.
bool borderCovers(const Select& guarded, const std::vector<Buffer>& buffers, const Ranges& axes)
{
    const Load* read = guarded.yes->as<Load>();
    if (read == nullptr || !isZero(guarded.no)) {
        return false;
    }
    const Buffer* buffer = nullptr;
    for (const Buffer& candidate : buffers) {
        if (candidate.name == read->buffer) {
            buffer = &candidate;
        }
    }
    if (buffer == nullptr || buffer->scope != Scope::Port || buffer->layout.border.size() != buffer->shape.size()) {
        return false;
    }
    for (std::size_t d = 0; d < buffer->shape.size(); ++d) {
        const Interval met = boundsOf(read->indices[d], axes);
        const auto& [before, after] = buffer->layout.border[d];
        if (met.low < -before || met.high > buffer->shape[d] - 1 + after) {
            return false;
        }
    }
    for (const Expr& condition : conjuncts(guarded.condition)) {
        const std::optional<Affine> form = notNegative(condition);
        bool implied = false;
        for (std::size_t d = 0; form && d < buffer->shape.size(); ++d) {
            implied = implied || followsFromBounds(*form, read->indices[d], buffer->shape[d]);
        }
        if (!implied) {
            return false;
        }
    }
    return true;
}

Expr withoutCoveredSelects(const Expr& body, const std::vector<Buffer>& buffers, const Ranges& axes)
{
    return rewriteExpr(body, [&](const Expr& e) {
        const Select* guarded = e->as<Select>();
        return guarded != nullptr && borderCovers(*guarded, buffers, axes) ? guarded->yes : e;
    });
}

Result<std::vector<Buffer>> buffersOf(const compute::Definition& definition, const std::vector<Layout>& layouts)
{
    if (layouts.size() != definition.ports.size()) {
        return failed(format("{} has {} ports, but {} layouts were given", definition.kind, definition.ports.size(),
                             layouts.size()));
    }
    std::vector<Buffer> buffers;
    const auto add = [&](const std::string& name, DType type, Scope scope) -> Status {
        const auto shape = definition.staticShape(name);
        if (!shape) {
            return failed(format("the shape of {} in {} still depends on unbound symbols: bind them first", name,
                                 definition.kind));
        }
        Buffer buffer;
        buffer.name = name;
        buffer.type = type;
        buffer.shape = *shape;
        buffer.scope = scope;
        buffers.push_back(std::move(buffer));
        return Done{};
    };
    for (std::size_t i = 0; i < definition.ports.size(); ++i) {
        if (const Status added = add(definition.ports[i].name, definition.ports[i].type, Scope::Port); !added) {
            return added.error();
        }
        buffers.back().layout = layouts[i];
        buffers.back().port = static_cast<int>(i);
    }
    for (const compute::Stage& stage : definition.stages) {
        if (definition.port(stage.buffer) == nullptr) {
            if (const Status added = add(stage.buffer, stage.type, Scope::Heap); !added) {
                return added.error();
            }
        }
    }
    return buffers;
}

// Loops of one stage around its block; appends to the nest.
Status addStage(LoopNest& nest, const compute::Stage& stage, bool first, const std::set<std::string>& unitLoops)
{
    // Over no steps at all a reduction is its initial value: no step would be there to store it.
    const bool isEmpty = std::any_of(stage.reduction.begin(), stage.reduction.end(),
                                     [](const compute::Axis& axis) { return isConst(axis.extent, 0); });
    const std::vector<compute::Axis> reductions = isEmpty ? std::vector<compute::Axis>() : stage.reduction;
    Block block;
    block.stage = stage.name;
    block.buffer = stage.buffer;
    block.combiner = isEmpty ? compute::Combiner::None : stage.combiner;
    block.init = isEmpty ? nullptr : stage.init;
    block.predicate = boolImm(true);

    std::vector<Loop> loops;
    Ranges axes;
    // The block's own name is settled after its loops', which go by the axes' names wherever they can.
    std::set<std::string> names;
    const auto fresh = [&](const std::string& wanted) {
        std::string name = nest.freshName(wanted);
        for (int copy = 2; names.contains(name); ++copy) {
            name = nest.freshName(wanted + "." + std::to_string(copy));
        }
        names.insert(name);
        return name;
    };
    const auto wantedName = [&](const compute::Axis& axis) { return first ? axis.name : stage.name + "." + axis.name; };
    const auto isNamed = [&](const compute::Axis& axis) {
        return !unitLoops.empty() && isConst(axis.extent, 1) && unitLoops.contains(nest.freshName(wantedName(axis)));
    };
    const auto addAxis = [&](const compute::Axis& axis, bool reduction, bool keep) -> Status {
        const std::optional<std::int64_t> extent = constInt(axis.extent);
        if (!extent) {
            return failed(format("the extent {} of axis {} in stage {} is not bound to a number yet", toText(axis.extent),
                                 axis.name, stage.name));
        }
        axes[axis.name] = Interval::ofExtent(*extent);
        IterVar iter{axis.name, reduction, axis.extent, intImm(0)};
        if (*extent != 1 || keep) {
            Loop loop;
            loop.id = nest.nextId++;
            loop.name = fresh(wantedName(axis));
            loop.extent = axis.extent;
            iter.binding = var(loop.name);
            loops.push_back(std::move(loop));
        }
        block.iters.push_back(std::move(iter));
        return Done{};
    };

    const std::size_t axisCount = stage.spatial.size() + reductions.size();
    bool hasNone = true; // so that one must be made
    for (std::size_t i = 0; i < axisCount; ++i) {
        const auto& axis = i < stage.spatial.size() ? stage.spatial[i] : reductions[i - stage.spatial.size()];
        hasNone = hasNone && isConst(axis.extent, 1) && !isNamed(axis);
    }
    for (std::size_t i = 0; i < axisCount; ++i) {
        const bool reduction = i >= stage.spatial.size();
        const compute::Axis& axis = reduction ? reductions[i - stage.spatial.size()] : stage.spatial[i];
        const bool keep = isNamed(axis) || (hasNone && i + 1 == std::max<std::size_t>(stage.spatial.size(), 1));
        if (const Status added = addAxis(axis, reduction, keep); !added) {
            return added;
        }
    }
    for (const compute::Axis& axis : stage.spatial) {
        block.indices.push_back(var(axis.name));
    }
    block.value = withoutCoveredSelects(isEmpty ? stage.init : stage.body, nest.buffers, axes);
    // Blocks, loops and buffers share one space of names; an internal buffer is called as its stage, and so is its
    // block: the only pair that may share.
    block.name = stage.name;
    block.id = nest.nextId++;

    std::vector<Stmt> body{makeStmt(std::move(block))};
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        loop->body = std::move(body);
        body = {makeStmt(std::move(*loop))};
    }
    nest.roots.push_back(body.front());
    return Done{};
}

} // namespace

Result<LoopNest> plainNest(const std::shared_ptr<const compute::Definition>& definition, const std::vector<Layout>& layouts,
                           const std::set<std::string>& unitLoops)
{
    Result<std::vector<Buffer>> buffers = buffersOf(*definition, layouts);
    if (!buffers) {
        return buffers.error();
    }
    LoopNest nest;
    nest.definition = definition;
    nest.buffers = *std::move(buffers);
    for (std::size_t i = 0; i < definition->stages.size(); ++i) {
        if (const Status added = addStage(nest, definition->stages[i], i == 0, unitLoops); !added) {
            return added.error();
        }
    }
    ENSURE(verify(nest).empty(), "the first nest of " + definition->kind + ": " + verify(nest));
    return nest;
}

Result<LoopNest> initialNest(std::shared_ptr<const compute::Definition> definition, const std::vector<Layout>& layouts)
{
    return plainNest(definition, layouts, {});
}

} // namespace nw::schedule
