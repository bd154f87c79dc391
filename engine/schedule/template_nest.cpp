#include "engine/schedule/template_nest.h"

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/template_names.h"

#include <algorithm>
#include <cstdlib>

namespace nw::schedule {

namespace {

constexpr std::int64_t kFew = 4;
constexpr std::int64_t kStepsOfAThread = 4; // so that the last of them does not keep the others waiting for long

bool has(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::int64_t stepsOf(const Loop& loop)
{
    return constantExtent(loop).value_or(0);
}

// The value's own use of loops, apart from where it reads.
bool valueTells(const Block& block, const std::string& loop)
{
    const Substitution bindings = block.bindings();
    bool tells = usesVar(block.predicate, loop);
    walk(block.value, [&](const Expr& part) {
        if (const auto* named = part->as<Var>()) {
            const auto bound = bindings.find(named->name);
            tells = tells || (bound != bindings.end() && usesVar(bound->second, loop));
        }
        return !tells && part->as<Load>() == nullptr;
    });
    return tells;
}

// Where the truth of a comparison of one loop's variable with a number changes.
std::optional<Cut> cutOf(const Expr& condition)
{
    const auto* compare = condition->as<Binary>();
    if (compare == nullptr || compare->a->type() != DType::I64) {
        return std::nullopt;
    }
    const bool isStrict = compare->op == BinaryOp::Lt || compare->op == BinaryOp::Ge;
    if (!isStrict && compare->op != BinaryOp::Le && compare->op != BinaryOp::Gt) {
        return std::nullopt;
    }
    const std::optional<Affine> form = affineOf(compare->a - compare->b);
    if (!form || form->terms.size() != 1 || std::abs(form->terms.begin()->second) != 1) {
        return std::nullopt;
    }
    // v + k < 0 ends at -k, v + k <= 0 one step later; k - v < 0 begins one step behind k, k - v <= 0 at k.
    const bool rises = form->terms.begin()->second == 1;
    const std::int64_t at = rises ? -form->constant : form->constant;
    return Cut{form->terms.begin()->first, at + (rises != isStrict ? 1 : 0)};
}

} // namespace

BlockWalk::BlockWalk(const LoopNest& nest, const std::string& block, const Target& target)
    : m_nest(nest)
    , m_target(target)
    , m_path(nest.findBlock(block))
    , m_ranges(nest.loopRanges())
{
    ENSURE(m_path, "a template speaks of a block that is not there");
    for (auto loop = m_path.loops.rbegin(); loop != m_path.loops.rend() && (*loop)->body.size() == 1; ++loop) {
        m_loops.insert(m_loops.begin(), *loop);
    }
    for (const schedule::Access& made : accessesOf(*m_path.block)) {
        Access access{nest.buffer(made.buffer), made.indices, made.isWrite, {}};
        for (const Loop* loop : m_loops) {
            access.strides.push_back(strideOf(access, *loop));
        }
        m_accesses.push_back(std::move(access));
    }
}

std::optional<std::int64_t> BlockWalk::strideOf(const Access& access, const Loop& loop) const
{
    const bool isUsed = std::any_of(access.indices.begin(), access.indices.end(), [&](const Expr& index) { return usesVar(index, loop.name); });
    if (!isUsed || stepsOf(loop) == 1) {
        return 0;
    }
    return elementsApart(access.buffer->layout, access.buffer->shape, access.indices, loop.name, m_ranges);
}

const BlockWalk::Access& BlockWalk::written() const
{
    const auto found = std::find_if(m_accesses.begin(), m_accesses.end(), [](const Access& access) { return access.isWrite; });
    ENSURE(found != m_accesses.end(), "a block that writes nothing");
    return *found;
}

std::optional<MarkWords> BlockWalk::inMemoryOrder() const
{
    struct Place {
        std::string loop;
        std::int64_t stride;
    };
    std::vector<Place> places;
    bool hasNext = false;
    for (std::size_t i = 0; i < m_loops.size(); ++i) {
        const std::optional<std::int64_t> stride = written().strides[i];
        if (!stride) {
            return std::nullopt;
        }
        hasNext = hasNext || *stride == 1;
        places.push_back({m_loops[i]->name, std::abs(*stride)});
    }
    if (!hasNext) {
        return std::nullopt;
    }
    // A loop of one step walks nowhere: outside, where it is in nobody's way.
    std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return (a.stride == 0 ? Interval::kPlusInf : a.stride) > (b.stride == 0 ? Interval::kPlusInf : b.stride);
    });
    MarkWords names;
    for (const Place& place : places) {
        names.push_back(place.loop);
    }
    return names;
}

