// set_layout BUFFER as (k, n) -> (n / 16, k, n % 16)
//
//   T [64, 40]                   =>   T [64, 40] as (k, n) -> (n / 16, k, n % 16), in memory [3, 64, 16]
//     T[k, n] at k * 40 + n             T[k, n] at n / 16 * 1024 + k * 16 + n % 16
//
// The buffer's elements lie in memory as the map says; loops and blocks stay as they are. A constant is packed once,
// when the model is loaded; the kernel's own buffers are written and read that way. Each memory index is a sum of
// dimensions times literals, of their quotients and remainders by literals: blocking (a last block that is not full keeps
// its width), other orders, dimensions merged (a * 8 + b), skewed (i + j, j), rotated (i, (i + j) % 8) or moved (i + 3).
// Places to which no element goes stay unused; an index that goes below 0 is counted from its least value.
// Keeps the order of iteration.
// Refuses inputs and outputs (the planner chooses the layouts of activations, both sides of each must agree), registers
// (which have no addresses), maps that put two elements into one place or take another number of dimensions, maps that
// spread the elements far, and buffers with room between their rows (which was measured for another layout).

#include "engine/base/injective.h"
#include "engine/base/tensor.h"
#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>
#include <functional>

namespace nw::schedule {

namespace {

constexpr std::int64_t kSmall = std::int64_t{1} << 20; // bytes that may be spread further

const IndexMap& mapOf(const Args& args)
{
    ENSURE(args.values.size() > 1 && std::holds_alternative<IndexMap>(args.values[1]), "set_layout: the map is not given");
    return std::get<IndexMap>(args.values[1]);
}

bool isConstant(const LoopNest& nest, const Buffer& buffer)
{
    return buffer.scope == Scope::Port
        && nest.definition->ports.at(static_cast<std::size_t>(buffer.port)).kind == compute::PortKind::Constant;
}

// Sums, products by literals, quotients and remainders by positive literals.
bool isIndexArithmetic(const Expr& e)
{
    if (e->as<Var>() != nullptr || e->as<IntImm>() != nullptr) {
        return true;
    }
    if (const auto* negated = e->as<Unary>(); negated != nullptr && negated->op == UnaryOp::Neg) {
        return isIndexArithmetic(negated->a);
    }
    const auto* n = e->as<Binary>();
    if (n == nullptr || !isIndexArithmetic(n->a) || !isIndexArithmetic(n->b)) {
        return false;
    }
    const std::optional<std::int64_t> by = constInt(n->b);
    switch (n->op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: return true;
    case BinaryOp::Mul: return by || constInt(n->a);
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod: return by && *by > 0;
    default: return false;
    }
}

std::optional<Check> bufferUnfit(const LoopNest& nest, const Buffer& buffer, const Args& args, const Context& context)
{
    if (buffer.scope == Scope::Port && !isConstant(nest, buffer)) {
        return illegal("set_layout.activation",
                       NW_WORDS("set_layout: {0} is an activation, whose layout belongs to the planner; say \"layout GROUP {0} ...\" in the choices"),
                       {buffer.name}, {buffer.name});
    }
    if (buffer.scope == Scope::Registers) {
        return illegal("set_layout.registers",
                       NW_WORDS("set_layout: {0} lies in registers, which have no addresses; vectorize puts its lanes side by side"),
                       {buffer.name}, {buffer.name});
    }
    if (buffer.layout.border.empty() || buffer.scope == Scope::Port) {
        return std::nullopt;
    }
    Check found = illegal("set_layout.room",
                          NW_WORDS("set_layout: the room between the rows of {0} was made for the layout it has; lay it out first, then "
                                   "make room"),
                          {buffer.name}, {buffer.name});
    for (std::size_t d = 0; d < buffer.shape.size() && found.why.unlocks.empty(); ++d) {
        const Args without{{buffer.name, static_cast<std::int64_t>(d), std::int64_t{1}, ArgValue{}}};
        if (storageAlign.check(nest, without, context).verdict == Verdict::Legal) {
            found.why.unlocks = ifItUnlocks(nest, context, storageAlign, without,
                                            line("storage_align", {buffer.name, std::to_string(d), "1"}), setLayout, args);
        }
    }
    return found;
}

std::optional<Check> mapUnfit(const Buffer& buffer, const IndexMap& map)
{
    if (map.axes.size() != buffer.shape.size()) {
        return illegal("set_layout.rank", NW_WORDS("set_layout: {0} has {1} dimensions, the map takes {2}"),
                       {buffer.name, std::to_string(buffer.shape.size()), std::to_string(map.axes.size())}, {buffer.name});
    }
    for (const Expr& index : map.out) {
        if (!isIndexArithmetic(simplify(index))) {
            return illegal("set_layout.not_affine",
                           NW_WORDS("set_layout: {1} is no sum of dimensions, their products, quotients and remainders by literals; "
                                    "where an element of {0} lies would be hard to compute"),
                           {buffer.name, nw::toText(index)}, {buffer.name});
        }
    }
    return std::nullopt;
}

// Before invertibility, which may try every place.
std::optional<Check> spread(const Buffer& buffer, const Layout& layout, const Context& context)
{
    const Result<std::vector<std::int64_t>> shape = layout.memoryShape(buffer.shape);
    const Result<std::int64_t> places = shape ? elementCount(*shape) : Result<std::int64_t>(shape.error());
    const Result<std::int64_t> elements = elementCount(buffer.shape);
    const auto size = static_cast<std::int64_t>(byteSize(buffer.type));
    const auto counted = [](const Result<std::int64_t>& count) { return count ? std::to_string(*count) : "more than 2^62"; };
    if (!elements || !places || ((*places - 1) / kMostSpread >= *elements && *places > kSmall / size)) {
        return illegal("set_layout.spread",
                       NW_WORDS("set_layout: the {1} elements of {0} would be spread over {2} places; at most {3} for each are allowed"),
                       {buffer.name, counted(elements), counted(places), std::to_string(kMostSpread)},
                       {buffer.name});
    }
    return tooLarge("set_layout", buffer.name, buffer.scope == Scope::Stack ? Scope::Stack : Scope::Heap, buffer.type, *places, context);
}

std::optional<Check> notInvertible(const Buffer& buffer, const Layout& layout)
{
    if (layout.checkInvertible(buffer.shape)) {
        return std::nullopt;
    }
    std::vector<std::int64_t> bordered = buffer.shape, before(buffer.shape.size(), 0);
    for (std::size_t d = 0; d < layout.border.size(); ++d) {
        before[d] = layout.border[d].first;
        bordered[d] += layout.border[d].first + layout.border[d].second;
    }
    const std::optional<SamePlace> met = samePlace(layout.map, bordered);
    if (!met) {
        return illegal("set_layout.not_shown",
                       NW_WORDS("set_layout: whether each element of {0} has a place of its own is not known, and there are too many "
                                "to try all of them; cut a dimension into quotient and remainder, or add one that stands alone to another"),
                       {buffer.name}, {buffer.name});
    }
    const auto text = [&before](std::vector<std::int64_t> point) {
        std::transform(point.begin(), point.end(), before.begin(), point.begin(), std::minus());
        return format("[{}]", fmt::join(point, ", "));
    };
    return illegal("set_layout.not_invertible",
                   NW_WORDS("set_layout: the elements {1} and {2} of {0} would lie in one place"),
                   {buffer.name, text(met->first), text(met->second)}, {buffer.name});
}

// Whatever the axes are called.
bool sameIndices(const IndexMap& a, const IndexMap& b, const std::vector<std::int64_t>& shape)
{
    const IndexMap plain = IndexMap::identity(shape.size());
    Ranges ranges;
    std::vector<Expr> point;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        point.push_back(var(plain.axes[d]));
        ranges.emplace(plain.axes[d], Interval::ofExtent(shape[d]));
    }
    const std::vector<Expr> first = a.apply(point, ranges);
    const std::vector<Expr> second = (b.axes.empty() ? plain : b).apply(point, ranges);
    return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                      [](const Expr& x, const Expr& y) { return equal(x, y); });
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    if (const auto missing = bufferMissing(nest, "set_layout", args.name(0))) {
        return *missing;
    }
    const Buffer& buffer = *nest.buffer(args.name(0));
    Layout layout;
    layout.map = mapOf(args);
    layout.border = buffer.layout.border;
    if (auto found = bufferUnfit(nest, buffer, args, context)) {
        return *std::move(found);
    }
    if (auto found = mapUnfit(buffer, layout.map)) {
        return *std::move(found);
    }
    if (auto found = spread(buffer, layout, context)) {
        return *std::move(found);
    }
    if (auto found = notInvertible(buffer, layout)) {
        return *std::move(found);
    }
    if (sameIndices(layout.map, buffer.layout.map, buffer.shape)) {
        return pointless("set_layout.same", NW_WORDS("set_layout: {0} lies this way already"), {buffer.name}, {buffer.name});
    }
    return legal();
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    Applied applied{nest, {}};
    Buffer* buffer = findBuffer(applied.nest, args.name(0));
    ENSURE(buffer != nullptr, "set_layout: there is no such buffer");
    ENSURE(buffer->scope != Scope::Registers, "set_layout: registers have no addresses");
    ENSURE(buffer->layout.border.empty() || buffer->scope == Scope::Port, "set_layout: the room belongs to the old layout");
    buffer->layout.map = mapOf(args);
    ENSURE(buffer->layout.checkInvertible(buffer->shape), "set_layout: elements would share a place");
    return applied;
}

