#include "tests/engine/graph/import_text.h"
#include "tests/support/test.h"

#include <filesystem>

using namespace nw;
using namespace nw::graph;

class TestImport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void canonical_data();
    void canonical();
    void folds_data();
    void folds();
    void refuses_data();
    void refuses();
    void bindsInputContents();
    void outputsHaveValuesOfTheirOwn();
    void deadNodesGo();
    void notesDifferences();
    void sharedModels_data();
    void sharedModels();
};

// What an operator becomes: a part of the graph's text.
void TestImport::canonical_data()
{
    QTest::addColumn<int>("opset");
    QTest::addColumn<std::string>("inputs");
    QTest::addColumn<std::string>("initializers");
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("part");
    const auto row = [](const char* name, int opset, const char* inputs, const char* initializers, const char* body,
                         const char* part) {
        QTest::newRow(name) << opset << std::string(inputs) << std::string(initializers) << std::string(body)
                            << std::string(part);
    };
    const char* x = "float[2, 3, 8, 8] x";
    row("relu", 7, x, "", "y = Relu (x)", "%1:f32[2,3,8,8] = Relu(%0)");
    row("clip by attributes", 10, x, "", "y = Clip <min = 0.0, max = 6.0> (x)", "Clip(%0, %1, %2)");
    row("clip without limits", 6 + 1, x, "", "y = Clip (x)", "= Clip(%0)");
    row("clip by inputs", 11, x, "float m = {6}", "y = Clip (x, , m)", "Clip(%0, -, %1)");
    row("dropout", 7, x, "", "y = Dropout <ratio = 0.5> (x)", "Identity(%0)");
    row("dropout 12", 13, x, "float r = {0.5}, bool t = {0}", "y = Dropout (x, r, t)", "Identity(%0)");
    row("dropout that trains without dropping", 13, x, "float r = {0}, bool t = {1}", "y = Dropout (x, r, t)",
        "Identity(%0)");
    row("sum of three", 8, "float[3] x, float[1] u, float v", "", "y = Sum (x, u, v)", "= Add(%3, %2)");
    row("mean", 8, "float[3] x, float[1] u", "", "y = Mean (x, u)", "Mul(%2, %3)");
    row("max of one", 8, x, "", "y = Max (x)", "Identity(%0)");
    row("gemm", 9, "float[2, 3] x, float[4, 3] b, float[4] c", "", "y = Gemm <transB = 1, alpha = 0.5> (x, b, c)",
        "%3:f32[2,4] = Gemm(%0, %1, %2) {alpha=0.5, beta=1.0, transA=0, transB=1}");
    row("gemm without C", 11, "float[2, 3] x, float[3, 4] b", "", "y = Gemm (x, b)", "Gemm(%0, %1)");
    row("matmul of vectors", 13, "float[3] x, float[3] b", "", "y = MatMul (x, b)", "Reshape(%4) {shape=[]}");
    row("matmul with a row", 13, "float[3] x, float[2, 3, 4] b", "", "y = MatMul (x, b)", "%4:f32[2,4] = Reshape");
    row("matmul with a column", 13, "float[2, 5, 3] x, float[3] b", "", "y = MatMul (x, b)", "%4:f32[2,5] = Reshape");
    row("global pool", 9, x, "", "y = GlobalAveragePool (x)", "%1:f32[2,3,1,1] = ReduceMean(%0) {axes=[2,3], keepdims=1}");
    row("max pool ceil", 11, "float[1, 1, 6, 6] x", "", "y = MaxPool <kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1> (x)",
        "%1:f32[1,1,3,3] = MaxPool(%0) {ceil_mode=1, dilations=[1,1], kernel_shape=[3,3], pads=[0,0,0,0], storage_order=0, strides=[2,2]}");
    row("pool windows never start behind the input", 11, "float[1, 1, 5] x", "",
        "y = AveragePool <kernel_shape = [1], strides = [3], pads = [0, 1], ceil_mode = 1> (x)", "f32[1,1,2]");
    row("max pool indices", 12, "float[1, 1, 4] x", "", "u, y = MaxPool <kernel_shape = [2]> (x)",
        "%1:f32[1,1,3], %2:i64[1,1,3] = MaxPool(%0)");
    row("average pool dilated", 19, "float[1, 1, 8] x", "", "y = AveragePool <kernel_shape = [2], dilations = [3]> (x)",
        "f32[1,1,5]");
    row("conv 3-d", 11, "float[1, 2, 4, 4, 4] x, float[6, 1, 3, 3, 3] w", "", "y = Conv <group = 2> (x, w)",
        "%2:f32[1,6,2,2,2] = Conv(%0, %1) {dilations=[1,1,1], group=2, pads=[0,0,0,0,0,0], strides=[1,1,1]}");
    row("conv 1-d valid", 11, "float[1, 2, 9] x, float[4, 2, 3] w", "", "y = Conv <auto_pad = \"VALID\", strides = [2]> (x, w)",
        "%2:f32[1,4,4]");
    row("softmax 12 on one wide axis", 12, "float[1, 10, 1, 1] x", "", "y = Softmax (x)", "Softmax(%0) {axis=1}");
    row("softmax 12 flattens", 12, x, "", "y = Softmax <axis = 2> (x)", "%2:f32[6,64] = Softmax(%1) {axis=1}");
    row("softmax 13", 13, x, "", "y = Softmax (x)", "Softmax(%0) {axis=3}");
    row("squeeze 11", 11, "float[1, 3, 1] x", "", "y = Squeeze <axes = [0, -1]> (x)", "%1:f32[3] = Reshape(%0) {shape=[3]}");
    row("squeeze 13 all", 13, "float[1, 3, 1] x", "", "y = Squeeze (x)", "f32[3]");
    row("unsqueeze 13", 13, "float[3] x", "int64[2] a = {0, -1}", "y = Unsqueeze (x, a)", "f32[1,3,1] = Reshape");
    row("unsqueeze 11", 11, "float[3] x", "", "y = Unsqueeze <axes = [2, 0]> (x)", "f32[1,3,1] = Reshape");
    row("flatten 0", 9, x, "", "y = Flatten <axis = 0> (x)", "f32[1,384] = Reshape");
    row("reduce sum 11", 11, x, "", "y = ReduceSum <axes = [-1, 1], keepdims = 0> (x)", "%1:f32[2,8] = ReduceSum(%0) {axes=[1,3], keepdims=0}");
    row("reduce sum 13", 13, x, "int64[1] a = {1}", "y = ReduceSum (x, a)", "f32[2,1,8,8] = ReduceSum(%0) {axes=[1], keepdims=1}");
    row("reduce mean 18", 18, x, "int64[1] a = {1}", "y = ReduceMean (x, a)", "f32[2,1,8,8] = ReduceMean");
    row("reduce nothing", 18, x, "", "y = ReduceMax <noop_with_empty_axes = 1> (x)", "Identity(%0)");
    row("reduce all", 18, x, "", "y = ReduceMax <keepdims = 0> (x)", "%1:f32[] = ReduceMax(%0) {axes=[0,1,2,3], keepdims=0}");
    row("argmax", 13, x, "", "y = ArgMax <axis = -1> (x)", "%1:i64[2,3,8,1] = ArgMax(%0) {axis=3, keepdims=1, select_last_index=0}");
    row("slice 9", 9, "float[10, 4] x", "", "y = Slice <starts = [1, -3], ends = [1000, 9], axes = [0, 1]> (x)",
        "%1:f32[9,3] = Slice(%0) {axes=[0,1], ends=[10,4], starts=[1,1], steps=[1,1]}");
    row("slice backwards", 13, "float[10] x", "int64[1] s = {-1}, int64[1] e = {-9223372036854775807}, int64[1] a = {0}, int64[1] p = {-3}",
        "y = Slice (x, s, e, a, p)", "%1:f32[4] = Slice(%0) {axes=[0], ends=[-1], starts=[9], steps=[-3]}");
    row("slice of everything", 13, "float[10] x", "int64[1] s = {0}, int64[1] e = {99}", "y = Slice (x, s, e)", "Identity(%0)");
    row("split equally", 11, "float[6, 2] x", "", "u, y = Split <axis = 0> (x)", "%1:f32[3,2] = Slice(%0) {axes=[0], ends=[6], starts=[3], steps=[1]}");
    row("split 18 unevenly", 18, "float[7] x", "", "u, v, y = Split <num_outputs = 3> (x)", "%1:f32[1] = Slice");
    row("split 13", 13, "float[7] x", "int64[2] s = {5, 2}", "u, y = Split (x, s)", "%1:f32[2] = Slice");
    row("pad 2", 7, "float[3, 4] x", "", "y = Pad <pads = [1, 0, 0, 2], value = 0.5> (x)",
        "%1:f32[4,6] = Pad(%0) {mode=constant, pads=[1,0,0,2], value=0.5}");
    row("pad 18 with axes", 18, "float[3, 4] x", "int64[2] p = {1, 2}, float v = {0}, int64[1] a = {-1}", "y = Pad (x, p, v, a)",
        "f32[3,7] = Pad(%0) {mode=constant, pads=[0,1,0,2], value=0.0}");
    row("pad that crops", 13, "float[5] x", "int64[2] p = {-1, 2}", "y = Pad (x, p)", "%2:f32[6] = Pad(%1) {mode=constant, pads=[0,2]");
    row("transpose default", 13, "float[2, 3, 4] x", "", "y = Transpose (x)", "f32[4,3,2] = Transpose(%0) {perm=[2,1,0]}");
    row("tile", 13, "float[2, 3] x", "int64[2] r = {2, 1}", "y = Tile (x, r)", "f32[4,3] = Tile(%0) {repeats=[2,1]}");
    row("expand", 13, "float[3, 1] x", "int64[3] s = {2, 1, 4}", "y = Expand (x, s)", "f32[2,3,4] = Expand(%0)");
    row("gather", 13, "float[4, 5] x", "int64[2] i = {-1, 0}", "y = Gather <axis = 1> (x, i)", "f32[4,2] = Gather");
    row("gather negative becomes plain", 13, "float[4, 5] x", "int64[2] i = {-1, 0}", "y = Gather <axis = 1> (x, i)", "{4, 0}");
    row("pow with an integer exponent", 13, "float[3] x, int64[3] e", "", "y = Pow (x, e)", "%2:f32[3] = Cast(%1) {to=f32}");
    row("pow of an integer", 13, "int64[3] x, float[3] e", "", "y = Pow (x, e)", "%5:i64[3] = Cast(%4) {to=i64}");
    row("mod", 13, "int64[3] x, int64[3] e", "", "y = Mod (x, e)", "Mod(%0, %1) {fmod=0}");
    row("cast", 13, "float[3] x", "", "y = Cast <to = 7> (x)", "%1:i64[3] = Cast(%0) {to=i64}");
    row("cast like", 15, "float[3] x, double[1] e", "", "y = CastLike (x, e)", "%2:f64[3] = Cast(%0)");
    row("layer norm", 17, "float[2, 5, 8] x, float[8] s, float[8] b", "", "y, m, d = LayerNormalization <axis = -1> (x, s, b)",
        "%3:f32[2,5,8], %4:f32[2,5,1], %5:f32[2,5,1] = LayerNormalization(%0, %1, %2) {axis=2, epsilon=");
    row("rms norm", 23, "float[2, 5, 8] x, float[8] s", "", "y = RMSNormalization <axis = -1> (x, s)",
        "%2:f32[2,5,8] = RMSNormalization(%0, %1) {axis=2, epsilon=");
    row("rms norm in double precision", 23, "float[2, 8] x, double[8] s", "", "y = RMSNormalization <epsilon = 0.5> (x, s)",
        "f64[2,8] = RMSNormalization(%2, %1) {axis=1, epsilon=0.5}");
    row("lrn", 13, x, "", "y = LRN <size = 5> (x)", "LRN(%0) {alpha=");
    row("batch norm", 9, "float[2, 3, 4] x, float[3] s, float[3] b, float[3] m, float[3] v", "",
        "y = BatchNormalization <epsilon = 0.5> (x, s, b, m, v)", "BatchNormalization(%0, %1, %2, %3, %4) {epsilon=0.5}");
    row("batch norm per element", 7, "float[2, 3, 4] x, float[3, 4] s, float[3, 4] b, float[3, 4] m, float[3, 4] v", "",
        "y = BatchNormalization <spatial = 0> (x, s, b, m, v)", "Sub(%0, %3)");
    row("batch norm trains", 14, "float[2, 3, 4] x, float[3] s, float[3] b, float[3] m, float[3] v", "",
        "u, y, w = BatchNormalization <training_mode = 1, momentum = 0.75> (x, s, b, m, v)", "ReduceMean(%0) {axes=[0,2], keepdims=1}");
    row("gelu", 20, "float[3] x", "", "y = Gelu <approximate = \"tanh\"> (x)", "Gelu(%0) {approximate=tanh}");
    row("celu", 12, "float[3] x", "", "y = Celu (x)", "Celu(%0) {alpha=1.0}");
    row("hard swish", 14, "float[3] x", "", "y = HardSwish (x)", "HardSwish(%0)");
    row("is inf", 10, "float[3] x", "", "y = IsInf <detect_negative = 0> (x)", "%1:bool[3] = IsInf(%0) {detect_negative=0, detect_positive=1}");
    row("depth to space", 13, "float[1, 8, 2, 3] x", "", "y = DepthToSpace <blocksize = 2> (x)", "f32[1,2,4,6] = Reshape");
    row("newest opset", 25, "float[3] x", "", "y = Swish (x)", "Mul(%0, %1)");
}

