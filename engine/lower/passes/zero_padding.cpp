// An output's memory may be wider than its logical box: a border that consumers read as zeros, lanes of a block that
// the extent does not fill. Both are written here, so that a consumer may rely on them.
//
//   output Y f32 (n, c, h, w) -> ... border 0 0 1 1   =>   for h in -1..0, for w in -1..W+1: Y[...] = 0.0   (and so on)
//
// The widened box is cut into slabs: for each axis in turn the part before and the part behind, over all of the axes
// that come later and only the inside of those that came earlier. Where the map is no blocking of axes all of the
// memory is zeroed first.

#include "engine/base/tensor.h"
#include "engine/base/text.h"
#include "engine/lower/passes/all.h"

#include <algorithm>
#include <optional>

namespace nw::lower {

namespace {

using schedule::Buffer;

// The largest literal that the map divides an axis by: its extent is rounded up to a multiple of it.
std::int64_t blockOf(const IndexMap& map, const std::string& axis)
{
    std::int64_t block = 1;
    for (const Expr& out : map.out) {
        walk(out, [&](const Expr& e) {
            const auto* division = e->as<Binary>();
            if (division != nullptr && (division->op == BinaryOp::FloorDiv || division->op == BinaryOp::FloorMod)
                && usesVar(division->a, axis)) {
                block = std::max(block, constInt(division->b).value_or(1));
            }
            return true;
        });
    }
    return block;
}

// Lanes of the innermost memory axis when it is "axis % lanes" (or plain "axis": 0).
struct Innermost {
    std::size_t axis = 0;
    std::int64_t lanes = 0;
};
std::optional<Innermost> innermostOf(const Layout& layout, std::size_t rank)
{
    if (rank == 0) {
        return {};
    }
    if (layout.map.axes.empty()) {
        return Innermost{rank - 1, 0};
    }
    const Expr& last = layout.map.out.back();
    const auto* modulo = last->as<Binary>();
    const bool blocked = modulo != nullptr && modulo->op == BinaryOp::FloorMod && constInt(modulo->b);
    const auto* name = (blocked ? modulo->a : last)->as<Var>();
    for (std::size_t i = 0; name != nullptr && i < layout.map.axes.size(); ++i) {
        if (layout.map.axes[i] == name->name) {
            return Innermost{i, blocked ? *constInt(modulo->b) : 0};
        }
    }
    return {};
}

struct Span {
    std::int64_t low = 0, high = 0; // half open, logical
};

class Zeroing {
public:
    Zeroing(const Buffer& buffer, const LBuffer& memory)
        : m_buffer(buffer)
        , m_memory(memory)
    {
        std::vector<std::int64_t> widened;
        for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
            const Layout& layout = buffer.layout;
            const auto [before, after] = layout.border.empty() ? std::pair<std::int64_t, std::int64_t>() : layout.border[i];
            const std::int64_t block = layout.map.axes.empty() ? 1 : blockOf(layout.map, layout.map.axes[i]);
            const std::int64_t whole = (before + buffer.shape[i] + after + block - 1) / block * block;
            m_inside.push_back({0, buffer.shape[i]});
            m_all.push_back({-before, whole - before});
            widened.push_back(whole);
        }
        // The widened box fills the memory: every place has one point.
        const Layout unbordered{buffer.layout.map, {}};
        const Result<std::int64_t> points = elementCount(widened);
        const Result<std::vector<std::int64_t>> shape = unbordered.memoryShape(widened);
        m_understood = points && *points == memory.elements && shape && *shape == *buffer.layout.memoryShape(buffer.shape)
            && unbordered.checkInvertible(widened);
    }

    LBody stores()
    {
        LBody body;
        if (!m_understood) {
            const std::string name = m_buffer.name + ".zero";
            body.push_back(makeLStmt(LFor{name, 0, m_memory.elements, LoopKind::Serial, {zeroAt(var(name))}}));
            return body;
        }
        std::vector<Span> slab = m_all;
        for (std::size_t axis = 0; axis < m_all.size(); ++axis) {
            for (const Span outside : {Span{m_all[axis].low, m_inside[axis].low}, Span{m_inside[axis].high, m_all[axis].high}}) {
                slab[axis] = outside;
                if (std::all_of(slab.begin(), slab.end(), [](const Span& span) { return span.low < span.high; })) {
                    body.push_back(loopsOver(slab));
                }
            }
            slab[axis] = m_inside[axis];
        }
        return body;
    }

private:
    LStmt zeroAt(Expr offset) const
    {
        return makeLStmt(LStore{m_buffer.name, std::move(offset), literal(m_buffer.type, 0), false, m_buffer.name + ".zero"});
    }

    // The contiguous axis goes innermost; whole blocks of it run as vectors.
    LStmt loopsOver(const std::vector<Span>& slab)
    {
        struct Level {
            std::string name;
            std::int64_t begin = 0, end = 0;
            LoopKind kind = LoopKind::Serial;
        };
        const std::string stem = format("{}.zero{}", m_buffer.name, m_slabs++);
        const std::optional<Innermost> innermost = innermostOf(m_buffer.layout, slab.size());
        std::vector<Level> levels;
        std::vector<Level> inner;
        std::vector<Expr> point(slab.size());
        Ranges ranges;
        for (std::size_t i = 0; i < slab.size(); ++i) {
            const std::string name = format("{}.{}", stem, i);
            const bool isInner = innermost && innermost->axis == i;
            const std::int64_t lanes = isInner ? innermost->lanes : 0;
            const std::int64_t first = slab[i].low - m_all[i].low;
            const std::int64_t length = slab[i].high - slab[i].low;
            if (lanes > 1 && first % lanes == 0 && length % lanes == 0) {
                levels.push_back({name, 0, length / lanes, LoopKind::Serial});
                inner.push_back({name + ".lane", 0, lanes, LoopKind::Vector});
                point[i] = var(name) * lanes + var(name + ".lane") + slab[i].low;
            } else {
                (isInner ? inner : levels).push_back({name, slab[i].low, slab[i].high, LoopKind::Serial});
                point[i] = var(name);
            }
        }
        levels.insert(levels.end(), inner.begin(), inner.end());
        for (const Level& level : levels) {
            ranges[level.name] = {level.begin, level.end - 1};
        }
        LStmt statement = zeroAt(m_buffer.layout.offset(point, m_buffer.shape, ranges));
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
            statement = makeLStmt(LFor{level->name, level->begin, level->end, level->kind, {statement}});
        }
        return statement;
    }

    const Buffer& m_buffer;
    const LBuffer& m_memory;
    std::vector<Span> m_inside, m_all; // per axis: the logical extent, and with everything around it
    bool m_understood = false;
    int m_slabs = 0;
};

Result<Lowered> run(Lowered program, const PassInput& input)
{
    LBody zeros;
    for (const LBuffer& memory : program.buffers) {
        const Buffer* buffer = input.nest.buffer(memory.name);
        std::int64_t logical = 1;
        for (const std::int64_t extent : buffer->shape) {
            logical *= extent;
        }
        if (memory.isOutput && memory.elements != logical) {
            const LBody stores = Zeroing(*buffer, memory).stores();
            zeros.insert(zeros.end(), stores.begin(), stores.end());
        }
    }
    program.body.insert(program.body.begin(), zeros.begin(), zeros.end());
    return program;
}

} // namespace

const Pass zeroPadding{"zero padding", "Borders and unused lanes of outputs are written with zeros", &run};

} // namespace nw::lower
