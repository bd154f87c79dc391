// The oracle against results worked out by hand, one or more cases for every family of operators.

#include "engine/compute/interpret.h"
#include "tests/engine/compute/group_maker.h"
#include "tests/support/test.h"

#include <QObject>

#include <cmath>

using namespace nw;
using namespace nw::compute;
using nw::test::AttributeMap;
using nw::test::Extents;
using nw::test::GroupMaker;

namespace {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

const double kNan = std::nan("");
const double kInf = std::numeric_limits<double>::infinity();

struct In { DType type; Extents shape; Numbers values; };

struct Out { DType type; Extents shape; Numbers values; };

struct Case { std::string name; std::string op; std::vector<In> inputs; std::vector<Out> outputs; AttributeMap attributes; };

Tensor tensorOf(const In& in)
{
    Result<Tensor> tensor = Tensor::create(in.type, in.shape);
    ENSURE(tensor.has_value(), "no tensor");
    for (std::size_t i = 0; i < in.values.size(); ++i) {
        const double value = in.values[i];
        switch (in.type) {
        case DType::F32: tensor->mutableData<float>()[i] = static_cast<float>(value); break;
        case DType::F64: tensor->mutableData<double>()[i] = value; break;
        case DType::I64: tensor->mutableData<std::int64_t>()[i] = static_cast<std::int64_t>(value); break;
        case DType::I32: tensor->mutableData<std::int32_t>()[i] = static_cast<std::int32_t>(value); break;
        default: tensor->mutableData<std::uint8_t>()[i] = value != 0 ? 1 : 0; break;
        }
    }
    return *std::move(tensor);
}

// Empty when the outputs are as expected; every expected value must also lie within the oracle's own bound, widened by
// the rounding of f32 literals.
std::string difference(const Case& c)
{
    GroupMaker maker;
    std::vector<graph::ValueId> inputs;
    std::vector<Tensor> tensors;
    for (const In& in : c.inputs) {
        inputs.push_back(maker.input(in.type, in.shape));
        tensors.push_back(tensorOf(in));
    }
    std::vector<graph::ValueId> outputs{maker.node(c.op, inputs, c.outputs[0].type, c.outputs[0].shape, c.attributes)};
    for (std::size_t i = 1; i < c.outputs.size(); ++i) {
        outputs.push_back(maker.extraOutput(c.outputs[i].type, c.outputs[i].shape));
    }
    const Result<Definition> definition = maker.define(outputs);
    if (!definition) {
        return definition.error().message;
    }
    const Result<Definition> again = parseDefinition(toText(*definition));
    if (!again || toText(*again) != toText(*definition)) {
        return "the text does not round-trip: " + (again ? toText(*again) : again.error().message) + toText(*definition);
    }
    const auto results = interpret(*definition, nw::test::asPorts(*definition, tensors));
    if (!results) {
        return results.error().message;
    }
    for (std::size_t o = 0; o < c.outputs.size(); ++o) {
        const OracleOutput& got = (*results)[o];
        const Numbers& expected = c.outputs[o].values;
        const auto shape = definition->staticShape(got.port);
        if (got.values.size() != expected.size() || !shape || got.shape != *shape) {
            return "wrong shape\n" + toText(*definition);
        }
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double value = got.values[i];
            const bool same = std::isfinite(expected[i])
                ? std::abs(value - expected[i]) <= 2e-6 * std::abs(expected[i]) + 1e-12
                : std::isnan(expected[i]) ? std::isnan(value) : value == expected[i];
            if (!same || std::isnan(got.bounds[i]) || !(got.bounds[i] < 1e-3)) {
                return "output " + std::to_string(o) + "[" + std::to_string(i) + "] is " + std::to_string(value) + " +- "
                    + std::to_string(got.bounds[i]) + ", expected " + std::to_string(expected[i]) + "\n" + toText(*definition);
            }
        }
    }
    return {};
}

constexpr DType F = DType::F32;
constexpr DType I = DType::I64;
constexpr DType J = DType::I32;
constexpr DType B = DType::Bool;