void TestImport::canonical()
{
    QFETCH(int, opset);
    QFETCH(std::string, inputs);
    QFETCH(std::string, initializers);
    QFETCH(std::string, body);
    QFETCH(std::string, part);
    const auto imported = importText({opset, inputs, "y", body, initializers});
    VERIFY_OK(imported);
    const std::string text = toText(*imported->graph);
    VERIFY_HOLDS(text, part);
}

// Everything constant: the output's value.
void TestImport::folds_data()
{
    QTest::addColumn<int>("opset");
    QTest::addColumn<std::string>("initializers");
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("value");
    const auto row = [](const char* name, int opset, const char* initializers, const char* body, const char* value) {
        QTest::newRow(name) << opset << std::string(initializers) << std::string(body) << std::string(value);
    };
    row("shape", 13, "float[2, 3] a = {1, 2, 3, 4, 5, 6}", "y = Shape (a)", "i64[2] {2, 3}");
    row("shape part", 15, "float[2, 3] a = {1, 2, 3, 4, 5, 6}", "y = Shape <start = -1> (a)", "i64[1] {3}");
    row("shape none", 15, "float[2, 3] a = {1, 2, 3, 4, 5, 6}", "y = Shape <start = 5, end = 1> (a)", "i64[0] {}");
    row("size", 13, "float[2, 3] a = {1, 2, 3, 4, 5, 6}", "y = Size (a)", "i64[] {6}");
    row("constant ints", 13, "", "y = Constant <value_ints = [3, 4]> ()", "i64[2] {3, 4}");
    row("constant int", 13, "", "y = Constant <value_int = 3> ()", "i64[] {3}");
    row("constant floats", 13, "", "y = Constant <value_floats = [0.5, 4.0]> ()", "f32[2] {0.5, 4.0}");
    row("constant of shape", 9, "int64[2] s = {1, 2}", "y = ConstantOfShape (s)", "f32[1,2] {0.0, 0.0}");
    row("constant of shape value", 9, "int64[1] s = {2}", "y = ConstantOfShape <value = int64[1] {7}> (s)", "i64[2] {7, 7}");
    row("constant of empty shape", 9, "int64[0] s = {}", "y = ConstantOfShape <value = int64[1] {7}> (s)", "i64[] {7}");
    row("range", 11, "int64 a = {3}, int64 b = {9}, int64 c = {2}", "y = Range (a, b, c)", "i64[3] {3, 5, 7}");
    row("non zero", 9, "int64[2, 2] a = {1, 0, 0, 4}", "y = NonZero (a)", "i64[2,2] {0, 1, 0, 1}");
    row("wrapping product", 9, "int64[1] a = {6364136223846793005}", "y = Mul (a, a)", "i64[1] {7520897724310334953}");
    row("mod floors", 10, "int64[2] a = {-7, 7}, int64[1] b = {3}", "y = Mod (a, b)", "i64[2] {2, 1}");
    row("where", 9, "bool[2] c = {1, 0}, float[2] a = {1, 2}, float[1] b = {9}", "y = Where (c, a, b)", "f32[2] {1.0, 9.0}");
    row("dropout mask", 13, "float[2] a = {1, 2}", "u, y = Dropout (a)", "bool[2] {1, 1}");
    const char* dropped = "float[6] a = {1, 2, 3, 4, 5, 6}, float r = {0.5}, bool t = {1}";
    row("dropout that trains, seeded", 13, dropped, "y = Dropout <seed = 0> (a, r, t)", "f32[6] {2.0, 4.0, 6.0, 8.0, 0.0, 12.0}");
    row("mask of a seeded dropout", 13, dropped, "u, y = Dropout <seed = 0> (a, r, t)", "bool[6] {1, 1, 1, 1, 0, 1}");
    row("gather nd", 12, "float[3, 4] a = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, int64[2, 2] i = {-1, -1, 0, -2}",
        "y = GatherND (a, i)", "f32[2] {11.0, 2.0}");
    row("gather nd rows", 12, "float[2, 2, 2] a = {0, 1, 2, 3, 4, 5, 6, 7}, int64[2, 1] i = {1, 0}",
        "y = GatherND <batch_dims = 1> (a, i)", "f32[2,2] {2.0, 3.0, 4.0, 5.0}");
    row("gather elements", 13, "float[2, 2] a = {1, 2, 3, 4}, int64[2, 2] i = {0, 0, -1, 0}",
        "y = GatherElements <axis = 1> (a, i)", "f32[2,2] {1.0, 1.0, 4.0, 3.0}");
    row("depth to space", 13, "float[1, 4, 1, 1] a = {1, 2, 3, 4}", "y = DepthToSpace <blocksize = 2> (a)",
        "f32[1,1,2,2] {1.0, 2.0, 3.0, 4.0}");
    row("shape arithmetic", 13, "float[6, 2] a = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, int64 z = {0}, int64[1] q = {2}, int64[1] m = {-1}, int64[1] ax = {0}",
        "s = Shape (a) d = Gather (s, z) e = Unsqueeze (d, ax) f = Div (e, q) t = Concat <axis = 0> (f, m) r = Reshape (a, t) y = Shape (r)",
        "i64[2] {3, 4}");
}

