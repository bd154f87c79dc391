// Reads behind the end of an axis; see pad.cpp. In this order:
//
//   a place that is there and written          as it is
//   a constant                                 its border of zeros grows
//   an input, not along neighbouring elements  A[min(m, 29), k]: the last row once more
//   else                                       select(n < 20, B[k, n], 0.0): not read there
//
// A place that is smaller of two would tear neighbouring lanes of a vector apart; a select is a mask of them.

#include "engine/schedule/primitives/pad_reads.h"

#include "engine/base/overloaded.h"
#include "engine/base/simplifier.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/inverse.h"
#include "engine/schedule/analysis/pieces.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>
#include <map>

namespace nw::schedule {

namespace {

// More than this many times the elements a constant must not grow to.
constexpr std::int64_t kMostTimes = 8;

using Conditions = std::vector<Expr>;

// The loads with the conditions under which they are made.
using Reads = std::map<const ExprNode*, Conditions>;
void collectReads(const Expr& e, const Conditions& known, Reads& reads)
{
    std::visit(overloaded{
                   [](const IntImm&) {},
                   [](const FloatImm&) {},
                   [](const Var&) {},
                   [&](const Unary& node) { collectReads(node.a, known, reads); },
                   [&](const Binary& node) {
                       collectReads(node.a, known, reads);
                       collectReads(node.b, known, reads);
                   },
                   [&](const Select& node) {
                       collectReads(node.condition, known, reads);
                       Conditions chosen = known;
                       const Conditions more = conjuncts(node.condition);
                       chosen.insert(chosen.end(), more.begin(), more.end());
                       collectReads(node.yes, chosen, reads);
                       collectReads(node.no, known, reads);
                   },
                   [&](const CastTo& node) { collectReads(node.a, known, reads); },
                   [&](const Load& node) {
                       const auto [at, isNew] = reads.try_emplace(e.get(), known);
                       if (!isNew) {
                           at->second.clear(); // it stands in several places
                       }
                       for (const Expr& index : node.indices) {
                           collectReads(index, known, reads);
                       }
                   },
               },
               e->kind());
}

// Elements that follow one another in this dimension are neighbours in memory.
bool isContiguous(const Buffer& buffer, std::size_t dimension)
{
    const IndexMap& map = buffer.layout.map;
    return map.axes.empty() ? dimension + 1 == buffer.shape.size() : usesVar(map.out.back(), map.axes[dimension]);
}

class Reader {
public:
    Reader(const LoopNest& nest, const Place& place, const std::vector<PaddedAxis>& axes)
        : m_nest(nest)
        , m_place(place)
        , m_axes(axes)
        , m_ranges(rangesWith(nest, *place.block, axes))
    {}

    SafeReads run()
    {
        collectReads(m_place.block->value, {}, m_reads);
        SafeReads result;
        result.value = rewriteExpr(m_place.block->value, [&](const Expr& e) { return e->as<Load>() != nullptr ? safe(e) : e; });
        for (const auto& [name, buffer] : m_constants) {
            result.constants.push_back(buffer);
        }
        return result;
    }

private:
    Expr safe(const Expr& e)
    {
        const Load& read = *e->as<Load>();
        const auto constant = m_constants.find(read.buffer);
        const Buffer& buffer = constant != m_constants.end() ? constant->second : *m_nest.buffer(read.buffer);
        const auto found = m_reads.find(e.get()); // not there: something in its indices was changed
        const Conditions known = found == m_reads.end() ? Conditions{} : found->second;
        if (!isOnlyRead(m_nest, buffer)) {
            const bool inside = staysInside(read, buffer, known) && filledBefore(m_nest, buffer, m_place);
            return inside ? e : onlyInside(e, nullptr);
        }
        Conditions told = known;
        told.insert(told.end(), read.indices.begin(), read.indices.end());
        return ofArgument(e, read, buffer, known).value_or(onlyInside(e, &told));
    }

    // select(m < 30, e, 0): of all axes, or of those that these expressions speak of.
    Expr onlyInside(const Expr& e, const std::vector<Expr>* speaking) const
    {
        std::vector<Expr> conditions;
        for (const PaddedAxis& axis : m_axes) {
            const bool counts = speaking == nullptr || std::any_of(speaking->begin(), speaking->end(), [&](const Expr& part) {
                return usesVar(part, axis.name);
            });
            if (counts) {
                conditions.push_back(lessThan(var(axis.name), intImm(axis.end)));
            }
        }
        return conditions.empty() ? e : select(allOf(conditions), e, literal(e->type(), 0));
    }

    bool staysInside(const Load& read, const Buffer& buffer, const Conditions& known) const
    {
        for (std::size_t d = 0; d < read.indices.size(); ++d) {
            if (!follows(lessEqual(intImm(0), read.indices[d]), known, m_ranges)
                || !follows(lessThan(read.indices[d], intImm(buffer.shape[d])), known, m_ranges)) {
                return false;
            }
        }
        return true;
    }

