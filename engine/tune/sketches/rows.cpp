// All passes over a few rows follow one another while these are in the cache.
//
//   for row.o:
//     for row.r, k.o, vector k.i: partial sums
//     for row.r:                  the sum of those
//     for row.r, vector d.i:      what is made of it
#include "engine/tune/sketches/stages.h"

#include "engine/base/text.h"
#include "engine/schedule/template_nest.h"
#include "engine/tune/sketches/packing.h"

#include <algorithm>
#include <set>

namespace nw::tune::sketches {

namespace {

constexpr std::int64_t kMostRowsAtOnce = 8;
constexpr std::int64_t kMostParts = 8;
constexpr std::int64_t kMostRowCopies = 64;

class Rows {
public:
    Rows(Draft& draft, RowKind kind)
        : m_draft(draft)
        , m_kind(kind)
    {}

    bool run()
    {
        const std::vector<std::string> names = m_draft.blockNames();
        m_last = names.back();
        if (m_kind == RowKind::Partial) {
            m_draft.note("Partial results along what is summed over, a vector or more of them, put together at the end.");
            bool found = false;
            for (const std::string& name : names) {
                found = splitSum(name) || found;
            }
            if (!found) {
                return false;
            }
        }
        if (names.size() > 1 && !splitRow()) {
            return false;
        }
        bool moved = names.size() == 1;
        if (!m_home.empty()) {
            m_draft.note("All passes over these rows follow one another while they are in the cache.");
            moved = gather() || moved;
        }
        m_draft.note("Whole vectors in each pass.");
        for (const std::string& name : m_draft.blockNames()) {
            finish(name);
        }
        if (!m_home.empty()) {
            for (const std::string& name : m_draft.blockNames()) {
                if (viewOf(m_draft.nest(), name).isReduction) {
                    m_draft.attemptLowered(format("cache_write {} at {} in registers", name, m_home));
                }
            }
        }
        return moved;
    }

private:
    // The loop that is summed over and walks what is read from element to element.
    bool splitSum(const std::string& block)
    {
        if (!viewOf(m_draft.nest(), block).isReduction) {
            return false;
        }
        fuseSums(block);
        const BlockView view = viewOf(m_draft.nest(), block);
        const std::int64_t lanes = m_draft.target().lanes(laneType(view.type));
        for (std::size_t i = view.loops.size(); i-- > 0;) {
            const bool walks = std::any_of(view.accesses.begin(), view.accesses.end(),
                                           [&](const BlockAccess& access) { return !access.isWrite && access.by[i].stride == 1 && access.by[i].moves; });
            if (!view.loops[i].isReduction || !walks || view.loops[i].extent <= lanes) {
                continue;
            }
            const std::string parts = m_draft.fresh("parts");
            const std::string outer = m_draft.fresh(view.loops[i].name + ".o");
            const std::string inner = m_draft.fresh(view.loops[i].name + ".i");
            if (m_draft.attempt({knobLine(parts, doublings(std::min(view.loops[i].extent / lanes, kMostParts)), 1),
                                 format("split {} into {}:_ {}:?{}*lanes({})", view.loops[i].name, outer, inner, parts, toText(laneType(view.type))),
                                 format("rfactor {} over {}", block, inner)})) {
                m_parts.push_back(parts);
                return true;
            }
        }
        return false;
    }

    void fuseSums(const std::string& block)
    {
        for (;;) {
            const schedule::MarkWords pair = schedule::BlockWalk(m_draft.nest(), block, m_draft.target()).oneWalk();
            const BlockView view = viewOf(m_draft.nest(), block);
            const bool sums = !pair.empty() && view.loop(pair.front())->isReduction && view.loop(pair.back())->isReduction;
            if (!sums || !m_draft.attempt(format("fuse {} into {}", join(pair, " "), m_draft.fresh(pair.front() + ".f")))) {
                return;
            }
        }
    }

    // Rows of the last block, a few at a time, around what it walks in memory.
    bool splitRow()
    {
        const BlockView view = viewOf(m_draft.nest(), m_last);
        const std::size_t along = lanesOf(view, 0, {});
        if (along == view.loops.size()) {
            return false;
        }
        if (m_kind == RowKind::Across) {
            return splitAcross(view, along);
        }
        if (along == 0 || along + 1 != view.loops.size()) {
            return along == 0; // a single row: all passes stand at the root
        }
        const BlockLoop row = view.loops[along - 1];
        if (row.isReduction || row.extent < 2) {
            return false;
        }
        return m_draft.attempt(rowLines(row));
    }

