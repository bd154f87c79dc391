#include "engine/schedule/primitives/common.h"

#include "engine/base/tensor.h"
#include "engine/base/text.h"
#include "engine/compute/ops/index.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/analysis/pieces.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace nw::schedule {

namespace {

Check verdict(Verdict v, std::string rule, std::string words, std::vector<std::string> operands,
              std::vector<std::string> places, std::vector<std::string> unlocks)
{
    return {v, {std::move(rule), std::move(words), std::move(operands), std::move(places), std::move(unlocks)}};
}

bool isName(const std::string& name)
{
    const auto wordChar = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
    return !name.empty() && name != "_" && std::isdigit(static_cast<unsigned char>(name.front())) == 0
        && name.front() != '.' && std::all_of(name.begin(), name.end(), wordChar);
}

Check missing(const std::string& primitive, const std::string& rule, const char* bare, const char* hinted,
              const std::string& name, const std::vector<std::string>& candidates)
{
    const std::string near = nearest(name, candidates);
    return near.empty() ? illegal(primitive + rule, bare, {primitive, name}, {})
                        : illegal(primitive + rule, hinted, {primitive, name, near}, {near});
}

} // namespace

Check legal()
{
    return {};
}

Check illegal(std::string rule, std::string words, std::vector<std::string> operands, std::vector<std::string> places,
              std::vector<std::string> unlocks)
{
    return verdict(Verdict::Illegal, std::move(rule), std::move(words), std::move(operands), std::move(places),
                   std::move(unlocks));
}

Check pointless(std::string rule, std::string words, std::vector<std::string> operands, std::vector<std::string> places)
{
    return verdict(Verdict::Pointless, std::move(rule), std::move(words), std::move(operands), std::move(places), {});
}

Check unproven(std::string rule, std::string words, std::vector<std::string> operands, std::vector<std::string> places)
{
    return verdict(Verdict::Unproven, std::move(rule), std::move(words), std::move(operands), std::move(places), {});
}

std::optional<Check> loopMissing(const LoopNest& nest, const std::string& primitive, const std::string& name)
{
    if (nest.findLoop(name)) {
        return std::nullopt;
    }
    std::vector<std::string> names;
    for (const Loop* loop : nest.allLoops()) {
        names.push_back(loop->name);
    }
    return missing(primitive, ".no_loop", NW_WORDS("{0}: there is no loop {1}"),
                   NW_WORDS("{0}: there is no loop {1}; did you mean {2}?"), name, names);
}

std::optional<Check> blockMissing(const LoopNest& nest, const std::string& primitive, const std::string& name)
{
    if (nest.findBlock(name)) {
        return std::nullopt;
    }
    std::vector<std::string> names;
    for (const LoopNest::Path& path : nest.blocks()) {
        names.push_back(path.block->name);
    }
    return missing(primitive, ".no_block", NW_WORDS("{0}: there is no block {1}"),
                   NW_WORDS("{0}: there is no block {1}; did you mean {2}?"), name, names);
}

std::optional<Check> bufferMissing(const LoopNest& nest, const std::string& primitive, const std::string& name)
{
    if (nest.buffer(name) != nullptr) {
        return std::nullopt;
    }
    std::vector<std::string> names;
    for (const Buffer& buffer : nest.buffers) {
        names.push_back(buffer.name);
    }
    const std::string near = nearest(name, names);
    return near.empty() ? illegal(primitive + ".no_buffer", NW_WORDS("{0}: there is no buffer {1}; there are {2}"),
                                  {primitive, name, join(names, ", ")}, {})
                        : illegal(primitive + ".no_buffer", NW_WORDS("{0}: there is no buffer {1}; did you mean {2}?"),
                                  {primitive, name, near}, {near});
}

std::optional<Check> namesTaken(const LoopNest& nest, const std::string& primitive, const std::vector<std::string>& names)
{
    std::set<std::string> given;
    for (const std::string& name : names) {
        if (!isName(name)) {
            return illegal(primitive + ".bad_name",
                           NW_WORDS("{0}: \"{1}\" cannot name a loop; use letters, digits, _ and ."), {primitive, name}, {});
        }
        if (!given.insert(name).second) {
            return illegal(primitive + ".name_twice", NW_WORDS("{0}: the name {1} is given twice"), {primitive, name}, {});
        }
        if (nest.nameTaken(name)) {
            return illegal(primitive + ".name_taken", NW_WORDS("{0}: the name {1} is taken; choose another"),
                           {primitive, name}, {name});
        }
    }
    return std::nullopt;
}

std::string line(const std::string& primitive, const std::vector<std::string>& words)
{
    return words.empty() ? primitive : primitive + " " + join(words, " ");
}

