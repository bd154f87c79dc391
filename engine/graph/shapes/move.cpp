#include "engine/base/text.h"
#include "engine/graph/shapes/shapes.h"

#include <algorithm>
#include <limits>

namespace nw::graph {
namespace {

// The type that the output value already has: what Reshape and Expand go by.
const TensorType* givenType(const ShapeContext& c)
{
    if (c.node->outputs.empty() || c.node->outputs[0] == kNoValue) {
        return nullptr;
    }
    return &c.graph->values[static_cast<std::size_t>(c.node->outputs[0])].type;
}

Result<Expr> sliced(const Expr& extent, std::int64_t start, std::int64_t end, std::int64_t step)
{
    if (step == 0) {
        return failed("a step is 0");
    }
    if (const auto value = constInt(extent)) {
        const bool up = step > 0;
        const bool fits = start >= 0 && start <= *value && end >= (up ? 0 : -1) && end <= *value;
        if (!fits) {
            return failed(format("start {} and end {} do not fit an extent of {}", start, end, *value));
        }
        const std::int64_t span = up ? end - start : start - end;
        const std::int64_t stride = up ? step : (step == std::numeric_limits<std::int64_t>::min() ? 1 : -step);
        return intImm(span <= 0 ? 0 : (span - 1) / stride + 1);
    }
    if (step != 1) {
        return failed(format("with the step {} the extent {} must be bound", step, toText(extent)));
    }
    const auto place = [&](std::int64_t at) {
        if (at == std::numeric_limits<std::int64_t>::max()) {
            return extent;
        }
        return simplifyExtent(at < 0 ? binary(BinaryOp::Max, extent + at, intImm(0))
                                     : binary(BinaryOp::Min, extent, intImm(at)));
    };
    return simplifyExtent(binary(BinaryOp::Max, place(end) - place(start), intImm(0)));
}

} // namespace

ShapeResult shapeTranspose(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    const std::vector<std::int64_t> perm = c.node->attributes.integers("perm");
    std::vector<bool> seen(x.shape.size(), false);
    Extents shape;
    for (const std::int64_t axis : perm) {
        if (axis < 0 || axis >= static_cast<std::int64_t>(seen.size()) || seen[static_cast<std::size_t>(axis)]) {
            break;
        }
        seen[static_cast<std::size_t>(axis)] = true;
        shape.push_back(x.shape[static_cast<std::size_t>(axis)]);
    }
    if (shape.size() != perm.size() || shape.size() != x.shape.size()) {
        return failed(format("perm [{}] is no permutation of its {} axes", fmt::join(perm, ", "), x.shape.size()));
    }
    return oneType(x.type, std::move(shape));
}

ShapeResult shapeReshape(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    const TensorType* given = givenType(c);
    Extents shape = given != nullptr ? given->shape : extentsOf(c.node->attributes.integers("shape"));
    const auto from = productOf(x.shape);
    const auto to = productOf(shape);
    if (!from || !to) {
        return failed("a shape has more elements than 64 bits can count");
    }
    if (const Status same = checkSame(*from, *to, "the numbers of elements"); !same) {
        return failed(format("shape {} cannot become {}: {}", shapeText(x.shape), shapeText(shape), same.error().message));
    }
    return oneType(x.type, std::move(shape));
}

ShapeResult shapeConcat(const ShapeContext& c)
{
    const TensorType& first = inputType(c, 0);
    const Result<std::int64_t> axis = axisOf(c.node->attributes.integer("axis", 0), first.shape.size());
    if (!axis) {
        return axis.error();
    }
    const auto at = static_cast<std::size_t>(*axis);
    Extents shape = first.shape;
    for (std::size_t i = 1; i < c.node->inputs.size(); ++i) {
        const TensorType& next = inputType(c, i);
        if (next.type != first.type || next.shape.size() != shape.size()) {
            return failed(format("its inputs {}{} and {}{} cannot be joined", toText(first.type), shapeText(first.shape),
                toText(next.type), shapeText(next.shape)));
        }
        for (std::size_t d = 0; d < shape.size(); ++d) {
            if (d == at) {
                continue;
            }
            if (const Status same = checkSame(shape[d], next.shape[d], format("the extents of axis {}", d)); !same) {
                return same.error();
            }
        }
        shape[at] = simplifyExtent(shape[at] + next.shape[at]);
    }
    return oneType(first.type, std::move(shape));
}

ShapeResult shapeGather(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    const TensorType& indices = inputType(c, 1);
    if (indices.type != DType::I64 && indices.type != DType::I32) {
        return failed("its indices must be i64 or i32");
    }
    const Result<std::int64_t> axis = axisOf(c.node->attributes.integer("axis", 0), x.shape.size());
    if (!axis) {
        return axis.error();
    }
    Extents shape(x.shape.begin(), x.shape.begin() + *axis);
    shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
    shape.insert(shape.end(), x.shape.begin() + *axis + 1, x.shape.end());
    return oneType(x.type, std::move(shape));
}

ShapeResult shapeSlice(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    const Attributes& a = c.node->attributes;
    const auto starts = a.integers("starts");
    const auto ends = a.integers("ends");
    const auto axes = a.integers("axes");
    const auto steps = a.integers("steps");
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
        return failed("starts, ends, axes and steps have different lengths");
    }
    Extents shape = x.shape;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] < 0 || axes[i] >= static_cast<std::int64_t>(shape.size())) {
            return failed(format("axis {} is outside the rank {} of its input", axes[i], shape.size()));
        }
        Expr& extent = shape[static_cast<std::size_t>(axes[i])];
        Result<Expr> kept = sliced(extent, starts[i], ends[i], steps[i]);
        if (!kept) {
            return failed(format("axis {}: {}", axes[i], kept.error().message));
        }
        extent = *std::move(kept);
    }
    return oneType(x.type, std::move(shape));
}

