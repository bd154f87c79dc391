#include "engine/base/text.h"
#include "engine/graph/shapes/shapes.h"

namespace nw::graph {
namespace {

Error wrongType(DType type, std::string_view wanted)
{
    return failed(format("its input has element type {}; it takes {}", toText(type), wanted));
}

ShapeResult broadcastAll(const ShapeContext& c, DType result)
{
    Extents shape = inputType(c, 0).shape;
    for (std::size_t i = 1; i < c.node->inputs.size(); ++i) {
        Result<Extents> both = broadcastExtents(shape, inputType(c, i).shape);
        if (!both) {
            return both.error();
        }
        shape = *std::move(both);
    }
    return oneType(result, std::move(shape));
}

Status checkOneType(const ShapeContext& c, std::size_t first)
{
    const DType type = inputType(c, first).type;
    for (std::size_t i = first + 1; i < c.node->inputs.size(); ++i) {
        if (hasInput(c, i) && inputType(c, i).type != type) {
            return failed(format("its inputs have different element types, {} and {}", toText(type),
                toText(inputType(c, i).type)));
        }
    }
    return Done{};
}

} // namespace

const TensorType& inputType(const ShapeContext& c, std::size_t index)
{
    ENSURE(hasInput(c, index), "a shape function needs an input that is absent");
    return c.graph->values[static_cast<std::size_t>(c.node->inputs[index])].type;
}

bool hasInput(const ShapeContext& c, std::size_t index)
{
    return index < c.node->inputs.size() && c.node->inputs[index] != kNoValue;
}

std::vector<TensorType> oneType(DType type, Extents shape)
{
    std::vector<TensorType> out;
    out.push_back({type, std::move(shape)});
    return out;
}

bool isNumeric(DType type)
{
    return isFloat(type) || isInteger(type);
}

ShapeResult shapeUnary(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    return isNumeric(x.type) ? ShapeResult(oneType(x.type, x.shape)) : wrongType(x.type, "numbers");
}

ShapeResult shapeUnaryFloat(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    return isFloat(x.type) ? ShapeResult(oneType(x.type, x.shape)) : wrongType(x.type, "floats");
}

ShapeResult shapeNot(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    return x.type == DType::Bool ? ShapeResult(oneType(x.type, x.shape)) : wrongType(x.type, "bool");
}

ShapeResult shapeFloatTest(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    return isFloat(x.type) ? ShapeResult(oneType(DType::Bool, x.shape)) : wrongType(x.type, "floats");
}

ShapeResult shapeArithmetic(const ShapeContext& c)
{
    const DType type = inputType(c, 0).type;
    if (!isNumeric(type)) {
        return wrongType(type, "numbers");
    }
    const Status same = checkOneType(c, 0);
    return same ? broadcastAll(c, type) : ShapeResult(same.error());
}

ShapeResult shapeLogic(const ShapeContext& c)
{
    const Status same = checkOneType(c, 0);
    if (!same) {
        return same.error();
    }
    const DType type = inputType(c, 0).type;
    return type == DType::Bool ? broadcastAll(c, type) : wrongType(type, "bool");
}

ShapeResult shapeCompare(const ShapeContext& c)
{
    const DType type = inputType(c, 0).type;
    if (!isNumeric(type)) {
        return wrongType(type, "numbers");
    }
    return shapeEqual(c);
}

ShapeResult shapeEqual(const ShapeContext& c)
{
    const Status same = checkOneType(c, 0);
    return same ? broadcastAll(c, DType::Bool) : ShapeResult(same.error());
}

ShapeResult shapeWhere(const ShapeContext& c)
{
    if (inputType(c, 0).type != DType::Bool) {
        return failed("its condition is not bool");
    }
    const Status same = checkOneType(c, 1);
    return same ? broadcastAll(c, inputType(c, 1).type) : ShapeResult(same.error());
}

ShapeResult shapeClip(const ShapeContext& c)
{
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        if (hasInput(c, i) && !inputType(c, i).shape.empty()) {
            return failed(format("its limit has shape {}; it must be a scalar", shapeText(inputType(c, i).shape)));
        }
    }
    const Status same = checkOneType(c, 0);
    return same ? shapeUnary(c) : ShapeResult(same.error());
}

ShapeResult shapePRelu(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    if (const Status same = checkOneType(c, 0); !same) {
        return same.error();
    }
    if (const Status fits = checkBroadcastTo(inputType(c, 1).shape, x.shape); !fits) {
        return failed("its slope: " + fits.error().message);
    }
    return shapeUnary(c);
}

ShapeResult shapeCast(const ShapeContext& c)
{
    const auto to = parseDType(c.node->attributes.text("to", ""));
    if (!to || byteSize(*to) == 0) {
        return failed("it casts to an element type that is not held");
    }
    return oneType(*to, inputType(c, 0).shape);
}

ShapeResult shapeIdentity(const ShapeContext& c)
{
    return std::vector<TensorType>{inputType(c, 0)};
}

} // namespace nw::graph
