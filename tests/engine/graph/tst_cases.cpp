#include "tests/engine/graph/import_text.h"
#include "tests/engine/model/proto_writer.h"
#include "tests/support/test.h"

#include "engine/base/random.h"
#include "engine/graph/op_table.h"

#include <QTemporaryDir>

#include <cmath>
#include <filesystem>
#include <fstream>

using namespace nw;
using namespace nw::graph;

namespace {

// Runs a chain of Reshape, Softmax and LogSoftmax on the values of its input.
std::vector<double> runSoftmaxChain(const Graph& graph, std::vector<double> values)
{
    for (const Node& node : graph.nodes) {
        if (node.op->name == "Reshape") {
            continue;
        }
        const std::vector<std::int64_t> shape = *graph.staticShape(node.inputs[0]);
        const auto axis = static_cast<std::size_t>(node.attributes.integer("axis", 0));
        std::size_t inner = 1;
        for (std::size_t i = axis + 1; i < shape.size(); ++i) {
            inner *= static_cast<std::size_t>(shape[i]);
        }
        const auto extent = static_cast<std::size_t>(shape[axis]);
        std::vector<double> out(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            double sum = 0;
            for (std::size_t k = 0; k < extent; ++k) {
                sum += std::exp(values[i / (inner * extent) * inner * extent + k * inner + i % inner]);
            }
            out[i] = node.op->name == "Softmax" ? std::exp(values[i]) / sum : values[i] - std::log(sum);
        }
        values = out;
    }
    return values;
}

} // namespace

class TestCases : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void case_01_data();
    void case_01();
    void case_04();
    void case_05();
    void case_07();
    void case_08_data();
    void case_08();
    void case_10();
    void case_12();
    void case_14();
    void case_15_data();
    void case_15();
    void case_15_damagedBytes();
};

void TestCases::case_01_data()
{
    QTest::addColumn<std::string>("inputs");
    QTest::addColumn<std::string>("attributes");
    QTest::addColumn<std::string>("shape");
    QTest::addColumn<std::string>("upper");
    QTest::addColumn<std::string>("lower");
    const auto row = [](const char* name, const char* inputs, const char* attributes, const char* shape, const char* upper,
                         const char* lower) {
        QTest::newRow(name) << std::string(inputs) << std::string(attributes) << std::string(shape) << std::string(upper)
                            << std::string(lower);
    };
    row("kernel below stride", "float[1, 1, 1, 6] x, float[1, 1, 1, 1] w", "strides = [1, 3]", "[1,1,1,2]", "[0,0,0,0]",
        "[0,0,0,0]");
    row("odd", "float[1, 1, 1, 5] x, float[1, 1, 1, 2] w", "strides = [1, 2]", "[1,1,1,3]", "[0,0,0,1]", "[0,1,0,0]");
    row("dilated", "float[1, 1, 1, 5] x, float[1, 1, 1, 3] w", "dilations = [1, 2]", "[1,1,1,5]", "[0,2,0,2]", "[0,2,0,2]");
    row("report", "float[1, 3, 500, 224] x, float[8, 3, 5, 6] w", "strides = [10, 2]", "[1,8,50,112]", "[0,2,0,2]", "[0,2,0,2]");
}

void TestCases::case_01()
{
    QFETCH(std::string, inputs);
    QFETCH(std::string, attributes);
    QFETCH(std::string, shape);
    QFETCH(std::string, upper);
    QFETCH(std::string, lower);
    for (const bool isUpper : {true, false}) {
        const std::string mode = isUpper ? "SAME_UPPER" : "SAME_LOWER";
        const auto imported = importText({13, inputs, "y", "y = Conv <auto_pad = \"" + mode + "\", " + attributes + "> (x, w)", ""});
        VERIFY_OK(imported);
        VERIFY_HOLDS(toText(*imported->graph), "%2:f32" + shape + " = Conv");
        VERIFY_HOLDS(toText(*imported->graph), "pads=" + (isUpper ? upper : lower));
    }
}