In f(Extents shape, Numbers values) { return {F, std::move(shape), std::move(values)}; }

Numbers count(double from, double to)
{
    Numbers values;
    for (double v = from; v <= to; ++v) {
        values.push_back(v);
    }
    return values;
}

AttributeMap window(Integers pads, Integers strides, Integers dilations) { return {{"pads", std::move(pads)}, {"strides", std::move(strides)}, {"dilations", std::move(dilations)}}; }

AttributeMap operator+(AttributeMap a, const AttributeMap& b)
{
    a.insert(b.begin(), b.end());
    return a;
}

AttributeMap one(const std::string& name, graph::AttributeValue value) { return {{name, std::move(value)}}; }

std::vector<Case> contractions()
{
    const Numbers ones9(9, 1);
    return {
        {"conv padded", "Conv", {f({1, 1, 3, 3}, count(1, 9)), f({1, 1, 3, 3}, ones9)},
         {{F, {1, 1, 3, 3}, {12, 21, 16, 27, 45, 33, 24, 39, 28}}}, window({1, 1, 1, 1}, {1, 1}, {1, 1})},
        {"conv bias", "Conv", {f({1, 1, 2, 2}, count(1, 4)), f({2, 1, 1, 1}, {1, 10}), f({2}, {0.5, -1})},
         {{F, {1, 2, 2, 2}, {1.5, 2.5, 3.5, 4.5, 9, 19, 29, 39}}}, window({0, 0, 0, 0}, {1, 1}, {1, 1})},
        {"conv groups dilated", "Conv", {f({1, 2, 5}, {1, 2, 3, 4, 5, 10, 20, 30, 40, 50}), f({2, 1, 2}, {1, 10, 1, -1})},
         {{F, {1, 2, 3}, {31, 42, 53, -20, -20, -20}}}, window({0, 0}, {1}, {2}) + one("group", std::int64_t{2})},
        {"conv two inputs a group", "Conv", {f({1, 4, 1}, {1, 2, 3, 4}), f({2, 2, 1}, {1, 10, 1, 10})},
         {{F, {1, 2, 1}, {21, 43}}}, window({0, 0}, {1}, {1}) + one("group", std::int64_t{2})},
        {"case_1 upper", "Conv", {f({1, 1, 1, 5}, count(1, 5)), f({1, 1, 1, 2}, {1, 10})}, {{F, {1, 1, 1, 3}, {21, 43, 5}}}, window({0, 0, 0, 1}, {1, 2}, {1, 1})},
        {"case_1 lower", "Conv", {f({1, 1, 1, 5}, count(1, 5)), f({1, 1, 1, 2}, {1, 10})}, {{F, {1, 1, 1, 3}, {10, 32, 54}}}, window({0, 1, 0, 0}, {1, 2}, {1, 1})},
        {"case_1 dilated", "Conv", {f({1, 1, 1, 5}, count(1, 5)), f({1, 1, 1, 3}, {1, 1, 1})},
         {{F, {1, 1, 1, 5}, {4, 6, 9, 6, 8}}}, window({0, 2, 0, 2}, {1, 1}, {1, 2})},
        {"conv 3-d", "Conv", {f({1, 1, 2, 2, 2}, count(1, 8)), f({1, 1, 2, 1, 2}, {1, 2, 3, 4})},
         {{F, {1, 1, 1, 2, 1}, {44, 64}}}, window({0, 0, 0, 0, 0, 0}, {1, 1, 1}, {1, 1, 1})},
        {"dot", "MatMul", {f({3}, {1, 2, 3}), f({3}, {4, 5, 6})}, {{F, {}, {32}}}, {}},
        {"row times matrix", "MatMul", {f({2}, {1, 2}), f({2, 3}, count(1, 6))}, {{F, {3}, {9, 12, 15}}}, {}},
        {"matrix times column", "MatMul", {f({2, 2}, count(1, 4)), f({2}, {1, 10})}, {{F, {2}, {21, 43}}}, {}},
        {"batched", "MatMul", {f({2, 1, 1, 2}, count(1, 4)), f({2, 2, 1}, {1, 10, 100, 1000})}, {{F, {2, 2, 1, 1}, {21, 2100, 43, 4300}}}, {}},
        {"integers", "MatMul", {{I, {1, 2}, {3000000000, 1}}, {I, {2, 1}, {2, 5}}}, {{I, {1, 1}, {6000000005}}}, {}},
        {"gemm", "Gemm", {f({2, 2}, count(1, 4)), f({2, 2}, {1, 0, 0, 1}), f({2}, {10, 20})}, {{F, {2, 2}, {22, 46, 24, 48}}},
         {{"transA", std::int64_t{1}}, {"transB", std::int64_t{0}}, {"alpha", 2.0}, {"beta", 2.0}}},
        {"gemm plain", "Gemm", {f({1, 2}, {1, 2}), f({3, 2}, count(1, 6))}, {{F, {1, 3}, {5, 11, 17}}},
         {{"transA", std::int64_t{0}}, {"transB", std::int64_t{1}}, {"alpha", 1.0}, {"beta", 1.0}}},
        {"gemm column", "Gemm", {f({2, 1}, {1, 2}), f({1, 2}, {1, 1}), f({2, 1}, {5, 6})}, {{F, {2, 2}, {6, 6, 8, 8}}}, {}},
    };
}