    std::vector<std::string> rowLines(const BlockLoop& row)
    {
        m_rows = m_draft.fresh("rows");
        m_home = m_draft.fresh(row.name + ".o");
        m_row = m_draft.fresh(row.name + ".r");
        // With one row at a time blocks that are moved would have no loop of rows, which later steps name.
        std::vector<std::int64_t> choices = upTo(std::min(row.extent, kMostRowsAtOnce));
        choices.erase(choices.begin());
        std::vector<std::string> lines{knobLine(m_rows, choices, 4), format("split {} into {}:_ {}:?{}", row.name, m_home, m_row, m_rows)};
        for (const std::string& parts : m_parts) {
            lines.push_back(format("require {} * {} <= registers(f32)", m_rows, parts));
        }
        return lines;
    }

    // Vectors run along an axis that all blocks have; the last of the other axes is what is summed over.
    bool splitAcross(const BlockView& view, std::size_t along)
    {
        for (const std::string& name : m_draft.blockNames()) {
            const BlockView other = viewOf(m_draft.nest(), name);
            if (other.isReduction && sumsAlong(other)) {
                return false;
            }
        }
        const std::int64_t lanes = m_draft.target().lanes(laneType(view.type));
        const BlockLoop vectors = view.loops[along];
        std::vector<std::string> order;
        for (std::size_t i = 0; i < view.loops.size(); ++i) {
            if (i != along) {
                order.push_back(view.loops[i].name);
            }
        }
        if (order.size() < 2) {
            return false;
        }
        const BlockLoop row = *view.loop(order[order.size() - 2]);
        std::vector<std::string> lines = rowLines(row);
        order.erase(order.end() - 2);
        order.insert(order.end() - 1, {m_home, m_row});
        std::string inner = vectors.name;
        if (vectors.extent > lanes) {
            const std::string knob = m_draft.fresh("wide");
            const std::string outer = m_draft.fresh(vectors.name + ".o");
            inner = m_draft.fresh(vectors.name + ".i");
            lines.push_back(knobLine(knob, doublings(std::min<std::int64_t>((vectors.extent + lanes - 1) / lanes, 4)), 1));
            lines.push_back(format("require {} * {} <= registers(f32)", m_rows, knob));
            lines.push_back(format("split {} into {}:_ {}:?{}*lanes({})", vectors.name, outer, inner, knob, toText(laneType(view.type))));
            order.insert(order.begin(), outer);
        }
        order.push_back(inner);
        lines.push_back("reorder " + join(order, " "));
        return m_draft.attempt(lines);
    }

    // What the block reads or writes of the caller's from element to element, or else of the kernel's own.
    static std::size_t lanesOf(const BlockView& view, std::size_t first, const std::string& row)
    {
        for (const bool isOurs : {false, true}) {
            for (std::size_t i = view.loops.size(); i-- > first;) {
                const bool walks = std::any_of(view.accesses.begin(), view.accesses.end(), [&](const BlockAccess& access) {
                    return access.isInternal == isOurs && access.by[i].stride == 1 && access.by[i].moves;
                });
                if (walks && view.loops[i].name != row && !view.loops[i].isReduction && view.loops[i].extent > 1 && view.written().by[i].moves) {
                    return i;
                }
            }
        }
        return view.loops.size();
    }

    // The loop that counts the few rows in a block: the one that goes on from the loop where all passes stand.
    std::string rowOf(const std::string& block) const
    {
        const schedule::LoopNest::Path path = m_draft.nest().findBlock(block);
        for (const schedule::IterVar& iter : path.block->iters) {
            for (const std::string& name : m_home.empty() || !usesVar(iter.binding, m_home) ? std::vector<std::string>() : freeVars(iter.binding)) {
                if (name != m_home && viewOf(m_draft.nest(), block).loop(name) != nullptr) {
                    return name;
                }
            }
        }
        return {};
    }

    // A reduction walks what is read of the caller's from element to element.
    static bool sumsAlong(const BlockView& view)
    {
        return std::any_of(view.accesses.begin(), view.accesses.end(), [&](const BlockAccess& access) {
            for (std::size_t i = 0; i < view.loops.size(); ++i) {
                if (!access.isWrite && !access.isInternal && view.loops[i].isReduction && access.by[i].moves && access.by[i].stride == 1) {
                    return true;
                }
            }
            return false;
        });
    }

    bool gather()
    {
        bool moved = false;
        std::vector<std::string> names = m_draft.blockNames();
        std::reverse(names.begin(), names.end());
        for (const std::string& name : names) {
            if (name != m_last && m_draft.isThere(name)) {
                moved = m_draft.attempt(format("compute_at {} at {}", name, m_home)) || moved;
            }
        }
        return moved;
    }