void TestCases::case_04()
{
    const std::vector<double> x{0, std::log(2), std::log(3), std::log(4)};
    const std::vector<double> old{.1, .2, .3, .4};
    const std::vector<double> now{1.0 / 3, 2.0 / 3, 3.0 / 7, 4.0 / 7};
    for (const int opset : {11, 12, 13}) {
        for (const std::string op : {"Softmax", "LogSoftmax"}) {
            const auto imported = importText({opset, "float[1, 2, 2] x", "y", "y = " + op + " (x)", ""});
            VERIFY_OK(imported);
            const std::vector<double> got = runSoftmaxChain(*imported->graph, x);
            for (std::size_t i = 0; i < 4; ++i) {
                const double expected = (opset < 13 ? old : now)[i];
                QVERIFY(std::abs((op == "Softmax" ? got[i] : std::exp(got[i])) - expected) < 1e-12);
            }
            const double even = runSoftmaxChain(*imported->graph, {0, 0, 0, 0})[0];
            QCOMPARE(op == "Softmax" ? even : std::exp(even), opset < 13 ? 0.25 : 0.5);
            QCOMPARE(*imported->graph->staticShape(imported->graph->outputs[0]), (std::vector<std::int64_t>{1, 2, 2}));
        }
    }
}

void TestCases::case_05()
{
    const auto reshape = [](const std::string& target) {
        return SmallModel{13, "float[N, 16, 4, 4] x", "y", "y = Reshape (x, s)", "int64[2] s = {" + target + "}"};
    };
    const auto bound = [](std::int64_t n) {
        ImportOptions options;
        options.bind["N"] = n;
        return options;
    };
    const auto shapeOf = [&](const std::string& target, const ImportOptions& options) {
        const auto imported = importText(reshape(target), options);
        if (!imported) {
            return imported.error().message;
        }
        std::vector<std::string> extents;
        for (const Expr& extent : imported->graph->values[static_cast<std::size_t>(imported->graph->outputs[0])].type.shape) {
            extents.push_back(nw::toText(extent));
        }
        return join(extents, ",");
    };
    for (const std::string target : {"-1, 256", "0, -1"}) {
        QCOMPARE(shapeOf(target, bound(1)), std::string("1,256"));
        QCOMPARE(shapeOf(target, bound(2)), std::string("2,256"));
        QCOMPARE(shapeOf(target, {}), std::string("N,256"));
    }
    QCOMPARE(shapeOf("-1, 256", bound(0)), std::string("0,256"));
    VERIFY_HOLDS(shapeOf("0, -1", bound(0)), "0 / 0");
    QCOMPARE(shapeOf("1, 256", bound(1)), std::string("1,256"));
    VERIFY_HOLDS(shapeOf("1, 256", bound(2)), "the node that makes 'y' (Reshape, opset 13): shape [2, 16, 4, 4] cannot become [1, 256]");
    VERIFY_HOLDS(shapeOf("1, 256", bound(0)), "(Reshape, opset 13)");
    VERIFY_HOLDS(shapeOf("1, 256", {}), "bind N");
    VERIFY_HOLDS(shapeOf("-1, 256", bound(-1)), "N = -1: axis 0 of input 'x' needs an extent of 0 or more");
    ImportOptions wrong;
    wrong.bind["M"] = 1;
    VERIFY_HOLDS(shapeOf("-1, 256", wrong), "'M' cannot be bound: the model's symbolic extents are N");
    VERIFY_HOLDS(errorOf({13, "float[] x", "y", "y = Relu (x)", ""}), "input 'x' has no shape, so even its rank is unknown");
    const SmallModel two{13, "float[N] x, float[N] u", "y", "y = Add (x, u)", ""};
    const auto same = importText(two, bound(3));
    VERIFY_OK(same);
    QCOMPARE(*same->graph->staticShape(same->graph->inputs[1]), std::vector<std::int64_t>{3});
    const auto unnamed = importText({13, "float[?, 2] x", "y", "y = Relu (x)", ""});
    VERIFY_OK(unnamed);
    QCOMPARE(unnamed->graph->symbols, std::vector<std::string>{"x_0"});
}

void TestCases::case_07()
{
    const std::string targets = "int64[3] s = {4, 2, -1}, int64[3] t = {0, 0, 4}";
    const auto chain = importText({18, "float[0, 8, 2] x", "y", "u = Reshape (x, s) y = Reshape <allowzero = 1> (u, t)", targets});
    VERIFY_OK(chain);
    VERIFY_HOLDS(toText(*chain->graph), "%1:f32[4,2,0] = Reshape");
    VERIFY_HOLDS(toText(*chain->graph), "%2:f32[0,0,4] = Reshape");
    VERIFY_HOLDS(errorOf({18, "float[0, 8, 2] x", "y", "y = Reshape <allowzero = 1> (x, s)", "int64[2] s = {0, -1}"}),
        "both 0 and -1");
    const auto copies = importText({13, "float[2, 2, 3, 2] x", "y", "y = Reshape (x, s)", "int64[3] s = {-1, 0, 0}"});
    VERIFY_OK(copies);
    VERIFY_HOLDS(toText(*copies->graph), "f32[4,2,3] = Reshape");
}