std::vector<Case> pools()
{
    const AttributeMap two = window({0, 0, 0, 0}, {2, 2}, {1, 1}) + one("kernel_shape", Integers{2, 2});
    const AttributeMap three = window({1, 1}, {2}, {1}) + one("kernel_shape", Integers{3});
    const AttributeMap over = window({0, 0}, {2}, {1}) + one("kernel_shape", Integers{3}) + one("ceil_mode", std::int64_t{1});
    const AttributeMap counted = one("count_include_pad", std::int64_t{1});
    return {
        {"max with indices", "MaxPool", {f({1, 1, 4, 4}, count(0, 15))}, {{F, {1, 1, 2, 2}, {5, 7, 13, 15}}, {I, {1, 1, 2, 2}, {5, 7, 13, 15}}}, two},
        {"max column major", "MaxPool", {f({1, 2, 2, 4}, count(0, 15))},
         {{F, {1, 2, 1, 2}, {5, 7, 13, 15}}, {I, {1, 2, 1, 2}, {3, 7, 11, 15}}}, two + one("storage_order", std::int64_t{1})},
        {"max ties", "MaxPool", {f({1, 1, 2, 2}, {3, 3, 3, 3})}, {{F, {1, 1, 1, 1}, {3}}, {I, {1, 1, 1, 1}, {0}}}, two},
        {"max padded negative", "MaxPool", {f({1, 1, 3}, {-3, -1, -2})}, {{F, {1, 1, 2}, {-1, -1}}}, three},
        {"average", "AveragePool", {f({1, 1, 5}, count(1, 5))}, {{F, {1, 1, 3}, {1.5, 3, 4.5}}}, three},
        {"average with padding", "AveragePool", {f({1, 1, 5}, count(1, 5))}, {{F, {1, 1, 3}, {1, 3, 3}}}, three + counted},
        {"average over the end", "AveragePool", {f({1, 1, 4}, count(1, 4))}, {{F, {1, 1, 2}, {2, 3.5}}}, over},
        {"average over the end counted", "AveragePool", {f({1, 1, 4}, count(1, 4))}, {{F, {1, 1, 2}, {2, 3.5}}}, over + counted},
        {"average dilated", "AveragePool", {f({1, 1, 5}, count(1, 5))}, {{F, {1, 1, 5}, {2, 3, 3, 3, 4}}}, window({2, 2}, {1}, {2}) + one("kernel_shape", Integers{3})},
    };
}

