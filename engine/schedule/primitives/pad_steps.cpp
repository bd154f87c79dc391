// What the blocks beneath a padded loop do in its padded steps; see pad.cpp. Padded are the steps behind the loop's
// end and those that the guards of tails left out: in each of them some iteration variable is behind the end of its axis.

#include "engine/schedule/primitives/pad_steps.h"

#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/inverse.h"
#include "engine/schedule/analysis/pieces.h"
#include "engine/schedule/analysis/region.h"
#include "engine/schedule/copy_statements.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/pad_reads.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>
#include <optional>
#include <variant>

namespace nw::schedule {

namespace {

using Reason = Padded::Reason;

// A block that computes in padded steps, and buffers that changed for it.
struct Opened {
    Block block;
    std::vector<Buffer> buffers;
};
using Outcome = std::variant<Opened, Reason>;

bool dividesByAny(const Expr& value)
{
    bool found = false;
    walk(value, [&](const Expr& e) {
        const Binary* node = e->as<Binary>();
        const bool divides = node != nullptr && !isFloat(node->a->type())
            && (node->op == BinaryOp::Div || node->op == BinaryOp::FloorDiv || node->op == BinaryOp::FloorMod
                || node->op == BinaryOp::TruncMod);
        found = found || (divides && constInt(node->b).value_or(0) == 0);
        return !found;
    });
    return found;
}

class Padder {
public:
    Padder(const LoopNest& before, const Loop& loop, std::int64_t extent)
        : m_before(before)
        , m_loop(loop.name)
        , m_end(*constantExtent(loop))
        , m_extent(extent)
        , m_oldRanges(before.loopRanges())
    {
        m_now.nest = before;
        if (extent > m_end) {
            Loop longer = loop;
            changeLoop(m_now.nest, loop.id, [&](Loop& changed) {
                changed.extent = intImm(extent);
                changed.hasTail = true;
                longer = changed;
            });
            refollow(m_now.nest, m_loop, {longer});
        }
    }

    Padded run()
    {
        for (const Place& old : m_before.blocks()) {
            if (contains(old, m_loop)) {
                change(old.block->name);
            }
        }
        m_now.nest.roots = withoutSpentTails(m_now.nest.roots);
        return std::move(m_now);
    }

private:
    void change(const std::string& name)
    {
        const Place place = m_now.nest.findBlock(name);
        Outcome outcome = judge(place);
        Block block = *place.block;
        if (Opened* opened = std::get_if<Opened>(&outcome)) {
            block = std::move(opened->block);
            for (const Buffer& buffer : opened->buffers) {
                *findBuffer(m_now.nest, buffer.name) = buffer;
            }
            m_now.open.push_back(name);
        } else {
            if (m_extent > m_end) {
                std::vector<Expr> guards = conjuncts(block.predicate);
                guards.push_back(beforeTheEnd());
                block.predicate = allOf(guards);
            }
            m_now.guarded.push_back({name, std::get<Reason>(outcome)});
        }
        replaceBlock(m_now.nest, block.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(block)}; });
    }

    Expr beforeTheEnd() const { return lessThan(var(m_loop), intImm(m_end)); }

    bool moves(const IterVar& iter) const { return usesVar(iter.binding, m_loop); }