void TestCases::case_08_data()
{
    QTest::addColumn<std::string>("initializers");
    QTest::addColumn<std::string>("call");
    QTest::addColumn<std::string>("value");
    QTest::newRow("a") << std::string("float[3] a = {1, 5, 3}, float[1] b = {2}") << std::string("(a, b)")
                       << std::string("f32[3] {1.0, 2.0, 2.0}");
    QTest::newRow("b") << std::string("float[2, 1] a = {1, 5}, float[3] b = {0, 4, 9}, float c = {3}") << std::string("(a, b, c)")
                       << std::string("f32[2,3] {0.0, 1.0, 1.0, 0.0, 3.0, 3.0}");
    QTest::newRow("d") << std::string("float[3] a = {1, 5, 3}") << std::string("(a)") << std::string("f32[3] {1.0, 5.0, 3.0}");
}

void TestCases::case_08()
{
    QFETCH(std::string, initializers);
    QFETCH(std::string, call);
    QFETCH(std::string, value);
    const auto constant = importText({13, "float[1] u", "y", "y = Min " + call, initializers});
    VERIFY_OK(constant);
    QCOMPARE(foldedText(*constant), value);
    // The same at run time: the shape.
    const auto runtime = importText({13, "float[30] a, float[1] b, float[2, 1] c", "y", "y = Max (a, b, c)", ""});
    VERIFY_OK(runtime);
    VERIFY_HOLDS(toText(*runtime->graph), "f32[2,30] = Max(%3, %2)");
}

void TestCases::case_10()
{
    const std::string x = "float[5] x = {1, 2, 3, 4, 5}, ";
    const auto constant = importText({13, "float[1] u", "y", "y = Gather (x, i)", x + "int64[3] i = {-1, -3, 0}"});
    VERIFY_OK(constant);
    QCOMPARE(foldedText(*constant), std::string("f32[3] {5.0, 3.0, 1.0}"));
    const auto computed = importText({13, "float[1] u", "y", "j = Sub (i, k) y = Gather (x, j)",
        x + "int64[3] i = {0, -2, 1}, int64[1] k = {1}"});
    VERIFY_OK(computed);
    QCOMPARE(foldedText(*computed), std::string("f32[3] {5.0, 3.0, 1.0}"));
    VERIFY_OK(importText({13, "float[5] x, int64[3] i", "y", "y = Gather (x, i)", ""}));
    for (const std::string index : {"5", "-6"}) {
        const SmallModel outside{13, "float[5] x", "y", "y = Gather (x, i)", "int64[1] i = {" + index + "}"};
        VERIFY_HOLDS(errorOf(outside), "its index " + index + " is outside an extent of 5");
        const SmallModel pair{13, "float[5, 2] x", "y", "y = GatherND (x, i)", "int64[1, 2] i = {" + index + ", 0}"};
        VERIFY_HOLDS(errorOf(pair), "its index " + index + " is outside an extent of 5");
    }
    // At run time every index is brought inside before it is used.
    const auto clamped = importText({13, "float[3, 4] x, int64[2, 2] i", "y", "y = GatherND (x, i)", ""});
    VERIFY_OK(clamped);
    VERIFY_HOLDS(toText(*clamped->graph), "= Min(");
}

void TestCases::case_12()
{
    SmallModel model{13, "float[1] x, float[1] w = {1}", "y", "v = Add (w, one) y = Add (x, v)", "float[1] one = {1}"};
    const auto now = importText(model);
    VERIFY_OK(now);
    QCOMPARE(now->graph->inputs.size(), std::size_t{2});
    QCOMPARE(now->graph->defaults.size(), std::size_t{1});
    QCOMPARE(now->graph->nodes.size(), std::size_t{2});
    VERIFY_HOLDS(toText(*now->graph), "input %1:f32[1] optional");
    VERIFY_HOLDS(now->notes.at(0), "input 'w' is optional");
    model.ir = 3;
    const auto old = importText(model);
    VERIFY_OK(old);
    QCOMPARE(old->graph->inputs.size(), std::size_t{1});
    QVERIFY(old->graph->defaults.empty());
    QCOMPARE(old->graph->nodes.size(), std::size_t{1});
    VERIFY_HOLDS(toText(*old->graph), "constant {2.0}");
    // An optional input that decides shapes: its default is built in, and said.
    const auto shape = importText({13, "float[4] x, int64[2] s = {2, 2}", "y", "y = Reshape (x, s)", ""});
    VERIFY_OK(shape);
    QCOMPARE(shape->graph->inputs.size(), std::size_t{1});
    VERIFY_HOLDS(join(shape->notes, "\n"), "input 's' decides shapes, so its default is built in");
}