std::vector<Case> normalizations()
{
    const double third = 1.0 / 3;
    return {
        {"case_4 softmax", "Softmax", {f({1, 2, 2}, {0, std::log(2.0), std::log(3.0), std::log(4.0)})},
         {{F, {1, 2, 2}, {third, 2 * third, 3.0 / 7, 4.0 / 7}}}, one("axis", std::int64_t{2})},
        {"softmax large", "Softmax", {f({2, 2}, {1000, 1000, -kInf, 5})}, {{F, {2, 2}, {0.5, 0.5, 0, 1}}}, one("axis", std::int64_t{1})},
        {"softmax other axis", "Softmax", {f({2, 2}, {0, 5, std::log(3.0), 5})}, {{F, {2, 2}, {0.25, 0.5, 0.75, 0.5}}}, one("axis", std::int64_t{0})},
        {"log softmax", "LogSoftmax", {f({2}, {0, std::log(2.0)})}, {{F, {2}, {std::log(third), std::log(2 * third)}}}, one("axis", std::int64_t{0})},
        {"layer norm", "LayerNormalization", {f({1, 2}, {1, 3}), f({2}, {2, 3}), f({2}, {1, 1})},
         {{F, {1, 2}, {-1, 4}}, {F, {1, 1}, {2}}, {F, {1, 1}, {1}}}, {{"axis", std::int64_t{1}}, {"epsilon", 0.0}}},
        {"layer norm two axes", "LayerNormalization", {f({1, 2, 2}, {1, 1, 3, 3}), f({2, 2}, {1, 2, 1, 2})},
         {{F, {1, 2, 2}, {-1, -2, 1, 2}}}, {{"axis", std::int64_t{1}}, {"epsilon", 0.0}}},
        {"rms norm", "RMSNormalization", {f({1, 2, 2}, {3, -1, 3, 1}), f({2, 2}, {1, 3, 2, 6})}, {{F, {1, 2, 2}, {1, -1, 2, 2}}},
         {{"axis", std::int64_t{1}}, {"epsilon", 4.0}}},
        {"lrn", "LRN", {f({1, 3, 1, 1}, {1, 2, 3})}, {{F, {1, 3, 1, 1}, {1.0 / 6, 2.0 / 15, 3.0 / 14}}},
         {{"size", std::int64_t{3}}, {"alpha", 3.0}, {"beta", 1.0}, {"bias", 1.0}}},
        {"lrn even", "LRN", {f({1, 3, 1, 1}, {1, 2, 3})}, {{F, {1, 3, 1, 1}, {1.0 / 6, 2.0 / 14, 3.0 / 10}}},
         {{"size", std::int64_t{2}}, {"alpha", 2.0}, {"beta", 1.0}, {"bias", 1.0}}},
        {"batch norm", "BatchNormalization", {f({1, 2, 1, 1}, {3, 5}), f({2}, {2, 1}), f({2}, {1, 0}), f({2}, {1, 1}), f({2}, {4, 1})},
         {{F, {1, 2, 1, 1}, {3, 4}}}, one("epsilon", 0.0)},
    };
}

