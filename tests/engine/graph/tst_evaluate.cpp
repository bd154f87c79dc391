#include "engine/graph/op_table.h"
#include "tests/support/test.h"

#include <cmath>
#include <limits>
#include <memory>

using namespace nw;
using namespace nw::graph;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
using Shape = std::vector<std::int64_t>;

Tensor f32(const Shape& shape, const std::vector<float>& values)
{
    return Tensor::of(DType::F32, shape, values);
}
Tensor f64(const Shape& shape, const std::vector<double>& values)
{
    return Tensor::of(DType::F64, shape, values);
}
Tensor i64(const Shape& shape, const std::vector<std::int64_t>& values)
{
    return Tensor::of(DType::I64, shape, values);
}
Tensor i32(const Shape& shape, const std::vector<std::int32_t>& values)
{
    return Tensor::of(DType::I32, shape, values);
}
Tensor bools(const Shape& shape, const std::vector<std::uint8_t>& values)
{
    return Tensor::of(DType::Bool, shape, values);
}
Tensor u8(const Shape& shape, const std::vector<std::uint8_t>& values)
{
    return Tensor::of(DType::U8, shape, values);
}
Tensor half(const Shape& shape, const std::vector<std::uint16_t>& bits)
{
    return Tensor::of(DType::F16, shape, bits);
}

// One call of an evaluator and what it must give.
struct Call {
    std::string op;
    std::map<std::string, AttributeValue> attributes;
    std::vector<Tensor> inputs; // a default-made tensor stands for an absent one when `absent` says so
    std::vector<Tensor> expected;
    TensorType type; // of the first output
    std::vector<std::size_t> absent;
    double tolerance = 0; // relative; 0: the same bits, but any NaN equals any other
};

TensorType typeOf(DType type, const Shape& shape)
{
    TensorType result{type, {}};
    for (const std::int64_t extent : shape) {
        result.shape.push_back(intImm(extent));
    }
    return result;
}

Result<std::vector<Tensor>> evaluate(const Call& call)
{
    Node node;
    node.name = "n";
    node.attributes.values = call.attributes;
    std::vector<const Tensor*> inputs;
    for (const Tensor& input : call.inputs) {
        inputs.push_back(&input);
    }
    for (const std::size_t i : call.absent) {
        inputs[i] = nullptr;
    }
    const std::vector<TensorType> types{call.type};
    const EvaluateFunction run = evaluatorOf(call.op);
    return run == nullptr ? Result<std::vector<Tensor>>(failed(call.op + " has no evaluator")) : run(node, inputs, types);
}

bool same(double a, double b, double tolerance)
{
    if (std::isnan(a) || std::isnan(b)) {
        return std::isnan(a) && std::isnan(b);
    }
    if (a == b) {
        return a != 0 || tolerance > 0 || std::signbit(a) == std::signbit(b);
    }
    return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

std::string difference(const Tensor& got, const Tensor& expected, double tolerance)
{
    if (got.type() != expected.type() || got.shape() != expected.shape()) {
        std::string shape;
        for (const std::int64_t extent : got.shape()) {
            shape += " " + std::to_string(extent);
        }
        return "type or shape differ: " + std::string(nw::toText(got.type())) + shape;
    }
    for (std::int64_t i = 0; i < got.count(); ++i) {
        const bool exact = !isFloat(got.type()) && got.asInt(i) != expected.asInt(i);
        if (exact || !same(got.asDouble(i), expected.asDouble(i), tolerance)) {
            return "element " + std::to_string(i) + " is " + std::to_string(got.asDouble(i)) + ", not " +
                   std::to_string(expected.asDouble(i));
        }
    }
    return {};
}

} // namespace

class TestEvaluate : public QObject {
    Q_OBJECT

private:
    void row(const char* name, Call call) { m_calls.push_back(std::move(call)), QTest::newRow(name) << m_calls.size() - 1; }
    std::vector<Call> m_calls;

