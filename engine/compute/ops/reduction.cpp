// Reduce*: one stage over the reduced axes r0, r1, ..., and what remains to be done to its value (divide, root,
// logarithm) as an expression. ArgMax and ArgMin: the value, then the smallest (or, with select_last_index, the
// largest) index that has it. Reducing over no axis treats every element alone.

#include "engine/compute/ops/op_builder.h"
#include "engine/compute/ops/index.h"

#include <algorithm>
#include <limits>

namespace nw::compute {
namespace {

// The axes of one reduction: `inner` reads the input while reducing.
struct Reduced {
    std::vector<Axis> out;
    std::vector<Axis> over;
    std::vector<Expr> inner;
    Expr count;
};

Reduced reducedAxes(const OpContext& context, const std::vector<std::int64_t>& axes, bool keepsAxes)
{
    Reduced reduced{context.outputAxes(), {}, {}, intImm(1)};
    const std::vector<Expr>& shape = context.inputShape(0);
    std::size_t next = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool isReduced = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
        if (isReduced) {
            reduced.over.push_back({"r" + std::to_string(reduced.over.size()), shape[i]});
            reduced.inner.push_back(var(reduced.over.back().name));
            reduced.count = isConst(reduced.count, 1) ? shape[i] : reduced.count * shape[i];
        } else {
            reduced.inner.push_back(var(reduced.out[next].name));
        }
        next += isReduced && !keepsAxes ? 0 : 1;
    }
    return reduced;
}

enum class Finish { Nothing, Mean, Root, Logarithm };

// Integers take the way over f64, as no integer has roots or logarithms.
Expr finished(Finish finish, const Expr& value, const Expr& count)
{
    const DType type = value->type();
    const auto onReals = [&](UnaryOp op) {
        return isFloat(type) ? unary(op, value) : castTo(type, unary(op, castTo(DType::F64, value)));
    };
    switch (finish) {
    case Finish::Nothing: return value;
    case Finish::Mean: return binary(BinaryOp::Div, value, countAs(type, count));
    case Finish::Root: return onReals(UnaryOp::Sqrt);
    case Finish::Logarithm: return onReals(UnaryOp::Log);
    }
    return value;
}

Expr initialValue(Combiner combiner, DType type)
{
    switch (combiner) {
    case Combiner::Max: return lowest(type);
    case Combiner::Min: return highest(type);
    case Combiner::Prod: return literal(type, 1);
    case Combiner::Sum:
    case Combiner::None: break;
    }
    return literal(type, 0);
}

Status reduceBy(OpContext& context, Combiner combiner, Expr (*term)(const Expr&), Finish finish)
{
    const bool keepsAxes = context.attributes().integer("keepdims", 1) != 0;
    const Reduced reduced = reducedAxes(context, context.attributes().integers("axes"), keepsAxes);
    const DType held = context.inputType(0);
    const DType type = held == DType::Bool ? DType::I32 : held; // bool has no order of its own
    const Expr x = castTo(type, context.read(0, reduced.inner));
    const Expr body = term == nullptr ? x : term(x);
    if (reduced.over.empty()) {
        context.finish(0, reduced.out, castTo(held, finished(finish, body, reduced.count)));
        return Done{};
    }
    Stage stage{{}, {}, type, reduced.out, reduced.over, combiner, initialValue(combiner, type), body};
    if (finish == Finish::Nothing && held == type) {
        context.finish(0, std::move(stage));
        return Done{};
    }
    stage.name = std::string(combiner == Combiner::Sum ? "sum" : "value");
    const Expr value = context.addStage(std::move(stage));
    context.finish(0, reduced.out, castTo(held, finished(finish, value, reduced.count)));
    return Done{};
}

Expr squareOf(const Expr& x)
{
    return x * x;
}

Expr magnitudeOf(const Expr& x)
{
    return unary(UnaryOp::Abs, x);
}

Status buildSum(OpContext& c) { return reduceBy(c, Combiner::Sum, nullptr, Finish::Nothing); }
Status buildMean(OpContext& c) { return reduceBy(c, Combiner::Sum, nullptr, Finish::Mean); }
Status buildMax(OpContext& c) { return reduceBy(c, Combiner::Max, nullptr, Finish::Nothing); }
Status buildMin(OpContext& c) { return reduceBy(c, Combiner::Min, nullptr, Finish::Nothing); }
Status buildProd(OpContext& c) { return reduceBy(c, Combiner::Prod, nullptr, Finish::Nothing); }
Status buildL1(OpContext& c) { return reduceBy(c, Combiner::Sum, &magnitudeOf, Finish::Nothing); }
Status buildL2(OpContext& c) { return reduceBy(c, Combiner::Sum, &squareOf, Finish::Root); }
Status buildSumSquare(OpContext& c) { return reduceBy(c, Combiner::Sum, &squareOf, Finish::Nothing); }

Status buildLogSum(OpContext& c)
{
    c.limitInput(0, 0.1, 2);
    return reduceBy(c, Combiner::Sum, nullptr, Finish::Logarithm);
}

// log(sum(exp(x))) with the maximum taken out; a row whose maximum is infinite keeps it.
Status buildLogSumExp(OpContext& context)
{
    const bool keepsAxes = context.attributes().integer("keepdims", 1) != 0;
    const Reduced reduced = reducedAxes(context, context.attributes().integers("axes"), keepsAxes);
    const DType type = context.inputType(0);
    if (!isFloat(type)) {
        return context.refusal("it is not defined on " + std::string(toText(type)) + " values");
    }
    const Expr x = context.read(0, reduced.inner);
    if (reduced.over.empty()) {
        context.finish(0, reduced.out, x);
        return Done{};
    }
    const Expr max = context.addStage({"max", {}, type, reduced.out, reduced.over, Combiner::Max, lowest(type), x});
    const Expr isWhole = unary(UnaryOp::IsInf, max);
    const Expr base = context.addStage({"base", {}, type, reduced.out, {}, Combiner::None, nullptr,
                                        select(isWhole, literal(type, 0), max)});
    const Expr sum = context.addStage({"sum", {}, type, reduced.out, reduced.over, Combiner::Sum, literal(type, 0),
                                       unary(UnaryOp::Exp, x - base)});
    context.finish(0, reduced.out, base + unary(UnaryOp::Log, sum));
    return Done{};
}

Status buildArg(OpContext& context, Combiner combiner)
{
    const bool keepsAxes = context.attributes().integer("keepdims", 1) != 0;
    std::int64_t axis = context.attributes().integer("axis", 0);
    axis += axis < 0 ? static_cast<std::int64_t>(context.inputShape(0).size()) : 0;
    const Reduced reduced = reducedAxes(context, {axis}, keepsAxes);
    if (reduced.over.size() != 1) {
        return context.refusal("the axis is outside the tensor");
    }
    const DType type = context.inputType(0);
    const Expr x = context.read(0, reduced.inner);
    const Expr best = context.addStage(
        {"value", {}, type, reduced.out, reduced.over, combiner, initialValue(combiner, type), x});
    const bool takesLast = context.attributes().integer("select_last_index", 0) != 0;
    const Expr none = takesLast ? intImm(-1) : intImm(std::numeric_limits<std::int64_t>::max());
    Stage index{{}, {}, DType::I64, reduced.out, reduced.over, takesLast ? Combiner::Max : Combiner::Min, none, {}};
    index.body = select(binary(BinaryOp::Eq, x, best), var("r0"), none);
    context.finish(0, std::move(index));
    return Done{};
}

Status buildArgMax(OpContext& c) { return buildArg(c, Combiner::Max); }
Status buildArgMin(OpContext& c) { return buildArg(c, Combiner::Min); }

constexpr OpBuilder kBuilders[] = {
    {"ReduceSum", &buildSum},       {"ReduceMean", &buildMean},           {"ReduceMax", &buildMax},
    {"ReduceMin", &buildMin},       {"ReduceProd", &buildProd},           {"ReduceL1", &buildL1},
    {"ReduceL2", &buildL2},         {"ReduceSumSquare", &buildSumSquare}, {"ReduceLogSum", &buildLogSum},
    {"ReduceLogSumExp", &buildLogSumExp}, {"ArgMax", &buildArgMax},       {"ArgMin", &buildArgMin},
};

} // namespace

std::span<const OpBuilder> reductionBuilders()
{
    return kBuilders;
}

} // namespace nw::compute