std::vector<Case> reductions()
{
    std::vector<Case> cases;
    const auto row = [&](const std::string& op, Numbers expected) {
        cases.push_back({op, op, {f({2, 2}, count(1, 4))}, {{F, {2}, std::move(expected)}}, {{"axes", Integers{1}}, {"keepdims", std::int64_t{0}}}});
    };
    row("ReduceSum", {3, 7}); row("ReduceMean", {1.5, 3.5}); row("ReduceMax", {2, 4}); row("ReduceMin", {1, 3});
    row("ReduceProd", {2, 12}); row("ReduceL1", {3, 7}); row("ReduceL2", {std::sqrt(5.0), 5}); row("ReduceSumSquare", {5, 25});
    row("ReduceLogSum", {std::log(3.0), std::log(7.0)});
    row("ReduceLogSumExp", {std::log(std::exp(1.0) + std::exp(2.0)), std::log(std::exp(3.0) + std::exp(4.0))});
    const auto all = [](std::int64_t keep) { return AttributeMap{{"axes", Integers{0, 1}}, {"keepdims", keep}}; };
    cases.push_back({"all axes", "ReduceSum", {f({2, 2}, count(1, 4))}, {{F, {}, {10}}}, all(0)});
    cases.push_back({"kept axes", "ReduceMax", {f({2, 2}, {1, 9, 3, -4})}, {{F, {1, 1}, {9}}}, all(1)});
    cases.push_back({"mean of integers", "ReduceMean", {{J, {1, 2}, {1, 2}}}, {{J, {1, 1}, {1}}}, all(1)});
    cases.push_back({"any", "ReduceMax", {{B, {2, 2}, {0, 1, 0, 0}}}, {{B, {2}, {1, 0}}}, {{"axes", Integers{1}}, {"keepdims", std::int64_t{0}}}});
    cases.push_back({"no axes", "ReduceL1", {f({2}, {-1, 2})}, {{F, {2}, {1, 2}}}, one("axes", Integers{})});
    cases.push_back({"nan", "ReduceMax", {f({1, 3}, {1, kNan, 2})}, {{F, {1, 1}, {kNan}}}, all(1)});
    cases.push_back({"log of infinities", "ReduceLogSumExp", {f({1, 2}, {-kInf, -kInf})}, {{F, {1, 1}, {-kInf}}}, all(1)});
    const AttributeMap last{{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}};
    const In ties = f({2, 4}, {1, 3, 3, 2, 0, 0, -1, -1});
    cases.push_back({"arg max", "ArgMax", {ties}, {{I, {2}, {1, 0}}}, last});
    cases.push_back({"arg max last", "ArgMax", {ties}, {{I, {2}, {2, 1}}}, last + one("select_last_index", std::int64_t{1})});
    cases.push_back({"arg min", "ArgMin", {ties}, {{I, {2}, {0, 2}}}, last});
    return cases;
}

std::vector<Case> movements()
{
    const In grid = f({2, 3}, count(1, 6));
    const In row = f({1, 1, 1, 4}, count(1, 4));
    const auto pad = [](const std::string& mode) {
        return AttributeMap{{"pads", Integers{0, 0, 0, 2, 0, 0, 0, 1}}, {"mode", mode}, {"value", 9.0}};
    };
    return {
        {"transpose", "Transpose", {grid}, {{F, {3, 2}, {1, 4, 2, 5, 3, 6}}}, one("perm", Integers{1, 0})},
        {"transpose three", "Transpose", {f({1, 2, 3}, count(1, 6))}, {{F, {3, 1, 2}, {1, 4, 2, 5, 3, 6}}}, one("perm", Integers{2, 0, 1})},
        {"concat", "Concat", {grid, f({2, 1}, {7, 8}), f({2, 0}, {}), f({2, 1}, {9, 10})}, {{F, {2, 5}, {1, 2, 3, 7, 9, 4, 5, 6, 8, 10}}}, one("axis", std::int64_t{1})},
        {"slice", "Slice", {grid}, {{F, {1, 2}, {4, 6}}}, {{"starts", Integers{1, 0}}, {"ends", Integers{2, 3}}, {"axes", Integers{0, 1}}, {"steps", Integers{1, 2}}}},
        {"slice backwards", "Slice", {grid}, {{F, {2, 2}, {3, 1, 6, 4}}}, {{"starts", Integers{2}}, {"ends", Integers{-1}}, {"axes", Integers{1}}, {"steps", Integers{-2}}}},
        {"case_10 gather", "Gather", {f({5}, count(1, 5)), {I, {3}, {-1, -3, 0}}}, {{F, {3}, {5, 3, 1}}}, one("axis", std::int64_t{0})},
        {"gather clamps", "Gather", {f({5}, count(1, 5)), {J, {2}, {5, -6}}}, {{F, {2}, {5, 1}}}, one("axis", std::int64_t{0})},
        {"gather columns", "Gather", {grid, {I, {2, 1}, {2, 0}}}, {{F, {2, 2, 1}, {3, 1, 6, 4}}}, one("axis", std::int64_t{1})},
        {"expand", "Expand", {f({2, 1}, {1, 2}), {I, {3}, {2, 2, 2}}}, {{F, {2, 2, 2}, {1, 1, 2, 2, 1, 1, 2, 2}}}, {}},
        {"pad constant", "Pad", {row}, {{F, {1, 1, 1, 7}, {9, 9, 1, 2, 3, 4, 9}}}, pad("constant")},
        {"pad reflect", "Pad", {row}, {{F, {1, 1, 1, 7}, {3, 2, 1, 2, 3, 4, 3}}}, pad("reflect")},
        {"pad edge", "Pad", {row}, {{F, {1, 1, 1, 7}, {1, 1, 1, 2, 3, 4, 4}}}, pad("edge")},
        {"crop", "Pad", {row}, {{F, {1, 1, 1, 3}, {2, 3, 4}}}, {{"pads", Integers{0, 0, 0, -1, 0, 0, 0, 0}}}},
        {"tile", "Tile", {f({1, 2}, {1, 2})}, {{F, {2, 4}, {1, 2, 1, 2, 1, 2, 1, 2}}}, one("repeats", Integers{2, 2})},
        {"reshape", "Reshape", {grid}, {{F, {3, 1, 2}, {1, 2, 3, 4, 5, 6}}}, one("shape", Integers{3, 1, 2})},
    };
}

