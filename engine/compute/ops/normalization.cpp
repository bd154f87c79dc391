// Operators that normalise: each sums over some axes and then treats every element with the sums.
//   softmax: max, exp = exp(min(X - max, 0)), sum, invsum = 1 / sum, exp * invsum
//   log softmax: max, sum of exp, X - max - log(sum)
//   layer normalisation: sum, mean, var (sum of centred squares, divided), (X - mean) * invstd * Scale + B
//   RMS normalisation: sum of squares, invrms = 1 / root of their mean, X * invrms * Scale
//   LRN: sum of squares over neighbouring channels, X / (bias + alpha / size * sum) to the power of beta
//   batch normalisation at inference: element-wise, (X - mean) * (scale / sqrt(var + epsilon)) + B

#include "engine/compute/ops/op_builder.h"
#include "engine/compute/ops/index.h"

#include <algorithm>

namespace nw::compute {
namespace {

Expr quotient(Expr a, Expr b)
{
    return binary(BinaryOp::Div, std::move(a), std::move(b));
}

// The places of a tensor along some of its axes: those that stay, those that are reduced over, and the indices that
// read an element with the reduced axes replaced by r0, r1, ...
struct Split {
    std::vector<Axis> all, kept, reduced;
    std::vector<Expr> inner; // indices of the whole tensor while reducing
    Expr count;              // elements reduced over
};

Split splitAxes(const std::vector<Axis>& all, const std::vector<bool>& isReduced)
{
    Split split;
    split.all = all;
    split.count = intImm(1);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (isReduced[i]) {
            split.reduced.push_back({"r" + std::to_string(split.reduced.size()), all[i].extent});
            split.inner.push_back(var(split.reduced.back().name));
            split.count = isConst(split.count, 1) ? all[i].extent : split.count * all[i].extent;
        } else {
            split.kept.push_back(all[i]);
            split.inner.push_back(var(all[i].name));
        }
    }
    return split;
}

Stage reduceStage(const std::string& name, DType type, const Split& split, Combiner combiner, Expr init, Expr body)
{
    return Stage{name, {}, type, split.kept, split.reduced, combiner, std::move(init), std::move(body)};
}

// 1 / body at each place that stays: one division does for all elements that are scaled by it.
Expr addInverse(OpContext& context, const std::string& name, const Split& split, Expr body)
{
    const DType type = context.outputType();
    return context.addStage({name, {}, type, split.kept, {}, Combiner::None, nullptr, quotient(literal(type, 1), std::move(body))});
}

// exp(x - max). That it is not above 1 is said in the expression, as it makes the power cheaper.
Expr belowMaximum(Expr x, Expr max)
{
    const DType type = x->type();
    return unary(UnaryOp::Exp, binary(BinaryOp::Min, std::move(x) - std::move(max), literal(type, 0)));
}

Result<Split> splitAlongAxis(const OpContext& context)
{
    std::vector<Axis> axes = context.outputAxes();
    const std::int64_t rank = static_cast<std::int64_t>(axes.size());
    std::int64_t axis = context.attributes().integer("axis", -1);
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank) {
        return context.refusal("the axis is outside the tensor");
    }
    std::vector<bool> isReduced(axes.size());
    isReduced[static_cast<std::size_t>(axis)] = true;
    return splitAxes(axes, isReduced);
}

Status buildSoftmax(OpContext& context)
{
    const Result<Split> split = splitAlongAxis(context);
    if (!split) {
        return split.error();
    }
    const DType type = context.outputType();
    const Expr max = context.addStage(
        reduceStage("max", type, *split, Combiner::Max, lowest(type), context.read(0, split->inner)));
    Stage exponential{"exp", {}, type, split->all, {}, Combiner::None, nullptr, {}};
    exponential.body = belowMaximum(context.read(0, varsOf(split->all)), max);
    const Expr weight = context.addStage(std::move(exponential));
    const Expr inner = load(weight->as<Load>()->buffer, type, split->inner);
    const Expr sum = context.addStage(reduceStage("sum", type, *split, Combiner::Sum, literal(type, 0), inner));
    // A sum is between 1 and the number of its terms, so that its reciprocal is a normal number.
    context.finish(0, split->all, weight * addInverse(context, "invsum", *split, sum));
    return Done{};
}

Status buildLogSoftmax(OpContext& context)
{
    const Result<Split> split = splitAlongAxis(context);
    if (!split) {
        return split.error();
    }
    const DType type = context.outputType();
    const Expr inner = context.read(0, split->inner);
    const Expr max = context.addStage(reduceStage("max", type, *split, Combiner::Max, lowest(type), inner));
    const Expr sum = context.addStage(
        reduceStage("sum", type, *split, Combiner::Sum, literal(type, 0), belowMaximum(inner, max)));
    context.finish(0, split->all, context.read(0, varsOf(split->all)) - max - unary(UnaryOp::Log, sum));
    return Done{};
}

// All axes from `axis` on are reduced over.
Result<Split> splitFromAxis(const OpContext& context)
{
    const std::vector<Axis> axes = context.outputAxes();
    const std::int64_t rank = static_cast<std::int64_t>(axes.size());
    std::int64_t first = context.attributes().integer("axis", -1);
    first += first < 0 ? rank : 0;
    if (first < 0 || first >= rank) {
        return context.refusal("the axis is outside the tensor");
    }
    std::vector<bool> isReduced(axes.size());
    std::fill(isReduced.begin() + first, isReduced.end(), true);
    return splitAxes(axes, isReduced);
}

