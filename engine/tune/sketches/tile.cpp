// Multi-level tiling of a sum: a tile of vectors by rows whose sums stay in registers, tiles in blocks, the order of the
// loops around, constants packed for it.
//
//   for v.o, u.b, ..., u.o:            blocks of tiles; their order is a choice
//     for v.m:                         some tiles one after the other
//       for k ...:                     all that is summed over
//         for u.r, v.v, vector v.i:    the tile
#include "engine/tune/sketches/tiles.h"

#include "engine/base/text.h"
#include "engine/tune/sketches/loop_order.h"
#include "engine/tune/sketches/packing.h"

#include <algorithm>

namespace nw::tune::sketches {

namespace {

constexpr std::int64_t kMostTileRows = 28;
constexpr std::int64_t kMostPlanes = 4;
constexpr std::int64_t kMostStepCopies = 32; // copies of a tile's step
constexpr std::int64_t kShortLoop = 8;
constexpr std::int64_t kStackElements = 16384; // 64 KiB

class Tiler {
public:
    Tiler(Draft& draft, const std::string& block, const TilePlan& plan, const TileOptions& options)
        : m_draft(draft)
        , m_block(block)
        , m_plan(plan)
        , m_options(options)
        , m_plain(draft.nest())
        , m_view(viewOf(draft.nest(), block))
        , m_type(std::string(toText(laneType(m_view.type))))
    {}

    bool run()
    {
        m_draft.note(m_options.name);
        if (!splitGroups() || !splitVector() || !splitRows() || !splitPlanes() || !splitReductions()) {
            return false;
        }
        if (!reorder()) {
            return false;
        }
        if (m_options.copies && !copyInputs()) {
            return false;
        }
        if (!m_home.empty()) {
            m_draft.attempt(format("cache_write {} at {} in registers", m_block, m_home));
            takeFollowers();
        }
        if (!m_lanes.empty() && !m_draft.attempt("vectorize " + m_lanes)) {
            return false;
        }
        for (const std::string& loop : {m_vectors, m_rows, m_planes}) {
            if (!loop.empty() && !m_draft.attempt("unroll " + loop)) {
                return false;
            }
        }
        unrollReductions();
        packConstants(m_draft, m_plain, m_block, m_parts, m_order);
        return true;
    }

private:
    std::string knob(const std::string& wanted) { return m_draft.fresh(m_options.prefix + wanted); }
    BlockView now() const { return viewOf(m_draft.nest(), m_block); }

    // Steps that belong to different groups never share a tile.
    bool splitGroups()
    {
        for (std::string* name : {&m_plan.vector, &m_plan.rows, &m_plan.planes}) {
            const std::size_t at = m_view.indexOf(*name);
            const std::int64_t group = name->empty() ? 0 : m_view.groupOf(at);
            if (group == 0) {
                continue;
            }
            const std::string outer = m_draft.fresh(*name + ".g");
            const std::string inner = m_draft.fresh(*name + ".e");
            if (!m_draft.attempt(format("split {} into {}:_ {}:{}", *name, outer, inner, group))) {
                return false;
            }
            m_groups.push_back(outer);
            m_groupOf[inner] = {*name, {outer, std::to_string(group)}};
            *name = inner;
        }
        m_view = now();
        return true;
    }

    void record(const std::string& loop, std::vector<AxisPart> parts)
    {
        const auto group = m_groupOf.find(loop);
        if (group == m_groupOf.end()) {
            m_parts[loop] = std::move(parts);
            return;
        }
        parts.insert(parts.begin(), group->second.second);
        m_parts[group->second.first] = std::move(parts);
    }

