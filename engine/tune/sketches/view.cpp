#include "engine/tune/sketches/view.h"

#include "engine/schedule/analysis/access.h"
#include "engine/schedule/template_names.h"

#include <algorithm>

namespace nw::tune::sketches {

namespace {

constexpr double kOfTranscendental = 10;

double operationsOf(const schedule::Block& block)
{
    double operations = block.isReduction() ? 1 : 0;
    walk(block.value, [&](const Expr& e) {
        const auto* unary = e->as<Unary>();
        const bool isCheap = unary != nullptr && (unary->op == UnaryOp::Neg || unary->op == UnaryOp::Abs || unary->op == UnaryOp::Not);
        operations += unary != nullptr ? (isCheap ? 1 : kOfTranscendental) : 0;
        operations += e->as<Binary>() != nullptr && e->type() != DType::Bool ? 1 : 0;
        return e->as<Load>() == nullptr; // index arithmetic is no work
    });
    return std::max(operations, 1.0);
}

Movement movementOf(const schedule::Buffer& buffer, const std::vector<Expr>& indices, const std::vector<BlockLoop>& loops, const std::string& loop,
                    const Ranges& ranges)
{
    Movement found;
    for (const Expr& index : indices) {
        found.moves = found.moves || usesVar(simplify(index, ranges), loop);
    }
    if (!found.moves) {
        found.stride = 0;
        return found;
    }
    std::optional<std::int64_t> offsets[2];
    for (const std::int64_t step : {0, 1}) {
        Substitution values;
        for (const BlockLoop& other : loops) {
            values[other.name] = intImm(other.name == loop ? step : 0);
        }
        std::vector<Expr> at;
        for (const Expr& index : indices) {
            at.push_back(simplify(substitute(index, values)));
        }
        offsets[step] = constInt(simplify(buffer.layout.offset(at, buffer.shape, {})));
    }
    found.stride = offsets[0] && offsets[1] ? std::optional(*offsets[1] - *offsets[0]) : std::nullopt;
    return found;
}

} // namespace

const BlockAccess& BlockView::written() const
{
    const auto found = std::find_if(accesses.begin(), accesses.end(), [](const BlockAccess& access) { return access.isWrite; });
    ENSURE(found != accesses.end(), "a block that writes nothing");
    return *found;
}

std::size_t BlockView::indexOf(const std::string& name) const
{
    const auto found = std::find_if(loops.begin(), loops.end(), [&](const BlockLoop& each) { return each.name == name; });
    return static_cast<std::size_t>(found - loops.begin());
}

const BlockLoop* BlockView::loop(const std::string& name) const
{
    const std::size_t at = indexOf(name);
    return at < loops.size() ? &loops[at] : nullptr;
}

double BlockView::points() const
{
    double all = 1;
    for (const BlockLoop& each : loops) {
        all *= static_cast<double>(each.extent);
    }
    return all;
}

double BlockView::terms() const
{
    double all = 1;
    for (const BlockLoop& each : loops) {
        all *= each.isReduction ? static_cast<double>(each.extent) : 1;
    }
    return all;
}

std::int64_t BlockView::blockWidth(const schedule::LoopNest& nest, std::size_t loop) const
{
    for (const BlockAccess& access : accesses) {
        const std::optional<schedule::BlockedAxis> axis = schedule::blockedAxis(nest.buffer(access.buffer)->layout);
        if (axis && access.by[loop].moves && access.by[loop].stride == 1) {
            return axis->width;
        }
    }
    return 0;
}

std::int64_t BlockView::groupOf(std::size_t loop) const
{
    std::int64_t group = 0;
    for (const BlockAccess& access : accesses) {
        for (const Expr& index : access.indices) {
            walk(index, [&](const Expr& part) {
                const auto* quotient = part->as<Binary>();
                const auto* named = quotient != nullptr && quotient->op == BinaryOp::FloorDiv ? quotient->a->as<Var>() : nullptr;
                const std::optional<std::int64_t> by = named != nullptr && named->name == loops[loop].name ? constInt(quotient->b) : std::nullopt;
                group = by && *by > 1 && *by < loops[loop].extent ? *by : group;
                return group == 0;
            });
        }
    }
    return group;
}

BlockView viewOf(const schedule::LoopNest& nest, const std::string& name)
{
    const schedule::LoopNest::Path path = nest.findBlock(name);
    ENSURE(path, "a sketch speaks of a block that is not there");
    const schedule::Block& block = *path.block;
    BlockView view;
    view.block = name;
    view.stage = block.stage;
    view.type = nest.buffer(block.buffer)->type;
    view.isReduction = block.isReduction();
    view.operations = operationsOf(block);
    const std::vector<std::string> sums = schedule::boundLoops(block, true);
    Ranges ranges;
    for (const schedule::Loop* loop : path.loops) {
        const std::int64_t extent = schedule::constantExtent(*loop).value_or(1);
        view.loops.push_back({loop->name, extent, std::find(sums.begin(), sums.end(), loop->name) != sums.end()});
        ranges[loop->name] = Interval::ofExtent(extent);
    }
    for (const schedule::Access& made : schedule::accessesOf(block)) {
        const schedule::Buffer& buffer = *nest.buffer(made.buffer);
        BlockAccess access;
        access.buffer = made.buffer;
        access.isWrite = made.isWrite;
        access.isInternal = buffer.port < 0;
        access.isConstant = buffer.port >= 0 && nest.definition->ports[static_cast<std::size_t>(buffer.port)].kind == compute::PortKind::Constant;
        access.indices = made.indices;
        for (const BlockLoop& loop : view.loops) {
            access.by.push_back(movementOf(buffer, made.indices, view.loops, loop.name, ranges));
        }
        view.accesses.push_back(std::move(access));
    }
    return view;
}

DType laneType(DType type)
{
    return type == DType::Bool ? DType::F32 : type;
}

} // namespace nw::tune::sketches