    Outcome judge(const Place& place) const
    {
        const Block& block = *place.block;
        const auto isNowhere = [&](const IterVar& iter) {
            return boundsOf(iter.binding, m_oldRanges).low >= constInt(iter.extent).value_or(Interval::kPlusInf);
        };
        const bool neverRuns = isConst(simplify(block.predicate, m_oldRanges), 0)
            || std::any_of(block.iters.begin(), block.iters.end(), isNowhere)
            || std::any_of(place.loops.begin(), place.loops.end(), [](const Loop* loop) { return isConst(loop->extent, 0); });
        if (neverRuns) {
            return Reason::Steps; // of which anything can be proved
        }
        if (std::none_of(block.iters.begin(), block.iters.end(), [&](const IterVar& iter) { return moves(iter); })) {
            return doneOver(place);
        }
        Ranges ranges = m_now.nest.loopRanges();
        std::vector<Expr> guards;
        // A step behind the loop's end that is inside of all axes is another step over again; others may take its element
        // for that one's. The end of a part of an axis says nothing of this.
        if (m_extent > m_end && !leavesAnAxis(block)) {
            guards.push_back(beforeTheEnd());
            ranges[m_loop] = Interval::ofExtent(m_end);
        }
        bool dropped = guards.empty() && m_extent > m_end;
        for (const Expr& guard : conjuncts(block.predicate)) {
            if (isTail(guard, block)) {
                dropped = true;
            } else {
                guards.push_back(guard);
            }
        }
        if (!dropped) {
            return Reason::Steps;
        }
        std::vector<PaddedAxis> axes, steps;
        for (const IterVar& iter : block.iters) {
            const Interval met = boundsOf(iter.binding, ranges);
            const std::int64_t end = constInt(iter.extent).value_or(met.high + 1);
            if (moves(iter) && met.low < 0) { // it walks backwards: in front of the axis is nothing to grow
                return Reason::Steps;
            }
            if (moves(iter) && met.high >= end) {
                if (!tellsSteps(iter.binding, ranges)) {
                    return Reason::Steps;
                }
                (iter.reduction ? steps : axes).push_back({iter.name, end, met.high + 1});
            }
        }
        return opened(place, allOf(guards), axes, steps, ranges);
    }

    // Two steps of the loops do not meet at one place behind the end, where they might at once; and of loops that were
    // fused the last row behind the end is a whole one, since others take the block's axes for a box.
    static bool tellsSteps(const Expr& binding, const Ranges& ranges)
    {
        const std::optional<PieceSum> sum = piecesOf(binding, ranges);
        return sum && knownFrom(sum->pieces, 1).size() == sum->pieces.size()
            && std::all_of(sum->pieces.begin(), sum->pieces.end(), [](const Piece& piece) {
                   return piece.distinct && piece.total % piece.divisor == 0;
               });
    }

    bool leavesAnAxis(const Block& block) const
    {
        Ranges behind = m_now.nest.loopRanges();
        behind[m_loop] = {m_end, m_extent - 1};
        return std::any_of(block.iters.begin(), block.iters.end(), [&](const IterVar& iter) {
            return !isPart(iter) && boundsOf(iter.binding, behind).low >= constInt(iter.extent).value_or(Interval::kPlusInf);
        });
    }

    // It holds wherever an axis that the loop moves has not ended.
    bool isTail(const Expr& guard, const Block& block) const
    {
        return std::any_of(block.iters.begin(), block.iters.end(), [&](const IterVar& iter) {
            const Expr inside = lessThan(iter.binding, iter.extent);
            return moves(iter) && !isPart(iter)
                && (equal(guard, simplify(inside, m_oldRanges)) || follows(guard, {inside}, m_now.nest.loopRanges()));
        });
    }

    // `axes` run on over elements, `steps` over those of the reduction.
    Outcome opened(const Place& place, const Expr& guard, const std::vector<PaddedAxis>& axes,
                   const std::vector<PaddedAxis>& steps, const Ranges& ranges) const
    {
        Opened result{*place.block, {}};
        Block& block = result.block;
        block.predicate = guard;
        if (dividesByAny(block.value)) {
            return Reason::Division;
        }
        if (!axes.empty()) {
            if (const auto reason = cannotHold(place, axes, ranges)) {
                return *reason;
            }
            SafeReads reads = safeReads(m_now.nest, place, axes);
            block.value = reads.value;
            result.buffers = std::move(reads.constants);
        }
        std::vector<Expr> inside;
        for (const PaddedAxis& step : steps) {
            inside.push_back(lessThan(var(step.name), intImm(step.end)));
        }
        if (!inside.empty()) {
            if (!block.isReduction()) {
                return Reason::Steps;
            }
            block.value = select(allOf(inside), block.value, identityOf(block.combiner, block.value->type()));
        }
        for (const auto* several : {&axes, &steps}) {
            for (const PaddedAxis& axis : *several) {
                const auto iter = std::find_if(block.iters.begin(), block.iters.end(),
                                               [&](const IterVar& one) { return one.name == axis.name; });
                iter->extent = intImm(axis.past);
            }
        }
        if (!axes.empty()) {
            std::optional<Buffer> wider = withRoom(place, axes);
            if (!wider) {
                return Reason::Steps;
            }
            result.buffers.push_back(*std::move(wider));
        }
        return result;
    }

