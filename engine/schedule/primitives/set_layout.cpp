// set_layout BUFFER as (k, n) -> (n / 16, k, n % 16)
//
// The buffer's elements lie in memory as the map says; loops and blocks stay as they are. A constant is packed once,
// when the model is loaded.
// Keeps the order of iteration.
// Refuses inputs and outputs (the planner chooses the layouts of activations, both sides of each must agree), registers,
// and maps that are not invertible or take another number of axes.

#include "engine/base/text.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

namespace nw::schedule {

namespace {

const IndexMap& mapOf(const Args& args)
{
    ENSURE(args.values.size() > 1 && std::holds_alternative<IndexMap>(args.values[1]), "set_layout: the map is not given");
    return std::get<IndexMap>(args.values[1]);
}

Check check(const LoopNest& nest, const Args& args, const Context&)
{
    if (const auto missing = bufferMissing(nest, "set_layout", args.name(0))) {
        return *missing;
    }
    const Buffer& buffer = *nest.buffer(args.name(0));
    if (buffer.scope == Scope::Port && nest.definition->ports.at(static_cast<std::size_t>(buffer.port)).kind != compute::PortKind::Constant) {
        return illegal("set_layout.activation",
                       NW_WORDS("set_layout: {0} is an activation, whose layout belongs to the planner; say \"layout GROUP {0} ...\" in the choices"),
                       {buffer.name}, {buffer.name});
    }
    if (buffer.scope == Scope::Registers) {
        return illegal("set_layout.registers", NW_WORDS("set_layout: {0} lies in registers, which have no layout"), {buffer.name},
                       {buffer.name});
    }
    const IndexMap& map = mapOf(args);
    if (map.axes.size() != buffer.shape.size()) {
        return illegal("set_layout.rank", NW_WORDS("set_layout: {0} has {1} dimensions, the map takes {2}"),
                       {buffer.name, std::to_string(buffer.shape.size()), std::to_string(map.axes.size())}, {buffer.name});
    }
    Layout layout;
    layout.map = map;
    if (const Status invertible = layout.checkInvertible(buffer.shape); !invertible) {
        return illegal("set_layout.not_invertible", NW_WORDS("set_layout: this map does not give each element of {0} a place of its own: {1}"),
                       {buffer.name, invertible.error().message}, {buffer.name});
    }
    layout.border = buffer.layout.border;
    if (layout == buffer.layout || (layout.isPlain() && buffer.layout.isPlain())) {
        return pointless("set_layout.same", NW_WORDS("set_layout: {0} lies this way already"), {buffer.name}, {buffer.name});
    }
    return legal();
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    Applied applied{nest, {}};
    Buffer* buffer = findBuffer(applied.nest, args.name(0));
    ENSURE(buffer != nullptr, "set_layout: there is no such buffer");
    buffer->layout.map = mapOf(args);
    return applied;
}

// For a block: its constants with the last dimension of the vector's width innermost, matrices packed by columns.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context& context)
{
    const LoopNest::Path path = nest.findBlock(name);
    if (!path) {
        return {};
    }
    const std::int64_t lanes = context.target != nullptr ? context.target->lanes(DType::F32) : 8;
    std::vector<Args> proposals;
    for (const Buffer& buffer : nest.buffers) {
        const bool constant = buffer.scope == Scope::Port
            && nest.definition->ports.at(static_cast<std::size_t>(buffer.port)).kind == compute::PortKind::Constant;
        if (!constant || buffer.shape.size() < 2 || !buffer.layout.isPlain()) {
            continue;
        }
        // Output channels come first in a convolution's weights and last in a matrix.
        const std::size_t blocked = buffer.shape.size() == 2 ? 1 : 0;
        IndexMap map = IndexMap::identity(buffer.shape.size());
        const Expr axis = var(map.axes[blocked]);
        std::vector<Expr> out{floorDiv(axis, intImm(lanes))};
        for (std::size_t d = 0; d < buffer.shape.size(); ++d) {
            if (d != blocked) {
                out.push_back(var(map.axes[d]));
            }
        }
        out.push_back(floorMod(axis, intImm(lanes)));
        map.out = std::move(out);
        proposals.push_back({{buffer.name, map}});
    }
    return proposals;
}

} // namespace

const Primitive setLayout{
    "set_layout",
    NW_WORDS("Lay a constant or an internal tensor out in memory in another way"),
    {{"buffer", ParamKind::Buffer, ""}, {"map", ParamKind::Map, "as"}},
    &check,
    &rewrite,
    &propose,
};

} // namespace nw::schedule
