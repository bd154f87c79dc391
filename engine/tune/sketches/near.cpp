// A chain of stages with a sum that is worth tiling in it: all of them are made for a tile of the result after another, so that
// what one hands to the next is in the cache.
//
//   for y.o, x.o:              tiles of the result
//     for ic.o, vector ic.i:     what the sum reads of this tile, for all that is summed over
//     for v.o:                   some vectors of the result
//       for k ...:                 the sum, a few vectors by a few places in registers
//       for v.v:
//         vector:                    what is made of it
//         for y.g, x.g, vector v.i:  the result
#include "engine/tune/sketches/near.h"

#include "engine/base/text.h"
#include "engine/tune/sketches/loop_order.h"
#include "engine/tune/sketches/near_stages.h"
#include "engine/tune/sketches/packing.h"
#include "engine/tune/sketches/stages.h"
#include "engine/tune/sketches/view.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace nw::tune::sketches {

namespace {

constexpr std::int64_t kMostWide = 4;        // vectors of the result that the sum makes at once
constexpr std::int64_t kMostBlockedRows = 4; // steps of an outer axis of the result's tile
constexpr std::int64_t kMostBlock = 32;      // of the innermost one
constexpr std::int64_t kUsualBlock = 16;
constexpr std::int64_t kMostPlaces = 14;
constexpr double kAgain = 1.3;           // a stage may be made so much more often where tiles overlap

// As even as can be, about so many.
std::int64_t evenPart(std::int64_t extent, std::int64_t wanted)
{
    const std::int64_t parts = std::max<std::int64_t>((extent + wanted - 1) / wanted, 1);
    return (extent + parts - 1) / parts;
}

class Near {
public:
    Near(Draft& draft, std::string main)
        : m_draft(draft)
        , m_main(std::move(main))
        , m_lanes(draft.target().lanes(laneType(viewOf(draft.nest(), m_main).type)))
        , m_type(std::string(toText(laneType(viewOf(draft.nest(), m_main).type))))
    {}

