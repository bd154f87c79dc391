#include "engine/schedule/analysis/mirror.h"

#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/region.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

std::vector<Expr> writtenIndices(const Block& block)
{
    return accessesOf(block).front().indices;
}

// A guard that grows no easier with the steps of these loops: where it holds at all it holds at their first.
bool holdsFirst(const Expr& condition, const std::vector<std::string>& loops)
{
    const std::optional<Affine> form = atMostZero(condition);
    return form && std::all_of(loops.begin(), loops.end(), [&](const std::string& name) { return form->coefficient(name) >= 0; });
}

// Conjuncts over the loops that are copied and those around: what must hold for any step of the others to run. Nothing
// when that cannot be said without them.
std::optional<std::vector<Expr>> guardsOf(const LoopNest::Path& writer, const std::set<std::string>& inside,
                                          const std::set<std::string>& copied)
{
    std::vector<Expr> kept;
    for (const Expr& condition : conjuncts(writer.block->predicate)) {
        std::vector<std::string> left;
        Substitution first;
        for (const std::string& name : freeVars(condition)) {
            if (inside.contains(name) && !copied.contains(name)) {
                left.push_back(name);
                first.emplace(name, intImm(0));
            }
        }
        if (!left.empty() && !holdsFirst(condition, left)) {
            return std::nullopt;
        }
        const Expr shortened = left.empty() ? condition : simplify(substitute(condition, first));
        if (!isConst(shortened, 1)) {
            kept.push_back(shortened);
        }
    }
    return kept;
}

} // namespace

std::string stripped(const std::string& name, const std::string& prefix)
{
    return name.starts_with(prefix + ".") ? name.substr(prefix.size() + 1) : name;
}

const Loop* Mirror::copyOf(const std::string& writerLoop) const
{
    for (std::size_t i = 0; i < of.size(); ++i) {
        if (of[i]->name == writerLoop) {
            return &loops[i];
        }
    }
    return nullptr;
}

std::optional<std::string> cannotMirror(const LoopNest::Path& writer, const std::string& at)
{
    const std::set<std::string> inside = loopsInside(writer.loops, at);
    const std::set<std::string> used = varsOf(writtenIndices(*writer.block));
    for (const std::string& name : boundLoops(*writer.block, true)) {
        if (inside.contains(name) && used.contains(name)) {
            return name;
        }
    }
    if (!guardsOf(writer, inside, used)) {
        return "";
    }
    return std::nullopt;
}

std::optional<Mirror> mirrorOf(LoopNest& nest, const LoopNest::Path& writer, const std::string& at, const std::string& prefix,
                               const std::vector<std::string>& axisNames)
{
    if (cannotMirror(writer, at)) {
        return std::nullopt;
    }
    const std::vector<Expr> indices = writtenIndices(*writer.block);
    const std::set<std::string> used = varsOf(indices);
    Mirror mirror;
    mirror.of = insideLoops(writer.loops, at, used);
    std::set<std::string> names;
    for (const Loop* loop : mirror.of) {
        // The axis' name, when this loop alone walks it and walks nothing else.
        std::string wanted = stripped(loop->name, writer.block->name);
        std::size_t walked = 0;
        for (std::size_t d = 0; d < indices.size(); ++d) {
            const std::set<std::string> walkers = varsOf({indices[d]});
            if (!walkers.contains(loop->name)) {
                continue;
            }
            ++walked;
            const auto others = std::count_if(mirror.of.begin(), mirror.of.end(),
                                              [&](const Loop* l) { return walkers.contains(l->name); });
            if (walked == 1 && others == 1) {
                wanted = axisNames[d];
            } else {
                wanted = stripped(loop->name, writer.block->name);
            }
        }
        Loop copy;
        copy.id = nest.nextId++;
        copy.name = nest.freshName(prefix + "." + wanted);
        for (int again = 2; !names.insert(copy.name).second; ++again) {
            copy.name = nest.freshName(prefix + "." + wanted + "." + std::to_string(again));
        }
        copy.extent = loop->extent;
        copy.hasTail = loop->hasTail;
        copy.follows = loop->follows.empty() ? loop->name : loop->follows;
        mirror.renamed.emplace(loop->name, var(copy.name));
        mirror.loops.push_back(std::move(copy));
    }
    std::vector<Expr> guards = *guardsOf(writer, loopsInside(writer.loops, at), used);
    for (Expr& condition : guards) {
        condition = substitute(condition, mirror.renamed);
    }
    mirror.guard = allOf(guards);
    return mirror;
}

} // namespace nw::schedule
