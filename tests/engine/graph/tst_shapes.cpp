#include "tests/engine/graph/import_text.h"
#include "tests/support/test.h"

#include "engine/graph/op_table.h"
#include "engine/graph/shapes/extents.h"

#include <set>

using namespace nw;
using namespace nw::graph;

class TestShapes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void symbolic_data();
    void symbolic();
    void undecided_data();
    void undecided();
    void quotients();
    void broadcasts();
    void everyOperatorIsWhole();
    void verifierSeesFaults_data();
    void verifierSeesFaults();
    void attributesKeepTheirKind();
};

// Shapes with the batch left open: type of the output.
void TestShapes::symbolic_data()
{
    QTest::addColumn<std::string>("inputs");
    QTest::addColumn<std::string>("initializers");
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("type");
    const auto row = [](const char* name, const char* inputs, const char* initializers, const char* body, const char* type) {
        QTest::newRow(name) << std::string(inputs) << std::string(initializers) << std::string(body) << std::string(type);
    };
    row("conv", "float[N, 3, 32, 32] x, float[8, 3, 3, 3] w", "", "y = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (x, w)",
        "f32[N, 8, 16, 16]");
    row("conv over open extents", "float[N, 3, h, w] x, float[8, 3, 3, 3] k", "", "y = Conv <auto_pad = \"SAME_UPPER\"> (x, k)",
        "f32[N, 8, h, w]");
    row("pool over an open extent", "float[N, 3, h] x", "", "y = MaxPool <kernel_shape = [2], strides = [2]> (x)",
        "f32[N, 3, h / 2]");
    row("flatten", "float[N, 16, 4, 4] x", "", "y = Flatten (x)", "f32[N, 256]");
    row("matmul", "float[N, s, 8] x, float[8, 4] w", "", "y = MatMul (x, w)", "f32[N, s, 4]");
    row("add of a row", "float[N, 8] x, float[8] w", "", "y = Add (x, w)", "f32[N, 8]");
    row("concat", "float[N, 8] x, float[N, s] w", "", "y = Concat <axis = 1> (x, w)", "f32[N, s + 8]");
    row("slice of the tail", "float[N, 8] x", "int64[1] s = {1}, int64[1] e = {9223372036854775807}",
        "y = Slice (x, s, e)", "f32[N - 1, 8]");
    row("pad", "float[N, 8] x", "int64[4] p = {1, 0, 1, 2}", "y = Pad (x, p)", "f32[N + 2, 10]");
    row("tile", "float[N, 8] x", "int64[2] r = {3, 1}", "y = Tile (x, r)", "f32[N * 3, 8]");
    row("reduce", "float[N, s, 8] x", "", "y = ReduceMean <axes = [1], keepdims = 0> (x)", "f32[N, 8]");
    row("attention heads", "float[N, s, 64] x", "int64 zero = {0}, int64 one = {1}, int64[1] ax = {0}, int64[2] rest = {4, 16}",
        "sh = Shape (x) b = Gather (sh, zero) c = Gather (sh, one) bu = Unsqueeze (b, ax) cu = Unsqueeze (c, ax) "
        "t = Concat <axis = 0> (bu, cu, rest) h = Reshape (x, t) y = Transpose <perm = [0, 2, 1, 3]> (h)",
        "f32[N, 4, s, 16]");
    row("heads joined again", "float[N, 4, s, 16] x", "int64[3] t = {0, 0, 64}",
        "h = Transpose <perm = [0, 2, 1, 3]> (x) y = Reshape (h, t)", "f32[N, s, 64]");
    row("minus one over two symbols", "float[N, s, 64] x", "int64[2] t = {-1, 32}", "y = Reshape (x, t)", "f32[N * s * 2, 32]");
    row("size arithmetic", "float[N, s, 64] x", "int64[1] d = {64}, int64[1] m = {-1}, int64[1] q = {64}",
        "n = Size (x) k = Div (n, d) t = Concat <axis = 0> (k, q) y = Reshape (x, t)", "f32[N * s, 64]");
    row("shape slice", "float[N, s, 64] x", "int64[1] from = {0}, int64[1] to = {2}, int64[1] m = {-1}",
        "sh = Shape (x) h = Slice (sh, from, to) t = Concat <axis = 0> (h, m) y = Reshape (x, t)", "f32[N, s, 64]");
    row("expand to a shape", "float[N, s] x", "int64 zero = {0}, int64[1] ax = {0}, int64[1] k = {1}, float[1] v = {2}",
        "sh = Shape (x) y = Expand (v, sh)", "f32[N, s]");
    row("constant of an open shape", "float[N, s] x", "", "sh = Shape (x) c = ConstantOfShape (sh) y = Add (c, x)", "f32[N, s]");
    row("torch expand", "float[N, 1, 8] x, float[N, s] u", "int64[3] ones = {1, 1, 1}, int64[3] minus = {-1, -1, -1}, int64[1] last = {-1}, int64 one = {1}, int64[1] ax = {0}",
        "su = Shape (u) s1 = Gather (su, one) s2 = Unsqueeze (s1, ax) t = Concat <axis = 0> (last, s2, last) "
        "eq = Equal (t, minus) w = Where (eq, ones, t) y = Expand (x, w)", "f32[N, s, 8]");
    row("casts on the way", "float[N, s] x", "int64[1] two = {2}",
        "sh = Shape (x) c = Cast <to = 6> (sh) d = Cast <to = 7> (c) y = Expand (x, d)", "f32[N, s]");
    row("double batch", "float[N, 1] x", "int64[2] two = {2, 1}, int64[1] m = {3}",
        "sh = Shape (x) d = Mul (sh, two) c = ConstantOfShape (d) y = Concat <axis = 0> (x, c)", "f32[N * 3, 1]");
}

