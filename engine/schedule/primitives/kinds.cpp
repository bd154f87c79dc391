#include "engine/schedule/primitives/kinds.h"

#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

namespace nw::schedule {

LoopNest asSerial(const LoopNest& nest, LoopId loop)
{
    LoopNest plain = nest;
    changeLoop(plain, loop, [](Loop& changed) { changed.kind = LoopKind::Serial; });
    return plain;
}

bool linksParallel(const LoopNest& nest, const Loop& loop)
{
    const LoopNest::Path path = nest.findLoop(loop.id);
    const Loop* inner = loop.body.size() == 1 ? loop.body.front()->loop() : nullptr;
    return loop.kind == LoopKind::Parallel && !path.loops.empty() && path.loops.back()->kind == LoopKind::Parallel
        && inner != nullptr && inner->kind == LoopKind::Parallel;
}

bool startsChain(const LoopNest& nest, const Loop& loop)
{
    return loop.kind == LoopKind::Parallel && hasInside(nest, loop, LoopKind::Parallel);
}

std::optional<Check> kindForbidden(LoopNest nest, const std::vector<Kinded>& wanted, const Context& context)
{
    const auto take = [&](const Primitive& step, ArgValue loops) -> std::optional<Check> {
        const Args args{{std::move(loops)}};
        Check found = step.check(nest, args, context);
        if (found.verdict == Verdict::Illegal || found.verdict == Verdict::Unproven) {
            return found;
        }
        nest = step.rewrite(nest, args, context).nest;
        return std::nullopt;
    };
    std::vector<std::string> parallels; // one step for all of them: they are one chain
    std::optional<Check> found;
    for (auto one = wanted.begin(); one != wanted.end() && !found; ++one) {
        if (one->kind == LoopKind::Parallel) {
            parallels.push_back(one->loop);
        } else if (one->kind != LoopKind::Serial) {
            found = take(one->kind == LoopKind::Vector ? vectorize : unroll, one->loop);
        }
    }
    return found || parallels.empty() ? found : take(parallel, parallels);
}

std::optional<LoopKind> jointKind(const std::vector<LoopKind>& kinds)
{
    LoopKind joint = LoopKind::Serial;
    for (const LoopKind kind : kinds) {
        if (kind != LoopKind::Serial && joint != LoopKind::Serial && kind != joint) {
            return std::nullopt;
        }
        joint = kind == LoopKind::Serial ? joint : kind;
    }
    return joint;
}

} // namespace nw::schedule