Status buildLayerNormalization(OpContext& context)
{
    const Result<Split> found = splitFromAxis(context);
    if (!found) {
        return found.error();
    }
    const Split& split = *found;
    const std::vector<Axis>& axes = split.all;
    const std::size_t first = split.kept.size();
    const DType type = context.outputType();
    const Expr count = countAs(type, split.count);
    const Expr x = context.read(0, split.inner);
    const Expr sum = context.addStage(reduceStage("sum", type, split, Combiner::Sum, literal(type, 0), x));
    const Expr mean = context.addStage({"mean", {}, type, split.kept, {}, Combiner::None, nullptr, quotient(sum, count)});
    const Expr squares = context.addStage(
        reduceStage("var", type, split, Combiner::Sum, literal(type, 0), (x - mean) * (x - mean)));
    const Expr epsilon = literal(type, context.attributes().real("epsilon", 1e-5));
    const Expr deviation = unary(UnaryOp::Sqrt, quotient(squares, count) + epsilon);
    const Expr inverse = addInverse(context, "invstd", split, deviation);
    const std::vector<Expr>& full = context.outputShape();
    const std::vector<Expr> at = varsOf(axes);
    Expr result = (context.read(0, at) - mean) * inverse * context.readBroadcast(1, full, at);
    if (context.hasInput(2)) {
        result = result + context.readBroadcast(2, full, at);
    }
    context.finish(0, axes, std::move(result));
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        if (context.wantsOutput(i)) {
            std::vector<Axis> whole = axes;
            for (std::size_t d = first; d < whole.size(); ++d) {
                whole[d].extent = intImm(1);
            }
            context.finish(i, std::move(whole), castTo(context.outputType(i), i == 1 ? mean : inverse),
                           i == 1 ? "mean_out" : "invstd_out");
        }
    }
    return Done{};
}

Status buildRmsNormalization(OpContext& context)
{
    const Result<Split> split = splitFromAxis(context);
    if (!split) {
        return split.error();
    }
    const DType type = context.outputType();
    const Expr x = context.read(0, split->inner);
    const Expr sum = context.addStage(reduceStage("sum", type, *split, Combiner::Sum, literal(type, 0), x * x));
    const Expr epsilon = literal(type, context.attributes().real("epsilon", 1e-5));
    const Expr size = unary(UnaryOp::Sqrt, quotient(sum, countAs(type, split->count)) + epsilon);
    const Expr inverse = addInverse(context, "invrms", *split, size);
    const std::vector<Expr> at = varsOf(split->all);
    context.finish(0, split->all, context.read(0, at) * inverse * context.readBroadcast(1, context.outputShape(), at));
    return Done{};
}

// The exponents that occur need no logarithm: roots take a fraction of its time.
Expr powerOf(const Expr& base, double exponent)
{
    const Expr root = unary(UnaryOp::Sqrt, base);
    if (exponent == 0.75) {
        return root * unary(UnaryOp::Sqrt, root);
    }
    if (exponent == 0.5) {
        return root;
    }
    return exponent == 1 ? base : binary(BinaryOp::Pow, base, literal(base->type(), exponent));
}

Status buildLrn(OpContext& context)
{
    const std::vector<Axis> axes = context.outputAxes();
    const std::int64_t size = context.attributes().integer("size", 1);
    const graph::Attributes& attributes = context.attributes();
    if (axes.size() < 2 || size < 1) {
        return context.refusal("it needs a channel axis and a positive size");
    }
    const DType type = context.outputType();
    const std::int64_t before = (size - 1) / 2;
    const Expr reach = var(axes[1].name) + var("r0");
    const std::vector<Expr> at = varsOf(axes);
    std::vector<Expr> place = at;
    place[1] = shifted(reach, -before);
    std::vector<Expr> guards;
    if (before > 0) {
        guards.push_back(binary(BinaryOp::Ge, reach, intImm(before)));
    }
    if (size - 1 - before > 0) {
        guards.push_back(lessThan(reach, shifted(axes[1].extent, before)));
    }
    const Expr x = context.read(0, place);
    const Expr square = guards.empty() ? x * x : select(allOf(guards), x * x, literal(type, 0));
    Stage stage{"sum", {}, type, axes, {{"r0", intImm(size)}}, Combiner::Sum, literal(type, 0), square};
    const Expr sum = context.addStage(std::move(stage));
    const Expr scale = literal(type, attributes.real("alpha", 1e-4) / static_cast<double>(size));
    const Expr base = literal(type, attributes.real("bias", 1)) + sum * scale;
    context.finish(0, axes, quotient(context.read(0, at), powerOf(base, attributes.real("beta", 0.75))));
    return Done{};
}

Status buildBatchNormalization(OpContext& context)
{
    const std::vector<Axis> axes = context.outputAxes();
    if (axes.size() < 2) {
        return context.refusal("the input has no channel axis");
    }
    const DType type = context.outputType();
    const std::vector<Expr> channel{var(axes[1].name)};
    const auto parameter = [&](std::size_t i) { return castTo(type, context.read(i, channel)); };
    const Expr epsilon = literal(type, context.attributes().real("epsilon", 1e-5));
    context.limitInput(4, 0.5, 2);
    const Expr deviation = unary(UnaryOp::Sqrt, parameter(4) + epsilon);
    const Expr centred = context.read(0, varsOf(axes)) - parameter(3);
    context.finish(0, axes, centred * quotient(parameter(1), deviation) + parameter(2));
    return Done{};
}

constexpr OpBuilder kBuilders[] = {
    {"Softmax", &buildSoftmax},
    {"LogSoftmax", &buildLogSoftmax},
    {"LayerNormalization", &buildLayerNormalization},
    {"RMSNormalization", &buildRmsNormalization},
    {"LRN", &buildLrn},
    {"BatchNormalization", &buildBatchNormalization},
};

} // namespace

std::span<const OpBuilder> normalizationBuilders()
{
    return kBuilders;
}

} // namespace nw::compute