    void integerRows()
    {
        row("add wraps", {"Add", {}, {i64({2}, {kHighest, 1}), i64({}, {1})}, {i64({2}, {kLowest, 2})}});
        row("sub wraps", {"Sub", {}, {i64({1}, {kLowest}), i64({1}, {1})}, {i64({1}, {kHighest})}});
        row("mul wraps", {"Mul", {}, {i64({2}, {3037000500, 0x100000001}), i64({2}, {3037000500, 0x100000001})},
                          {i64({2}, {-9223372036709301616, 0x200000001})}});
        row("i32 wraps", {"Add", {}, {i32({1}, {2147483647}), i32({1}, {1})}, {i32({1}, {-2147483647 - 1})}});
        row("u8 wraps", {"Mul", {}, {u8({2}, {200, 3}), u8({2}, {2, 5})}, {u8({2}, {144, 15})}});
        row("div truncates", {"Div", {}, {i64({4}, {7, -7, 7, -7}), i64({4}, {2, 2, -2, -2})}, {i64({4}, {3, -3, -3, 3})}});
        row("div by one number", {"Div", {}, {i64({4}, {7, -7, kLowest, kHighest}), i64({}, {-3})},
                                  {i64({4}, {-2, 2, 3074457345618258602, -3074457345618258602})}});
        row("lowest over -1", {"Div", {}, {i64({2}, {kLowest, 5}), i64({2}, {-1, -1})}, {i64({2}, {kLowest, -5})}});
        row("lowest over one -1", {"Div", {}, {i64({2}, {kLowest, 5}), i64({}, {-1})}, {i64({2}, {kLowest, -5})}});
        row("mod of divisor's sign", {"Mod", {}, {i64({4}, {7, -7, 7, -7}), i64({4}, {3, 3, -3, -3})},
                                      {i64({4}, {1, 2, -2, -1})}});
        row("mod by one number", {"Mod", {}, {i64({4}, {7, -7, 9, kLowest}), i64({1, 1}, {-3})},
                                  {i64({1, 4}, {-2, -1, 0, -2})}});
        row("fmod of integers", {"Mod", {{"fmod", std::int64_t{1}}}, {i32({2}, {7, -7}), i32({}, {3})}, {i32({2}, {1, -1})}});
        row("fmod of floats", {"Mod", {{"fmod", std::int64_t{1}}}, {f32({2}, {5.5F, -5.5F}), f32({}, {2})},
                               {f32({2}, {1.5F, -1.5F})}});
        row("pow of integers", {"Pow", {}, {i64({4}, {3, -1, 2, 2}), i64({4}, {4, -3, -1, 64})}, {i64({4}, {81, -1, 0, 0})}});
        row("pow, other exponent", {"Pow", {}, {f32({2}, {2, 9}), i64({2}, {-1, 2})}, {f32({2}, {0.5F, 81})}});
        row("min broadcasts", {"Min", {}, {f32({2, 1}, {1, 5}), f32({3}, {0, 4, 9}), f32({}, {3})},
                               {f32({2, 3}, {0, 1, 1, 0, 3, 3})}});
        row("min of one", {"Min", {}, {i64({2}, {1, 2})}, {i64({2}, {1, 2})}});
        row("max keeps NaN", {"Max", {}, {f32({2}, {kNan, 1}), f32({2}, {1, kNan})}, {f32({2}, {kNan, kNan})}});
        row("half rounds once", {"Add", {}, {half({2}, {0x3c00, 0x7bff}), half({2}, {0x1000, 0x7bff})},
                                 {half({2}, {0x3c00, 0x7c00})}});
    }

