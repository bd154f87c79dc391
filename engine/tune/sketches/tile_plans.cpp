// Which two loops of a sum go into its register tile, by what each costs: loads per multiply-add, the latency of one, steps
// that are no steps, stores across memory.
#include "engine/tune/sketches/tiles.h"

#include <algorithm>
#include <cmath>

namespace nw::tune::sketches {

namespace {

constexpr double kPerClock = 2;     // loads, or multiply-adds
constexpr double kLatency = 4;      // of a multiply-add
constexpr double kGather = 2;       // clocks for each lane that is loaded or stored on its own
constexpr double kGuarded = 1.1;    // a last tile that is not full

struct Sides {
    const BlockLoop* vector = nullptr;
    const BlockLoop* rows = nullptr;
    std::size_t vectorAt = 0, rowsAt = 0;
    std::int64_t lanes = 1;
};

double turnsOf(const BlockLoop* loop, std::int64_t step)
{
    if (loop == nullptr) {
        return 1;
    }
    const double turns = std::ceil(static_cast<double>(loop->extent) / static_cast<double>(step));
    return turns * (loop->extent % step == 0 ? 1 : kGuarded);
}

// Loads that one step of the sums needs for a tile.
double loadsOf(const BlockView& view, const Sides& sides, std::int64_t rows, std::int64_t wide, bool copies)
{
    double all = 0;
    for (const BlockAccess& access : view.accesses) {
        if (access.isWrite) {
            continue;
        }
        const bool withVector = sides.vector != nullptr && access.by[sides.vectorAt].moves;
        const bool withRows = sides.rows != nullptr && access.by[sides.rowsAt].moves;
        const bool isNext = !withVector || access.isConstant || access.by[sides.vectorAt].stride == 1 || (copies && !withRows);
        all += (withVector ? static_cast<double>(wide) : 1) * (withRows ? static_cast<double>(rows) : 1)
            * (isNext ? 1 : kGather * static_cast<double>(sides.lanes));
    }
    return all;
}

bool sharesLoads(const BlockView& view, const Sides& sides)
{
    return sides.vector != nullptr && sides.rows != nullptr
        && std::none_of(view.accesses.begin(), view.accesses.end(), [&](const BlockAccess& access) {
               return !access.isWrite && access.by[sides.vectorAt].moves && access.by[sides.rowsAt].moves;
           });
}

TilePlan planFor(const BlockView& view, const Sides& sides, const Target& target, bool copies)
{
    TilePlan best;
    best.vector = sides.vector != nullptr ? sides.vector->name : "";
    best.rows = sides.rows != nullptr ? sides.rows->name : "";
    best.sharesLoads = sharesLoads(view, sides);
    const Movement written = sides.vector != nullptr ? view.written().by[sides.vectorAt] : Movement{true, 1};
    const double store = written.stride == 1 ? 1 : kGather * static_cast<double>(sides.lanes);
    double others = view.points() / view.terms();
    others /= static_cast<double>(sides.vector != nullptr ? sides.vector->extent : 1);
    others /= static_cast<double>(sides.rows != nullptr ? sides.rows->extent : 1);
    const std::int64_t mostRows = sides.rows != nullptr ? std::min<std::int64_t>(sides.rows->extent, target.vectorRegisters - 2) : 1;
    const std::int64_t mostWide = sides.vector != nullptr ? std::min((sides.vector->extent + sides.lanes - 1) / sides.lanes, kMostWide) : 1;
    for (std::int64_t rows = 1; rows <= std::max<std::int64_t>(mostRows, 1); ++rows) {
        for (std::int64_t wide = 1; wide <= mostWide; ++wide) {
            const std::int64_t live = rows * wide * (best.sharesLoads ? 1 : 2) + wide + 1;
            if (live > target.vectorRegisters && rows * wide > 1) {
                continue;
            }
            const auto sums = static_cast<double>(rows * wide);
            const double arithmetic = sums * std::max(view.operations / 2, 1.0) / kPerClock;
            const double waits = view.isReduction ? kLatency : 0;
            // Of equals the one with fewer registers in use: a spill costs more than the count knows.
            const double step = std::max({arithmetic, loadsOf(view, sides, rows, wide, copies) / kPerClock, waits}) + 0.2 + 0.01 * static_cast<double>(live);
            const double tile = step * view.terms() + sums * store + 4;
            const double cost = tile * others * turnsOf(sides.vector, wide * sides.lanes) * turnsOf(sides.rows, rows);
            if (best.cost == 0 || cost < best.cost * 0.999) {
                best.cost = cost;
                best.rowsOf = rows;
                best.wide = wide;
            }
        }
    }
    return best;
}

// A third loop whose steps share what the tile loads.
std::string planesFor(const BlockView& view, const TilePlan& plan)
{
    for (auto loop = view.loops.rbegin(); loop != view.loops.rend(); ++loop) {
        const std::size_t at = view.indexOf(loop->name);
        const bool shares = std::any_of(view.accesses.begin(), view.accesses.end(),
                                        [&](const BlockAccess& access) { return !access.isWrite && !access.by[at].moves; });
        if (!loop->isReduction && loop->extent > 1 && loop->name != plan.vector && loop->name != plan.rows && shares) {
            return loop->name;
        }
    }
    return {};
}

} // namespace

std::vector<TilePlan> tilePlans(const BlockView& view, const schedule::LoopNest& nest, const Target& target, bool copies)
{
    std::vector<std::size_t> choices{view.loops.size()}; // none
    for (std::size_t i = 0; i < view.loops.size(); ++i) {
        if (!view.loops[i].isReduction && view.loops[i].extent > 1) {
            choices.push_back(i);
        }
    }
    std::vector<TilePlan> plans;
    for (const std::size_t vector : choices) {
        for (const std::size_t rows : choices) {
            if (rows == vector && rows != view.loops.size()) {
                continue;
            }
            Sides sides;
            sides.vector = vector < view.loops.size() ? &view.loops[vector] : nullptr;
            sides.rows = rows < view.loops.size() ? &view.loops[rows] : nullptr;
            sides.vectorAt = vector;
            sides.rowsAt = rows;
            if (sides.vector != nullptr) {
                const std::int64_t width = view.blockWidth(nest, vector);
                sides.lanes = std::min<std::int64_t>(target.lanes(laneType(view.type)), width > 0 ? width : sides.vector->extent);
            }
            plans.push_back(planFor(view, sides, target, copies));
            plans.back().planes = planesFor(view, plans.back());
        }
    }
    // Of equals the one whose rows lie further inside, so that neighbours are read together.
    std::stable_sort(plans.begin(), plans.end(), [&](const TilePlan& a, const TilePlan& b) {
        const auto depth = [&](const TilePlan& plan) { return plan.rows.empty() ? 0 : view.indexOf(plan.rows) + 1; };
        return a.cost < b.cost * 0.999 || (a.cost <= b.cost * 1.001 && depth(a) > depth(b));
    });
    return plans;
}

double partialCost(const BlockView& view, const Target& target)
{
    const auto lanes = static_cast<double>(target.lanes(laneType(view.type)));
    double best = 0;
    for (std::size_t i = 0; i < view.loops.size(); ++i) {
        double loads = 0;
        bool walks = false;
        for (const BlockAccess& access : view.accesses) {
            const bool isNext = access.by[i].moves && access.by[i].stride == 1;
            walks = walks || (!access.isWrite && isNext);
            loads += access.isWrite ? 0 : (isNext || !access.by[i].moves ? 1 : kGather * lanes);
        }
        if (view.loops[i].isReduction && walks && static_cast<double>(view.loops[i].extent) >= lanes) {
            const double step = std::max(view.operations / 2, loads) / kPerClock;
            const double cost = view.points() / lanes * step + view.points() / view.terms() * 2 * lanes;
            best = best == 0 ? cost : std::min(best, cost);
        }
    }
    return best;
}

} // namespace nw::tune::sketches
