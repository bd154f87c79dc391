// Conv: n oc oh ow / ic kh kw, padding as a select around the read of X. With groups, oc runs over all output
// channels and the channel that is read is oc / (channels a group) * (inputs a group) + ic.
// MatMul: b0 b1 ... m n / k with broadcasting batch axes; a 1-d operand has no m (or n). Gemm: m n / k.
// A bias (and Gemm's alpha and beta) belongs to the epilogue: a stage "bias" when nothing follows.

#include "engine/compute/ops/op_builder.h"
#include "engine/compute/ops/window.h"

namespace nw::compute {
namespace {

Status buildConv(OpContext& context)
{
    const DType type = context.outputType();
    const std::vector<Expr>& weights = context.inputShape(1);
    std::vector<std::int64_t> kernel;
    for (const Expr& extent : weights) {
        const std::optional<std::int64_t> value = constInt(extent);
        if (!value) {
            return context.refusal("the shape of the weights must be known");
        }
        kernel.push_back(*value);
    }
    const std::int64_t outputs = kernel.at(0);
    const std::int64_t inputs = kernel.at(1);
    const std::int64_t groups = context.attributes().integer("group", 1);
    kernel.erase(kernel.begin(), kernel.begin() + 2);
    const Result<Window> window = makeWindow(context, kernel);
    if (!window) {
        return window.error();
    }
    if (groups < 1 || outputs % groups != 0) {
        return context.refusal("the group count does not divide the output channels");
    }
    Expr channel = var("ic");
    if (groups > 1) {
        const Expr first = scaled(divided(var("oc"), outputs / groups), inputs);
        channel = inputs == 1 ? first : first + channel;
    }
    std::vector<Expr> place{var("n"), channel};
    const std::vector<Expr> pixels = window->places();
    place.insert(place.end(), pixels.begin(), pixels.end());
    std::vector<Expr> weight{var("oc"), var("ic")};
    const std::vector<Expr> taps = varsOf(window->taps);
    weight.insert(weight.end(), taps.begin(), taps.end());

    Stage conv;
    conv.type = type;
    conv.spatial = {{"n", context.outputShape()[0]}, {"oc", intImm(outputs)}};
    conv.spatial.insert(conv.spatial.end(), window->out.begin(), window->out.end());
    conv.reduction = {{"ic", intImm(inputs)}};
    conv.reduction.insert(conv.reduction.end(), window->taps.begin(), window->taps.end());
    conv.combiner = Combiner::Sum;
    conv.init = literal(type, 0);
    conv.body = window->guarded(context.read(0, place), literal(type, 0)) * context.read(1, weight);
    if (!context.hasInput(2)) {
        context.finish(0, std::move(conv));
        return Done{};
    }
    std::vector<Axis> axes = conv.spatial;
    const Expr sum = context.addStage(std::move(conv));
    context.finish(0, std::move(axes), sum + context.read(2, {var("oc")}), "bias");
    return Done{};
}

Status buildMatMul(OpContext& context)
{
    const std::vector<Expr>& a = context.inputShape(0);
    const std::vector<Expr>& b = context.inputShape(1);
    const std::vector<Expr>& out = context.outputShape();
    if (a.empty() || b.empty()) {
        return context.refusal("an operand has no axis");
    }
    const bool hasRow = a.size() > 1;
    const bool hasColumn = b.size() > 1;
    const std::size_t batches = out.size() - (hasRow ? 1 : 0) - (hasColumn ? 1 : 0);
    Stage matmul;
    matmul.type = context.outputType();
    for (std::size_t i = 0; i < batches; ++i) {
        matmul.spatial.push_back({"b" + std::to_string(i), out[i]});
    }
    const std::vector<Expr> full(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(batches));
    const std::vector<Expr> at = varsOf(matmul.spatial);
    if (hasRow) {
        matmul.spatial.push_back({"m", a[a.size() - 2]});
    }
    if (hasColumn) {
        matmul.spatial.push_back({"n", b.back()});
    }
    matmul.reduction = {{"k", a.back()}};
    std::vector<Expr> left;
    if (hasRow) {
        left = broadcastIndices({a.begin(), a.end() - 2}, full, at);
        left.push_back(var("m"));
    }
    left.push_back(var("k"));
    std::vector<Expr> right;
    if (hasColumn) {
        right = broadcastIndices({b.begin(), b.end() - 2}, full, at);
    }
    right.push_back(var("k"));
    if (hasColumn) {
        right.push_back(var("n"));
    }
    matmul.combiner = Combiner::Sum;
    matmul.init = literal(matmul.type, 0);
    matmul.body = context.read(0, left) * context.read(1, right);
    context.finish(0, std::move(matmul));
    return Done{};
}

// A factor in the element type; integers take only whole ones.
Result<Expr> factor(const OpContext& context, DType type, double value)
{
    if (!isFloat(type) && value != static_cast<double>(static_cast<std::int64_t>(value))) {
        return context.refusal("alpha and beta must be whole numbers for integer matrices");
    }
    return literal(type, value);
}

Status buildGemm(OpContext& context)
{
    const bool transA = context.attributes().integer("transA", 0) != 0;
    const bool transB = context.attributes().integer("transB", 0) != 0;
    const double alpha = context.attributes().real("alpha", 1);
    const double beta = context.attributes().real("beta", 1);
    const std::vector<Expr>& a = context.inputShape(0);
    const std::vector<Expr>& out = context.outputShape();
    const DType type = context.outputType();
    Stage gemm;
    gemm.type = type;
    gemm.spatial = {{"m", out.at(0)}, {"n", out.at(1)}};
    gemm.reduction = {{"k", a.at(transA ? 0 : 1)}};
    gemm.combiner = Combiner::Sum;
    gemm.init = literal(type, 0);
    const Expr m = var("m");
    const Expr n = var("n");
    const Expr k = var("k");
    using Indices = std::vector<Expr>;
    gemm.body = context.read(0, transA ? Indices{k, m} : Indices{m, k})
        * context.read(1, transB ? Indices{n, k} : Indices{k, n});
    const bool addsC = context.hasInput(2) && beta != 0;
    if (alpha == 1 && !addsC) {
        context.finish(0, std::move(gemm));
        return Done{};
    }
    std::vector<Axis> axes = gemm.spatial;
    Expr value = context.addStage(std::move(gemm));
    if (alpha != 1) {
        const Result<Expr> scale = factor(context, type, alpha);
        if (!scale) {
            return scale.error();
        }
        value = value * *scale;
    }
    if (addsC) {
        const Result<Expr> scale = factor(context, type, beta);
        if (!scale) {
            return scale.error();
        }
        const Expr c = context.readBroadcast(2, out, {m, n});
        value = value + (beta == 1 ? c : c * *scale);
    }
    context.finish(0, std::move(axes), std::move(value), "bias");
    return Done{};
}

constexpr OpBuilder kBuilders[] = {
    {"Conv", &buildConv},
    {"MatMul", &buildMatMul},
    {"Gemm", &buildGemm},
};

} // namespace

std::span<const OpBuilder> contractionBuilders()
{
    return kBuilders;
}

} // namespace nw::compute
