// Operators that move elements: each output element is one input element (or a constant) somewhere else, an expression
// that later element-wise operators swallow.
//   Concat: nested selects. Slice: start + i * step. Pad: a select around the read, or a reflected or clamped index.
//   Gather: the index is read at run time; a negative one counts from the end; one outside is clamped, so that no
//   input can make a kernel read outside.

#include "engine/compute/ops/op_builder.h"
#include "engine/compute/ops/index.h"

#include <algorithm>

namespace nw::compute {
namespace {

// A negative axis counts from the end; npos when outside.
std::size_t axisOf(std::int64_t axis, std::size_t rank)
{
    axis += axis < 0 ? static_cast<std::int64_t>(rank) : 0;
    return axis < 0 || axis >= static_cast<std::int64_t>(rank) ? std::string::npos : static_cast<std::size_t>(axis);
}

Status buildTranspose(OpContext& context)
{
    const std::vector<Axis> axes = context.outputAxes();
    const std::vector<std::int64_t> order = context.attributes().integers("perm");
    std::vector<Expr> place(axes.size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t from = order.empty() ? axes.size() - 1 - i : static_cast<std::size_t>(order.at(i));
        place.at(from) = var(axes[i].name);
    }
    context.finish(0, axes, context.read(0, place));
    return Done{};
}

Status buildConcat(OpContext& context)
{
    const std::vector<Axis> axes = context.outputAxes();
    const std::size_t along = axisOf(context.attributes().integer("axis", 0), axes.size());
    if (along == std::string::npos) {
        return context.refusal("the axis is outside the tensor");
    }
    std::vector<std::size_t> parts;
    for (std::size_t i = 0; i < context.inputCount(); ++i) {
        if (context.hasInput(i) && !isConst(context.inputShape(i)[along], 0)) {
            parts.push_back(i);
        }
    }
    if (parts.empty()) {
        parts.push_back(0);
    }
    std::vector<Expr> reads;
    std::vector<Expr> ends;
    Expr start = intImm(0);
    for (const std::size_t part : parts) {
        std::vector<Expr> place = varsOf(axes);
        place[along] = isConst(start, 0) ? place[along] : place[along] - start;
        reads.push_back(context.read(part, place));
        start = added(start, context.inputShape(part)[along]);
        ends.push_back(start);
    }
    Expr body = reads.back();
    for (std::size_t i = reads.size() - 1; i-- > 0;) {
        body = select(lessThan(var(axes[along].name), ends[i]), reads[i], body);
    }
    context.finish(0, axes, std::move(body));
    return Done{};
}

Status buildSlice(OpContext& context)
{
    const std::vector<Axis> axes = context.outputAxes();
    const graph::Attributes& attributes = context.attributes();
    const std::vector<std::int64_t> starts = attributes.integers("starts");
    const std::vector<std::int64_t> along = attributes.integers("axes");
    const std::vector<std::int64_t> steps = attributes.integers("steps", std::vector<std::int64_t>(starts.size(), 1));
    std::vector<Expr> place = varsOf(axes);
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t axis = axisOf(along.empty() ? static_cast<std::int64_t>(i) : along.at(i), axes.size());
        if (axis == std::string::npos) {
            return context.refusal("an axis is outside the tensor");
        }
        place[axis] = steps[i] > 0 ? shifted(scaled(place[axis], steps[i]), starts[i])
                                   : intImm(starts[i]) - scaled(place[axis], -steps[i]);
    }
    context.finish(0, axes, context.read(0, place));
    return Done{};
}

Status buildGather(OpContext& context)
{
    const std::vector<Axis> axes = context.outputAxes();
    const std::vector<Expr>& shape = context.inputShape(0);
    const std::size_t along = axisOf(context.attributes().integer("axis", 0), shape.size());
    if (along == std::string::npos || !isInteger(context.inputType(1))) {
        return context.refusal("it needs integer indices and an axis inside the tensor");
    }
    const std::size_t indexRank = context.inputShape(1).size();
    const std::vector<Expr> at = varsOf(axes);
    const auto begin = at.begin() + static_cast<std::ptrdiff_t>(along);
    const auto end = begin + static_cast<std::ptrdiff_t>(indexRank);
    const Expr& extent = shape[along];
    const Expr index = castTo(DType::I64, context.read(1, {begin, end}));
    const Expr wrapped = select(lessThan(index, intImm(0)), index + extent, index);
    const Expr inside = binary(BinaryOp::Min, binary(BinaryOp::Max, wrapped, intImm(0)), extent - 1);
    std::vector<Expr> place(at.begin(), begin);
    place.push_back(inside);
    place.insert(place.end(), end, at.end());
    if (const std::optional<std::int64_t> count = constInt(extent)) {
        context.limitInput(1, -static_cast<double>(*count), static_cast<double>(*count) - 1);
    }
    context.finish(0, axes, context.read(0, place));
    return Done{};
}

Status buildExpand(OpContext& context)
{
    const std::vector<Axis> axes = context.outputAxes();
    context.finish(0, axes, context.readBroadcast(0, context.outputShape(), varsOf(axes)));
    return Done{};
}

// Index into an axis of `extent` for a place that may lie up to extent - 1 outside: 0 is not repeated.
Expr reflected(const Expr& place, const Expr& extent)
{
    const Expr last = extent - 1;
    return last - unary(UnaryOp::Abs, last - unary(UnaryOp::Abs, place));
}

Status buildPad(OpContext& context)
{
    const std::vector<Axis> axes = context.outputAxes();
    const std::vector<std::int64_t> pads = context.attributes().integers("pads");
    const std::string mode = context.attributes().text("mode", "constant");
    const std::vector<Expr>& shape = context.inputShape(0);
    if (pads.size() != 2 * axes.size()) {
        return context.refusal("the pads do not fit the rank");
    }
    std::vector<Expr> place;
    std::vector<Expr> guards;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const Expr at = var(axes[i].name);
        const std::int64_t before = pads[i];
        const std::int64_t after = pads[axes.size() + i];
        const Expr moved = shifted(at, -before);
        if (before <= 0 && after <= 0) {
            place.push_back(moved);
        } else if (mode == "reflect") {
            place.push_back(reflected(moved, shape[i]));
        } else if (mode == "edge") {
            place.push_back(binary(BinaryOp::Min, binary(BinaryOp::Max, moved, intImm(0)), shape[i] - 1));
        } else if (mode == "wrap") {
            place.push_back(floorMod(moved, shape[i]));
        } else if (mode == "constant") {
            place.push_back(moved);
            if (before > 0) {
                guards.push_back(binary(BinaryOp::Ge, at, intImm(before)));
            }
            if (after > 0) {
                guards.push_back(lessThan(at, shifted(shape[i], before)));
            }
        } else {
            return context.refusal("there is no mode \"" + mode + "\"");
        }
    }
    Expr body = context.read(0, place);
    if (!guards.empty()) {
        body = select(allOf(guards), body, literal(body->type(), context.attributes().real("value", 0)));
    }
    context.finish(0, axes, std::move(body));
    return Done{};
}