void TestShapes::symbolic()
{
    QFETCH(std::string, inputs);
    QFETCH(std::string, initializers);
    QFETCH(std::string, body);
    QFETCH(std::string, type);
    const auto imported = importText({13, inputs, "y", body, initializers});
    VERIFY_OK(imported);
    const TensorType& got = imported->graph->values[static_cast<std::size_t>(imported->graph->outputs[0])].type;
    QCOMPARE(std::string(toText(got.type)) + shapeText(got.shape), type);
}

// What cannot be told while a symbol is open names the symbol.
void TestShapes::undecided_data()
{
    QTest::addColumn<std::string>("inputs");
    QTest::addColumn<std::string>("initializers");
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("words");
    const auto row = [](const char* name, const char* inputs, const char* initializers, const char* body, const char* words) {
        QTest::newRow(name) << std::string(inputs) << std::string(initializers) << std::string(body) << std::string(words);
    };
    row("two symbols", "float[N] x, float[M] w", "", "y = Add (x, w)", "bind N, M");
    row("inner extents", "float[2, k] x, float[8, 4] w", "", "y = MatMul (x, w)", "bind k");
    row("SAME with a stride", "float[1, 1, h] x, float[1, 1, 3] w", "", "y = Conv <auto_pad = \"SAME_UPPER\", strides = [2]> (x, w)", "bind h");
    row("does not divide", "float[N, 3] x", "int64[2] t = {-1, 2}", "y = Reshape (x, t)", "bind N");
    row("equal split", "float[N, 3] x", "", "y, z = Split (x)", "bind N");
    row("range", "float[N, 3] x", "int64 zero = {0}, int64 one = {1}",
        "s = Shape (x) n = Gather (s, zero) y = Range (zero, n, one)", "bind N");
    row("computed with", "float[N, 3] x", "int64 zero = {0}",
        "s = Shape (x) n = Gather (s, zero) f = Cast <to = 1> (n) y = Div (x, f)", "bind N");
    row("output", "float[N, 3] x", "", "y = Shape (x)", "output 'y' is [N, 3], which is only known once N is bound");
}

void TestShapes::undecided()
{
    QFETCH(std::string, inputs);
    QFETCH(std::string, initializers);
    QFETCH(std::string, body);
    QFETCH(std::string, words);
    const auto imported = importText({13, inputs, "y", body, initializers});
    QVERIFY(!imported);
    QVERIFY2(imported.error().message.find(words) != std::string::npos, imported.error().message.c_str());
    QVERIFY(inputThatMustBeBound(imported.error()).empty());
}