// Blocks of one dimension innermost, the others in their order.
IndexMap blockedMap(std::size_t rank, std::size_t blocked, std::int64_t width)
{
    IndexMap map = IndexMap::identity(rank);
    const Expr axis = var(map.axes[blocked]);
    std::vector<Expr> out{floorDiv(axis, intImm(width))};
    for (std::size_t d = 0; d < rank; ++d) {
        if (d != blocked) {
            out.push_back(var(map.axes[d]));
        }
    }
    out.push_back(floorMod(axis, intImm(width)));
    map.out = std::move(out);
    return map;
}

// For a block: the constants, and what it writes and reads of the kernel's own, with one dimension in blocks of the
// vector's width; matrices of the kernel's own transposed, too.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context& context)
{
    const LoopNest::Path path = nest.findBlock(name);
    if (!path) {
        return {};
    }
    const std::int64_t lanes = context.target != nullptr ? context.target->lanes(DType::F32) : 8;
    std::vector<Args> proposals;
    for (const Buffer& buffer : nest.buffers) {
        const std::size_t rank = buffer.shape.size();
        const bool own = (buffer.scope == Scope::Heap || buffer.scope == Scope::Stack)
            && (path.block->buffer == buffer.name || readsBuffer(*path.block, buffer.name));
        if (rank < 2 || !buffer.layout.isPlain() || (!own && !isConstant(nest, buffer))) {
            continue;
        }
        // Channels come first in a convolution's weights, behind the batch in its result and last in a matrix.
        const std::size_t channels = own ? 1 : 0;
        proposals.push_back({{buffer.name, blockedMap(rank, rank == 2 ? 1 : channels, lanes)}});
        if (own && rank == 2 && buffer.shape[0] > 1 && buffer.shape[1] > 1) {
            IndexMap transposed = IndexMap::identity(2);
            std::swap(transposed.out[0], transposed.out[1]);
            proposals.push_back({{buffer.name, transposed}});
        }
    }
    return proposals;
}

} // namespace

const Primitive setLayout{
    "set_layout",
    NW_WORDS("Lay a constant or a buffer of the kernel's own out in memory in another way"),
    {{"buffer", ParamKind::Buffer, ""}, {"map", ParamKind::Map, "as"}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Layout,
    'L',
};

} // namespace nw::schedule