    bool splitVector()
    {
        if (m_plan.vector.empty()) {
            return true;
        }
        const std::string& loop = m_plan.vector;
        const std::size_t at = m_view.indexOf(loop);
        const std::int64_t extent = m_view.loops[at].extent;
        const std::int64_t width = m_view.blockWidth(m_draft.nest(), at);
        const std::int64_t most = m_draft.target().lanes(laneType(m_view.type));
        m_laneCount = width > 0 ? std::min(width, most) : most;
        m_laneText = m_laneCount == most ? format("lanes({})", m_type) : std::to_string(m_laneCount);
        if (extent <= m_laneCount) {
            m_lanes = loop;
            record(loop, {{loop, ""}});
            return true;
        }
        const std::int64_t vectors = (extent + m_laneCount - 1) / m_laneCount;
        const bool passes = !m_plan.sharesLoads && width > m_laneCount;
        m_wide = knob("wide");
        m_pass = vectors >= 4 || passes ? knob("pass") : std::string();
        const std::string outer = m_draft.fresh(loop + ".o");
        m_vectors = m_draft.fresh(loop + ".v");
        m_lanes = m_draft.fresh(loop + ".i");
        std::vector<std::string> lines{knobLine(m_wide, upTo(std::min(vectors, kMostWide)), passes ? 1 : m_plan.wide)};
        std::string middle;
        if (!m_pass.empty()) {
            m_home = m_draft.fresh(loop + ".m");
            middle = format("{}:?{} ", m_home, m_pass);
            lines.push_back(knobLine(m_pass, doublings(passes ? std::max<std::int64_t>(width / m_laneCount, 2) : std::min<std::int64_t>(vectors / 2, 8)),
                                     passes ? width / m_laneCount : 1));
        }
        lines.push_back(format("split {} into {}:_ {}{}:?{} {}:{}", loop, outer, middle, m_vectors, m_wide, m_lanes, m_laneText));
        m_outerVector = outer;
        record(loop, {{outer, format("?{}*{}", m_wide, m_laneText)}, {m_vectors, ""}});
        return m_draft.attempt(lines);
    }

    bool splitRows()
    {
        if (m_plan.rows.empty()) {
            return true;
        }
        const std::string& loop = m_plan.rows;
        const std::int64_t extent = m_view.loop(loop)->extent;
        const std::int64_t most = std::min<std::int64_t>({extent, m_draft.target().vectorRegisters - 2, kMostTileRows});
        if (most < 2) {
            return true;
        }
        m_rowsKnob = knob("rows");
        const std::string block = knob("block");
        m_rows = m_draft.fresh(loop + ".r");
        m_outerRows = m_draft.fresh(loop + ".o");
        m_rowBlocks = m_draft.fresh(loop + ".b");
        const std::int64_t rowBytes = static_cast<std::int64_t>(m_view.terms()) * 4 * m_plan.rowsOf;
        const std::int64_t tiles = (extent + m_plan.rowsOf - 1) / m_plan.rowsOf;
        const std::int64_t fits = std::max<std::int64_t>(m_draft.target().l2Bytes / 2 / std::max<std::int64_t>(rowBytes, 1), 1);
        record(loop, {{m_rowBlocks, "?" + m_rowsKnob}, {m_rows, ""}});
        return m_draft.attempt({knobLine(m_rowsKnob, upTo(most), m_plan.rowsOf), knobLine(block, doublings(std::min<std::int64_t>(tiles, 64)), std::min(fits, tiles)),
                                format("split {} into {}:_ {}:?{} {}:?{}", loop, m_rowBlocks, m_outerRows, block, m_rows, m_rowsKnob)});
    }

    bool splitPlanes()
    {
        const BlockLoop* loop = m_plan.planes.empty() ? nullptr : m_view.loop(m_plan.planes);
        std::string sums;
        if (loop != nullptr && loop->extent > 1 && !m_options.isMinor) {
            m_planesKnob = knob("planes");
            m_planes = m_draft.fresh(loop->name + ".r");
            m_outerPlanes = m_draft.fresh(loop->name + ".o");
            record(loop->name, {{m_outerPlanes, "?" + m_planesKnob}, {m_planes, ""}});
            if (!m_draft.attempt({knobLine(m_planesKnob, upTo(std::min(loop->extent, kMostPlanes)), 1),
                                  format("split {} into {}:_ {}:?{}", loop->name, m_outerPlanes, m_planes, m_planesKnob)})) {
                return false;
            }
        }
        const std::string wide = m_wide.empty() ? "1" : m_wide;
        for (const std::string& side : {m_rowsKnob, m_planesKnob, m_wide}) {
            sums += side.empty() ? "" : (sums.empty() ? "" : " * ") + side;
        }
        return sums.empty() || m_draft.attempt(format("require {} + {} + 1 <= registers({})", sums, wide, m_type));
    }

