#include "engine/base/text.h"
#include "engine/graph/shapes/shapes.h"

#include <algorithm>

namespace nw::graph {
namespace {

struct Window {
    std::vector<std::int64_t> kernel, pads, strides, dilations;
    bool ceil = false;
};

Status checkWindow(const Window& w, std::size_t spatial)
{
    if (w.kernel.size() != spatial || w.strides.size() != spatial || w.dilations.size() != spatial ||
        w.pads.size() != 2 * spatial) {
        return failed(format("kernel_shape, strides, dilations and pads must fit the {} spatial axes of its input", spatial));
    }
    const auto check = [](const std::vector<std::int64_t>& values, std::int64_t low, std::string_view what) -> Status {
        for (const std::int64_t value : values) {
            if (value < low || value > (std::int64_t{1} << 40)) {
                return failed(format("{} holds {}, which is no sensible value", what, value));
            }
        }
        return Done{};
    };
    for (const Status& status : {check(w.kernel, 1, "kernel_shape"), check(w.strides, 1, "strides"),
             check(w.dilations, 1, "dilations"), check(w.pads, 0, "pads")}) {
        if (!status) {
            return status.error();
        }
    }
    return Done{};
}

// Number of window positions along one axis.
Result<Expr> positions(const Expr& extent, const Window& w, std::size_t axis)
{
    const std::size_t spatial = w.kernel.size();
    std::int64_t reach = 0; // of the dilated kernel
    if (__builtin_mul_overflow(w.kernel[axis] - 1, w.dilations[axis], &reach)) {
        return failed("its dilated kernel is too large");
    }
    ++reach;
    const std::int64_t before = w.pads[axis];
    const std::int64_t stride = w.strides[axis];
    const Expr room = simplifyExtent(extent + (before + w.pads[axis + spatial] - reach));
    if (const auto value = constInt(room)) {
        if (*value < 0) {
            return failed(format("its kernel reaches over {} elements of axis {}, more than the padded input's {}", reach,
                axis + 2, *value + reach));
        }
        std::int64_t count = (w.ceil ? (*value + stride - 1) / stride : *value / stride) + 1;
        if (w.ceil && (count - 1) * stride >= *constInt(extent) + before) {
            --count;
        }
        return intImm(count);
    }
    if (w.ceil && stride != 1) {
        return failed(format("with ceil_mode the extent {} must be bound", toText(extent)));
    }
    return simplifyExtent(floorDiv(room, intImm(stride)) + 1);
}

Result<Extents> slide(const Extents& x, const Window& w)
{
    if (const Status fine = checkWindow(w, x.size() - 2); !fine) {
        return fine.error();
    }
    Extents out;
    for (std::size_t axis = 0; axis + 2 < x.size(); ++axis) {
        Result<Expr> count = positions(x[axis + 2], w, axis);
        if (!count) {
            return count.error();
        }
        out.push_back(*std::move(count));
    }
    return out;
}

Window windowOf(const Node& node)
{
    const Attributes& a = node.attributes;
    return {a.integers("kernel_shape"), a.integers("pads"), a.integers("strides"), a.integers("dilations"),
        a.integer("ceil_mode", 0) != 0};
}

Result<Extents> pooled(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    if (x.shape.size() < 3) {
        return failed(format("its input has rank {}; it takes batch, channels and at least one spatial axis", x.shape.size()));
    }
    Result<Extents> spatial = slide(x.shape, windowOf(*c.node));
    if (!spatial) {
        return spatial.error();
    }
    Extents shape{x.shape[0], x.shape[1]};
    shape.insert(shape.end(), spatial->begin(), spatial->end());
    return shape;
}

Status checkConvChannels(const ShapeContext& c, const Extents& x, const Extents& w)
{
    const std::int64_t group = c.node->attributes.integer("group", 1);
    if (group < 1 || group > (std::int64_t{1} << 31)) {
        return failed(format("group is {}; it must be at least 1", group));
    }
    const auto filters = constInt(w[0]);
    if (!filters || *filters % group != 0) {
        return failed(format("its {} filters cannot be shared out to {} groups", toText(w[0]), group));
    }
    if (const Status same = checkSame(x[1], simplifyExtent(w[1] * group), "the channels of input and weight"); !same) {
        return same.error();
    }
    if (hasInput(c, 2)) {
        const Extents& bias = inputType(c, 2).shape;
        if (bias.size() != 1 || !sameExtent(bias[0], w[0])) {
            return failed(format("its bias has shape {}, not [{}]", shapeText(bias), toText(w[0])));
        }
    }
    return Done{};
}

} // namespace

ShapeResult shapeConv(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    const TensorType& w = inputType(c, 1);
    if (!isFloat(x.type) || x.type != w.type || (hasInput(c, 2) && inputType(c, 2).type != x.type)) {
        return failed("its inputs must be floats of one type");
    }
    if (x.shape.size() < 3 || x.shape.size() != w.shape.size()) {
        return failed(format("its input has shape {} and its weight {}; both need the same rank, at least 3",
            shapeText(x.shape), shapeText(w.shape)));
    }
    const auto kernel = literalsOf(std::span(w.shape).subspan(2));
    if (!kernel) {
        return failed(format("the extents of its weight {} must be known; bind {}", shapeText(w.shape),
            symbolsText(w.shape)));
    }
    if (const Status channels = checkConvChannels(c, x.shape, w.shape); !channels) {
        return channels.error();
    }
    Window window = windowOf(*c.node);
    window.kernel = *kernel;
    window.ceil = false;
    const Result<Extents> spatial = slide(x.shape, window);
    if (!spatial) {
        return spatial.error();
    }
    Extents shape{x.shape[0], w.shape[0]};
    shape.insert(shape.end(), spatial->begin(), spatial->end());
    return oneType(x.type, std::move(shape));
}

ShapeResult shapeWinogradConv(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    const TensorType& u = inputType(c, 1);
    if (!isFloat(x.type) || x.type != u.type || (hasInput(c, 2) && inputType(c, 2).type != x.type)) {
        return failed("its inputs must be floats of one type");
    }
    const std::int64_t places = c.node->attributes.integer("tile", 0) + 2;
    if (x.shape.size() != 4 || u.shape.size() != 4 || !isConst(u.shape[0], places) || !isConst(u.shape[1], places)) {
        return failed(format("its input has shape {} and its weight {}; the weight starts with {} by {} places",
            shapeText(x.shape), shapeText(u.shape), places, places));
    }
    if (const Status same = checkSame(x.shape[1], u.shape[3], "the channels of input and weight"); !same) {
        return same.error();
    }
    Window window{{3, 3}, c.node->attributes.integers("pads"), {1, 1}, {1, 1}, false};
    const Result<Extents> spatial = slide(x.shape, window);
    if (!spatial) {
        return spatial.error();
    }
    Extents shape{x.shape[0], u.shape[2]};
    shape.insert(shape.end(), spatial->begin(), spatial->end());
    return oneType(x.type, std::move(shape));
}

ShapeResult shapeMaxPool(const ShapeContext& c)
{
    const Result<Extents> shape = pooled(c);
    if (!shape) {
        return shape.error();
    }
    if (!isNumeric(inputType(c, 0).type)) {
        return failed("it takes numbers");
    }
    return std::vector<TensorType>{{inputType(c, 0).type, *shape}, {DType::I64, *shape}};
}

ShapeResult shapeAveragePool(const ShapeContext& c)
{
    const Result<Extents> shape = pooled(c);
    if (!shape) {
        return shape.error();
    }
    if (!isFloat(inputType(c, 0).type)) {
        return failed("it takes floats");
    }
    return oneType(inputType(c, 0).type, *shape);
}

} // namespace nw::graph
