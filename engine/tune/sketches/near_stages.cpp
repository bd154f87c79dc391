#include "engine/tune/sketches/near_stages.h"

#include "engine/base/text.h"
#include "engine/tune/sketches/packing.h"

#include <algorithm>

namespace nw::tune::sketches {

namespace {

constexpr std::int64_t kMostCopies = 32; // of a step, by unrolling

// Loops that decide which side of a choice a step takes: unrolled, nothing is left of the choice.
std::set<std::string> choosers(const schedule::LoopNest& nest, const std::string& name)
{
    const schedule::Block& block = *nest.findBlock(name).block;
    std::set<std::string> found;
    walk(block.value, [&](const Expr& part) {
        if (const auto* choice = part->as<Select>()) {
            for (const std::string& var : freeVars(choice->condition)) {
                const schedule::IterVar* iter = block.iter(var);
                const std::vector<std::string> loops = iter != nullptr ? freeVars(iter->binding) : std::vector<std::string>{var};
                found.insert(loops.begin(), loops.end());
            }
        }
        return true;
    });
    return found;
}

// Whole vectors without a loop of their own are best, then whole vectors.
int worth(const BlockLoop& loop, std::int64_t lanes)
{
    return loop.extent == lanes ? 3 : loop.extent % lanes == 0 ? 2 : 1;
}

} // namespace

std::vector<std::size_t> ownLoops(const BlockView& view, const std::string& home)
{
    std::vector<std::size_t> found;
    for (std::size_t i = home.empty() ? 0 : view.indexOf(home) + 1; i < view.loops.size(); ++i) {
        found.push_back(i);
    }
    return found;
}

void scheduleStage(Draft& draft, const std::string& block, const std::string& home, const std::set<std::string>& laid)
{
    const BlockView view = viewOf(draft.nest(), block);
    const std::int64_t lanes = draft.target().lanes(laneType(view.type));
    const std::set<std::string> choosing = choosers(draft.nest(), block);
    const BlockLoop* along = nullptr;
    for (const std::size_t i : ownLoops(view, home)) {
        const BlockLoop& loop = view.loops[i];
        const bool fits = !loop.isReduction && loop.extent >= lanes && !choosing.contains(loop.name) && view.written().by[i].moves;
        if (fits && (along == nullptr || std::pair(worth(loop, lanes), loop.extent) > std::pair(worth(*along, lanes), along->extent))) {
            along = &loop;
        }
    }
    if (along == nullptr) {
        return;
    }
    std::string inside = along->name;
    std::vector<std::string> order;
    if (along->extent > lanes) {
        order.push_back(draft.fresh(along->name + ".o"));
        inside = draft.fresh(along->name + ".i");
        if (!draft.attempt(format("split {} into {}:_ {}:lanes({})", along->name, order.front(), inside, toText(laneType(view.type))))) {
            return;
        }
    }
    const auto rank = [&](const BlockLoop& loop) { return loop.isReduction ? 1 : choosing.contains(loop.name) ? 2 : 0; };
    std::string sumsIn; // the loop around all that is summed over
    for (const int wanted : {0, 1, 2}) {
        for (const std::size_t i : ownLoops(view, home)) {
            if (view.loops[i].name != along->name && rank(view.loops[i]) == wanted) {
                order.push_back(view.loops[i].name);
            }
        }
        sumsIn = wanted == 0 && !order.empty() ? order.back() : sumsIn;
    }
    order.push_back(inside);
    if (!laid.contains(view.written().buffer)) {
        layAlong(draft, view, along->name);
    }
    if (order.size() > 1) {
        draft.attempt("reorder " + join(order, " "));
    }
    if (view.isReduction && !sumsIn.empty()) {
        draft.attemptLowered(format("cache_write {} at {} in registers", block, sumsIn));
    }
    draft.attempt("vectorize " + inside);
    unrollChoices(draft, block, home);
}

void unrollChoices(Draft& draft, const std::string& block, const std::string& home)
{
    const std::set<std::string> choosing = choosers(draft.nest(), block);
    const BlockView view = viewOf(draft.nest(), block);
    const std::vector<std::size_t> own = ownLoops(view, home);
    std::int64_t copies = 1;
    for (auto i = own.rbegin(); i != own.rend(); ++i) {
        const BlockLoop& loop = view.loops[*i];
        if (choosing.contains(loop.name)) {
            copies *= loop.extent;
            if (copies > kMostCopies || !draft.attempt("unroll " + loop.name)) {
                return;
            }
        }
    }
}

} // namespace nw::tune::sketches