void TestShapes::quotients()
{
    const Expr n = var("N");
    const Expr s = var("s");
    const auto text = [](const std::optional<Expr>& e) { return e ? toText(*e) : std::string("none"); };
    QCOMPARE(text(quotientOf(Extents{n, s, intImm(12)}, Extents{s, intImm(4)})), std::string("N * 3"));
    QCOMPARE(text(quotientOf(Extents{n * 6}, Extents{n, intImm(2)})), std::string("3"));
    QCOMPARE(text(quotientOf(Extents{n, intImm(3)}, Extents{intImm(2)})), std::string("none"));
    QCOMPARE(text(quotientOf(Extents{n}, Extents{s})), std::string("none"));
    QCOMPARE(text(quotientOf(Extents{intImm(0), n}, Extents{intImm(4)})), std::string("0"));
    QCOMPARE(text(quotientOf(Extents{intImm(0)}, Extents{intImm(0)})), std::string("none"));
    QCOMPARE(text(productOf(Extents{intImm(std::int64_t{1} << 33), intImm(std::int64_t{1} << 33)})), std::string("none"));
    QVERIFY(sameExtent(n + 1, intImm(1) + n));
    QVERIFY(!sameExtent(n, s));
}

void TestShapes::broadcasts()
{
    const auto text = [](const Extents& a, const Extents& b) {
        const Result<Extents> both = broadcastExtents(a, b);
        return both ? shapeText(*both) : both.error().message;
    };
    const Expr n = var("N");
    QCOMPARE(text({n, intImm(1)}, {intImm(4)}), std::string("[N, 4]"));
    QCOMPARE(text({}, {n}), std::string("[N]"));
    QCOMPARE(text({intImm(0)}, {intImm(1)}), std::string("[0]"));
    QCOMPARE(text({n}, {intImm(4)}), std::string("[4]"));
    QVERIFY(!checkBroadcastTo({intImm(4)}, {intImm(1)}));
    QVERIFY(!checkBroadcastTo({intImm(1), intImm(4)}, {intImm(4)}));
}

void TestShapes::everyOperatorIsWhole()
{
    std::set<std::string_view> names;
    for (const OpInfo& op : allOps()) {
        QVERIFY2(names.insert(op.name).second, std::string(op.name).c_str());
        QVERIFY(op.shape != nullptr && !op.inputNames.empty() && !op.outputNames.empty());
        QVERIFY(op.required >= 1 && op.required <= static_cast<int>(op.inputNames.size()));
        QCOMPARE(findOp(op.name), &op);
    }
    QVERIFY(findOp("Frobnicate") == nullptr);
}

void TestShapes::verifierSeesFaults_data()
{
    QTest::addColumn<int>("fault");
    QTest::addColumn<QString>("words");
    QTest::newRow("type") << 0 << "but its output says";
    QTest::newRow("order") << 1 << "before it is made";
    QTest::newRow("producer") << 2 << "is not known as producer";
    QTest::newRow("dead") << 3 << "is used by nothing";
    QTest::newRow("constant") << 4 << "differ in shape";
    QTest::newRow("too many inputs") << 5 << "too many inputs";
    QTest::newRow("output") << 6 << "an output is not defined";
}

void TestShapes::verifierSeesFaults()
{
    QFETCH(int, fault);
    QFETCH(QString, words);
    const auto imported = importText({13, "float[2, 3] x", "y", "a = Relu (x) y = Add (a, c)", "float[3] c = {1, 2, 3}"});
    VERIFY_OK(imported);
    Graph graph = *imported->graph;
    Value& result = graph.values[static_cast<std::size_t>(graph.outputs[0])];
    switch (fault) {
    case 0: result.type.shape[0] = intImm(7); break;
    case 1: std::swap(graph.nodes[0], graph.nodes[1]); break;
    case 2: result.producer = 0; break;
    case 3: graph.outputs[0] = graph.nodes[0].outputs[0]; break;
    case 4: graph.values[static_cast<std::size_t>(graph.nodes[1].inputs[1])].type.shape[0] = intImm(4); break;
    case 5: graph.nodes[0].inputs.push_back(graph.inputs[0]); break;
    default: graph.outputs[0] = 99; break;
    }
    const std::string problem = verify(graph);
    QVERIFY2(QString::fromStdString(problem).contains(words), problem.c_str());
}

void TestShapes::attributesKeepTheirKind()
{
    const Attributes attributes{{{"axis", std::int64_t{2}}, {"alpha", 0.5}}};
    QCOMPARE(attributes.integer("axis", 0), 2);
    QCOMPARE(attributes.integer("other", 9), 9);
    QCOMPARE(attributes.real("alpha", 0), 0.5);
    QVERIFY_THROWS_EXCEPTION(Bug, attributes.real("axis", 0));
}

NW_TEST_MAIN(tst_shapes, TestShapes)
#include "tst_shapes.moc"