    void floatRows()
    {
        row("add broadcasts", {"Add", {}, {f32({2, 1, 2}, {1, 2, 3, 4}), f32({3, 1}, {10, 20, 30})},
                               {f32({2, 3, 2}, {11, 12, 21, 22, 31, 32, 13, 14, 23, 24, 33, 34})}});
        row("scalar on the left", {"Sub", {}, {f32({}, {1}), f32({3}, {1, 2, 3})}, {f32({3}, {0, -1, -2})}});
        row("f32 rounds each step", {"Add", {}, {f32({1}, {16777216}), f32({1}, {1})}, {f32({1}, {16777216})}});
        row("empty", {"Add", {}, {f32({0, 2}, {}), f32({2}, {1, 2})}, {f32({0, 2}, {})}});
        row("neg keeps signed zero", {"Neg", {}, {f32({2}, {0.0F, -1})}, {f32({2}, {-0.0F, 1})}});
        row("round half to even", {"Round", {}, {f32({4}, {0.5F, 1.5F, -2.5F, 2.6F})}, {f32({4}, {0, 2, -2.0F, 3})}});
        row("sign", {"Sign", {}, {f32({3}, {-3, 0, kNan})}, {f32({3}, {-1, 0, kNan})}});
        row("abs of lowest", {"Abs", {}, {i64({2}, {kLowest, -4})}, {i64({2}, {kLowest, 4})}});
        row("erf", {"Erf", {}, {f32({2}, {0.5F, -1})}, {f32({2}, {0.5204999F, -0.8427008F})}, {}, {}, 1e-6});
        row("leaky relu", {"LeakyRelu", {{"alpha", 0.5}}, {f32({2}, {-4, 4})}, {f32({2}, {-2, 4})}});
        row("gelu", {"Gelu", {}, {f32({2}, {1, -1})}, {f32({2}, {0.8413447F, -0.1586553F})}, {}, {}, 1e-6});
        row("gelu tanh", {"Gelu", {{"approximate", std::string("tanh")}}, {f32({1}, {1})}, {f32({1}, {0.841192F})}, {}, {}, 1e-6});
        row("softplus far out", {"Softplus", {}, {f32({2}, {1000, -1000})}, {f32({2}, {1000, 0})}});
        row("clip", {"Clip", {}, {f32({4}, {-1, 0.5F, 9, kNan}), f32({}, {0}), f32({}, {6})}, {f32({4}, {0, 0.5F, 6, kNan})}});
        row("clip above only", {"Clip", {}, {i64({2}, {kLowest, 9}), i64({}, {0}), i64({}, {6})}, {i64({2}, {kLowest, 6})}, {}, {1}});
        row("prelu", {"PRelu", {}, {f32({2, 2}, {-1, 1, -1, 1}), f32({2, 1}, {2, 3})}, {f32({2, 2}, {-2, 1, -3, 1})}});
        row("cast truncates", {"Cast", {}, {f32({5}, {1.9F, -1.9F, kNan, 1e30F, -kInf})},
                               {i64({5}, {1, -1, 0, kHighest, kLowest})}, typeOf(DType::I64, {5})});
        row("cast wraps", {"Cast", {}, {i64({2}, {0x100000005, -1})}, {i32({2}, {5, -1})}, typeOf(DType::I32, {2})});
        row("cast to bool", {"Cast", {}, {f32({3}, {0.5F, 0, kNan})}, {bools({3}, {1, 0, 1})}, typeOf(DType::Bool, {3})});
        row("cast i64 to f32", {"Cast", {}, {i64({1}, {16777217})}, {f32({1}, {16777216})}, typeOf(DType::F32, {1})});
        row("cast f64 to f16", {"Cast", {}, {f64({3}, {1 + 0x1p-11 + 0x1p-40, 0x1p-25, 65520})},
                                {half({3}, {0x3c01, 0, 0x7c00})}, typeOf(DType::F16, {3})});
        row("less", {"Less", {}, {f32({3}, {1, 2, kNan}), f32({}, {2})}, {bools({3}, {1, 0, 0})}});
        row("equal of i64", {"Equal", {}, {i64({1}, {kHighest}), i64({1}, {kHighest - 1})}, {bools({1}, {0})}});
        row("xor", {"Xor", {}, {bools({4}, {0, 0, 1, 1}), bools({4}, {0, 1, 0, 1})}, {bools({4}, {0, 1, 1, 0})}});
        row("is inf, positive", {"IsInf", {{"detect_negative", std::int64_t{0}}}, {f32({3}, {kInf, -kInf, 1})},
                                 {bools({3}, {1, 0, 0})}});
        row("where", {"Where", {}, {bools({2, 1}, {1, 0}), i64({2}, {1, 2}), i64({}, {9})}, {i64({2, 2}, {1, 2, 9, 9})}});
        row("batch normalization", {"BatchNormalization", {{"epsilon", 0.0}},
                                    {f32({1, 2, 1}, {3, 5}), f32({2}, {2, 4}), f32({2}, {1, 0}), f32({2}, {1, 1}), f32({2}, {4, 16})},
                                    {f32({1, 2, 1}, {3, 4})}});
    }