std::vector<std::string> ifItUnlocks(const LoopNest& nest, const Context& context, const Primitive& step, const Args& stepArgs,
                                     const std::string& stepLine, const Primitive& then, const Args& thenArgs)
{
    // Refusals met while trying are not shown: what would unlock them is not asked, or the question might never end.
    static thread_local bool trying = false;
    if (trying) {
        return {};
    }
    struct Trying {
        Trying() { trying = true; }
        ~Trying() { trying = false; }
    };
    const Trying here;
    const Verdict first = step.check(nest, stepArgs, context).verdict;
    if (first != Verdict::Legal && first != Verdict::Pointless) {
        return {};
    }
    const Applied applied = step.rewrite(nest, stepArgs, context);
    const Verdict second = then.check(applied.nest, thenArgs, context).verdict;
    return second == Verdict::Legal || second == Verdict::Pointless ? std::vector<std::string>{stepLine}
                                                                    : std::vector<std::string>{};
}

std::string verbOf(LoopKind kind)
{
    switch (kind) {
    case LoopKind::Serial: return "serial";
    case LoopKind::Parallel: return "parallel";
    case LoopKind::Vector: return "vector";
    case LoopKind::Unrolled: return "unrolled";
    }
    return "";
}

bool hasInside(const LoopNest& nest, const Loop& loop, LoopKind kind)
{
    return std::any_of(loop.body.begin(), loop.body.end(), [&](const Stmt& statement) {
        const Loop* inner = statement->loop();
        return inner != nullptr && (effectiveKind(nest, *inner) == kind || hasInside(nest, *inner, kind));
    });
}

std::optional<Check> walksReduction(const std::string& primitive, const Loop& loop, const char* words)
{
    for (const Block* block : blocksIn(loop.body)) {
        for (const IterVar& iter : block->iters) {
            if (iter.reduction && usesVar(iter.binding, loop.name)) {
                return illegal(primitive + ".reduction", words, {loop.name, block->name, iter.name},
                               {loop.name, block->name});
            }
        }
    }
    return std::nullopt;
}

std::optional<Check> iterationsMeet(const LoopNest& nest, const std::string& primitive, const std::vector<const Loop*>& loops)
{
    const std::optional<Carried> carried = carriedBy(nest, loops, true);
    if (!carried) {
        return std::nullopt;
    }
    const std::vector<std::string> operands{primitive, carried->loop, carried->first->name, carried->buffer,
                                            carried->second->name};
    const std::vector<std::string> places{carried->loop, carried->first->name, carried->second->name};
    if (carried->gaveUp) {
        return unproven(primitive + ".unknown",
                        NW_WORDS("{0}: whether steps of {1} meet at elements of {3} that {2} writes is not known"), operands,
                        places);
    }
    if (carried->first == carried->second) {
        return illegal(primitive + ".race",
                       NW_WORDS("{0}: several steps of {1} write the same element of {3} in {2}; only the last would count"),
                       operands, places);
    }
    return illegal(primitive + ".shared",
                   NW_WORDS("{0}: {2} writes elements of {3} that {4} uses in another step of {1}; each step would need its own"),
                   operands, places);
}

std::optional<Check> movesTogether(const LoopNest& nest, const std::string& primitive, const Block& block)
{
    // Digits of one number that overlap; the quotient and the remainder of a fused loop do not.
    const auto overlap = [](const Piece& a, const Piece& b) {
        return a.source == b.source && a.divisor < b.divisor * b.extent && b.divisor < a.divisor * a.extent;
    };
    const Ranges ranges = nest.loopRanges();
    for (auto first = block.iters.begin(); first != block.iters.end(); ++first) {
        const std::optional<PieceSum> one = piecesOf(first->binding, ranges);
        for (auto second = std::next(first); one && second != block.iters.end(); ++second) {
            const std::optional<PieceSum> other = piecesOf(second->binding, ranges);
            for (const Piece& piece : other ? other->pieces : std::vector<Piece>{}) {
                if (std::any_of(one->pieces.begin(), one->pieces.end(), [&](const Piece& p) { return overlap(p, piece); })) {
                    return illegal(primitive + ".moves_together",
                                   NW_WORDS("{0}: {2} and {3} of {1} move with one loop; loops made anew for each would walk more"),
                                   {primitive, block.name, first->name, second->name}, {block.name});
                }
            }
        }
    }
    return std::nullopt;
}

bool isIdempotent(compute::Combiner combiner)
{
    return combiner == compute::Combiner::Max || combiner == compute::Combiner::Min;
}

std::vector<std::string> reductionsInwards(const LoopNest::Path& block, const std::string& at)
{
    const std::vector<std::string> reduction = boundLoops(*block.block, true);
    const auto reduces
        = [&](const std::string& name) { return std::find(reduction.begin(), reduction.end(), name) != reduction.end(); };
    if (reduces(at)) {
        return {};
    }
    std::vector<std::string> before, moved, behind;
    bool passed = false;
    for (const Loop* loop : block.loops) {
        if (passed) {
            behind.push_back(loop->name);
        } else if (reduces(loop->name)) {
            moved.push_back(loop->name);
        } else if (!moved.empty()) {
            before.push_back(loop->name);
        }
        passed = passed || loop->name == at;
    }
    before.insert(before.end(), moved.begin(), moved.end());
    return before;
}