void TestCases::case_14()
{
    const QTemporaryDir folder;
    const std::filesystem::path at(folder.path().toStdString());
    std::ofstream(at / "w.bin") << "";
    std::filesystem::resize_file(at / "w.bin", std::uintmax_t{3} << 30);
    Message tensor = tensorMessage("w", 1, {786432, 1024});
    tensor.sub(13, Message().text(1, "location").text(2, "w.bin")).number(14, 1);
    Message graph;
    graph.sub(1, nodeMessage("Gather", {"w", "i"}, {"r"})).sub(1, nodeMessage("Add", {"r", "x"}, {"y"})).text(2, "g");
    graph.sub(5, tensor).sub(5, tensorMessage("i", 7, {1}).text(9, std::string(8, '\0')));
    graph.sub(11, valueInfo("x", 1, {1024})).sub(12, valueInfo("y", 1, {1, 1024}));
    std::ofstream(at / "m.onnx", std::ios::binary) << modelMessage(graph).bytes;
    const auto model = model::readModel(at / "m.onnx");
    VERIFY_OK(model);
    const auto imported = importModel(*model, {});
    VERIFY_OK(imported);
    QCOMPARE(imported->graph->nodes.size(), std::size_t{1});
    const Value& row = imported->graph->values[static_cast<std::size_t>(imported->graph->nodes[0].inputs[0])];
    QVERIFY(row.constant.has_value());
    QCOMPARE(row.constant->asDouble(1023), 0.0);
    VERIFY_HOLDS(errorOf({13, "float[8589934592, 8589934592] x", "y", "y = Relu (x)", ""}), "input 'x'");
}

void TestCases::case_15_data()
{
    QTest::addColumn<std::string>("inputs");
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("words");
    const auto row = [](const char* name, const char* inputs, const char* body, const char* words) {
        QTest::newRow(name) << std::string(inputs) << std::string(body) << std::string(words);
    };
    const char* image = "float[1, 1, 5, 5] x, float[1, 1, 3, 3] w";
    row("conv ranks", "float[1, 1, 5, 5] x, float[1, 1, 3, 3, 3] w", "y = Conv (x, w)", "both need the same rank");
    row("kernel and dilations", image, "y = Conv <dilations = [1]> (x, w)", "dilations has 1 entries for 2 spatial axes");
    row("kernel_shape of the weight", image, "y = Conv <kernel_shape = [3, 3, 3]> (x, w)", "kernel_shape [3, 3, 3] is not that");
    row("strides 0", image, "y = Conv <strides = [0, 0]> (x, w)", "strides [0, 0] must be at least 1");
    row("group 0", image, "y = Conv <group = 0> (x, w)", "group is 0");
    row("negative pads", image, "y = Conv <pads = [-9, 0, 0, 0]> (x, w)", "pads holds -9");
    row("huge dilation", image, "y = Conv <dilations = [9223372036854775807, 1]> (x, w)", "no sensible value");
    row("kernel too large", "float[1, 1, 2, 5] x, float[1, 1, 3, 3] w", "y = Conv (x, w)", "more than the padded input's 2");
    row("channels", "float[1, 2, 5, 5] x, float[1, 1, 3, 3] w", "y = Conv (x, w)", "the channels of input and weight differ: 2 and 1");
    row("perm twice", "float[2, 2] x", "y = Transpose <perm = [0, 0]> (x)", "perm [0, 0] is no permutation");
    row("cycle", "float[2] x", "a = Add (x, b) b = Relu (a) y = Relu (b)", "the graph has a cycle: the node that makes 'a' (Add), the node that makes 'b' (Relu)");
    row("self", "float[2] x", "y = Add (x, y)", "cycle");
    row("made twice", "float[2] x", "y = Relu (x) y = Abs (x)", "its output 'y' is also made by the node that makes 'y' (Relu)");
    row("makes an input", "float[2] x", "x = Relu (x) y = Relu (x)", "its output 'x' is also an input or initializer");
    row("undefined", "float[2] x", "y = Add (x, nowhere)", "the node that makes 'y' (Add): it reads 'nowhere', which nothing produces");
    row("no such output", "float[2] x", "z = Relu (x)", "output 'y' is produced by nothing");
    row("attribute kind", "float[2] x", "y = Softmax <axis = [1]> (x)", "its attribute 'axis' is a list of integers; it must be an integer");
    row("attribute text", "float[1, 1, 4] x", "y = MaxPool <kernel_shape = \"a\"> (x)", "its attribute 'kernel_shape' is a string");
    row("pool without kernel", "float[1, 1, 4] x", "y = MaxPool (x)", "kernel_shape");
    row("too large", "float[2] x", "s = Constant <value_ints = [4611686018427387904, 2]> () y = Expand (x, s)", "elements");
    row("tile overflow", "float[4] x", "s = Constant <value_ints = [4611686018427387904]> () y = Tile (x, s)", "cannot repeat axis 0");
    row("huge fill", "float[1] x", "s = Constant <value_ints = [1099511627776, 1099511627776]> () y = ConstantOfShape (s)", "elements");
    row("huge range", "float[1] x", "a = Constant <value_int = 0> () b = Constant <value_int = 9000000000000000000> () c = Constant <value_int = 1> () y = Range (a, b, c)", "fits into memory");
}