    // Inputs in blocks: a block for one place of the window, then the next place.
    bool splitReductions()
    {
        for (std::size_t i = 0; i < m_view.loops.size(); ++i) {
            const BlockLoop& loop = m_view.loops[i];
            const std::int64_t width = loop.isReduction ? m_view.blockWidth(m_draft.nest(), i) : 0;
            if (width <= 1 || loop.extent <= width) {
                continue;
            }
            const std::string outer = m_draft.fresh(loop.name + ".o");
            const std::string inner = m_draft.fresh(loop.name + ".i");
            record(loop.name, {{outer, std::to_string(width)}, {inner, ""}});
            if (!m_draft.attempt(format("split {} into {}:_ {}:{}", loop.name, outer, inner, width))) {
                return false;
            }
        }
        return true;
    }

    bool reorder()
    {
        const BlockView view = now();
        std::vector<std::string> far = m_groups;
        std::vector<std::string> near;
        const std::vector<std::string> mine{m_outerVector, m_home, m_vectors, m_lanes, m_rowBlocks, m_outerRows, m_rows, m_outerPlanes, m_planes};
        for (std::size_t i = 0; i < view.loops.size(); ++i) {
            const BlockLoop& loop = view.loops[i];
            const bool isMine = std::find(mine.begin(), mine.end(), loop.name) != mine.end();
            if (loop.isReduction || isMine || std::find(far.begin(), far.end(), loop.name) != far.end()) {
                continue;
            }
            const bool movesAll = std::all_of(view.accesses.begin(), view.accesses.end(), [&](const BlockAccess& access) { return access.by[i].moves; });
            (movesAll ? far : near).push_back(loop.name);
        }
        std::vector<std::vector<std::string>> orders;
        const auto add = [&](std::vector<std::vector<std::string>> groups) {
            std::vector<std::string> all;
            for (const std::vector<std::string>& group : groups) {
                std::copy_if(group.begin(), group.end(), std::back_inserter(all), [](const std::string& name) { return !name.empty(); });
            }
            if (std::find(orders.begin(), orders.end(), all) == orders.end()) {
                orders.push_back(std::move(all));
            }
        };
        // What moves with the rows and not with the vectors stays in the second level of the cache while all panels pass by.
        const bool isNear = staysNear(view, m_draft.nest(), m_lanes, m_draft.target().l2Bytes);
        const std::vector<std::vector<std::string>> panelsOutside{{m_outerVector}, near, {m_outerPlanes}, {m_rowBlocks}};
        const std::vector<std::vector<std::string>> panelsInside{near, {m_outerPlanes}, {m_rowBlocks}, {m_outerVector}};
        add(isNear ? panelsOutside : panelsInside);
        add(isNear ? panelsInside : panelsOutside);
        add({near, {m_outerPlanes}, {m_outerVector}, {m_rowBlocks}});
        std::vector<std::string> inner = reductionOrder(view, m_options.windowsOutside);
        if (m_options.windowsOutside && inner == reductionOrder(view, false)) {
            return false;
        }
        for (const std::string& name : {m_planes, m_rows, m_vectors, m_lanes}) {
            if (!name.empty()) {
                inner.push_back(name);
            }
        }
        std::vector<std::string> fixed;
        for (const std::string& name : {m_outerRows, m_home}) {
            if (!name.empty()) {
                fixed.push_back(name);
            }
        }
        const std::size_t chosen = m_options.order < 0 ? 0 : static_cast<std::size_t>(m_options.order) % orders.size();
        std::string outer = join(orders[chosen], " ");
        if (m_options.order < 0 && orders.size() > 1) {
            std::vector<std::string> texts;
            for (const std::vector<std::string>& order : orders) {
                texts.push_back(join(order, " "));
            }
            outer = "{" + join(texts, " | ") + "}";
        }
        m_order = far;
        m_order.insert(m_order.end(), orders[chosen].begin(), orders[chosen].end());
        m_order.insert(m_order.end(), fixed.begin(), fixed.end());
        m_home = fixed.empty() ? (orders.size() == 1 && !m_order.empty() ? m_order.back() : std::string()) : fixed.back();
        std::vector<std::string> words = far;
        if (!outer.empty()) {
            words.push_back(outer);
        }
        words.insert(words.end(), fixed.begin(), fixed.end());
        words.insert(words.end(), inner.begin(), inner.end());
        m_order.insert(m_order.end(), inner.begin(), inner.end());
        return m_order.size() < 2 || m_draft.attempt("reorder " + join(words, " "));
    }

