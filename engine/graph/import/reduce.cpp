#include "engine/base/text.h"
#include "engine/graph/import/node_import.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace nw::graph {
namespace {

using Ints = std::vector<std::int64_t>;
using Values = std::map<std::string, AttributeValue>;

void importReduce(NodeImport& n)
{
    const ValueId x = n.in(0);
    const std::int64_t axesAreInput = n.op() == "ReduceSum" ? 13 : 18;
    const std::int64_t keep = n.integer("keepdims", 1) != 0 ? 1 : 0;
    Ints axes;
    bool none = false;
    if (n.opset() < axesAreInput) {
        axes = n.integerList("axes");
    } else {
        none = n.integer("noop_with_empty_axes", 0) != 0;
        const ValueId given = n.optional(1);
        axes = given == kNoValue ? Ints{} : n.integers(given, "axes");
    }
    if (n.failed()) {
        return;
    }
    if (axes.empty() && none) {
        n.bind(0, n.make("Identity", {x}));
        return;
    }
    axes = n.axes(axes, n.rank(x));
    std::sort(axes.begin(), axes.end());
    if (axes.empty()) {
        axes.resize(n.rank(x));
        std::iota(axes.begin(), axes.end(), 0);
    }
    if (n.failed()) {
        return;
    }
    if (axes.empty()) { // of a scalar: over the one element
        const ValueId vector = n.reshape(x, {intImm(1)});
        n.bind(0, n.make(n.op(), {vector}, {Values{{"axes", Ints{0}}, {"keepdims", std::int64_t{0}}}}));
        return;
    }
    n.bind(0, n.make(n.op(), {x}, {Values{{"axes", axes}, {"keepdims", keep}}}));
}

void importArgReduce(NodeImport& n)
{
    const ValueId x = n.in(0);
    const std::int64_t axis = n.axis(n.integer("axis", 0), n.rank(x));
    const std::int64_t keep = n.integer("keepdims", 1) != 0 ? 1 : 0;
    const std::int64_t last = n.opset() >= 12 ? n.integer("select_last_index", 0) : 0;
    n.bind(0, n.make(n.op(), {x}, {Values{{"axis", axis}, {"keepdims", keep}, {"select_last_index", last}}}));
}

} // namespace

std::span<const Handler> reduceHandlers()
{
    static constexpr std::array kHandlers = {Handler{"ReduceSum", 1, &importReduce}, Handler{"ReduceMean", 1, &importReduce},
        Handler{"ReduceMax", 1, &importReduce}, Handler{"ReduceMin", 1, &importReduce},
        Handler{"ReduceProd", 1, &importReduce}, Handler{"ReduceL1", 1, &importReduce},
        Handler{"ReduceL2", 1, &importReduce}, Handler{"ReduceLogSum", 1, &importReduce},
        Handler{"ReduceLogSumExp", 1, &importReduce}, Handler{"ReduceSumSquare", 1, &importReduce},
        Handler{"ArgMax", 1, &importArgReduce}, Handler{"ArgMin", 1, &importArgReduce}};
    return kHandlers;
}

} // namespace nw::graph