    void movementRows()
    {
        row("transpose", {"Transpose", {{"perm", Shape{2, 0, 1}}}, {i64({1, 2, 3}, {0, 1, 2, 3, 4, 5})},
                          {i64({3, 1, 2}, {0, 3, 1, 4, 2, 5})}});
        row("transpose reverses", {"Transpose", {}, {u8({2, 2}, {1, 2, 3, 4})}, {u8({2, 2}, {1, 3, 2, 4})}});
        row("slice", {"Slice", {{"starts", Shape{1}}, {"ends", Shape{4}}, {"axes", Shape{1}}, {"steps", Shape{2}}},
                      {i64({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7})}, {i64({2, 2}, {1, 3, 5, 7})}});
        row("slice backwards", {"Slice", {{"starts", Shape{3}}, {"ends", Shape{-1}}, {"axes", Shape{0}}, {"steps", Shape{-1}}},
                                {i64({4}, {0, 1, 2, 3})}, {i64({4}, {3, 2, 1, 0})}});
        row("slice of nothing", {"Slice", {{"starts", Shape{3}}, {"ends", Shape{3}}, {"axes", Shape{0}}, {"steps", Shape{1}}},
                                 {i64({3}, {0, 1, 2})}, {i64({0}, {})}});
        row("concat", {"Concat", {{"axis", std::int64_t{1}}}, {i64({2, 1}, {1, 2}), i64({2, 2}, {3, 4, 5, 6})},
                       {i64({2, 3}, {1, 3, 4, 2, 5, 6})}});
        row("gather", {"Gather", {{"axis", std::int64_t{0}}}, {f32({5}, {1, 2, 3, 4, 5}), i64({3}, {-1, -3, 0})},
                       {f32({3}, {5, 3, 1})}});
        row("gather inner", {"Gather", {{"axis", std::int64_t{1}}}, {i64({2, 2}, {1, 2, 3, 4}), i32({}, {-1})}, {i64({2}, {2, 4})}});
        row("expand", {"Expand", {}, {i64({2, 1}, {1, 2})}, {i64({1, 2, 2}, {1, 1, 2, 2})}, typeOf(DType::I64, {1, 2, 2})});
        row("tile", {"Tile", {{"repeats", Shape{2, 2}}}, {i64({1, 2}, {1, 2})}, {i64({2, 4}, {1, 2, 1, 2, 1, 2, 1, 2})}});
        row("pad", {"Pad", {{"pads", Shape{0, 1, 1, -1}}, {"value", 7.0}}, {i64({2, 2}, {1, 2, 3, 4})},
                    {i64({3, 2}, {7, 1, 7, 3, 7, 7})}});
        row("pad reflect", {"Pad", {{"pads", Shape{2, 2}}, {"mode", std::string("reflect")}}, {i64({3}, {1, 2, 3})},
                            {i64({7}, {3, 2, 1, 2, 3, 2, 1})}});
        row("pad edge", {"Pad", {{"pads", Shape{1, 2}}, {"mode", std::string("edge")}}, {i64({2}, {1, 2})},
                         {i64({5}, {1, 1, 2, 2, 2})}});
        row("matmul of batches", {"MatMul", {}, {i64({2, 1, 2}, {1, 2, 3, 4}), i64({2, 2}, {1, 0, 0, 1})},
                                  {i64({2, 1, 2}, {1, 2, 3, 4})}});
        row("matmul of vectors", {"MatMul", {}, {f32({3}, {1, 2, 3}), f32({3}, {4, 5, 6})}, {f32({}, {32})}});
        row("gemm", {"Gemm", {{"transA", std::int64_t{1}}, {"alpha", 2.0}, {"beta", 0.5}},
                     {f32({2, 1}, {1, 2}), f32({2, 2}, {1, 2, 3, 4}), f32({2}, {10, 20})}, {f32({1, 2}, {19, 30})}});
    }