void TestImport::folds()
{
    QFETCH(int, opset);
    QFETCH(std::string, initializers);
    QFETCH(std::string, body);
    QFETCH(std::string, value);
    const auto imported = importText({opset, "float[1] unused", "y", body, initializers});
    VERIFY_OK(imported);
    QCOMPARE(foldedText(*imported), value);
    QVERIFY(imported->graph->nodes.empty());
}

void TestImport::refuses_data()
{
    QTest::addColumn<int>("opset");
    QTest::addColumn<std::string>("inputs");
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("words");
    const auto row = [](const char* name, int opset, const char* inputs, const char* body, const char* words) {
        QTest::newRow(name) << opset << std::string(inputs) << std::string(body) << std::string(words);
    };
    row("unknown operator", 13, "float[2] x", "y = Frobnicate (x)",
        "the node that makes 'y' (Frobnicate, opset 13): the operator Frobnicate is not supported");
    row("opset too old", 5, "float[2] x", "y = Relu (x)", "(Relu, opset 5): Relu as it is known here came with opset 6");
    row("opset too new", 26, "float[2] x", "y = Relu (x)", "opset 26 is not supported");
    row("operator too new", 13, "float[2] x", "y = Gelu (x)", "Gelu as it is known here came with opset 20");
    row("other domain", 13, "float[2] x", "y = com.x.Relu (x)", "operators of the domain 'com.x' are not known");
    row("unknown attribute", 13, "float[2] x", "y = Relu <slope = 1> (x)", "the attribute 'slope' is not known");
    row("too many inputs", 13, "float[2] x", "y = Relu (x, x)", "it has an input 2 ('x') that this operator does not take");
    row("missing input", 13, "float[2] x", "y = Add (x)", "its input 2 is missing");
    row("unsupported output", 8, "float[2, 2] x, float[2] s", "y, m = BatchNormalization (x, s, s, s, s)", "its output 2 ('m')");
    row("types differ", 13, "float[2] x, int64[2] i", "y = Add (x, i)", "different element types, f32 and i64");
    row("no broadcast", 13, "float[2] x, float[3] i", "y = Add (x, i)", "shapes [2] and [3] do not broadcast");
    row("16-bit floats", 13, "float16[2] x", "y = Relu (x)", "element type f16 cannot be computed with yet");
    row("random", 13, "float[2] x", "m = Constant <value = bool {1}> () r = Constant <value = float {0.5}> () y = Dropout (x, r, m)", "at random");
    row("axis", 13, "float[2] x", "y = Softmax <axis = 1> (x)", "axis 1 is outside the rank 1");
    row("squeeze", 11, "float[2] x", "y = Squeeze <axes = [0]> (x)", "not known to be 1");
    row("control flow", 13, "float[2] x, bool c", "y = If <then_branch = g () => (float[2] a) { a = Relu (x) }> (c)", "its attribute 'then_branch' is a graph");
    row("auto_pad", 13, "float[1, 1, 4] x, float[1, 1, 1] w", "y = Conv <auto_pad = \"SAME\"> (x, w)", "auto_pad is 'SAME'");
    row("constant without value", 13, "", "y = Constant <value_string = \"a\"> ()", "its value is a string");
}

