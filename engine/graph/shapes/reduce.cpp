#include "engine/base/text.h"
#include "engine/graph/shapes/shapes.h"

#include <algorithm>

namespace nw::graph {
namespace {

Extents reduced(const Extents& shape, const std::vector<std::int64_t>& axes, bool keep)
{
    Extents out;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool gone = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
        if (!gone) {
            out.push_back(shape[i]);
        } else if (keep) {
            out.push_back(intImm(1));
        }
    }
    return out;
}

} // namespace

ShapeResult shapeReduce(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    const std::string_view op = c.node->op->name;
    const bool ordered = op == "ReduceMax" || op == "ReduceMin";
    if (!isNumeric(x.type) && !(ordered && x.type == DType::Bool)) {
        return failed(format("its input has element type {}; it takes numbers", toText(x.type)));
    }
    const std::vector<std::int64_t> axes = c.node->attributes.integers("axes");
    const auto rank = static_cast<std::int64_t>(x.shape.size());
    if (axes.empty()) {
        return failed("it reduces no axis");
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] < 0 || axes[i] >= rank || (i > 0 && axes[i] <= axes[i - 1])) {
            return failed(format("axes [{}] do not fit a rank of {}", fmt::join(axes, ", "), rank));
        }
        const bool empty = isConst(x.shape[static_cast<std::size_t>(axes[i])], 0);
        if (empty && (ordered || op == "ReduceMean")) {
            return failed(format("it reduces axis {}, which has no elements", axes[i]));
        }
    }
    return oneType(x.type, reduced(x.shape, axes, c.node->attributes.integer("keepdims", 1) != 0));
}

ShapeResult shapeArgReduce(const ShapeContext& c)
{
    const TensorType& x = inputType(c, 0);
    if (!isNumeric(x.type)) {
        return failed("it takes numbers");
    }
    const Result<std::int64_t> axis = axisOf(c.node->attributes.integer("axis", 0), x.shape.size());
    if (!axis) {
        return axis.error();
    }
    if (isConst(x.shape[static_cast<std::size_t>(*axis)], 0)) {
        return failed(format("it looks for a place along axis {}, which has no elements", *axis));
    }
    return oneType(DType::I64, reduced(x.shape, {*axis}, c.node->attributes.integer("keepdims", 1) != 0));
}

} // namespace nw::graph
