#include "engine/base/text.h"
#include "engine/graph/shapes/shapes.h"

namespace nw::graph {

ShapeResult shapeBatchNormalization(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    if (!isFloat(x.type)) {
        return failed("it takes floats");
    }
    if (x.shape.size() < 2) {
        return failed(format("its input has shape {}; it needs batch and channels", shapeText(x.shape)));
    }
    for (std::size_t i = 1; i < 5; ++i) {
        const TensorType& parameter = inputType(c, i);
        if (parameter.type != x.type) {
            return failed("its inputs have different element types");
        }
        if (parameter.shape.size() != 1 || !sameExtent(parameter.shape[0], x.shape[1])) {
            return failed(format("its input {} has shape {}, not [{}]", c.node->op->inputNames[i],
                shapeText(parameter.shape), toText(x.shape[1])));
        }
    }
    return oneType(x.type, x.shape);
}

ShapeResult shapeLrn(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    if (!isFloat(x.type) || x.shape.size() < 2) {
        return failed("it takes floats with batch and channels");
    }
    if (c.node->attributes.integer("size", 0) < 1) {
        return failed(format("size is {}; it must be at least 1", c.node->attributes.integer("size", 0)));
    }
    return oneType(x.type, x.shape);
}

ShapeResult shapeSoftmax(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    if (!isFloat(x.type)) {
        return failed("it takes floats");
    }
    const Result<std::int64_t> axis = axisOf(c.node->attributes.integer("axis", -1), x.shape.size());
    return axis ? ShapeResult(oneType(x.type, x.shape)) : ShapeResult(axis.error());
}

namespace {

// The first of the axes that are normalised over; the inputs up to `last` suit them.
Result<std::int64_t> normalizedFrom(const ShapeContext& c, std::size_t last)
{
    const TensorType& x = inputType(c, 0);
    if (!isFloat(x.type)) {
        return failed("it takes floats");
    }
    const Result<std::int64_t> axis = axisOf(c.node->attributes.integer("axis", -1), x.shape.size());
    if (!axis) {
        return axis.error();
    }
    const Extents normalized(x.shape.begin() + *axis, x.shape.end());
    for (std::size_t i = 1; i <= last; ++i) {
        if (!hasInput(c, i)) {
            continue;
        }
        if (inputType(c, i).type != x.type) {
            return failed("its inputs have different element types");
        }
        if (const Status fits = checkBroadcastTo(inputType(c, i).shape, normalized); !fits) {
            return failed(format("its input {}: {}", c.node->op->inputNames[i], fits.error().message));
        }
    }
    return *axis;
}

} // namespace

ShapeResult shapeLayerNormalization(const ShapeContext& c)
{
    const Result<std::int64_t> axis = normalizedFrom(c, 2);
    if (!axis) {
        return axis.error();
    }
    const TensorType& x = inputType(c, 0);
    Extents reduced = x.shape;
    for (std::size_t i = static_cast<std::size_t>(*axis); i < reduced.size(); ++i) {
        reduced[i] = intImm(1);
    }
    return std::vector<TensorType>{x, {x.type, reduced}, {x.type, reduced}};
}

ShapeResult shapeRmsNormalization(const ShapeContext& c)
{
    const Result<std::int64_t> axis = normalizedFrom(c, 1);
    return axis ? ShapeResult(oneType(inputType(c, 0).type, inputType(c, 0).shape)) : ShapeResult(axis.error());
}

} // namespace nw::graph