std::vector<std::string> outermostLast(const Loop& loop)
{
    std::vector<std::string> order;
    for (const Loop* inner : chainFrom(loop)) {
        order.push_back(inner->name);
    }
    std::rotate(order.begin(), order.begin() + 1, order.end());
    return order;
}

Expr identityOf(compute::Combiner combiner, DType type)
{
    switch (combiner) {
    case compute::Combiner::Sum: return literal(type, 0);
    case compute::Combiner::Prod: return literal(type, 1);
    case compute::Combiner::Max: return compute::lowest(type);
    case compute::Combiner::Min: return compute::highest(type);
    case compute::Combiner::None: break;
    }
    ENSURE(false, "a block without a combiner has no identity");
    return nullptr;
}

bool writesInside(const LoopNest& nest, const Block& block)
{
    const Buffer& buffer = *nest.buffer(block.buffer);
    Ranges ranges;
    for (const IterVar& iter : block.iters) {
        if (const std::optional<std::int64_t> extent = constInt(iter.extent)) {
            ranges[iter.name] = Interval::ofExtent(*extent);
        }
    }
    for (std::size_t d = 0; d < block.indices.size(); ++d) {
        const Interval met = boundsOf(block.indices[d], ranges);
        if (met.low < 0 || met.high >= buffer.shape[d]) {
            return false;
        }
    }
    return true;
}

Layout orderedLayout(const std::vector<std::size_t>& order)
{
    Layout layout;
    layout.map = IndexMap::identity(order.size());
    for (std::size_t d = 0; d < order.size(); ++d) {
        layout.map.out[d] = var(layout.map.axes[order[d]]);
    }
    return layout.isPlain() ? Layout{} : layout;
}

Layout keptLayout(const Buffer& buffer, const std::vector<std::int64_t>& shape, Scope scope)
{
    if (buffer.layout.isPlain() || scope == Scope::Registers || !buffer.layout.checkInvertible(shape)) {
        return {};
    }
    const Result<std::int64_t> places = elementCount(*buffer.layout.memoryShape(shape));
    const Result<std::int64_t> elements = elementCount(shape);
    const std::int64_t most = scope == Scope::Stack ? kLargestStack / static_cast<std::int64_t>(byteSize(buffer.type)) : Interval::kPlusInf;
    return places && elements && *places <= most && (*places - 1) / kMostSpread < *elements ? buffer.layout : Layout{};
}

std::vector<std::size_t> walkedOrder(const LoopNest::Path& place, const std::set<std::string>& inside,
                                     const std::vector<Expr>& indices)
{
    std::vector<std::pair<int, std::size_t>> depth;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        int deepest = -1;
        for (std::size_t i = 0; i < place.loops.size(); ++i) {
            if (inside.contains(place.loops[i]->name) && usesVar(indices[d], place.loops[i]->name)) {
                deepest = static_cast<int>(i);
            }
        }
        depth.emplace_back(deepest, d);
    }
    std::stable_sort(depth.begin(), depth.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::size_t> order;
    for (const auto& entry : depth) {
        order.push_back(entry.second);
    }
    return order;
}

std::optional<Scope> scopeNamed(const std::string& word)
{
    if (word == "registers") {
        return Scope::Registers;
    }
    if (word == "stack") {
        return Scope::Stack;
    }
    return word == "heap" ? std::optional(Scope::Heap) : std::nullopt;
}

std::optional<Check> tooLarge(const std::string& primitive, const std::string& whose, Scope scope, DType type,
                              std::int64_t elements, const Context& context)
{
    const std::int64_t largest = kLargestStack / static_cast<std::int64_t>(byteSize(type));
    if (scope == Scope::Stack && elements > largest) {
        return illegal(primitive + ".too_large",
                       NW_WORDS("{0}: the tile of {1} has {2} elements, more than the {3} that belong on the stack; say heap, "
                                "or a loop further in"),
                       {primitive, whose, std::to_string(elements), std::to_string(largest)}, {whose});
    }
    if (scope != Scope::Registers || context.target == nullptr) {
        return std::nullopt;
    }
    const std::int64_t lanes = std::max(context.target->lanes(type), 1);
    const std::int64_t vectors = (elements + lanes - 1) / lanes;
    if (vectors <= context.target->vectorRegisters) {
        return std::nullopt;
    }
    return illegal(primitive + ".too_large",
                   NW_WORDS("{0}: the tile of {1} has {2} elements, {3} vectors of {4}, but there are {5} registers"),
                   {primitive, whose, std::to_string(elements), std::to_string(vectors), std::to_string(lanes),
                    std::to_string(context.target->vectorRegisters)},
                   {whose});
}

} // namespace nw::schedule
