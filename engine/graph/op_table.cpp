#include "engine/graph/op_table.h"

#include "engine/graph/shapes/shapes.h"

#include <algorithm>
#include <map>

namespace nw::graph {
namespace {

OpInfo unary(std::string_view name, ShapeFunction shape)
{
    return {name, OpClass::Elementwise, {"X"}, {"Y"}, shape, 1, false};
}

OpInfo binary(std::string_view name, ShapeFunction shape)
{
    return {name, OpClass::Elementwise, {"A", "B"}, {"Y"}, shape, 2, false};
}

OpInfo reduction(std::string_view name, ShapeFunction shape)
{
    return {name, OpClass::Reduction, {"X"}, {"Y"}, shape, 1, false};
}

OpInfo mover(std::string_view name, ShapeFunction shape)
{
    return {name, OpClass::Injective, {"X"}, {"Y"}, shape, 1, false};
}

void addElementwise(std::vector<OpInfo>& ops)
{
    for (const std::string_view name : {"Abs", "Neg", "Sign", "Relu"}) {
        ops.push_back(unary(name, &shapeUnary));
    }
    for (const std::string_view name :
        {"Floor", "Ceil", "Round", "Sqrt", "Reciprocal", "Exp", "Log", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh",
            "Cosh", "Tanh", "Asinh", "Acosh", "Atanh", "Erf", "Sigmoid", "LeakyRelu", "Elu", "Selu", "Celu", "HardSigmoid",
            "HardSwish", "Softplus", "Softsign", "ThresholdedRelu", "Gelu", "Mish"}) {
        ops.push_back(unary(name, &shapeUnaryFloat));
    }
    ops.push_back(unary("Not", &shapeNot));
    ops.push_back(unary("IsNaN", &shapeFloatTest));
    ops.push_back(unary("IsInf", &shapeFloatTest));
    ops.push_back(unary("Cast", &shapeCast));
    for (const std::string_view name : {"Add", "Sub", "Mul", "Div", "Mod", "Pow", "Min", "Max"}) {
        ops.push_back(binary(name, &shapeArithmetic));
    }
    for (const std::string_view name : {"And", "Or", "Xor"}) {
        ops.push_back(binary(name, &shapeLogic));
    }
    for (const std::string_view name : {"Less", "LessOrEqual", "Greater", "GreaterOrEqual"}) {
        ops.push_back(binary(name, &shapeCompare));
    }
    ops.push_back(binary("Equal", &shapeEqual));
    ops.push_back({"PRelu", OpClass::Elementwise, {"X", "Slope"}, {"Y"}, &shapePRelu, 2, false});
    ops.push_back({"Where", OpClass::Elementwise, {"C", "A", "B"}, {"Y"}, &shapeWhere, 3, false});
    ops.push_back({"Clip", OpClass::Elementwise, {"X", "Min", "Max"}, {"Y"}, &shapeClip, 1, false});
    ops.push_back({"BatchNormalization", OpClass::Elementwise, {"X", "Scale", "B", "Mean", "Var"}, {"Y"},
        &shapeBatchNormalization, 5, false});
}

void addReductions(std::vector<OpInfo>& ops)
{
    ops.push_back({"MaxPool", OpClass::Reduction, {"X"}, {"Y", "Indices"}, &shapeMaxPool, 1, false});
    ops.push_back(reduction("AveragePool", &shapeAveragePool));
    ops.push_back(reduction("LRN", &shapeLrn));
    ops.push_back(reduction("Softmax", &shapeSoftmax));
    ops.push_back(reduction("LogSoftmax", &shapeSoftmax));
    ops.push_back({"LayerNormalization", OpClass::Reduction, {"X", "Scale", "B"}, {"Y", "Mean", "InvStdDev"},
        &shapeLayerNormalization, 2, false});
    ops.push_back({"RMSNormalization", OpClass::Reduction, {"X", "Scale"}, {"Y"}, &shapeRmsNormalization, 2, false});
    for (const std::string_view name : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
             "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"}) {
        ops.push_back(reduction(name, &shapeReduce));
    }
    ops.push_back(reduction("ArgMax", &shapeArgReduce));
    ops.push_back(reduction("ArgMin", &shapeArgReduce));
}

std::vector<OpInfo> makeTable()
{
    std::vector<OpInfo> ops;
    ops.push_back({"Conv", OpClass::Contraction, {"X", "W", "B"}, {"Y"}, &shapeConv, 2, false});
    ops.push_back({"WinogradConv", OpClass::Contraction, {"X", "U", "B"}, {"Y"}, &shapeWinogradConv, 2, false});
    ops.push_back({"MatMul", OpClass::Contraction, {"A", "B"}, {"Y"}, &shapeMatMul, 2, false});
    ops.push_back({"Gemm", OpClass::Contraction, {"A", "B", "C"}, {"Y"}, &shapeGemm, 2, false});
    addElementwise(ops);
    addReductions(ops);
    for (const auto& [name, shape] : {std::pair<std::string_view, ShapeFunction>{"Transpose", &shapeTranspose},
             {"Slice", &shapeSlice}, {"Expand", &shapeExpand}, {"Pad", &shapePad}, {"Tile", &shapeTile}}) {
        ops.push_back(mover(name, shape));
    }
    ops.push_back({"Concat", OpClass::Injective, {"X"}, {"Y"}, &shapeConcat, 1, true});
    ops.push_back({"Gather", OpClass::Injective, {"X", "Indices"}, {"Y"}, &shapeGather, 2, false});
    ops.push_back({"Reshape", OpClass::View, {"X"}, {"Y"}, &shapeReshape, 1, false});
    ops.push_back({"Identity", OpClass::View, {"X"}, {"Y"}, &shapeIdentity, 1, false});
    ops.push_back({"NonZero", OpClass::Injective, {"X"}, {"Y"}, &shapeNonZero, 1, false});
    ops.push_back({"Range", OpClass::Injective, {"Start", "Limit", "Delta"}, {"Y"}, &shapeRange, 3, false});
    return ops;
}

const std::vector<OpInfo>& table()
{
    static const std::vector<OpInfo> ops = makeTable();
    return ops;
}

} // namespace

std::span<const OpInfo> allOps()
{
    return table();
}

const OpInfo* findOp(std::string_view name)
{
    static const std::map<std::string_view, const OpInfo*> byName = [] {
        std::map<std::string_view, const OpInfo*> out;
        for (const OpInfo& op : table()) {
            out.emplace(op.name, &op);
        }
        return out;
    }();
    const auto found = byName.find(name);
    return found == byName.end() ? nullptr : found->second;
}

} // namespace nw::graph