    // What is summed over outermost, then a few rows, then vectors.
    void finish(const std::string& block)
    {
        BlockView view = viewOf(m_draft.nest(), block);
        const std::size_t home = view.indexOf(m_home);
        const std::size_t first = m_home.empty() || home == view.loops.size() ? 0 : home + 1;
        Inner inner;
        const std::string row = rowOf(block);
        if (const std::size_t at = lanesOf(view, first, row); at < view.loops.size()) {
            inner = splitLanes(view, at);
            layAlong(m_draft, view, view.loops[at].name);
        }
        view = viewOf(m_draft.nest(), block);
        std::vector<std::string> sums, elements;
        for (std::size_t i = first; i < view.loops.size(); ++i) {
            const std::string& name = view.loops[i].name;
            if (name != row && name != inner.lanes && name != inner.vectors && name != inner.outside) {
                (view.loops[i].isReduction ? sums : elements).push_back(name);
            }
        }
        order(view, sums, elements, row, inner);
        if (!inner.lanes.empty()) {
            m_draft.attempt("vectorize " + inner.lanes);
        }
        unroll(block, first, inner);
    }

    struct Inner {
        std::string outside, vectors, lanes;
    };

    void order(const BlockView& view, const std::vector<std::string>& sums, const std::vector<std::string>& elements, const std::string& row, const Inner& inner)
    {
        std::vector<std::string> names = sums;
        // A few rows share what a step of the loop outside of the vectors needs; which of the two goes on faster is tried.
        names.insert(names.end(), elements.begin(), elements.end());
        if (!inner.outside.empty()) {
            names.push_back(inner.outside);
        }
        if (!row.empty() && !names.empty() && !view.isReduction) {
            names.back() = format("{{{0} {1} | {1} {0}}}", names.back(), row);
        } else if (!row.empty()) {
            names.push_back(row);
        }
        for (const std::string& name : {inner.vectors, inner.lanes}) {
            if (!name.empty()) {
                names.push_back(name);
            }
        }
        if (names.size() > 1 || (names.size() == 1 && names.front().starts_with("{"))) {
            m_draft.attempt("reorder " + join(names, " "));
        }
    }

    // The few steps inside always, the loop around them as a choice.
    void unroll(const std::string& block, std::size_t first, const Inner& inner)
    {
        const BlockView view = viewOf(m_draft.nest(), block);
        std::int64_t copies = 1;
        for (std::size_t i = view.loops.size(); i-- > first;) {
            const BlockLoop& loop = view.loops[i];
            if (loop.name == inner.lanes) {
                continue;
            }
            copies *= loop.extent;
            const bool isShort = loop.extent <= kMostRowsAtOnce && loop.name != inner.outside;
            if (copies > kMostRowCopies) {
                const std::string turns = m_draft.fresh("turns_" + block);
                m_draft.attempt({knobLine(turns, {0, 1, 2, 4, 8}, 0), format("annotate {} unroll_hint ?{} when ?{}", loop.name, turns, turns)});
                return;
            }
            if (!isShort) {
                m_draft.attemptSwitched(m_draft.fresh("unroll_" + block), false, "unroll " + loop.name);
                return;
            }
            if (!m_draft.attempt("unroll " + loop.name)) {
                return;
            }
        }
    }

    Inner splitLanes(const BlockView& view, std::size_t at)
    {
        const std::int64_t lanes = m_draft.target().lanes(laneType(view.type));
        const BlockLoop& loop = view.loops[at];
        const bool isTile = m_kind == RowKind::Across || std::any_of(m_parts.begin(), m_parts.end(), [&](const std::string&) { return view.isReduction; });
        if (loop.extent <= lanes || (isTile && loop.extent % lanes == 0 && loop.extent <= lanes * kMostParts)) {
            return {"", "", loop.name};
        }
        const std::string knob = m_draft.fresh("vectors");
        const Inner inner{m_draft.fresh(loop.name + ".o"), m_draft.fresh(loop.name + ".v"), m_draft.fresh(loop.name + ".i")};
        const bool isSplit = m_draft.attempt({knobLine(knob, doublings(std::min<std::int64_t>(loop.extent / lanes, 4)), 1),
                                              format("split {} into {}:_ {}:?{} {}:lanes({})", loop.name, inner.outside, inner.vectors, knob, inner.lanes,
                                                     toText(laneType(view.type)))});
        return isSplit ? inner : Inner();
    }

    Draft& m_draft;
    RowKind m_kind;
    std::string m_last, m_home, m_row, m_rows;
    std::vector<std::string> m_parts; // knobs
};

} // namespace

bool rows(Draft& draft, RowKind kind)
{
    Draft tried = draft;
    if (!Rows(tried, kind).run()) {
        return false;
    }
    draft = std::move(tried);
    return true;
}

} // namespace nw::tune::sketches
