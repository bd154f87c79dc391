// What sketches a task has: ways to tile its main sum, rows with all passes, partial results, plain loops; the rest of the blocks
// follow each in its own way.
#include "engine/tune/sketches.h"

#include "engine/base/text.h"
#include "engine/tune/sketches/near.h"
#include "engine/tune/sketches/stages.h"

#include <algorithm>
#include <functional>

namespace nw::tune {

namespace {

using namespace sketches;

constexpr std::size_t kMostPlans = 4;
constexpr double kWorthTrying = 4; // times as dear as the best plan by the rough count
constexpr double kCopied = 1.05;
constexpr double kNear = 0.9;
constexpr double kAcrossPages = 1.5;
constexpr std::int64_t kPageBytes = 4096;

class Maker {
public:
    Maker(const schedule::Task& task, const schedule::LoopNest& initial)
        : m_empty(task, initial)
        , m_inlined(m_empty)
    {
        inlineCheapProducers(m_inlined);
    }

    std::vector<Sketch> run()
    {
        tiles();
        chain();
        if (hasSums()) {
            add("partial results", [](Draft& draft) { return rows(draft, RowKind::Partial); }, false);
            if (m_inlined.blockNames().size() > 1) {
                add("passes by row", [](Draft& draft) { return rows(draft, RowKind::Across); }, false);
            }
        }
        loops();
        std::stable_sort(m_ranked.begin(), m_ranked.end(), [](const Ranked& a, const Ranked& b) { return a.cost < b.cost; });
        std::vector<Sketch> made;
        for (Ranked& each : m_ranked) {
            made.push_back(std::move(each.sketch));
        }
        return made;
    }

private:
    struct Ranked {
        Sketch sketch;
        double cost = 0;
    };

    bool hasSums() const
    {
        const std::vector<std::string> names = m_empty.blockNames();
        return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return viewOf(m_empty.nest(), name).isReduction; });
    }

    // The sum with the most work; empty: there is none.
    static std::string mainSum(const Draft& draft)
    {
        std::string found;
        double most = 0;
        for (const std::string& name : draft.blockNames()) {
            const BlockView view = viewOf(draft.nest(), name);
            if (view.isReduction && view.points() * view.operations > most) {
                most = view.points() * view.operations;
                found = name;
            }
        }
        return found;
    }

    void keep(const std::string& name, const Draft& draft, double cost)
    {
        const auto isKept = [&](const Ranked& each) { return each.sketch.script == draft.text(); };
        if (draft.text().empty() || !draft.lowers() || std::any_of(m_ranked.begin(), m_ranked.end(), isKept)) {
            return;
        }
        std::string unique = name;
        for (int number = 2; std::any_of(m_ranked.begin(), m_ranked.end(), [&](const Ranked& each) { return each.sketch.name == unique; }); ++number) {
            unique = format("{} {}", name, number);
        }
        m_ranked.push_back({{unique, draft.text()}, cost});
    }

    // What a rule left as it was gets a schedule of its own.
    static void finish(Draft& draft, const std::vector<std::string>& done, bool turned)
    {
        for (const std::string& name : draft.blockNames()) {
            if (!draft.isThere(name) || std::find(done.begin(), done.end(), name) != done.end() || isScheduled(draft, name)) {
                continue;
            }
            const BlockView view = viewOf(draft.nest(), name);
            if (!view.isReduction) {
                scheduleMap(draft, name, view.block + ".", turned);
                continue;
            }
            for (const TilePlan& plan : tilePlans(view, draft.nest(), draft.target(), false)) {
                TileOptions options;
                options.name = format("{}, too, in tiles.", view.block);
                options.prefix = view.block + ".";
                options.order = 0;
                options.isMinor = true;
                if (tile(draft, name, plan, options)) {
                    break;
                }
            }
        }
    }

    // Some loop around it is no plain one any more.
    static bool isScheduled(const Draft& draft, const std::string& block)
    {
        const schedule::LoopNest::Path path = draft.nest().findBlock(block);
        return std::any_of(path.loops.begin(), path.loops.end(), [&](const schedule::Loop* loop) {
            return schedule::effectiveKind(draft.nest(), *loop) != schedule::LoopKind::Serial || !loop->follows.empty();
        });
    }

    void add(const std::string& name, const std::function<bool(Draft&)>& rule, bool turned)
    {
        for (const Draft* start : {&m_inlined, &m_empty}) {
            Draft draft = *start;
            if (costOf(draft, name) <= kWorthTrying * std::max(m_bestTile, 1.0) && rule(draft)) {
                finish(draft, {}, turned);
                shareOut(draft);
                keep(name, draft, costOf(draft, name));
                return;
            }
        }
    }

    double costOf(const Draft& draft, const std::string& name) const
    {
        const std::string main = mainSum(m_inlined);
        if (main.empty()) {
            return 0;
        }
        const double partial = partialCost(viewOf(m_inlined.nest(), main), draft.target());
        return name == "partial results" ? partial : m_bestTile * 1.5;
    }