bool BlockWalk::isOneWalk(std::size_t outer) const
{
    const Loop& a = *m_loops[outer];
    const Loop& b = *m_loops[outer + 1];
    const std::vector<std::string> sums = boundLoops(*m_path.block, true);
    if (valueTells(*m_path.block, a.name) || valueTells(*m_path.block, b.name) || has(sums, a.name) != has(sums, b.name)) {
        return false;
    }
    return std::all_of(m_accesses.begin(), m_accesses.end(), [&](const Access& access) {
        const auto& outside = access.strides[outer];
        const auto& inside = access.strides[outer + 1];
        return outside && inside && *outside == *inside * stepsOf(b);
    });
}

MarkWords BlockWalk::oneWalk() const
{
    for (std::size_t i = 0; i + 1 < m_loops.size(); ++i) {
        if (isOneWalk(i)) {
            return {m_loops[i]->name, m_loops[i + 1]->name};
        }
    }
    return {};
}

MarkWords BlockWalk::innermost() const
{
    return m_loops.empty() ? MarkWords() : MarkWords{m_loops.back()->name};
}

MarkWords BlockWalk::innermostLong() const
{
    const Buffer* made = m_nest.buffer(m_path.block->buffer);
    const DType type = made->type == DType::Bool ? DType::F32 : made->type;
    return !m_loops.empty() && stepsOf(*m_loops.back()) > m_target.lanes(type) ? innermost() : MarkWords();
}

MarkWords BlockWalk::fewAround() const
{
    return m_loops.size() > 1 && stepsOf(*m_loops[m_loops.size() - 2]) <= kFew ? MarkWords{m_loops[m_loops.size() - 2]->name} : MarkWords();
}

MarkWords BlockWalk::around() const
{
    return m_path.loops.size() > 1 ? MarkWords{m_path.loops[m_path.loops.size() - 2]->name} : MarkWords();
}

MarkWords BlockWalk::across() const
{
    const auto& order = written().strides;
    const auto lanes = std::find(order.begin(), order.end(), std::optional<std::int64_t>(1));
    if (lanes == order.end()) {
        return {};
    }
    const auto lane = static_cast<std::size_t>(lanes - order.begin());
    for (const Access& access : m_accesses) {
        const auto next = std::find(access.strides.begin(), access.strides.end(), std::optional<std::int64_t>(1));
        const bool isFar = access.strides[lane] && std::abs(*access.strides[lane]) > 2;
        if (!access.isWrite && isFar && next != access.strides.end()) {
            return {m_loops[static_cast<std::size_t>(next - access.strides.begin())]->name};
        }
    }
    return {};
}

MarkWords BlockWalk::turned() const
{
    const MarkWords moved = across();
    MarkWords names;
    for (const Loop* loop : m_loops) {
        names.push_back(loop->name);
    }
    const auto at = moved.empty() ? names.end() : std::find(names.begin(), names.end(), moved.front());
    if (at == names.end() || at + 1 == names.end()) {
        return {};
    }
    std::rotate(at, at + 1, names.end() - 1);
    return names;
}

MarkWords BlockWalk::beside(const std::set<std::string>& axes) const
{
    const MarkWords others = along(axes);
    for (std::size_t i = 0; i < m_loops.size(); ++i) {
        const bool isNext = written().strides[i] == 1 && !has(others, m_loops[i]->name);
        if (isNext && std::all_of(m_accesses.begin(), m_accesses.end(), [&](const Access& access) { return access.strides[i] == 1 || access.strides[i] == 0; })) {
            return {m_loops[i]->name};
        }
    }
    return {};
}