    // Nothing when only a select helps.
    std::optional<Expr> ofArgument(const Expr& e, const Load& read, const Buffer& buffer, const Conditions& known)
    {
        std::vector<Expr> indices = read.indices;
        Buffer wider = buffer;
        for (std::size_t d = 0; d < indices.size(); ++d) {
            const auto [before, after] = buffer.layout.border.empty() ? std::pair<std::int64_t, std::int64_t>() : buffer.layout.border[d];
            const std::int64_t behind = buffer.shape[d] + after;
            const bool starts = follows(lessEqual(intImm(-before), indices[d]), known, m_ranges);
            if (starts && follows(lessThan(indices[d], intImm(behind)), known, m_ranges)) {
                continue;
            }
            if (!starts || hasLoad(indices[d])) {
                return std::nullopt;
            }
            const Interval met = boundsOf(indices[d], m_ranges);
            if (isConstant(buffer) && met.high < buffer.shape[d] * kMostTimes) {
                wider.layout.border.resize(buffer.shape.size());
                wider.layout.border[d].second = met.high + 1 - buffer.shape[d];
            } else if (!isContiguous(buffer, d)) {
                indices[d] = binary(BinaryOp::Min, indices[d], intImm(behind - 1));
            } else {
                return std::nullopt;
            }
        }
        if (!(wider.layout == buffer.layout)) {
            if (!canBe(wider)) {
                return std::nullopt;
            }
            m_constants.insert_or_assign(wider.name, wider);
        }
        return indices == read.indices ? e : load(read.buffer, e->type(), indices);
    }

    bool isConstant(const Buffer& buffer) const
    {
        return m_nest.definition->ports.at(static_cast<std::size_t>(buffer.port)).kind == compute::PortKind::Constant;
    }

    // Elements keep places of their own, and there are not very many more.
    static bool canBe(const Buffer& buffer)
    {
        const Result<std::vector<std::int64_t>> shape = buffer.layout.memoryShape(buffer.shape);
        std::int64_t elements = 1, room = 1;
        for (const std::int64_t extent : buffer.shape) {
            elements *= extent;
        }
        for (const std::int64_t extent : shape ? *shape : std::vector<std::int64_t>{}) {
            room = room <= elements * kMostTimes ? room * extent : room;
        }
        return shape && room <= elements * kMostTimes && buffer.layout.checkInvertible(buffer.shape);
    }

    const LoopNest& m_nest;
    const Place& m_place;
    const std::vector<PaddedAxis>& m_axes;
    const Ranges m_ranges; // of iteration variables
    Reads m_reads;
    std::map<std::string, Buffer> m_constants;
};

} // namespace

SafeReads safeReads(const LoopNest& nest, const Place& place, const std::vector<PaddedAxis>& axes)
{
    return Reader(nest, place, axes).run();
}

Ranges rangesWith(const LoopNest& nest, const Block& block, const std::vector<PaddedAxis>& axes)
{
    const Ranges loops = nest.loopRanges();
    Ranges ranges;
    for (const IterVar& iter : block.iters) {
        const Interval met = boundsOf(iter.binding, loops);
        const std::int64_t extent = constInt(iter.extent).value_or(Interval::kPlusInf);
        ranges[iter.name] = {std::max<std::int64_t>(met.low, 0), std::min(met.high, extent - 1)};
    }
    for (const PaddedAxis& axis : axes) {
        ranges[axis.name] = Interval::ofExtent(axis.past);
    }
    return ranges;
}

bool follows(const Expr& need, const std::vector<Expr>& known, const Ranges& ranges)
{
    if (provedTrue(need, ranges)) {
        return true;
    }
    const std::optional<Constraint> wanted = constraintOf(need);
    return wanted && wanted->kind == Constraint::Kind::AtLeastZero
        && std::any_of(known.begin(), known.end(), [&](const Expr& condition) {
               const std::optional<Constraint> stated = constraintOf(condition);
               const std::optional<Linear> rest = stated && stated->kind == Constraint::Kind::AtLeastZero
                   ? addScaled(wanted->form, stated->form, -1)
                   : std::nullopt;
               return rest && boundsOf(toExpr(*rest), ranges).low >= 0;
           });
}

bool filledBefore(const LoopNest& nest, const Buffer& buffer, const Place& reader)
{
    const std::vector<Place> blocks = nest.blocks();
    const auto writes = [&](const Place& place) { return place.block->buffer == buffer.name; };
    const auto first = std::find_if(blocks.begin(), blocks.end(),
                                    [&](const Place& place) { return writes(place) || place.block->id == reader.block->id; });
    if (first->block->id == reader.block->id || std::count_if(blocks.begin(), blocks.end(), writes) != 1) {
        return false;
    }
    const Place& writer = *first;
    const std::set<std::string> fixed = lifetimeLoops(nest, buffer);
    if (!isConst(writer.block->predicate, 1) || !sharedLoops(writer, reader, fixed).empty()) {
        return false;
    }
    const Ranges ranges = nest.loopRanges();
    std::set<std::string> inside = namesOf(writer.loops);
    std::erase_if(inside, [&](const std::string& name) { return fixed.contains(name); });
    std::set<std::string> walked;
    const std::vector<Expr> indices = accessesOf(*writer.block).front().indices;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        const std::optional<Span> span = spanOf(indices[d], inside, ranges);
        if (!span || !isConst(span->base, 0) || span->extent != buffer.shape[d] || !isDense(span->local, span->extent, ranges)) {
            return false;
        }
        for (const std::string& name : freeVars(span->local)) {
            if (!walked.insert(name).second) {
                return false;
            }
        }
    }
    return true;
}

bool isOnlyRead(const LoopNest& nest, const Buffer& buffer)
{
    return buffer.scope == Scope::Port
        && nest.definition->ports.at(static_cast<std::size_t>(buffer.port)).kind != compute::PortKind::Output;
}

} // namespace nw::schedule
