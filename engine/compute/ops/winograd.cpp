// WinogradConv: a 3x3 convolution by tiles of `tile` x `tile` outputs (engine/graph/winograd.h).
//
//   rows     n ic th a w       data matrix down the columns of a row of tiles (padding as a select around the read of X)
//   tiles    n ic th tw a b    the same along the rows: the places a, b of a tile
//   conv     n oc th tw a b / ic    what is left of the sum, once a place
//   columns  n oc th tw i b    result matrix down the columns
//   output   n oc oh ow        the same along the rows; belongs to the epilogue, as a direct convolution's bias does
//
// A matrix stands in the body as a choice by its row, one sum for each; where the loop over the rows is unrolled nothing is
// left to choose. Tiles at the end stick out of the result, which reads only what it needs.

#include "engine/compute/ops/index.h"
#include "engine/compute/ops/op_builder.h"
#include "engine/graph/winograd.h"

#include <cmath>
#include <functional>

namespace nw::compute {
namespace {

using graph::Winograd;
using Operand = std::function<Expr(std::size_t)>;

// a + b, of which one may be missing; `sign` is b's.
Expr plus(const Expr& a, const Expr& b, bool isNegative)
{
    if (b == nullptr) {
        return a;
    }
    if (a == nullptr) {
        return isNegative ? unary(UnaryOp::Neg, b) : b;
    }
    return isNegative ? a - b : a + b;
}

Expr times(double factor, const Expr& e)
{
    return factor == 1 || e == nullptr ? e : literal(e->type(), factor) * e;
}

// Of every second operand from `first` on: the sum whose last coefficient is 1, and that coefficient.
struct Half {
    Expr sum;
    double factor = 0;
};
Half halfOf(const std::vector<double>& row, std::size_t first, const Operand& operand)
{
    Half half;
    for (std::size_t k = row.size(); k-- > 0;) {
        if (k % 2 != first || row[k] == 0) {
            continue;
        }
        half.factor = half.sum == nullptr ? row[k] : half.factor;
        const double factor = row[k] / half.factor;
        half.sum = plus(half.sum, times(std::abs(factor), operand(k)), factor < 0);
    }
    return half;
}

// A row of the data matrix. Rows of opposite points differ in the sign of their odd half alone: written so that the halves
// are the same expressions, which the code computes once for both.
Expr dataSum(const std::vector<double>& row, const Operand& operand)
{
    const Half even = halfOf(row, 0, operand);
    const Half odd = halfOf(row, 1, operand);
    const Expr sum = even.sum == nullptr ? nullptr : plus(nullptr, times(std::abs(even.factor), even.sum), even.factor < 0);
    return plus(sum, times(std::abs(odd.factor), odd.sum), odd.factor < 0);
}

// A row of the result matrix: the places of opposite points, which stand beside each other, are added or subtracted first.
Expr resultSum(const std::vector<double>& row, const Operand& operand)
{
    Expr sum;
    for (std::size_t j = 0; j < row.size(); ++j) {
        const bool isPair = j % 2 == 1 && j + 2 < row.size() && std::abs(row[j]) == std::abs(row[j + 1]);
        if (row[j] == 0) {
            continue;
        }
        const Expr one = isPair ? plus(operand(j), operand(j + 1), row[j + 1] != row[j]) : operand(j);
        sum = plus(sum, times(std::abs(row[j]), one), row[j] < 0);
        j += isPair ? 1 : 0;
    }
    return sum;
}

using RowSum = Expr (*)(const std::vector<double>&, const Operand&);

// Row `at` of the matrix times the operands. Comparisons that leave each row its own range, so that work is counted right.
Expr chosen(const Winograd::Matrix& matrix, const Expr& at, RowSum sumOf, const Operand& operand)
{
    Expr choice;
    for (std::size_t row = matrix.size(); row-- > 0;) {
        const Expr sum = sumOf(matrix[row], operand);
        choice = choice == nullptr ? sum : select(lessThan(at, intImm(static_cast<std::int64_t>(row) + 1)), sum, choice);
    }
    return choice;
}

// One tiled axis of the picture.
struct Along {
    std::int64_t in = 0, out = 0, before = 0, tile = 0;