    bool run()
    {
        const std::vector<std::string> names = m_draft.blockNames();
        m_last = names.back();
        if (m_last == m_main || names.size() < 3) {
            return false;
        }
        for (const std::string& name : names) {
            m_views.push_back(viewOf(m_draft.nest(), name));
        }
        m_draft.note("Tiles of the result: all that leads to one is made for it, and is in the cache when it is needed.");
        if (!splitResult()) {
            return false;
        }
        m_plain = m_draft.nest();
        for (auto name = names.rbegin() + 1; name != names.rend(); ++name) {
            place(*name);
        }
        if (!m_homes.contains(m_main)) {
            return false;
        }
        m_draft.note("The sum: a few vectors by a few places stay in registers.");
        if (!tileSum()) {
            return false;
        }
        m_draft.note("The stages around it: whole vectors, and nothing left of what depends on a place.");
        for (const std::string& name : names) {
            if (name != m_main && name != m_last && m_draft.isThere(name)) {
                scheduleStage(m_draft, name, homeOf(name), m_laid);
            }
        }
        m_draft.attempt("vectorize " + m_inner);
        unrollChoices(m_draft, m_last, m_vectors);
        reuseMemory();
        shareTiles(names);
        return true;
    }

private:
    // The block's axis, then the same axis in stages that it reads element by element, until `isFound`. Of the nest as it was.
    bool follow(const BlockView& view, std::size_t loop, const std::function<bool(const BlockView&, std::size_t)>& isFound) const
    {
        if (isFound(view, loop)) {
            return true;
        }
        std::set<std::pair<std::string, std::size_t>> done; // a stage reads a buffer in many places
        for (const BlockAccess& access : view.accesses) {
            for (std::size_t axis = 0; !access.isWrite && access.isInternal && axis < access.indices.size(); ++axis) {
                const auto* named = access.indices[axis]->as<Var>();
                if (named == nullptr || named->name != view.loops[loop].name || !done.emplace(access.buffer, axis).second) {
                    continue;
                }
                for (const BlockView& producer : m_views) {
                    const auto* written = producer.written().buffer == access.buffer ? producer.written().indices[axis]->as<Var>() : nullptr;
                    const std::size_t at = written != nullptr ? producer.indexOf(written->name) : producer.loops.size();
                    if (at < producer.loops.size() && producer.block != view.block && follow(producer, at, isFound)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    // Steps that some stage walks as one.
    std::int64_t groupOf(const BlockView& view, std::size_t loop) const
    {
        std::int64_t group = 0;
        follow(view, loop, [&group](const BlockView& stage, std::size_t at) {
            group = stage.groupOf(at);
            return group > 0;
        });
        return group;
    }

    // The sum reads other weights at each of its steps.
    bool walksWeights(const BlockView& view, std::size_t loop) const
    {
        return follow(view, loop, [this](const BlockView& stage, std::size_t at) { return stage.block == m_main && weightsMove(stage, at); });
    }

    // What serves many places: constants, or where there are none what comes from the caller.
    static bool weightsMove(const BlockView& view, std::size_t loop)
    {
        const bool hasConstants = std::any_of(view.accesses.begin(), view.accesses.end(), [](const BlockAccess& access) { return access.isConstant; });
        return std::any_of(view.accesses.begin(), view.accesses.end(), [&](const BlockAccess& access) {
            return !access.isWrite && (hasConstants ? access.isConstant : !access.isInternal) && access.by[loop].moves;
        });
    }

    // Vectors along an axis that no stage walks in groups, the one along which the sum walks weights or the longest; tiles along
    // the others.
    bool splitResult()
    {
        const BlockView& view = m_views.back();
        std::size_t vector = view.loops.size();
        std::pair<bool, std::int64_t> best;
        for (std::size_t i = 0; i < view.loops.size(); ++i) {
            const bool isFree = !view.loops[i].isReduction && groupOf(view, i) == 0 && view.loops[i].extent >= 2 * m_lanes;
            const std::pair rank(walksWeights(view, i), view.loops[i].extent);
            if (isFree && (vector == view.loops.size() || rank > best)) {
                vector = i;
                best = rank;
            }
        }
        if (vector == view.loops.size()) {
            return false;
        }
        std::vector<std::string> lines, outer, tile, groups;
        for (std::size_t i = 0; i < view.loops.size(); ++i) {
            if (i != vector && !view.loops[i].isReduction) {
                splitAxis(view, i, i + 1 == view.loops.size() || (i + 2 == view.loops.size() && vector + 1 == view.loops.size()), lines, outer, tile, groups);
            }
        }
        if (outer.empty()) {
            return false;
        }
        const BlockLoop& along = view.loops[vector];
        m_wide = m_draft.fresh("wide");
        m_panel = m_draft.fresh(along.name + ".o");
        m_vectors = m_draft.fresh(along.name + ".v");
        m_inner = m_draft.fresh(along.name + ".i");
        lines.push_back(knobLine(m_wide, doublings(std::min(along.extent / m_lanes, kMostWide)), 2));
        lines.push_back(format("split {} into {}:_ {}:?{} {}:lanes({})", along.name, m_panel, m_vectors, m_wide, m_inner, m_type));
        m_outer = outer;
        std::vector<std::string> order = outer;
        order.push_back(m_panel);
        order.insert(order.end(), tile.begin(), tile.end());
        order.push_back(m_vectors);
        order.insert(order.end(), groups.begin(), groups.end());
        order.push_back(m_inner);
        lines.push_back("reorder " + join(order, " "));
        return m_draft.attempt(lines);
    }

    void splitAxis(const BlockView& view, std::size_t at, bool isLast, std::vector<std::string>& lines, std::vector<std::string>& outer,
                   std::vector<std::string>& tile, std::vector<std::string>& groups)
    {
        const BlockLoop& loop = view.loops[at];
        const std::int64_t group = groupOf(view, at);
        const std::int64_t steps = group > 0 ? (loop.extent + group - 1) / group : loop.extent;
        if (steps < 2) {
            (group > 0 ? groups : outer).push_back(loop.name);
            return;
        }
        const std::string knob = m_draft.fresh(isLast ? "block" : "rows_" + loop.name);
        const std::string outside = m_draft.fresh(loop.name + ".o");
        const std::string inside = m_draft.fresh(loop.name + ".t");
        std::vector<std::int64_t> choices = upTo(std::min(steps, isLast ? kMostBlock : kMostBlockedRows));
        if (isLast) {
            choices.erase(choices.begin()); // of one step the other stages would have no loop
        }
        lines.push_back(knobLine(knob, choices, isLast ? evenPart(steps, kUsualBlock) : 1));
        std::string parts = format("split {} into {}:_ {}:?{}", loop.name, outside, inside, knob);
        if (group > 0) {
            groups.push_back(m_draft.fresh(loop.name + ".g"));
            parts += format(" {}:{}", groups.back(), group);
        }
        lines.push_back(parts);
        outer.push_back(outside);
        tile.push_back(inside);
    }

    // As far inside as it can be without being made again and again.
    void place(const std::string& name)
    {
        if (!m_draft.isThere(name)) {
            return;
        }
        const BlockView view = viewOf(m_draft.nest(), name);
        std::vector<std::string> homes;
        if (!view.isReduction) {
            homes.push_back(m_vectors);
        }
        homes.push_back(m_panel);
        homes.insert(homes.end(), m_outer.rbegin(), m_outer.rend());
        for (const std::string& home : homes) {
            Draft tried = m_draft;
            if (tried.attempt(format("compute_at {} at {}", name, home)) && viewOf(tried.nest(), name).points() <= view.points() * kAgain) {
                m_draft = std::move(tried);
                m_homes[name] = home;
                return;
            }
        }
    }

    std::string homeOf(const std::string& block) const
    {
        const auto home = m_homes.find(block);
        return home == m_homes.end() ? std::string() : home->second;
    }

    // The sum's own loops that count results, by what the tile makes of them.
    struct SumLoops {
        std::string along;  // whole vectors of weights
        std::string places; // the longest along which weights serve again
        std::int64_t steps = 1; // of that
        std::vector<std::string> others;
    };
    SumLoops sumLoops(const BlockView& view) const
    {
        SumLoops found;
        const std::vector<std::size_t> own = ownLoops(view, homeOf(m_main));
        for (const std::size_t i : own) {
            const BlockLoop& loop = view.loops[i];
            if (loop.isReduction) {
                continue;
            }
            if (weightsMove(view, i)) {
                found.along = found.along.empty() && loop.extent % m_lanes == 0 ? loop.name : found.along;
            } else if (loop.extent > found.steps) {
                found.steps = loop.extent;
                found.places = loop.name;
            }
        }
        for (const std::size_t i : own) {
            const std::string& name = view.loops[i].name;
            if (!view.loops[i].isReduction && name != found.along && name != found.places) {
                found.others.push_back(name);
            }
        }
        return found;
    }

    bool tileSum()
    {
        const BlockView view = viewOf(m_draft.nest(), m_main);
        const auto [along, places, steps, others] = sumLoops(view);
        if (along.empty() || places.empty()) {
            return false;
        }
        const std::vector<std::string> sums = reductionOrder(view, false);
        const std::string tiles = m_draft.fresh("tiles");
        const std::string vectors = m_draft.fresh(along + ".v"), inside = m_draft.fresh(along + ".i");
        const std::string home = m_draft.fresh(places + ".o"), row = m_draft.fresh(places + ".r");
        const std::int64_t registers = m_draft.target().vectorRegisters;
        std::vector<std::string> order = others;
        order.push_back(home);
        order.insert(order.end(), sums.begin(), sums.end());
        order.insert(order.end(), {row, vectors, inside});
        if (!m_draft.attempt({knobLine(tiles, upTo(std::min(registers - 2, kMostPlaces)), std::min(steps, (registers - 3) / 2)),
                              format("require {} * {} + {} + 1 <= registers({})", tiles, m_wide, m_wide, m_type),
                              format("split {} into {}:?{} {}:lanes({})", along, vectors, m_wide, inside, m_type),
                              format("split {} into {}:_ {}:?{}", places, home, row, tiles), "reorder " + join(order, " ")})) {
            return false;
        }
        if (!m_draft.attempt(format("cache_write {} at {} in registers", m_main, home)) || !m_draft.attempt("vectorize " + inside)) {
            return false;
        }
        m_draft.attempt("unroll " + vectors);
        m_draft.attempt("unroll " + row);
        layForSum(order);
        layAlong(m_draft, view, along);
        order.insert(order.begin(), m_panel);
        packConstants(m_draft, m_plain, m_main, {{along, {{m_panel, format("?{}*lanes({})", m_wide, m_type)}, {inside, ""}}}}, order);
        return true;
    }

    // What a stage writes for the sum lies in the order in which the sum's loops read it.
    void layForSum(const std::vector<std::string>& order)
    {
        const BlockView view = viewOf(m_draft.nest(), m_main);
        std::set<std::string> done;
        for (const BlockAccess& access : view.accesses) {
            if (access.isWrite || !access.isInternal || access.buffer == view.written().buffer || !done.insert(access.buffer).second) {
                continue;
            }
            std::vector<std::pair<std::size_t, std::string>> axes; // those that none of its own loops walks come first
            std::vector<std::string> names, texts;
            for (std::size_t axis = 0; axis < access.indices.size(); ++axis) {
                const auto first = std::find_if(order.begin(), order.end(), [&](const std::string& loop) { return usesVar(access.indices[axis], loop); });
                names.push_back(format("a{}", axis));
                axes.emplace_back(first == order.end() ? 0 : first - order.begin() + 1, names.back());
            }
            std::stable_sort(axes.begin(), axes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            for (const auto& [first, name] : axes) {
                texts.push_back(name);
            }
            if (m_draft.attempt(format("set_layout {} as ({}) -> ({})", access.buffer, join(names, ", "), join(texts, ", ")))) {
                m_laid.insert(access.buffer);
            }
        }
    }

    // One tile's memory serves the next; threads need one each, which is what they have without it.
    void reuseMemory()
    {
        if (m_draft.task().threads > 1) {
            return;
        }
        for (const auto& [name, home] : m_homes) {
            const BlockAccess written = m_draft.isThere(name) ? viewOf(m_draft.nest(), name).written() : BlockAccess();
            if (written.isInternal && std::find(m_outer.begin(), m_outer.end(), home) != m_outer.end()) {
                m_draft.attemptLowered(format("store_at {} at {}", written.buffer, home));
            }
        }
    }

    // Along the last axis neighbours may overlap in what leads to them, and threads would meet there.
    void shareTiles(const std::vector<std::string>& names)
    {
        if (m_draft.task().threads < 2) {
            return;
        }
        const std::vector<std::string> apart(m_outer.begin(), m_outer.size() > 1 ? m_outer.end() - 1 : m_outer.end());
        std::int64_t steps = 1;
        const BlockView view = viewOf(m_draft.nest(), m_last);
        for (const std::string& loop : apart) {
            const BlockLoop* found = view.loop(loop);
            steps *= found != nullptr ? found->extent : 1;
        }
        const bool isFew = steps < m_draft.task().threads;
        if (!isFew || !m_draft.attempt("parallel " + join(m_outer, " "))) {
            m_draft.attempt("parallel " + join(apart, " "));
        }
        for (const std::string& name : names) {
            if (name != m_last && m_draft.isThere(name) && !m_homes.contains(name)) {
                shareOut(m_draft, name);
            }
        }
    }

    Draft& m_draft;
    std::string m_main, m_last;
    std::int64_t m_lanes;
    std::string m_type, m_wide, m_panel, m_vectors, m_inner;
    std::vector<BlockView> m_views;   // of all blocks, before any step
    std::vector<std::string> m_outer; // loops over tiles of the result
    std::map<std::string, std::string> m_homes;
    std::set<std::string> m_laid;
    schedule::LoopNest m_plain;
};

} // namespace

bool near(Draft& draft, const std::string& main)
{
    Draft tried = draft;
    if (!Near(tried, main).run()) {
        return false;
    }
    draft = std::move(tried);
    return true;
}

} // namespace nw::tune::sketches