    void reduceRows()
    {
        const Tensor x = i64({2, 3}, {1, 2, 3, 4, 5, 6});
        row("sum of rows", {"ReduceSum", {{"axes", Shape{1}}, {"keepdims", std::int64_t{0}}}, {x}, {i64({2}, {6, 15})}});
        row("sum of columns", {"ReduceSum", {{"axes", Shape{0}}}, {x}, {i64({1, 3}, {5, 7, 9})}});
        row("mean of all", {"ReduceMean", {}, {f32({2, 2}, {1, 2, 3, 5})}, {f32({1, 1}, {2.75F})}});
        row("mean truncates", {"ReduceMean", {{"axes", Shape{0, 1}}, {"keepdims", std::int64_t{0}}}, {x}, {i64({}, {3})}});
        row("max", {"ReduceMax", {{"axes", Shape{1}}}, {f32({2, 2}, {1, kNan, -kInf, -2})}, {f32({2, 1}, {kNan, -2})}});
        row("max of nothing", {"ReduceMax", {{"axes", Shape{1}}}, {f32({1, 0}, {})}, {f32({1, 1}, {-kInf})}});
        row("product", {"ReduceProd", {{"axes", Shape{1}}}, {x}, {i64({2, 1}, {6, 120})}});
        row("l2", {"ReduceL2", {{"axes", Shape{0}}}, {f32({2}, {3, 4})}, {f32({1}, {5})}});
        row("log sum exp", {"ReduceLogSumExp", {{"axes", Shape{0}}}, {f32({2}, {1000, 1000})}, {f32({1}, {1000.6931F})}, {}, {}, 1e-6});
        row("argmax", {"ArgMax", {{"axis", std::int64_t{1}}}, {i64({2, 3}, {1, 3, 3, 2, 2, 1})}, {i64({2, 1}, {1, 0})}});
        row("argmax, last", {"ArgMax", {{"axis", std::int64_t{1}}, {"select_last_index", std::int64_t{1}}},
                             {i64({1, 3}, {1, 3, 3})}, {i64({1, 1}, {2})}});
        row("argmin", {"ArgMin", {{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{0}}}, {x}, {i64({3}, {0, 0, 0})}});
        row("shape", {"Shape", {{"start", std::int64_t{-1}}}, {x}, {i64({1}, {3})}});
        row("size", {"Size", {}, {x}, {i64({}, {6})}});
        row("nonzero", {"NonZero", {}, {i64({2, 2}, {1, 0, 3, 4})}, {i64({2, 3}, {0, 1, 1, 0, 0, 1})}});
        row("nonzero of a vector", {"NonZero", {}, {bools({4}, {0, 1, 0, 1})}, {i64({1, 2}, {1, 3})}});
        row("range", {"Range", {}, {i64({}, {10}), i64({}, {4}), i64({}, {-3})}, {i64({2}, {10, 7})}});
        row("range of floats", {"Range", {}, {f32({}, {0}), f32({}, {1}), f32({}, {0.25F})}, {f32({4}, {0, 0.25F, 0.5F, 0.75F})}});
        row("constant of shape", {"ConstantOfShape", {{"value", std::int64_t{1}}}, {i64({2}, {1, 2})}, {i64({1, 2}, {1, 1})},
                                  typeOf(DType::I64, {1, 2})});
        row("one hot", {"OneHot", {}, {i64({2}, {-1, 5}), i64({}, {3}), f32({2}, {0, 1})}, {f32({2, 3}, {0, 0, 1, 0, 0, 0})}});
        row("cumulative sum", {"CumSum", {{"exclusive", std::int64_t{1}}}, {i64({2, 2}, {1, 2, 3, 4}), i64({}, {0})},
                               {i64({2, 2}, {0, 0, 1, 2})}});
    }

private Q_SLOTS:
    void evaluates_data()
    {
        QTest::addColumn<std::size_t>("index");
        m_calls.clear();
        integerRows();
        floatRows();
        movementRows();
        reduceRows();
    }