void TestImport::refuses()
{
    QFETCH(int, opset);
    QFETCH(std::string, inputs);
    QFETCH(std::string, body);
    QFETCH(std::string, words);
    const std::string message = errorOf({opset, inputs, "y", body, ""});
    VERIFY_HOLDS(message, words);
}

void TestImport::bindsInputContents()
{
    const SmallModel model{13, "float[N, 4] x, int64[2] s", "y", "y = Reshape (x, s)", ""};
    const auto open = importText(model);
    QVERIFY(!open);
    QCOMPARE(inputThatMustBeBound(open.error()), std::string("s"));
    VERIFY_HOLDS(open.error().message, "--bind-input s=FILE");

    ImportOptions options;
    options.boundInputs["s"] = Tensor::of<std::int64_t>(DType::I64, {2}, {-1, 2});
    const auto bound = importText(model, options);
    VERIFY_OK(bound);
    QCOMPARE(bound->graph->inputs.size(), std::size_t{1});
    QCOMPARE(bound->specialised, std::vector<std::string>{"s"});
    VERIFY_HOLDS(toText(*bound->graph), "[N * 2,2] = Reshape(%0)");

    // The given values' own extents bind symbols.
    options.boundInputs["x"] = Tensor::of<float>(DType::F32, {1, 4}, {1, 2, 3, 4});
    const auto all = importText(model, options);
    VERIFY_OK(all);
    QCOMPARE(foldedText(*all), std::string("f32[2,2] {1.0, 2.0, 3.0, 4.0}"));
    options.bind["N"] = 2;
    VERIFY_HOLDS(errorOf(model, options), "axis 0 has the extent 1, but it is 2");

    // Through arithmetic too, and not for an error of another kind.
    const auto derived = importText({13, "float[4] x, int64[1] s", "y", "t = Add (s, s) y = Expand (x, t)", ""});
    QVERIFY(!derived);
    QCOMPARE(inputThatMustBeBound(derived.error()), std::string("s"));
    QCOMPARE(inputThatMustBeBound(failed("--bind-input s=FILE")), std::string());
}