void TestCases::case_15()
{
    QFETCH(std::string, inputs);
    QFETCH(std::string, body);
    QFETCH(std::string, words);
    const auto imported = importText({17, inputs, "y", body, ""});
    QVERIFY2(!imported, imported ? toText(*imported->graph).c_str() : "");
    VERIFY_HOLDS(imported.error().message, words);
    QVERIFY(!holds(imported.error().message, "text: ")); // the model itself was read
}

void TestCases::case_15_damagedBytes()
{
    // Conv, Reshape with an initializer, Gemm: cut anywhere, or with bytes changed, it is refused or imported, no more.
    Message graph;
    graph.sub(1, nodeMessage("Conv", {"x", "w"}, {"c"}).sub(5, intsAttribute("pads", {1, 1, 1, 1})));
    graph.sub(1, nodeMessage("MaxPool", {"c"}, {"p"}).sub(5, intsAttribute("kernel_shape", {2, 2})));
    graph.sub(1, nodeMessage("Reshape", {"p", "s"}, {"f"})).sub(1, nodeMessage("Softmax", {"f"}, {"y"})).text(2, "g");
    graph.sub(5, tensorMessage("w", 1, {2, 1, 3, 3}).text(9, std::string(72, '\0')));
    graph.sub(5, tensorMessage("s", 7, {2}).number(7, 1).number(7, -1));
    graph.sub(11, valueInfo("x", 1, {1, 1, 4, 4})).sub(12, valueInfo("y", 1, {1, 18}));
    const std::string good = modelMessage(graph).bytes;
    const auto attempt = [](const std::string& bytes) {
        const auto model = model::parseModelBytes(asBytes(bytes));
        return model && importModel(*model, {}).has_value();
    };
    QVERIFY(attempt(good));
    for (std::size_t length = 0; length < good.size(); ++length) {
        QVERIFY2(!attempt(good.substr(0, length)), std::to_string(length).c_str());
    }
    Random random(15);
    int refused = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string bytes = good;
        for (std::uint64_t i = 0, changes = 1 + random.below(3); i < changes; ++i) {
            bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
        }
        refused += attempt(bytes) ? 0 : 1;
    }
    QVERIFY(refused > 1000);
    // An input that is a sequence of tensors (field 4 of its type).
    Message other;
    const Message tensor = Message().sub(1, Message().number(1, 1));
    other.sub(1, nodeMessage("Relu", {"x"}, {"y"})).sub(12, valueInfo("y", 1, {1}));
    other.sub(11, Message().text(1, "x").sub(2, Message().sub(4, Message().sub(1, tensor))));
    const auto model = model::parseModelBytes(asBytes(modelMessage(other).bytes));
    VERIFY_OK(model);
    const auto imported = importModel(*model, {});
    QVERIFY(!imported);
    VERIFY_HOLDS(imported.error().message, "input 'x' is seq(tensor(float))");
}

NW_TEST_MAIN(tst_cases, TestCases)
#include "tst_cases.moc"
