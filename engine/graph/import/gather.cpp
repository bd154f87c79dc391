#include "engine/base/text.h"
#include "engine/graph/import/node_import.h"

#include <algorithm>
#include <array>

namespace nw::graph {
namespace {

using Ints = std::vector<std::int64_t>;
using Values = std::map<std::string, AttributeValue>;

ValueId gather(NodeImport& n, ValueId x, ValueId indices, std::int64_t axis)
{
    return n.make("Gather", {x, indices}, {Values{{"axis", axis}}});
}

// Constant indices are checked here and made non-negative, so that nothing has to check them again.
ValueId checkedIndices(NodeImport& n, ValueId indices, const Expr& extent)
{
    const auto size = constInt(extent);
    const Tensor* tensor = n.isConstant(indices) && size ? n.contents(indices, "indices") : nullptr;
    if (tensor == nullptr || (tensor->type() != DType::I64 && tensor->type() != DType::I32)) {
        return indices;
    }
    Ints plain;
    bool hasNegative = false;
    for (std::int64_t i = 0; i < tensor->count(); ++i) {
        const std::int64_t index = tensor->asInt(i);
        if (index < -*size || index >= *size) {
            n.fail(format("its index {} is outside an extent of {}", index, *size));
            return kNoValue;
        }
        hasNegative = hasNegative || index < 0;
        plain.push_back(index < 0 ? index + *size : index);
    }
    return hasNegative ? n.constant(Tensor::of<std::int64_t>(DType::I64, tensor->shape(), plain)) : indices;
}

void importGather(NodeImport& n)
{
    const ValueId x = n.in(0);
    const ValueId indices = n.in(1);
    const std::int64_t axis = n.axis(n.integer("axis", 0), n.rank(x));
    if (n.failed()) {
        return;
    }
    const Expr extent = n.shape(x)[static_cast<std::size_t>(axis)];
    n.bind(0, gather(n, x, checkedIndices(n, indices, extent), axis));
}

// Indices at run time: negative ones count from the end, and what is still outside is clamped to the ends.
ValueId safeIndices(NodeImport& n, ValueId indices, std::int64_t extent)
{
    const ValueId wide = n.cast(indices, DType::I64);
    const auto number = [&](std::int64_t value) { return n.scalar(DType::I64, static_cast<double>(value)); };
    const ValueId negative = n.make("Less", {wide, number(0)});
    const ValueId fromEnd = n.make("Add", {wide, number(extent)});
    const ValueId plain = n.make("Where", {negative, fromEnd, wide});
    return n.make("Min", {n.make("Max", {plain, number(0)}), number(std::max<std::int64_t>(extent - 1, 0))});
}

// 0, 1, ..., extent - 1 times `stride`, along one axis of `rank`.
ValueId ramp(NodeImport& n, std::int64_t extent, std::int64_t stride, std::size_t axis, std::size_t rank)
{
    Ints values;
    for (std::int64_t i = 0; i < extent; ++i) {
        values.push_back(i * stride);
    }
    Ints shape(rank, 1);
    shape[axis] = extent;
    return n.constant(Tensor::of<std::int64_t>(DType::I64, shape, values));
}

Ints stridesOfShape(const Ints& shape)
{
    Ints strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
        strides[i - 1] = strides[i] * shape[i];
    }
    return strides;
}

struct Statics {
    Ints x, indices;
};

std::optional<Statics> staticShapes(NodeImport& n, ValueId x, ValueId indices)
{
    if (n.failed()) {
        return std::nullopt;
    }
    const auto a = literalsOf(n.shape(x));
    const auto b = literalsOf(n.shape(indices));
    if (!a || !b) {
        n.fail(format("its shapes {} and {} must be known; bind {} {}", shapeText(n.shape(x)), shapeText(n.shape(indices)),
            symbolsText(n.shape(x)), symbolsText(n.shape(indices))));
        return std::nullopt;
    }
    return Statics{*a, *b};
}

// out[i][j] = x[index[i][j]][j]: one Gather of the flat input at computed places.
void importGatherElements(NodeImport& n)
{
    const ValueId x = n.in(0);
    ValueId indices = n.in(1);
    const std::int64_t axis = n.axis(n.integer("axis", 0), n.rank(x));
    const auto shapes = staticShapes(n, x, indices);
    if (!shapes) {
        return;
    }
    if (shapes->x.size() != shapes->indices.size()) {
        n.fail("its data and its indices have different ranks");
        return;
    }
    const Ints strides = stridesOfShape(shapes->x);
    const auto along = static_cast<std::size_t>(axis);
    indices = checkedIndices(n, indices, intImm(shapes->x[along]));
    ValueId place = n.make("Mul", {safeIndices(n, indices, shapes->x[along]),
        n.scalar(DType::I64, static_cast<double>(strides[along]))});
    for (std::size_t i = 0; i < strides.size(); ++i) {
        if (i == along) {
            continue;
        }
        if (shapes->indices[i] > shapes->x[i]) {
            n.fail(format("its indices reach over {} elements of axis {}, which has {}", shapes->indices[i], i, shapes->x[i]));
            return;
        }
        place = n.make("Add", {place, ramp(n, shapes->indices[i], strides[i], i, strides.size())});
    }
    const auto count = productOf(n.shape(x));
    n.bind(0, gather(n, n.reshape(x, {*count}), place, 0));
}

// The last axis of the indices names places in the leading axes of x; each becomes one flat place.
void importGatherNd(NodeImport& n)
{
    const ValueId x = n.in(0);
    const ValueId indices = n.in(1);
    const std::int64_t given = n.opset() >= 12 ? n.integer("batch_dims", 0) : 0;
    const auto shapes = staticShapes(n, x, indices);
    if (!shapes) {
        return;
    }
    const Ints& from = shapes->x;
    const Ints& at = shapes->indices;
    const std::size_t batch = given < 0 ? from.size() : static_cast<std::size_t>(given);
    const std::int64_t depth = at.empty() ? 0 : at.back();
    const bool fits = batch < from.size() && batch < at.size() && depth >= 1 &&
                      depth <= static_cast<std::int64_t>(from.size() - batch) &&
                      std::equal(from.begin(), from.begin() + given, at.begin());
    if (!fits) {
        n.fail(format("data of shape {}, indices of shape {} and batch_dims {} do not fit", shapeText(n.shape(x)),
            shapeText(n.shape(indices)), given));
        return;
    }
    const std::size_t leading = batch + static_cast<std::size_t>(depth);
    const Ints strides = stridesOfShape(Ints(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(leading)));
    const Ints places(at.begin(), at.end() - 1);
    ValueId place = n.filled(DType::I64, extentsOf(places), 0);
    for (std::size_t i = 0; i < batch; ++i) {
        place = n.make("Add", {place, ramp(n, from[i], strides[i], i, places.size())});
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(depth) && !n.failed(); ++k) {
        const ValueId column = n.reshape(gather(n, indices, n.constant(integerTensor({static_cast<std::int64_t>(k)})),
            static_cast<std::int64_t>(at.size()) - 1), extentsOf(places));
        const std::int64_t extent = from[batch + k];
        const ValueId safe = safeIndices(n, checkedIndices(n, column, intImm(extent)), extent);
        place = n.make("Add", {place, n.make("Mul", {safe, n.scalar(DType::I64, static_cast<double>(strides[batch + k]))})});
    }
    const auto rows = productOf(extentsOf(Ints(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(leading))));
    Extents flat{*rows};
    for (std::size_t i = leading; i < from.size(); ++i) {
        flat.push_back(intImm(from[i]));
    }
    n.bind(0, gather(n, n.reshape(x, flat), place, 0));
}

} // namespace

std::span<const Handler> gatherHandlers()
{
    static constexpr std::array kHandlers = {Handler{"Gather", 1, &importGather},
        Handler{"GatherElements", 11, &importGatherElements}, Handler{"GatherND", 11, &importGatherNd}};
    return kHandlers;
}

} // namespace nw::graph