    void evaluates()
    {
        QFETCH(std::size_t, index);
        const Call& call = m_calls[index];
        const Result<std::vector<Tensor>> got = evaluate(call);
        VERIFY_OK(got);
        QCOMPARE(got->size(), call.expected.size());
        for (std::size_t i = 0; i < got->size(); ++i) {
            QCOMPARE(difference((*got)[i], call.expected[i], call.tolerance), std::string());
        }
    }

    void refuses_data()
    {
        QTest::addColumn<std::size_t>("index");
        QTest::addColumn<std::string>("why");
        m_calls.clear();
        const auto bad = [&](Call call, std::string why) {
            m_calls.push_back(std::move(call));
            QTest::newRow(why.c_str()) << m_calls.size() - 1 << "cannot fold node 'n': " + why;
        };
        bad({"Div", {}, {i64({2}, {1, 2}), i64({2}, {1, 0})}, {}}, "an integer is divided by zero");
        bad({"Mod", {}, {i32({1}, {1}), i32({1}, {0})}, {}}, "an integer is divided by zero");
        bad({"Pow", {}, {i64({1}, {0}), i64({1}, {-1})}, {}}, "integer zero to a negative power");
        bad({"Gather", {}, {f32({5}, {1, 2, 3, 4, 5}), i64({1}, {5})}, {}}, "index 5 is outside axis 0 of 5 elements");
        bad({"Gather", {}, {f32({5}, {1, 2, 3, 4, 5}), i64({1}, {-6})}, {}}, "index -6 is outside axis 0 of 5 elements");
        bad({"Add", {}, {f32({2}, {1, 2}), f32({3}, {1, 2, 3})}, {}}, "shapes [2] and [3] do not broadcast");
        bad({"Add", {}, {f32({1}, {1}), i64({1}, {1})}, {}}, "its inputs are f32 and i64");
        bad({"Reshape", {}, {i64({4}, {1, 2, 3, 4})}, {}, typeOf(DType::I64, {3})}, "4 elements do not fill the shape [3]");
        bad({"Range", {}, {i64({}, {0}), i64({}, {4}), i64({}, {0})}, {}}, "its step is 0");
        bad({"Transpose", {{"perm", Shape{0, 0}}}, {i64({1, 1}, {1})}, {}}, "perm [0,0] does not permute 2 axes");
        bad({"ReduceMean", {}, {i64({0}, {})}, {}}, "the mean of no integers divides by zero");
    }

    void refuses()
    {
        QFETCH(std::size_t, index);
        QFETCH(std::string, why);
        const Result<std::vector<Tensor>> got = evaluate(m_calls[index]);
        QVERIFY(!got);
        QCOMPARE(got.error().message, why);
    }

    void foldsOnlyWhatHasEvaluators()
    {
        for (const char* const op : {"Conv", "MaxPool", "AveragePool", "LRN", "Softmax", "LogSoftmax", "LayerNormalization", "RMSNormalization"}) {
            QVERIFY2(evaluatorOf(op) == nullptr, op);
        }
    }

    // Division by multiplication agrees with the machine's over seeded values and divisors.
    void dividesByReciprocal()
    {
        std::uint64_t state = 7;
        const auto next = [&state] {
            state = state * 6364136223846793005U + 1442695040888963407U;
            const std::uint64_t mixed = state ^ (state >> 31);
            return static_cast<std::int64_t>(mixed >> (mixed % 63));
        };
        for (int round = 0; round < 300; ++round) {
            const std::int64_t divisor = std::max<std::int64_t>(1, next()) * (round % 2 == 0 ? 1 : -1);
            std::vector<std::int64_t> values{0, 1, -1, kLowest, kHighest, divisor};
            for (int i = 0; i < 30; ++i) {
                values.push_back(next() * (i % 2 == 0 ? 1 : -1));
            }
            const auto n = static_cast<std::int64_t>(values.size());
            const std::vector<std::int64_t> divisors(values.size(), divisor);
            for (const char* const op : {"Div", "Mod"}) {
                const auto byOne = evaluate({op, {}, {i64({n}, values), i64({}, {divisor})}, {}});
                const auto byMany = evaluate({op, {}, {i64({n}, values), i64({n}, divisors)}, {}});
                VERIFY_OK(byOne);
                VERIFY_OK(byMany);
                QCOMPARE(difference((*byOne)[0], (*byMany)[0], 0), std::string());
            }
        }
    }

