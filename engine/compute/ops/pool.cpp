// MaxPool: one stage that combines by max over kh kw; with Indices a second one that takes the smallest flat place
// whose value is the maximum, so that ties go to the first place in row-major order.
// AveragePool: a sum over the taps, divided by their number: a literal, or an expression of the output place where
// windows reach beyond the tensor.

#include "engine/compute/ops/op_builder.h"
#include "engine/compute/ops/window.h"

#include <limits>

namespace nw::compute {
namespace {

struct Pool {
    Window window;
    std::vector<Axis> spatial; // n c oh ow
    std::vector<Expr> place;   // of a tap in X
};

Result<Pool> makePool(const OpContext& context)
{
    Result<Window> window = makeWindow(context, context.attributes().integers("kernel_shape"));
    if (!window) {
        return window.error();
    }
    Pool pool{*std::move(window), {{"n", context.outputShape()[0]}, {"c", context.outputShape()[1]}}, {}};
    pool.spatial.insert(pool.spatial.end(), pool.window.out.begin(), pool.window.out.end());
    pool.place = {var("n"), var("c")};
    const std::vector<Expr> pixels = pool.window.places();
    pool.place.insert(pool.place.end(), pixels.begin(), pixels.end());
    return pool;
}

// Row-major place to the one that counts rows fastest (storage_order 1); channels stay outermost.
Expr columnMajor(const Expr& flat, const std::vector<Expr>& shape)
{
    std::vector<Expr> indices = unflattened(flat, shape);
    std::vector<Expr> swapped(shape);
    std::swap(indices[indices.size() - 1], indices[indices.size() - 2]);
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
    return flatIndex(indices, swapped);
}

Status buildMaxPool(OpContext& context)
{
    const Result<Pool> pool = makePool(context);
    if (!pool) {
        return pool.error();
    }
    const DType type = context.outputType();
    Stage max{{}, {}, type, pool->spatial, pool->window.taps, Combiner::Max, lowest(type), {}};
    max.body = pool->window.guarded(context.read(0, pool->place), lowest(type));
    context.finish(0, std::move(max));
    if (!context.wantsOutput(1)) {
        return Done{};
    }
    const std::vector<Expr>& shape = context.inputShape(0);
    const Expr none = intImm(std::numeric_limits<std::int64_t>::max());
    std::vector<Expr> conditions = pool->window.guards();
    conditions.push_back(binary(BinaryOp::Eq, context.read(0, pool->place), context.readOutput(0, varsOf(pool->spatial))));
    Stage index{"index", {}, DType::I64, pool->spatial, pool->window.taps, Combiner::Min, none, {}};
    index.body = select(conditions.back(), flatIndex(pool->place, shape), none);
    conditions.pop_back();
    if (!conditions.empty()) {
        index.body = select(allOf(conditions), index.body, none);
    }
    if (context.attributes().integer("storage_order", 0) == 0 || pool->window.rank() < 2) {
        context.finish(1, std::move(index));
        return Done{};
    }
    index.name = "first";
    const Expr first = context.addStage(std::move(index));
    context.finish(1, pool->spatial, columnMajor(first, shape), "index");
    return Done{};
}

Status buildAveragePool(OpContext& context)
{
    const Result<Pool> pool = makePool(context);
    if (!pool) {
        return pool.error();
    }
    const DType type = context.outputType();
    Stage sum{"sum", {}, type, pool->spatial, pool->window.taps, Combiner::Sum, literal(type, 0), {}};
    sum.body = pool->window.guarded(context.read(0, pool->place), literal(type, 0));
    const Expr total = context.addStage(std::move(sum));
    const Expr count = pool->window.tapCount(context.attributes().integer("count_include_pad", 0) != 0);
    context.finish(0, pool->spatial, binary(BinaryOp::Div, total, countAs(type, count)));
    return Done{};
}

constexpr OpBuilder kBuilders[] = {
    {"MaxPool", &buildMaxPool},
    {"AveragePool", &buildAveragePool},
};

} // namespace

std::span<const OpBuilder> poolBuilders()
{
    return kBuilders;
}

} // namespace nw::compute