Case plain(const std::string& op, Numbers x, Numbers y, AttributeMap attributes = {})
{
    const auto n = static_cast<std::int64_t>(x.size());
    return {op, op, {f({n}, std::move(x))}, {{F, {n}, std::move(y)}}, std::move(attributes)};
}

Case binaryCase(const std::string& op, DType type, Numbers a, Numbers b, DType outType, Numbers y, AttributeMap attributes = {})
{
    const auto n = static_cast<std::int64_t>(a.size());
    return {op + " " + std::string(toText(type)), op, {{type, {n}, std::move(a)}, {type, {n}, std::move(b)}}, {{outType, {n}, std::move(y)}},
            std::move(attributes)};
}

std::vector<Case> elementwise()
{
    const double e = std::exp(1.0);
    const double s = 1 / (1 + std::exp(-2.0));
    std::vector<Case> cases{
        plain("Round", {0.5, 1.5, 2.5, -0.5, -1.5, 2.4}, {0, 2, 2, 0, -2, 2}), plain("Floor", {1.5, -1.5}, {1, -2}),
        plain("Ceil", {1.5, -1.5}, {2, -1}), plain("Sign", {3, 0, -2, kNan}, {1, 0, -1, kNan}), plain("Abs", {3, -2}, {3, 2}),
        plain("Sqrt", {4, 2, -1}, {2, std::sqrt(2.0), kNan}), plain("Reciprocal", {4, 0}, {0.25, kInf}),
        plain("Exp", {0, 1, 89}, {1, e, kInf}), plain("Log", {1, e, 0, -1}, {0, 1, -kInf, kNan}), plain("Erf", {0.5}, {std::erf(0.5)}),
        plain("Sigmoid", {0, 2}, {0.5, s}), plain("Relu", {-1, 2, kNan}, {0, 2, kNan}),
        plain("LeakyRelu", {-1, 2}, {-0.1, 2}, one("alpha", 0.1)), plain("Elu", {-1, 2}, {2 * (1 / e - 1), 2}, one("alpha", 2.0)),
        plain("Selu", {-1, 2}, {1.0507009873554805 * 1.6732632423543772 * (1 / e - 1), 2 * 1.0507009873554805}),
        plain("Celu", {-1, 2}, {2 * (std::exp(-0.5) - 1), 2}, one("alpha", 2.0)),
        plain("HardSigmoid", {-5, 0, 1, 5}, {0, 0.5, 0.7, 1}, {{"alpha", 0.2}, {"beta", 0.5}}),
        plain("HardSwish", {-4, 0, 3, 1}, {0, 0, 3, 4.0 / 6}), plain("Softplus", {0, 100, -100}, {std::log(2.0), 100, 0}),
        plain("Softsign", {1, -3}, {0.5, -0.75}), plain("ThresholdedRelu", {1, 2}, {0, 2}, one("alpha", 1.0)),
        plain("Gelu", {1}, {0.5 * (1 + std::erf(std::sqrt(0.5)))}, one("approximate", std::string("none"))),
        plain("Gelu", {1}, {0.5 * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * 1.044715))}, one("approximate", std::string("tanh"))),
        plain("Mish", {1}, {std::tanh(std::log(1 + e))}), binaryCase("Div", J, {-7, 7}, {2, 2}, J, {-3, 3}),
        binaryCase("Div", F, {-7, 1, 0}, {2, 0, 0}, F, {-3.5, kInf, kNan}),
        binaryCase("Mod", I, {-7, 7, -7}, {3, -3, -3}, I, {2, -2, -1}),
        binaryCase("Mod", I, {-7, 7}, {3, -3}, I, {-1, 1}, one("fmod", std::int64_t{1})),
        binaryCase("Mod", F, {-7.5, 5.5}, {2, -2}, F, {-1.5, 1.5}, one("fmod", std::int64_t{1})),
        binaryCase("Max", F, {1, kNan, 2}, {2, 1, kNan}, F, {2, kNan, kNan}), binaryCase("Min", J, {1, 5}, {2, 4}, J, {1, 4}),
        binaryCase("Pow", F, {2, 9, -2}, {10, 0.5, 3}, F, {1024, 3, -8}), binaryCase("Pow", I, {3, -2}, {4, 3}, I, {81, -8}),
        binaryCase("Less", F, {1, 2, kNan}, {2, 2, 1}, B, {1, 0, 0}), binaryCase("GreaterOrEqual", I, {1, 2}, {2, 2}, B, {0, 1}),
        binaryCase("Equal", B, {0, 1, 1}, {0, 0, 1}, B, {1, 0, 1}), binaryCase("And", B, {0, 1, 1}, {1, 0, 1}, B, {0, 0, 1}),
        binaryCase("Xor", B, {0, 1, 1}, {1, 0, 1}, B, {1, 1, 0}), binaryCase("Add", J, {2147483647, 1}, {1, 1}, J, {-2147483648.0, 2}),
        binaryCase("PRelu", F, {-2, 2}, {0.5, 0.5}, F, {-1, 2}),
        {"case_8 min", "Min", {f({2, 1}, {1, 5}), f({3}, {0, 4, 9})}, {{F, {2, 3}, {0, 1, 1, 0, 4, 5}}}, {}},
        {"mixed pow", "Pow", {f({2}, {2, 3}), {I, {}, {2}}}, {{F, {2}, {4, 9}}}, {}},
        {"where", "Where", {{B, {2, 1}, {1, 0}}, f({2}, {1, 2}), f({}, {9})}, {{F, {2, 2}, {1, 2, 9, 9}}}, {}},
        {"clip", "Clip", {f({3}, {-1, 3, 9}), f({}, {0}), f({}, {6})}, {{F, {3}, {0, 3, 6}}}, {}},
        {"not", "Not", {{B, {2}, {0, 1}}}, {{B, {2}, {1, 0}}}, {}},
        {"neg integer", "Neg", {{I, {2}, {5, -7}}}, {{I, {2}, {-5, 7}}}, {}},
        {"cast down", "Cast", {f({4}, {2.9, -2.9, 0.5, -0.5})}, {{J, {4}, {2, -2, 0, 0}}}, {}},
        {"cast to bool", "Cast", {f({3}, {0, 0.5, -1})}, {{B, {3}, {0, 1, 1}}}, {}},
        {"cast from bool", "Cast", {{B, {2}, {0, 1}}}, {{F, {2}, {0, 1}}}, {}},
        {"is nan", "IsNaN", {f({3}, {0, kNan, kInf})}, {{B, {3}, {0, 1, 0}}}, {}},
        {"is negative infinity", "IsInf", {f({3}, {-kInf, kNan, kInf})}, {{B, {3}, {1, 0, 0}}},
         {{"detect_negative", std::int64_t{1}}, {"detect_positive", std::int64_t{0}}}},
    };
    using Real = double (*)(double);
    const std::vector<std::pair<std::string, Real>> functions{
        {"Sin", std::sin}, {"Cos", std::cos}, {"Tan", std::tan}, {"Asin", std::asin}, {"Acos", std::acos}, {"Atan", std::atan},
        {"Sinh", std::sinh}, {"Cosh", std::cosh}, {"Tanh", std::tanh}, {"Asinh", std::asinh}, {"Atanh", std::atanh}};
    for (const auto& [op, function] : functions) {
        cases.push_back(plain(op, {0.5, -0.25}, {function(0.5), function(-0.25)}));
    }
    cases.push_back(plain("Acosh", {1, 2}, {0, std::acosh(2.0)}));
    return cases;
}

} // namespace