MarkWords BlockWalk::along(const std::set<std::string>& axes) const
{
    MarkWords names;
    for (const Loop* loop : m_loops) {
        // Beside the axes an iteration variable may say where in a buffer of its own the block writes.
        bool isKept = false, isUsed = false;
        for (const IterVar& iter : m_path.block->iters) {
            isUsed = isUsed || usesVar(iter.binding, loop->name);
            isKept = isKept || (axes.contains(iter.name) && usesVar(iter.binding, loop->name));
        }
        if (isUsed && !isKept) {
            names.push_back(loop->name);
        }
    }
    return names;
}

MarkWords BlockWalk::sideways(const std::set<std::string>& axes) const
{
    const MarkWords next = beside(axes);
    const MarkWords inner = along(axes);
    MarkWords names;
    for (const Loop* loop : m_loops) {
        if (!has(next, loop->name) && !has(inner, loop->name)) {
            names.push_back(loop->name);
        }
    }
    names.insert(names.end(), next.begin(), next.end());
    names.insert(names.end(), inner.begin(), inner.end());
    return names;
}

std::optional<BlockWalk::Blocked> BlockWalk::blocked() const
{
    for (const bool isWrite : {true, false}) {
        for (const Access& access : m_accesses) {
            const std::optional<BlockedAxis> axis = access.isWrite == isWrite ? blockedAxis(access.buffer->layout) : std::nullopt;
            const std::optional<Affine> index = axis ? affineOf(access.indices[axis->axis]) : std::nullopt;
            if (index && index->terms.size() == 1 && index->terms.begin()->second == 1) {
                return Blocked{index->terms.begin()->first, axis->width};
            }
        }
    }
    return std::nullopt;
}

std::string BlockWalk::elementType() const
{
    const DType type = m_nest.buffer(m_path.block->buffer)->type;
    return std::string(toText(type == DType::Bool ? DType::F32 : type));
}

std::optional<Cut> firstCut(const LoopNest& nest, const Target& target)
{
    for (const LoopNest::Path& path : nest.blocks()) {
        std::optional<Cut> found;
        const std::optional<BlockWalk::Blocked> blocked = BlockWalk(nest, path.block->name, target).blocked();
        const Substitution bindings = path.block->bindings();
        walk(path.block->value, [&](const Expr& part) {
            const auto* choice = part->as<Select>();
            for (const Expr& condition : choice == nullptr || found ? std::vector<Expr>() : conjuncts(choice->condition)) {
                const std::optional<Cut> cut = cutOf(substitute(condition, bindings));
                const LoopNest::Path place = cut ? nest.findLoop(cut->loop) : LoopNest::Path();
                const bool isWhole = cut && (!blocked || blocked->loop != cut->loop || cut->steps % blocked->width == 0);
                if (place && isWhole && cut->steps > 0 && cut->steps < stepsOf(*place.loop)) {
                    found = cut;
                }
            }
            return !found;
        });
        if (found) {
            return found;
        }
    }
    return std::nullopt;
}

MarkWords outerLoops(const LoopNest& nest, const std::string& block, int threads)
{
    const LoopNest::Path path = nest.findBlock(block);
    ENSURE(path, "a template speaks of a block that is not there");
    MarkWords names;
    std::int64_t steps = 1;
    for (std::size_t i = 0; i < path.loops.size() && steps < threads * kStepsOfAThread; ++i) {
        const Loop& loop = *path.loops[i];
        const std::vector<const Block*> inside = blocksIn(loop.body);
        const bool sums = std::any_of(inside.begin(), inside.end(), [&](const Block* other) { return has(boundLoops(*other, true), loop.name); });
        if (sums || effectiveKind(nest, loop) != LoopKind::Serial) {
            break;
        }
        names.push_back(loop.name);
        steps *= std::max<std::int64_t>(stepsOf(loop), 1);
        if (loop.body.size() != 1) {
            break;
        }
    }
    return names;
}

} // namespace nw::schedule