    bool copyInputs()
    {
        if (m_outerVector.empty()) {
            return false;
        }
        bool found = false;
        const BlockView view = now();
        for (const BlockAccess& access : view.accesses) {
            const std::size_t lanes = view.indexOf(m_lanes);
            const std::size_t rows = m_outerRows.empty() ? view.loops.size() : view.indexOf(m_outerRows);
            const bool serves = !access.isWrite && !access.isConstant && access.by[lanes].moves && rows < view.loops.size() && !access.by[rows].moves
                && !slidesOver(view, access); // windows that overlap would be copied many times
            if (serves) {
                const std::string scope = m_draft.task().threads > 1 ? "stack" : "heap";
                if (scope == "stack") {
                    m_draft.attempt(stackLimit(view, access));
                }
                found = copyInput(m_draft, access.buffer, m_block, m_outerVector, scope, m_laneText, m_laneCount) || found;
            }
        }
        return found;
    }

    // A panel of the input for all that is summed over.
    std::string stackLimit(const BlockView& view, const BlockAccess& access) const
    {
        std::int64_t others = m_laneCount;
        for (std::size_t i = 0; i < view.loops.size(); ++i) {
            others *= view.loops[i].isReduction && access.by[i].moves ? view.loops[i].extent : 1;
        }
        return format("require {}{} * {} <= {}", m_wide, m_pass.empty() ? "" : " * " + m_pass, others, kStackElements);
    }

    // What reads the result element by element goes on with the tile.
    void takeFollowers()
    {
        const std::vector<std::string> names = m_draft.blockNames();
        const auto mine = std::find(names.begin(), names.end(), m_block);
        for (auto name = mine == names.end() ? mine : mine + 1; name != names.end(); ++name) {
            const BlockView other = m_draft.isThere(*name) ? viewOf(m_draft.nest(), *name) : m_view;
            // One that has axes of its own would need the results again and again.
            if (!other.isReduction && other.points() <= m_view.points() / m_view.terms()) {
                m_draft.attempt(format("reverse_compute_at {} at {}", *name, m_home));
            }
        }
    }

    void unrollReductions()
    {
        std::int64_t copies = 1;
        const BlockView view = now();
        const bool isFew = view.terms() <= static_cast<double>(kMostStepCopies) && !m_plan.sharesLoads;
        bool isInnermost = true;
        for (auto loop = view.loops.rbegin(); loop != view.loops.rend(); ++loop) {
            if (!loop->isReduction || loop->extent < 2) {
                continue;
            }
            const std::int64_t extent = loop->extent;
            if (!m_options.isMinor && extent <= kShortLoop && copies * extent <= kMostStepCopies) {
                const std::string name = knob("unroll_" + loop->name);
                // A row of the window, so that what neighbouring results share is loaded once.
                if (m_draft.attemptSwitched(name, isFew && isInnermost, "unroll " + loop->name)) {
                    copies *= extent;
                }
            } else if (isInnermost && !m_options.isMinor) {
                const std::string name = knob("turns");
                m_draft.attempt({knobLine(name, {0, 1, 2, 4, 8, 16}, 0), format("annotate {} unroll_hint ?{} when ?{}", loop->name, name, name)});
            }
            isInnermost = false;
        }
    }

    Draft& m_draft;
    std::string m_block;
    TilePlan m_plan;
    TileOptions m_options;
    schedule::LoopNest m_plain;
    BlockView m_view;
    std::string m_type;

    // Loops and knobs; empty where there is none.
    std::vector<std::string> m_groups;
    std::map<std::string, std::pair<std::string, AxisPart>> m_groupOf;
    std::string m_outerVector, m_home, m_vectors, m_lanes;
    std::string m_rowBlocks, m_outerRows, m_rows, m_outerPlanes, m_planes;
    std::string m_wide, m_pass, m_rowsKnob, m_planesKnob;
    std::string m_laneText;
    std::int64_t m_laneCount = 1;
    AxisParts m_parts;
    std::vector<std::string> m_order;
};

} // namespace

bool tile(Draft& draft, const std::string& block, const TilePlan& plan, const TileOptions& options)
{
    Draft tried = draft;
    if (!Tiler(tried, block, plan, options).run()) {
        return false;
    }
    draft = std::move(tried);
    return true;
}

} // namespace nw::tune::sketches