    std::int64_t tiles() const { return (out + tile - 1) / tile; }
    std::int64_t reach() const { return tiles() * tile + 2; } // elements of the padded input that the tiles touch
    // Comparisons that keep a place of the padded input inside of the real one; `low` and `high` bound it.
    void guard(const Expr& place, std::int64_t low, std::int64_t high, std::vector<Expr>& guards) const
    {
        if (low < before) {
            guards.push_back(binary(BinaryOp::Ge, place, intImm(before)));
        }
        if (high >= in + before) {
            guards.push_back(lessThan(place, intImm(in + before)));
        }
    }
};

Result<std::int64_t> known(const OpContext& context, const Expr& extent)
{
    const std::optional<std::int64_t> value = constInt(extent);
    return value ? Result<std::int64_t>(*value) : context.refusal("every extent must be known for tiles");
}

struct Shape {
    Along h, w;
    std::int64_t inputs = 0, outputs = 0;
    Expr batch;
};
Result<Shape> shapeOf(const OpContext& context, std::int64_t tile)
{
    const std::vector<std::int64_t> pads = context.attributes().integers("pads", {0, 0, 0, 0});
    std::vector<std::int64_t> extents;
    for (const Expr& extent : {context.inputShape(0).at(1), context.inputShape(0).at(2), context.inputShape(0).at(3),
                               context.outputShape().at(1), context.outputShape().at(2), context.outputShape().at(3)}) {
        const Result<std::int64_t> value = known(context, extent);
        if (!value) {
            return value.error();
        }
        extents.push_back(*value);
    }
    return Shape{{extents[1], extents[4], pads.at(0), tile}, {extents[2], extents[5], pads.at(1), tile}, extents[0], extents[3],
                 context.outputShape()[0]};
}

Stage stageOf(const char* name, DType type, std::vector<Axis> axes, Expr body)
{
    return Stage{name, {}, type, std::move(axes), {}, Combiner::None, nullptr, std::move(body)};
}

// Loads of a stage by a load of it at other indices: `place` takes the place of axis `d`.
Expr at(const Expr& loaded, std::size_t d, const Expr& place)
{
    const auto* const access = loaded->as<Load>();
    std::vector<Expr> indices = access->indices;
    indices[d] = place;
    return load(access->buffer, loaded->type(), std::move(indices));
}

Expr rowsBody(OpContext& context, const Winograd& matrices, const Shape& shape)
{
    const DType type = context.outputType();
    const auto element = [&](std::size_t k) {
        const auto tap = static_cast<std::int64_t>(k);
        const Along& h = shape.h;
        const Expr row = shifted(scaled(var("th"), h.tile), tap);
        std::vector<Expr> guards;
        h.guard(row, tap, (h.tiles() - 1) * h.tile + tap, guards);
        shape.w.guard(var("w"), 0, shape.w.reach() - 1, guards);
        const Expr read = context.read(
            0, {var("n"), var("ic"), shifted(scaled(var("th"), h.tile), tap - h.before), shifted(var("w"), -shape.w.before)});
        return guards.empty() ? read : select(allOf(guards), read, literal(type, 0));
    };
    return chosen(matrices.data, var("a"), &dataSum, element);
}

Status buildWinograd(OpContext& context)
{
    const std::int64_t tile = context.attributes().integer("tile", 0);
    const std::optional<Winograd> matrices = graph::winograd(tile);
    if (!matrices) {
        return context.refusal("there are no matrices for tiles of this size");
    }
    const Result<Shape> known = shapeOf(context, tile);
    if (!known) {
        return known.error();
    }
    const Shape& shape = *known;
    const DType type = context.outputType();
    const Expr places = intImm(matrices->places());
    const Axis n{"n", shape.batch};
    const Axis th{"th", intImm(shape.h.tiles())};
    const Axis tw{"tw", intImm(shape.w.tiles())};
    const Axis ic{"ic", intImm(shape.inputs)};
    const Axis oc{"oc", intImm(shape.outputs)};

    const Expr rows = context.addStage(stageOf("rows", type, {n, ic, th, {"a", places}, {"w", intImm(shape.w.reach())}},
                                               rowsBody(context, *matrices, shape)));
    const auto inRow = [&](std::size_t k) {
        return at(rows, 4, shifted(scaled(var("tw"), tile), static_cast<std::int64_t>(k)));
    };
    const Expr tiles = context.addStage(stageOf("tiles", type, {n, ic, th, tw, {"a", places}, {"b", places}},
                                                chosen(matrices->data, var("b"), &dataSum, inRow)));
    Stage conv = stageOf("conv", type, {n, oc, th, tw, {"a", places}, {"b", places}},
                         tiles * context.read(1, {var("a"), var("b"), var("oc"), var("ic")}));
    conv.reduction = {ic};
    conv.combiner = Combiner::Sum;
    conv.init = literal(type, 0);
    const Expr sums = context.addStage(std::move(conv));
    const auto inColumn = [&](std::size_t a) { return at(sums, 4, intImm(static_cast<std::int64_t>(a))); };
    const Expr columns = context.addStage(stageOf("columns", type, {n, oc, th, tw, {"i", intImm(tile)}, {"b", places}},
                                                  chosen(matrices->result, var("i"), &resultSum, inColumn)));

    const Expr size = intImm(tile);
    const Expr here = at(at(at(columns, 2, floorDiv(var("oh"), size)), 3, floorDiv(var("ow"), size)), 4, floorMod(var("oh"), size));
    const auto inResult = [&](std::size_t b) { return at(here, 5, intImm(static_cast<std::int64_t>(b))); };
    Expr output = chosen(matrices->result, floorMod(var("ow"), size), &resultSum, inResult);
    if (context.hasInput(2)) {
        output = output + context.read(2, {var("oc")});
    }
    context.setKind("winograd");
    context.finish(0, {n, oc, {"oh", intImm(shape.h.out)}, {"ow", intImm(shape.w.out)}}, std::move(output), "output");
    return Done{};
}

constexpr OpBuilder kBuilders[] = {
    {"WinogradConv", &buildWinograd},
};

} // namespace

std::span<const OpBuilder> winogradBuilders()
{
    return kBuilders;
}

} // namespace nw::compute