void TestImport::outputsHaveValuesOfTheirOwn()
{
    const auto imported = importText({13, "float[2] x", "y z w", "y = Identity (x) z = Max (x) w = Relu (x)", ""});
    VERIFY_OK(imported);
    const Graph& graph = *imported->graph;
    QCOMPARE(graph.outputs.size(), std::size_t{3});
    QVERIFY(graph.outputs[0] != graph.outputs[1] && graph.outputs[0] != graph.inputs[0]);
    QCOMPARE(graph.values[static_cast<std::size_t>(graph.outputs[1])].name, std::string("z"));
}

void TestImport::deadNodesGo()
{
    // A dead node may even be one that cannot be imported.
    const auto imported = importText({13, "float[2] x", "y", "d = Frobnicate (x) y = Relu (x) e = Relu (y)", ""});
    VERIFY_OK(imported);
    QCOMPARE(imported->graph->nodes.size(), std::size_t{1});
    QCOMPARE(imported->graph->values.size(), std::size_t{2});
}

void TestImport::notesDifferences()
{
    const auto model = model::parseModelText("<ir_version: 8, opset_import: [\"\" : 13]> g (float[2] x) => (float[3] y) "
                                             "{ y = Relu (x) }");
    VERIFY_OK(model);
    const auto imported = importModel(*model, {});
    VERIFY_OK(imported);
    QCOMPARE(imported->notes.size(), std::size_t{1});
    VERIFY_HOLDS(imported->notes[0], "output 'y' is f32[2]");
}