    // Nobody else must find anything in the elements of padded steps.
    std::optional<Reason> cannotHold(const Place& place, const std::vector<PaddedAxis>& axes, const Ranges& ranges) const
    {
        const Block& block = *place.block;
        const Buffer& buffer = *m_now.nest.buffer(block.buffer);
        if (buffer.scope == Scope::Port) {
            return Reason::Port;
        }
        if (block.continues() || otherWriter(m_now.nest, block) != nullptr || (block.init != nullptr && !buffersIn(block.init).empty())) {
            return Reason::Shared;
        }
        std::set<std::string> names;
        for (const PaddedAxis& axis : axes) {
            names.insert(axis.name);
        }
        return toldByElement(block, block.indices, names, lifetimeLoops(m_now.nest, buffer), ranges) ? std::nullopt
                                                                                                     : std::optional(Reason::Steps);
    }

    std::optional<Buffer> withRoom(const Place& place, const std::vector<PaddedAxis>& axes) const
    {
        const Block& block = *place.block;
        Buffer buffer = *m_now.nest.buffer(block.buffer);
        const Ranges ranges = rangesWith(m_now.nest, block, axes);
        for (std::size_t d = 0; d < block.indices.size(); ++d) {
            const bool grows = std::any_of(axes.begin(), axes.end(), [&](const PaddedAxis& axis) {
                return usesVar(block.indices[d], axis.name);
            });
            if (!grows) {
                continue;
            }
            const Interval met = boundsOf(block.indices[d], ranges);
            if (met.low < 0 || met.high == Interval::kPlusInf) {
                return std::nullopt;
            }
            buffer.shape[d] = std::max(buffer.shape[d], met.high + 1);
        }
        return buffer.layout.checkInvertible(buffer.shape) ? std::optional(buffer) : std::nullopt;
    }

    // A block that the loop does not move does the same in each of its steps. Where its buffer is private to a step that
    // changes nothing, and others may look for its elements in padded steps.
    Outcome doneOver(const Place& place) const
    {
        const Block& block = *place.block;
        const Buffer& buffer = *m_now.nest.buffer(block.buffer);
        if (m_extent == m_end || !lifetimeLoops(m_now.nest, buffer).contains(m_loop)) {
            return buffer.scope == Scope::Port ? Reason::Port : Reason::Steps;
        }
        const Loop* start = outermostReduction(place);
        if (block.continues() || (start != nullptr && !loopsInside(place.loops, m_loop).contains(start->name))) {
            return Reason::Shared;
        }
        if (dividesByAny(block.value)) {
            return Reason::Division;
        }
        for (const std::string& name : buffersRead(block)) {
            const Buffer& read = *m_now.nest.buffer(name);
            if (!isOnlyRead(m_now.nest, read) && !filledBefore(m_now.nest, read, place)) {
                return Reason::Shared;
            }
        }
        return Opened{block, {}};
    }

    static std::set<std::string> buffersIn(const Expr& e)
    {
        std::set<std::string> names;
        walk(e, [&](const Expr& part) {
            if (const Load* read = part->as<Load>()) {
                names.insert(read->buffer);
            }
            return true;
        });
        return names;
    }

    const LoopNest& m_before;
    const std::string m_loop;
    const std::int64_t m_end, m_extent;
    const Ranges m_oldRanges;
    Padded m_now;
};

} // namespace

Padded padded(const LoopNest& nest, const Loop& loop, std::int64_t extent)
{
    return Padder(nest, loop, extent).run();
}

} // namespace nw::schedule