    // IEEE results survive folding.
    void case_25()
    {
        const auto run = [](const std::string& op, const std::vector<Tensor>& inputs) {
            return (*evaluate({op, {}, inputs, {}}))[0];
        };
        const Tensor logs = run("Log", {run("Exp", {f32({3}, {88, 89, -200})})});
        QCOMPARE(difference(logs, f32({3}, {88, kInf, -kInf}), 1e-6), std::string());
        const auto expOf = [&](float x) { return run("Exp", {f32({1}, {x})}); };
        QVERIFY(std::isnan(run("Mul", {expOf(100), expOf(-200)}).asDouble(0)));
        QCOMPARE(run("Mul", {expOf(100), expOf(-100)}).asDouble(0), static_cast<double>(kInf));
        const Tensor big = f32({1}, {1e20F});
        QCOMPARE(run("Sqrt", {run("Mul", {big, big})}).asDouble(0), static_cast<double>(kInf));
        QVERIFY(std::isnan(run("Mul", {f32({1}, {kInf}), f32({1}, {0})}).asDouble(0)));
        QVERIFY(std::isnan(run("Mul", {f32({1}, {kNan}), f32({1}, {0})}).asDouble(0)));
        QVERIFY(std::isnan(run("Sub", {f32({1}, {kInf}), f32({1}, {kInf})}).asDouble(0)));
        QVERIFY(std::isnan(run("Div", {f32({1}, {0}), f32({1}, {0})}).asDouble(0)));
        QVERIFY(!std::signbit(run("Add", {f32({1}, {-0.0F}), f32({1}, {0.0F})}).asDouble(0)));
        QCOMPARE(run("Reciprocal", {run("Sqrt", {f32({1}, {0})})}).asDouble(0), static_cast<double>(kInf));
        const Tensor sum = run("Add", {run("Add", {f32({1}, {1e-3F}), f32({1}, {1e8F})}), f32({1}, {-1e8F})});
        QCOMPARE(sum.asDouble(0), 0.0);
    }

    // A folded view keeps the bytes of its source alive.
    void case_26()
    {
        for (int round = 0; round < 100; ++round) {
            auto bytes = std::make_unique<std::vector<float>>(std::vector<float>{0, 1, 2, 3, 4, 5});
            const std::span<const std::byte> span = std::as_bytes(std::span<const float>(*bytes));
            const std::shared_ptr<const void> owner(bytes.release(), [](const void* p) {
                delete static_cast<const std::vector<float>*>(p);
            });
            auto source = std::make_unique<Tensor>(*Tensor::wrap(DType::F32, {2, 3}, owner, span));
            const Tensor first = (*evaluate({"Reshape", {}, {*source}, {}, typeOf(DType::F32, {3, 2})}))[0];
            const Tensor second = (*evaluate({"Reshape", {}, {first}, {}, typeOf(DType::F32, {1, 3, 2})}))[0];
            const Tensor view = (*evaluate({"Reshape", {}, {second}, {}, typeOf(DType::F32, {3, 2})}))[0];
            QCOMPARE(view.bytes().data(), source->bytes().data());
            source.reset();
            const auto y = evaluate({"MatMul", {}, {f32({1, 3}, {1, 1, 1}), view}, {}});
            VERIFY_OK(y);
            QCOMPARE(difference((*y)[0], f32({1, 2}, {6, 9}), 0), std::string());
        }
    }
};

NW_TEST_MAIN(tst_evaluate, TestEvaluate)
#include "tst_evaluate.moc"
