// split LOOP into OUTER:_ INNER:8
//
//   for i in 0..30:          for io in 0..4:
//     body(i)           =>     for ii in 0..8:   (tail)
//                                body(io * 8 + ii) if io * 8 + ii < 30
//
// Any number of parts, outermost first; one of them may be inferred ("_" or a bare name).
// Keeps the order of iteration. Where the parts do not divide the extent the blocks beneath are guarded.
// Refuses loops that already have a kind, parts that do not cover the extent, factors below 1 and names in use.

#include "engine/base/text.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

std::optional<std::int64_t> productOf(const std::vector<Part>& parts)
{
    std::int64_t product = 1;
    for (const Part& part : parts) {
        if (part.extent && __builtin_mul_overflow(product, *part.extent, &product)) {
            return std::nullopt;
        }
    }
    return product;
}

std::vector<std::int64_t> extentsOf(const std::vector<Part>& parts, std::int64_t extent)
{
    const std::int64_t given = *productOf(parts);
    std::vector<std::int64_t> extents;
    for (const Part& part : parts) {
        extents.push_back(part.extent.value_or(std::max<std::int64_t>((extent + given - 1) / given, 1)));
    }
    return extents;
}

Check checkParts(const Loop& loop, const std::vector<Part>& parts)
{
    if (parts.size() < 2) {
        return illegal("split.one_part", NW_WORDS("split: {0} must be cut into at least two loops"), {loop.name},
                       {loop.name});
    }
    if (std::count_if(parts.begin(), parts.end(), [](const Part& part) { return !part.extent; }) > 1) {
        return illegal("split.two_inferred", NW_WORDS("split: only one part of {0} can be inferred; give the others a number"),
                       {loop.name}, {loop.name});
    }
    for (const Part& part : parts) {
        if (part.extent && *part.extent < 1) {
            return illegal("split.factor_not_positive", NW_WORDS("split: {0} must have at least 1 step, not {1}"),
                           {part.name, std::to_string(*part.extent)}, {loop.name});
        }
    }
    const std::optional<std::int64_t> extent = constantExtent(loop);
    if (!extent) {
        return illegal("split.symbolic", NW_WORDS("split: the extent {1} of {0} is not a number yet; bind its symbols first"),
                       {loop.name, toText(loop.extent)}, {loop.name});
    }
    const std::optional<std::int64_t> product = productOf(parts);
    const bool inferred = std::any_of(parts.begin(), parts.end(), [](const Part& part) { return !part.extent; });
    if (!product || *product > (std::int64_t{1} << 48)) {
        return illegal("split.factor_too_large", NW_WORDS("split: the parts of {0} are too large to count"), {loop.name},
                       {loop.name});
    }
    if (!inferred && *product < *extent) {
        return illegal("split.does_not_cover",
                       NW_WORDS("split: {1} steps do not cover the {2} of {0}; enlarge a part or leave one inferred"),
                       {loop.name, std::to_string(*product), std::to_string(*extent)}, {loop.name});
    }
    const std::vector<std::int64_t> extents = extentsOf(parts, *extent);
    if (std::count(extents.begin(), extents.end(), 1) + 1 >= static_cast<std::ptrdiff_t>(extents.size())
        && *std::max_element(extents.begin(), extents.end()) == *extent) {
        return pointless("split.trivial", NW_WORDS("split: this leaves {0} as it is, with loops of one step around or inside"),
                         {loop.name}, {loop.name});
    }
    return legal();
}

Check check(const LoopNest& nest, const Args& args, const Context&)
{
    if (const auto missing = loopMissing(nest, "split", args.name(0))) {
        return *missing;
    }
    const Loop& loop = *nest.findLoop(args.name(0)).loop;
    if (loop.kind != LoopKind::Serial) {
        return illegal("split.has_kind", NW_WORDS("split: {0} is already {1}; split it before that step"),
                       {loop.name, verbOf(loop.kind)}, {loop.name});
    }
    std::vector<std::string> names;
    for (const Part& part : args.parts(1)) {
        names.push_back(part.name);
    }
    if (const auto taken = namesTaken(nest, "split", names)) {
        return *taken;
    }
    return checkParts(loop, args.parts(1));
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const LoopNest::Path path = nest.findLoop(args.name(0));
    ENSURE(path && constantExtent(*path.loop), "split: there is no such loop of constant extent");
    const Loop& old = *path.loop;
    const std::int64_t extent = *constantExtent(old);
    const std::vector<Part>& given = args.parts(1);
    const std::vector<std::int64_t> extents = extentsOf(given, extent);

    Applied applied{nest, {}};
    std::int64_t covered = 1;
    for (const std::int64_t part : extents) {
        covered *= part;
    }
    Ranges ranges = nest.loopRanges();
    ranges.erase(old.name);
    std::vector<Loop> parts;
    Expr value;
    std::int64_t stride = covered;
    for (std::size_t i = 0; i < given.size(); ++i) {
        stride /= extents[i];
        Loop part;
        part.id = applied.nest.nextId++;
        part.name = given[i].name;
        part.extent = intImm(extents[i]);
        part.hasTail = old.hasTail || (covered != extent && i > 0);
        ranges[part.name] = Interval::ofExtent(extents[i]);
        const Expr term = stride == 1 ? var(part.name) : var(part.name) * stride;
        value = value == nullptr ? term : value + term;
        applied.forward.loops[old.id].push_back(part.id);
        parts.push_back(std::move(part));
    }
    const Expr guard = covered == extent ? boolImm(true) : lessThan(simplify(value, ranges), old.extent);
    replaceLoop(applied.nest, old.id, [&](const StmtNode&) {
        return wrap(parts, substituteLoops(old.body, {{old.name, value}}, guard, ranges));
    });
    moveBuffers(applied.nest, old.name, parts.back().name);
    refollow(applied.nest, old.name, parts);
    return applied;
}

std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context& context)
{
    const LoopNest::Path path = nest.findLoop(name);
    const std::optional<std::int64_t> extent = path ? constantExtent(*path.loop) : std::nullopt;
    if (!extent) {
        return {};
    }
    std::vector<std::int64_t> factors;
    const auto add = [&](std::int64_t factor) {
        if (factor > 1 && factor < *extent && std::find(factors.begin(), factors.end(), factor) == factors.end()) {
            factors.push_back(factor);
        }
    };
    if (context.target != nullptr) {
        add(context.target->lanes(DType::F32));
    }
    for (std::int64_t factor = 16; factor > 1 && factors.size() < 4; --factor) {
        if (*extent % factor == 0) {
            add(factor);
        }
    }
    std::vector<Args> proposals;
    const std::string outer = nest.freshName(name + "o");
    const std::string inner = nest.freshName(name + "i");
    for (const std::int64_t factor : factors) {
        proposals.push_back({{name, std::vector<Part>{{outer, std::nullopt}, {inner, factor}}}});
    }
    return proposals;
}

} // namespace

const Primitive split{
    "split",
    NW_WORDS("Cut one loop into nested loops"),
    {{"loop", ParamKind::Loop, ""}, {"parts", ParamKind::Parts, "into"}},
    &check,
    &rewrite,
    &propose,
};

} // namespace nw::schedule