void TestImport::sharedModels_data()
{
    QTest::addColumn<QString>("path");
    const std::filesystem::path data = std::filesystem::path(NW_SOURCE_DIR) / ".." / "shared" / "data";
    for (const char* folder : {"onnx-light", "onnx-seeded"}) {
        if (!std::filesystem::exists(data / folder)) {
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(data / folder)) {
            if (entry.path().extension() == ".onnx") {
                QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
            }
        }
    }
    if (!std::filesystem::exists(data)) {
        QTest::newRow("none") << QString();
    }
}

void TestImport::sharedModels()
{
    QFETCH(QString, path);
    if (path.isEmpty()) {
        QSKIP("the reference models are not here");
    }
    const auto model = model::readModel(path.toStdString());
    VERIFY_OK(model);
    const auto imported = importModel(*model, {});
    VERIFY_OK(imported);
    QCOMPARE(verify(*imported->graph), std::string());
    for (const Node& node : imported->graph->nodes) {
        bool allConstant = true;
        for (const ValueId input : node.inputs) {
            allConstant = allConstant && (input == kNoValue || imported->graph->values[static_cast<std::size_t>(input)].constant);
        }
        QVERIFY2(!allConstant, node.name.c_str());
    }
    QCOMPARE(imported->graph->symbols.size(), path.contains("bert4") ? std::size_t{1} : std::size_t{0});
}

NW_TEST_MAIN(tst_import, TestImport)
#include "tst_import.moc"