ShapeResult shapeExpand(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    const TensorType* given = givenType(c);
    ENSURE(given != nullptr, "Expand needs the type of its output");
    if (const Status fits = checkBroadcastTo(x.shape, given->shape); !fits) {
        return fits.error();
    }
    return oneType(x.type, given->shape);
}

ShapeResult shapePad(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    const auto pads = c.node->attributes.integers("pads");
    const std::size_t rank = x.shape.size();
    if (pads.size() != 2 * rank) {
        return failed(format("it has {} pads for {} axes", pads.size(), rank));
    }
    const std::string mode = c.node->attributes.text("mode", "constant");
    Extents shape;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t before = pads[i];
        const std::int64_t after = pads[i + rank];
        if (before < 0 || after < 0 || before > (std::int64_t{1} << 60) || after > (std::int64_t{1} << 60)) {
            return failed(format("its pads {} and {} on axis {} are no sensible values", before, after, i));
        }
        const auto extent = constInt(x.shape[i]);
        const std::int64_t most = extent ? (mode == "reflect" ? *extent - 1 : *extent) : before + after;
        const bool mirrored = mode == "reflect" || (mode == "edge" && extent && *extent == 0) || mode == "wrap";
        if (mirrored && (before > most || after > most) && before + after > 0) {
            return failed(format("mode {} cannot pad axis {} of extent {} by {} and {}", mode, i, toText(x.shape[i]), before,
                after));
        }
        shape.push_back(simplifyExtent(x.shape[i] + (before + after)));
    }
    return oneType(x.type, std::move(shape));
}

ShapeResult shapeTile(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    const auto repeats = c.node->attributes.integers("repeats");
    if (repeats.size() != x.shape.size()) {
        return failed(format("it has {} repeats for {} axes", repeats.size(), x.shape.size()));
    }
    Extents shape;
    for (std::size_t i = 0; i < repeats.size(); ++i) {
        const auto extent = productOf(Extents{x.shape[i], intImm(repeats[i])});
        if (repeats[i] < 0 || !extent) {
            return failed(format("it cannot repeat axis {} of extent {} {} times", i, toText(x.shape[i]), repeats[i]));
        }
        shape.push_back(*extent);
    }
    return oneType(x.type, std::move(shape));
}

ShapeResult shapeNonZero(const ShapeContext& c)
{
    // The number of columns is the value's, not the shape's: known once folded.
    const auto rank = static_cast<std::int64_t>(inputType(c, 0).shape.size());
    return oneType(DType::I64, {intImm(rank), intImm(0)});
}

ShapeResult shapeRange(const ShapeContext& c)
{
    const TensorType& start = inputType(c, 0);
    if (!isNumeric(start.type) || inputType(c, 1).type != start.type || inputType(c, 2).type != start.type) {
        return failed("its inputs must be numbers of one type");
    }
    return oneType(start.type, {intImm(0)});
}

} // namespace nw::graph
