#include "engine/graph/import/node_import.h"

#include <array>

namespace nw::graph {
namespace {

// A vector on the left is a row, on the right a column; the axis it got goes again.
void importMatMul(NodeImport& n)
{
    ValueId a = n.in(0);
    ValueId b = n.in(1);
    if (n.failed()) {
        return;
    }
    if (n.rank(a) == 0 || n.rank(b) == 0) {
        n.fail("a scalar cannot be multiplied as a matrix");
        return;
    }
    const bool row = n.rank(a) == 1;
    const bool column = n.rank(b) == 1;
    if (row) {
        a = n.reshape(a, {intImm(1), n.shape(a)[0]});
    }
    if (column) {
        b = n.reshape(b, {n.shape(b)[0], intImm(1)});
    }
    ValueId y = n.make("MatMul", {a, b});
    if (!n.failed() && (row || column)) {
        Extents shape = n.shape(y);
        if (column) {
            shape.pop_back();
        }
        if (row) {
            shape.erase(shape.end() - (column ? 1 : 2));
        }
        y = n.reshape(y, shape);
    }
    n.bind(0, y);
}

void importGemm(NodeImport& n)
{
    const ValueId a = n.in(0);
    const ValueId b = n.in(1);
    const ValueId c = n.opset() < 11 ? n.in(2) : n.optional(2);
    const std::int64_t transA = n.integer("transA", 0) != 0 ? 1 : 0;
    const std::int64_t transB = n.integer("transB", 0) != 0 ? 1 : 0;
    const double alpha = n.real("alpha", 1.0);
    const double beta = n.real("beta", 1.0);
    n.bind(0, n.make("Gemm", {a, b, c}, {std::map<std::string, AttributeValue>{{"transA", transA}, {"transB", transB},
        {"alpha", alpha}, {"beta", beta}}}));
}

} // namespace

std::span<const Handler> matmulHandlers()
{
    static constexpr std::array kHandlers = {Handler{"MatMul", 1, &importMatMul}, Handler{"Gemm", 7, &importGemm}};
    return kHandlers;
}

} // namespace nw::graph
