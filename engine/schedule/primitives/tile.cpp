// tile A B into AO BO AI:8 BI:16
//
//   for a in 0..64:              for ao in 0..8:
//     for b in 0..64:              for bo in 0..4:
//       body(a, b)          =>       for ai in 0..8:
//                                      for bi in 0..16:
//                                        body(ao * 8 + ai, bo * 16 + bi)
//
// The same as splitting each loop in two and reordering: first all outer parts, then all inner ones. A single loop is
// only split.
// Refuses what split or reorder refuse.

#include "engine/base/text.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

struct Steps {
    std::vector<Args> splits;
    Args order;
};
Steps stepsOf(const Args& args)
{
    const std::vector<std::string>& loops = args.names(0);
    const std::vector<Part>& parts = args.parts(1);
    ENSURE(parts.size() == 2 * loops.size(), "tile: another number of parts than two a loop");
    Steps steps;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        steps.splits.push_back({{loops[i], std::vector<Part>{parts[i], parts[i + loops.size()]}}});
    }
    std::vector<std::string> order;
    for (const Part& part : parts) {
        order.push_back(part.name);
    }
    steps.order = {{std::move(order)}};
    return steps;
}

// The old loops' forward maps carried through the later steps.
void follow(Forward& forward, const Forward& next)
{
    for (const auto& [id, to] : next.loops) {
        forward.loops.emplace(id, to);
    }
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    const std::vector<std::string>& loops = args.names(0);
    if (loops.empty()) {
        return illegal("tile.nothing", NW_WORDS("tile: name the loops, outermost first"), {}, {});
    }
    if (args.parts(1).size() != 2 * loops.size()) {
        return illegal("tile.parts", NW_WORDS("tile: {0} loops give {1} parts, the outer ones first; there are {2}"),
                       {std::to_string(loops.size()), std::to_string(2 * loops.size()), std::to_string(args.parts(1).size())},
                       loops);
    }
    const Steps steps = stepsOf(args);
    LoopNest now = nest;
    bool changes = false;
    for (const Args& step : steps.splits) {
        Check found = split.check(now, step, context);
        if (found.verdict == Verdict::Illegal) {
            return found;
        }
        changes = changes || found.verdict == Verdict::Legal;
        now = split.rewrite(now, step, context).nest;
    }
    Check found = reorder.check(now, steps.order, context);
    return found.verdict == Verdict::Pointless && changes ? legal() : found;
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context& context)
{
    const Steps steps = stepsOf(args);
    Applied applied{nest, {}};
    for (const Args& step : steps.splits) {
        Applied next = split.rewrite(applied.nest, step, context);
        follow(applied.forward, next.forward);
        applied.nest = std::move(next.nest);
    }
    applied.nest = reorder.rewrite(applied.nest, steps.order, context).nest;
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context& context)
{
    const LoopNest::Path path = nest.findLoop(name);
    const std::vector<const Loop*> chain = path ? chainFrom(*path.loop) : std::vector<const Loop*>{};
    if (chain.size() < 2) {
        return {};
    }
    const std::string inner = chain[1]->name;
    const std::int64_t lanes = context.target != nullptr ? context.target->lanes(DType::F32) : 8;
    std::vector<Args> proposals;
    for (const std::int64_t rows : {4, 8}) {
        proposals.push_back({{std::vector<std::string>{name, inner},
                              std::vector<Part>{{nest.freshName(name + "o"), std::nullopt},
                                                {nest.freshName(inner + "o"), std::nullopt},
                                                {nest.freshName(name + "i"), rows},
                                                {nest.freshName(inner + "i"), lanes}}}});
    }
    return proposals;
}

} // namespace

const Primitive tile{
    "tile",
    NW_WORDS("Cut nested loops into blocks"),
    {{"loops", ParamKind::Loops, ""}, {"parts", ParamKind::Parts, "into"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Loop,
    'T',
};

} // namespace nw::schedule