class TestInterpret : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void byHand_data()
    {
        QTest::addColumn<int>("family");
        QTest::addColumn<int>("index");
        const std::vector<std::vector<Case>> families = allCases();
        for (std::size_t family = 0; family < families.size(); ++family) {
            for (std::size_t i = 0; i < families[family].size(); ++i) {
                QTest::newRow(families[family][i].name.c_str()) << static_cast<int>(family) << static_cast<int>(i);
            }
        }
    }

    void byHand()
    {
        QFETCH(int, family);
        QFETCH(int, index);
        const Case c = allCases()[static_cast<std::size_t>(family)][static_cast<std::size_t>(index)];
        QCOMPARE(difference(c), std::string());
    }

    void convertsLayouts()
    {
        GroupMaker maker;
        const auto x = maker.input(DType::F32, {2, 2});
        const auto y = maker.node("Identity", {x}, DType::F32, {2, 2});
        plan::Group group = maker.group({y});
        group.nodes.clear();
        const Result<Definition> copy = defineGroup(maker.graph(), group);
        VERIFY_OK(copy);
        QCOMPARE(copy->kind, std::string("copy"));
        const auto results = interpret(*copy, {Tensor::of<float>(DType::F32, {2, 2}, {1, 2, 3, 4})});
        VERIFY_OK(results);
        QCOMPARE((*results)[0].values, (Numbers{1, 2, 3, 4}));
    }

    void refusesWrongTensors()
    {
        GroupMaker maker;
        const auto x = maker.input(DType::F32, {2, 2});
        const Result<Definition> definition = maker.define({maker.node("Relu", {x}, DType::F32, {2, 2})});
        VERIFY_OK(definition);
        QVERIFY(!interpret(*definition, {}));
        QVERIFY(!interpret(*definition, {Tensor::of<float>(DType::F32, {4}, {1, 2, 3, 4})}));
        QVERIFY(!interpret(*definition, {Tensor::of<double>(DType::F64, {2, 2}, {1, 2, 3, 4})}));
    }

    void refusesOtherTypes()
    {
        GroupMaker maker;
        const auto x = maker.input(DType::F16, {2});
        const Result<Definition> definition = maker.define({maker.node("Relu", {x}, DType::F16, {2})});
        QVERIFY(!definition);
        QCOMPARE(definition.error().kind, Error::Kind::Refused);
        QVERIFY(definition.error().message.find("f16") != std::string::npos);
    }

    void stops()
    {
        GroupMaker maker;
        const auto x = maker.input(DType::F32, {64, 64});
        const Result<Definition> definition = maker.define({maker.node("Exp", {x}, DType::F32, {64, 64})});
        VERIFY_OK(definition);
        const auto data = makeTestData(*definition, DataKind::Uniform, 1);
        VERIFY_OK(data);
        const StopToken stop;
        stop.requestStop();
        const auto results = interpret(*definition, *data, 2, stop);
        QVERIFY(!results);
        QCOMPARE(results.error().kind, Error::Kind::Stopped);
    }

private:
    static std::vector<std::vector<Case>> allCases()
    {
        return {contractions(), pools(), normalizations(), reductions(), movements(), elementwise()};
    }
};

NW_TEST_MAIN(tst_interpret, TestInterpret)
#include "tst_interpret.moc"
