#include "engine/base/text.h"
#include "engine/graph/op_table.h"
#include "engine/graph/rewrite/rewriter.h"
#include "tests/engine/graph/graphs.h"
#include "tests/engine/graph/run_graph.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

using namespace nw;
using namespace nw::graph;

namespace {

std::string shown(const Tensor& tensor)
{
    std::vector<std::string> elements;
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        const double value = tensor.asDouble(i); // a NaN's sign means nothing
        elements.push_back(std::isnan(value) ? "nan" : shortestFloat(static_cast<float>(value)));
    }
    return join(elements, " ");
}

// Values before and after all rules, "before | after".
std::string offAndOn(const std::string& body, const std::vector<Tensor>& inputs, std::size_t output = 0)
{
    const auto graph = graphOf(body);
    if (!graph) {
        return graph.error().message;
    }
    const Result<Rewritten> rewritten = rewrite(*graph, allRules());
    if (!rewritten) {
        return rewritten.error().message;
    }
    const auto off = run(**graph, inputs);
    const auto on = run(*rewritten->graph, inputs);
    if (!off || !on) {
        return off ? on.error().message : off.error().message;
    }
    return shown((*off)[output]) + " | " + shown((*on)[output]);
}

Tensor f32(const std::vector<std::int64_t>& shape, const std::vector<float>& values)
{
    return Tensor::of(DType::F32, shape, values);
}

} // namespace

