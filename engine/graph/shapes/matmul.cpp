#include "engine/base/text.h"
#include "engine/graph/shapes/shapes.h"

namespace nw::graph {
namespace {

Status checkFactors(const TensorType& a, const TensorType& b)
{
    if (!isNumeric(a.type) || a.type != b.type) {
        return failed(format("its inputs must be numbers of one type, not {} and {}", toText(a.type), toText(b.type)));
    }
    return Done{};
}

} // namespace

ShapeResult shapeMatMul(const ShapeContext& c)
{
    const TensorType& a = inputType(c, 0);
    const TensorType& b = inputType(c, 1);
    if (const Status fine = checkFactors(a, b); !fine) {
        return fine.error();
    }
    if (a.shape.size() < 2 || b.shape.size() < 2) {
        return failed(format("shapes {} and {} cannot be multiplied", shapeText(a.shape), shapeText(b.shape)));
    }
    const Expr& inner = b.shape[b.shape.size() - 2];
    if (const Status same = checkSame(a.shape.back(), inner, "the inner extents"); !same) {
        return failed(format("shapes {} and {} cannot be multiplied: {}", shapeText(a.shape), shapeText(b.shape),
            same.error().message));
    }
    Result<Extents> shape = broadcastExtents(Extents(a.shape.begin(), a.shape.end() - 2),
        Extents(b.shape.begin(), b.shape.end() - 2));
    if (!shape) {
        return shape.error();
    }
    shape->push_back(a.shape[a.shape.size() - 2]);
    shape->push_back(b.shape.back());
    return oneType(a.type, *std::move(shape));
}

ShapeResult shapeGemm(const ShapeContext& c)
{
    const TensorType& a = inputType(c, 0);
    const TensorType& b = inputType(c, 1);
    if (const Status fine = checkFactors(a, b); !fine) {
        return fine.error();
    }
    if (a.shape.size() != 2 || b.shape.size() != 2) {
        return failed(format("its inputs have shapes {} and {}; it takes matrices", shapeText(a.shape), shapeText(b.shape)));
    }
    const std::size_t transA = c.node->attributes.integer("transA", 0) != 0 ? 1 : 0;
    const std::size_t transB = c.node->attributes.integer("transB", 0) != 0 ? 1 : 0;
    if (const Status same = checkSame(a.shape[1 - transA], b.shape[transB], "the inner extents"); !same) {
        return same.error();
    }
    Extents shape{a.shape[transA], b.shape[1 - transB]};
    if (hasInput(c, 2)) {
        if (inputType(c, 2).type != a.type) {
            return failed("its input C has another element type");
        }
        if (const Status fits = checkBroadcastTo(inputType(c, 2).shape, shape); !fits) {
            return failed("its input C: " + fits.error().message);
        }
    }
    return oneType(a.type, std::move(shape));
}

} // namespace nw::graph