Status buildTile(OpContext& context)
{
    const std::vector<Axis> axes = context.outputAxes();
    std::vector<Expr> place;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const Expr& extent = context.inputShape(0).at(i);
        const Expr at = var(axes[i].name);
        place.push_back(equal(extent, axes[i].extent) ? at : isConst(extent, 1) ? intImm(0) : floorMod(at, extent));
    }
    context.finish(0, axes, context.read(0, place));
    return Done{};
}

// Views need no kernel; these serve where one is asked for all the same (an output that is a view of an input).
Status buildReshape(OpContext& context)
{
    const std::vector<Axis> axes = context.outputAxes();
    const Expr flat = flatIndex(varsOf(axes), context.outputShape());
    context.finish(0, axes, context.read(0, unflattened(flat, context.inputShape(0))));
    return Done{};
}

Status buildIdentity(OpContext& context)
{
    const std::vector<Axis> axes = context.outputAxes();
    context.finish(0, axes, context.read(0, varsOf(axes)));
    return Done{};
}

constexpr OpBuilder kBuilders[] = {
    {"Transpose", &buildTranspose}, {"Concat", &buildConcat},   {"Slice", &buildSlice},
    {"Gather", &buildGather},       {"Expand", &buildExpand},   {"Pad", &buildPad},
    {"Tile", &buildTile},           {"Reshape", &buildReshape}, {"Identity", &buildIdentity},
};

} // namespace

std::span<const OpBuilder> movementBuilders()
{
    return kBuilders;
}

} // namespace nw::compute