// Values with rewrites off and on, and the models at hand.
class TestRewriteCases : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Only a true swap goes into a product.
    void case_16()
    {
        const std::string eye = " i = Constant <value = float[2,2] {1.0, 0.0, 0.0, 1.0}> ()\n z = Constant <value = float[2] {0.0, 0.0}> ()\n";
        const std::string square = "g (float[2,2] a) => (float[2,2] y) {\n" + eye;
        const Tensor a = f32({2, 2}, {1, 2, 3, 4});
        const std::string rest = " p = MatMul(t, i)\n y = Add(p, z)\n}";
        QCOMPARE(offAndOn(square + " t = Transpose <perm = [0,1]> (a)\n" + rest, {a}), std::string("1.0 2.0 3.0 4.0 | 1.0 2.0 3.0 4.0"));
        QCOMPARE(offAndOn(square + " t = Transpose <perm = [1,0]> (a)\n" + rest, {a}), std::string("1.0 3.0 2.0 4.0 | 1.0 3.0 2.0 4.0"));
        QCOMPARE(offAndOn(square + " t = Transpose(a)\n" + rest, {a}), std::string("1.0 3.0 2.0 4.0 | 1.0 3.0 2.0 4.0"));
        const std::string gemm = "g (float[2,3] x) => (float[2,1] y) {\n w = Constant <value = float[3,1] {1.0, 10.0, 100.0}> ()\n"
                                 " b = Constant <value = float[1] {0.5}> ()\n";
        const Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
        QCOMPARE(offAndOn(gemm + " t = Transpose <perm = [0,1]> (x)\n y = Gemm(t, w, b)\n}", {x}), std::string("321.5 654.5 | 321.5 654.5"));
        const std::string swapped = "g (float[3,2] x) => (float[2,1] y) {\n w = Constant <value = float[3,1] {1.0, 10.0, 100.0}> ()\n"
                                    " t = Transpose <perm = [1,0]> (x)\n y = Gemm(t, w)\n}";
        QCOMPARE(offAndOn(swapped, {f32({3, 2}, {1, 4, 2, 5, 3, 6})}), std::string("321.0 654.0 | 321.0 654.0"));
    }

    // A fixed point is reached; rules that undo each other are named.
    void case_17()
    {
        const std::string body = "g (float[2,2] a, float[2,2] c) => (float[2,2] y) {\n i = Constant <value = float[2,2] {1.0, 0.0, 0.0, 1.0}> ()\n"
                                 " t = Transpose <perm = [1,0]> (c)\n y = Gemm(a, i, t)\n}";
        QCOMPARE(offAndOn(body, {f32({2, 2}, {1, 2, 3, 4}), f32({2, 2}, {10, 20, 30, 40})}),
                 std::string("11.0 32.0 23.0 44.0 | 11.0 32.0 23.0 44.0"));

        const auto renamed = [](const Graph& graph, NodeId id, const char* from, const char* to) -> std::optional<Graph> {
            if (graph.nodes[static_cast<std::size_t>(id)].op->name != from) {
                return std::nullopt;
            }
            Graph changed = graph;
            changed.nodes[static_cast<std::size_t>(id)].op = findOp(to);
            return changed;
        };
        static const auto rename = renamed;
        const Rule there{"there", "", [](const Graph& g, NodeId n) { return rename(g, n, "Relu", "Tanh"); }};
        const Rule back{"back", "", [](const Graph& g, NodeId n) { return rename(g, n, "Tanh", "Relu"); }};
        const Rule nothing{"nothing", "", [](const Graph& g, NodeId) { return std::optional<Graph>(g); }};
        const auto graph = graphOf("g (float[2] x) => (float[2] y) {\n a = Relu(x)\n y = Tanh(a)\n}");
        VERIFY_OK(graph);
        const std::string before = toText(**graph);
        const std::vector<Rule> undoing{there, back};
        const Result<Rewritten> endless = rewrite(*graph, undoing);
        QVERIFY(!endless);
        QCOMPARE(endless.error().message, std::string("The rewrite rules come to no end: back, there fired 41 times on 2 nodes. Leave one of them out."));
        QCOMPARE(toText(**graph), before);
        const std::vector<Rule> idle{nothing};
        const Result<Rewritten> still = rewrite(*graph, idle);
        VERIFY_OK(still);
        QVERIFY(still->firings.empty());
    }

    // A scale does not move through an activation.
    void case_19()
    {
        const std::string head = "g (float[1,2,1,2] x) => (float[1,2,1,2] y) {\n w = Constant <value = float[2,1,1,1] {1.0, 1.0}> ()\n"
                                 " c = Conv <group = 2> (x, w)\n";
        const Tensor x = f32({1, 2, 1, 2}, {1, -1, 1, -1});
        const std::string negative = " k = Constant <value = float[1,2,1,1] {-2.0, 3.0}> ()\n";
        QCOMPARE(offAndOn(head + negative + " r = Relu(c)\n y = Mul(r, k)\n}", {x}), std::string("-2.0 -0.0 3.0 0.0 | -2.0 -0.0 3.0 0.0"));
        const std::string positive = " k = Constant <value = float[1,2,1,1] {20.0, 30.0}> ()\n lo = Constant <value = float {0.0}> ()\n"
                                     " hi = Constant <value = float {6.0}> ()\n";
        QCOMPARE(offAndOn(head + positive + " r = Clip(c, lo, hi)\n y = Mul(r, k)\n}", {x}), std::string("20.0 0.0 30.0 0.0 | 20.0 0.0 30.0 0.0"));
        QCOMPARE(offAndOn(head + negative + " r = LeakyRelu <alpha = 0.5> (c)\n y = Mul(r, k)\n}", {x}),
                 std::string("-2.0 1.0 3.0 -1.5 | -2.0 1.0 3.0 -1.5"));
    }

    // A normalization goes into a convolution only when nobody else sees the convolution and all is constant.
    void case_21()
    {
        const std::string w = " w = Constant <value = float[1,1,1,1] {2.0}> ()\n three = Constant <value = float[1] {3.0}> ()\n"
                              " one = Constant <value = float[1] {1.0}> ()\n zero = Constant <value = float[1] {0.0}> ()\n";
        const std::string normal = " y1 = BatchNormalization <epsilon = 0.0> (c, three, one, zero, one)\n";
        const Tensor x = f32({1, 1, 1, 2}, {1, 2});
        const std::string two = "g (float[1,1,1,2] x) => (float[1,1,1,2] y1, float[1,1,1,2] y2) {\n" + w + " c = Conv(x, w)\n" + normal + " y2 = Relu(c)\n}";
        QCOMPARE(offAndOn(two, {x}, 0), std::string("7.0 13.0 | 7.0 13.0"));
        QCOMPARE(offAndOn(two, {x}, 1), std::string("2.0 4.0 | 2.0 4.0"));
        const std::string shown = "g (float[1,1,1,2] x) => (float[1,1,1,2] y1, float[1,1,1,2] c) {\n" + w + " c = Conv(x, w)\n" + normal + "}";
        QCOMPARE(offAndOn(shown, {x}, 1), std::string("2.0 4.0 | 2.0 4.0"));
        const std::string given = "g (float[1,1,1,2] x, float[1] s) => (float[1,1,1,2] y) {\n" + w +
                                  " c = Conv(x, w)\n y = BatchNormalization <epsilon = 0.0> (c, s, one, zero, one)\n}";
        QCOMPARE(offAndOn(given, {x, f32({1}, {3})}), std::string("7.0 13.0 | 7.0 13.0"));
        const std::string withBias = "g (float[1,1,1,2] x) => (float[1,1,1,2] y1) {\n" + w + " c = Conv(x, w, one)\n" + normal + "}";
        QCOMPARE(offAndOn(withBias, {x}), std::string("10.0 16.0 | 10.0 16.0"));
        const auto graph = graphOf(withBias);
        VERIFY_OK(graph);
        QCOMPARE(rewrite(*graph, allRules())->graph->nodes.size(), std::size_t{1});
    }

    // IEEE results with rewrites on.
    void case_25()
    {
        constexpr float kInf = std::numeric_limits<float>::infinity();
        const std::string head = "g (float[3] x) => (float[3] y) {\n big = Constant <value = float {100000000.0}> ()\n"
                                 " less = Constant <value = float {-100000000.0}> ()\n zero = Constant <value = float {0.0}> ()\n";
        const auto both = [&](const std::string& inside, const std::vector<float>& x) { return offAndOn(head + inside + "}", {f32({3}, x)}); };
        QCOMPARE(both(" e = Exp(x)\n y = Log(e)\n", {88, 89, -200}), std::string("88.0 inf -inf | 88.0 inf -inf"));
        QCOMPARE(both(" s = Mul(x, x)\n y = Sqrt(s)\n", {1e20F, 1, 0}), std::string("inf 1.0 0.0 | inf 1.0 0.0"));
        QCOMPARE(both(" y = Mul(x, zero)\n", {1, kInf, 2}), std::string("0.0 nan 0.0 | 0.0 nan 0.0"));
        QCOMPARE(both(" a = Add(x, big)\n y = Add(a, less)\n", {1e-3F, 0, 0}), std::string("0.0 0.0 0.0 | 0.0 0.0 0.0"));
        QCOMPARE(both(" y = Add(x, zero)\n", {-0.0F, 1, 2}), std::string("0.0 1.0 2.0 | 0.0 1.0 2.0"));
        QCOMPARE(both(" y = Sub(x, x)\n", {kInf, 1, 2}), std::string("nan 0.0 0.0 | nan 0.0 0.0"));
        QCOMPARE(both(" y = Div(x, x)\n", {0, 1, 2}), std::string("nan 1.0 1.0 | nan 1.0 1.0"));
    }

    // A folded view outlives the initializer it came from.
    void case_26()
    {
        const std::string body = "g (float[1,3] x) => (float[1,2] y) {\n w = Constant <value = float[2,3] {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}> ()\n"
                                 " s = Constant <value = int64[2] {3, 2}> ()\n a = Constant <value = int64[1] {0}> ()\n r = Reshape(w, s)\n"
                                 " u = Unsqueeze(r, a)\n v = Squeeze(u, a)\n y = MatMul(x, v)\n}";
        for (int round = 0; round < 20; ++round) {
            QCOMPARE(offAndOn(body, {f32({1, 3}, {1, 1, 1})}), std::string("6.0 9.0 | 6.0 9.0"));
        }
    }

    // Twice is once, on every model at hand.
    void isIdempotent_data()
    {
        QTest::addColumn<std::string>("path");
        for (const char* const folder : {NW_SOURCE_DIR "/projects", NW_SOURCE_DIR "/../shared/data/onnx-light"}) {
            std::error_code none;
            for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, none)) {
                const std::string extension = entry.path().extension().string();
                if (extension == ".onnx" || extension == ".onnxtxt") {
                    QTest::newRow((entry.path().parent_path().filename() / entry.path().stem()).c_str()) << entry.path().string();
                }
            }
        }
    }

    void isIdempotent()
    {
        QFETCH(std::string, path);
        const auto model = model::readModel(path);
        VERIFY_OK(model);
        const auto imported = importModel(*model, {});
        VERIFY_OK(imported);
        const Result<Rewritten> once = rewrite(imported->graph, allRules());
        VERIFY_OK(once);
        QCOMPARE(verify(*once->graph), std::string());
        const Result<Rewritten> twice = rewrite(once->graph, allRules());
        VERIFY_OK(twice);
        QVERIFY(twice->firings.empty());
        for (const Node& node : once->graph->nodes) {
            QVERIFY2(node.op->name != "BatchNormalization", "a normalization is left");
        }
        QCOMPARE(once->graph->inputs.size(), imported->graph->inputs.size());
        QCOMPARE(once->graph->outputs.size(), imported->graph->outputs.size());
    }
};

NW_TEST_MAIN(tst_rewrite_cases, TestRewriteCases)
#include "tst_rewrite_cases.moc"
