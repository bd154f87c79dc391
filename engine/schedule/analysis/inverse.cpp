#include "engine/schedule/analysis/inverse.h"

#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

bool within(const Expr& e, const std::set<std::string>& names)
{
    const std::vector<std::string> used = freeVars(e);
    return std::all_of(used.begin(), used.end(), [&](const std::string& name) { return names.contains(name); });
}

std::optional<Told> told(const IterVar& iter, const Block& block, const std::vector<Expr>& indices,
                         const std::set<std::string>& fixed, const Ranges& ranges)
{
    const Expr still = simplify(iter.binding, ranges);
    if (within(still, fixed)) {
        return Told{std::nullopt, still};
    }
    for (std::size_t d = 0; d < indices.size(); ++d) {
        const std::optional<Affine> form = affineOf(indices[d]);
        if (!form || form->terms.size() != 1 || form->terms.begin()->second != 1) {
            continue;
        }
        const IterVar* walked = block.iter(form->terms.begin()->first);
        const Expr apart = walked == nullptr ? iter.binding : simplify(iter.binding - walked->binding, ranges);
        if (walked != nullptr && within(apart, fixed)) {
            return Told{d, simplify(apart - form->constant, ranges)};
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<std::map<std::string, Told>> toldByElement(const Block& block, const std::vector<Expr>& indices,
                                                         const std::set<std::string>& needed,
                                                         const std::set<std::string>& fixed, const Ranges& ranges)
{
    std::map<std::string, Told> result;
    for (const std::string& name : needed) {
        const IterVar* iter = block.iter(name);
        const std::optional<Told> found = iter == nullptr ? std::nullopt : told(*iter, block, indices, fixed, ranges);
        if (!found) {
            return std::nullopt;
        }
        result.emplace(name, *found);
    }
    return result;
}

std::set<std::string> lifetimeLoops(const LoopNest& nest, const Buffer& buffer)
{
    if (buffer.atLoop.empty()) {
        return {};
    }
    std::set<std::string> loops = namesOf(nest.findLoop(buffer.atLoop).loops);
    loops.insert(buffer.atLoop);
    return loops;
}

std::vector<const Loop*> sharedLoops(const Place& a, const Place& b, const std::set<std::string>& fixed)
{
    std::vector<const Loop*> shared;
    for (std::size_t i = 0; i < a.loops.size() && i < b.loops.size() && a.loops[i]->name == b.loops[i]->name; ++i) {
        if (!fixed.contains(a.loops[i]->name) && !isConst(a.loops[i]->extent, 1)) {
            shared.push_back(a.loops[i]);
        }
    }
    return shared;
}

bool meetInOneStep(const Place& a, const Access& first, const Place& b, const Access& second,
                   const std::set<std::string>& fixed, const Ranges& ranges)
{
    const std::set<std::string> shared = namesOf(sharedLoops(a, b, fixed));
    const Meeting meeting = whereTheyMeet(first, second, fixed, shared, ranges);
    return std::includes(meeting.same.begin(), meeting.same.end(), shared.begin(), shared.end());
}

} // namespace nw::schedule