    void tiles()
    {
        const std::string main = mainSum(m_inlined);
        if (main.empty()) {
            return;
        }
        const BlockView view = viewOf(m_inlined.nest(), main);
        for (const bool copies : {false, true}) {
            const std::vector<TilePlan> plans = tilePlans(view, m_inlined.nest(), m_inlined.target(), copies);
            m_bestTile = m_bestTile == 0 ? plans.front().cost : m_bestTile;
            m_sharesLoads = m_sharesLoads || std::any_of(plans.begin(), plans.end(), [&](const TilePlan& plan) { return !copies && plan.sharesLoads; });
            std::size_t kept = 0;
            for (const TilePlan& plan : plans) {
                if (kept >= kMostPlans || plan.cost > kWorthTrying * plans.front().cost) {
                    break;
                }
                kept += tilesOf(main, plan, copies) ? 1 : 0;
            }
        }
    }

    // Stages one after another for each tile of the result, where the sum between them is one that tiles serve.
    void chain()
    {
        Draft draft = m_empty; // what is handed from stage to stage is near, so that nothing is made again
        if (m_sharesLoads && near(draft, mainSum(m_inlined))) {
            keep("stages near the result's tiles", draft, m_bestTile * kNear);
        }
    }

    // Rows of an input that a panel goes down lie a page or more apart: they compete for few places in the cache.
    bool crossesPages(const std::string& main, const TilePlan& plan) const
    {
        const BlockView view = viewOf(m_inlined.nest(), main);
        const std::size_t lanes = view.indexOf(plan.vector);
        return lanes < view.loops.size() && std::any_of(view.accesses.begin(), view.accesses.end(), [&](const BlockAccess& access) {
            bool isFar = false;
            for (std::size_t i = 0; i < view.loops.size(); ++i) {
                const std::int64_t bytes = access.by[i].stride.value_or(0) * static_cast<std::int64_t>(byteSize(view.type));
                isFar = isFar || (view.loops[i].isReduction && bytes >= kPageBytes / 2);
            }
            return !access.isWrite && !access.isConstant && access.by[lanes].moves && access.by[lanes].stride == 1 && isFar;
        });
    }

    bool tilesOf(const std::string& main, const TilePlan& plan, bool copies)
    {
        const int orders = m_empty.task().threads > 1 ? kOrders : 1;
        bool made = false;
        for (const bool windowsOutside : {false, true}) {
            bool differs = true;
            for (int order = 0; order < orders; ++order) {
                TileOptions options;
                options.copies = copies;
                options.windowsOutside = windowsOutside;
                options.order = orders > 1 ? order : -1;
                std::string name = plan.vector.empty() ? "tiles" : format("tiles of {}", plan.vector);
                name += plan.rows.empty() ? "" : (plan.vector.empty() ? " of " : " by ") + plan.rows;
                name += copies ? ", inputs copied" : "";
                name += windowsOutside ? ", windows outside" : "";
                name += order > 0 ? format(", order {}", order + 1) : "";
                options.name = "Sums of " + name + " stay in registers.";
                Draft draft = m_inlined;
                differs = differs && tile(draft, main, plan, options);
                if (!differs) {
                    break;
                }
                finish(draft, {main}, false);
                shareOut(draft);
                keep(name, draft, plan.cost * (copies ? kCopied : crossesPages(main, plan) ? kAcrossPages : 1) * (windowsOutside ? 1.1 : 1) * (1 + 0.01 * order));
                made = true;
            }
        }
        return made;
    }

    // Each block by itself. With a single sum that would be a tile once more.
    void loops()
    {
        const bool isOneSum = m_inlined.blockNames().size() == 1 && hasSums() && !m_ranked.empty();
        if (!isOneSum) {
            addLoops("loops", m_inlined, false, 3);
            addLoops("loops, in turned tiles", m_inlined, true, 3);
        }
        if (m_empty.blockNames().size() != m_inlined.blockNames().size()) {
            addLoops("loops, each stage apart", m_empty, false, 4);
        }
        // Where nothing else is legal the plain loops are what can be tried.
        if (m_ranked.empty()) {
            const std::string plain = schedule::defaultScript(m_empty.nest(), {&m_empty.target()}, m_empty.task().threads);
            Draft draft = m_empty;
            draft.note("The loops as they are.");
            if (!plain.empty()) {
                draft.attempt(std::string(trim(plain)));
            }
            keep("plain loops", draft, 0);
        }
    }

    void addLoops(const std::string& name, const Draft& start, bool turned, double times)
    {
        Draft draft = start;
        finish(draft, {}, turned);
        shareOut(draft);
        keep(name, draft, m_bestTile * times);
    }

    Draft m_empty, m_inlined;
    std::vector<Ranked> m_ranked;
    double m_bestTile = 0;
    bool m_sharesLoads = false; // some tile of the main sum, without copies
};

} // namespace

std::vector<Sketch> sketchesFor(const schedule::Task& task, const schedule::LoopNest& initial)
{
    return Maker(task, initial).run();
}

} // namespace nw::tune
