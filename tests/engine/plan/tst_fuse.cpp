#include "engine/base/text.h"
#include "engine/plan/plan.h"
#include "tests/engine/graph/graphs.h"

using namespace nw;
using namespace nw::plan;

// What becomes one group: rows of graph and the groups' first lines.
class TestFuse : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fuses_data()
    {
        QTest::addColumn<std::string>("body");
        QTest::addColumn<std::string>("groups");
        const auto row = [](const char* name, const std::string& body, const char* groups) {
            QTest::newRow(name) << body << std::string(groups);
        };
        const std::string w4 = zeros("w", "4,4,1,1", 4);
        const std::string w2 = zeros("v", "4,4,1,1", 4);
        const auto image = [](const std::string& inside) { return "g (float[1,4,8,8] x) => (float[1,4,8,8] y) {\n" + inside + "}"; };
        row("convolution and activation", image(w4 + "c = Conv(x, w)\n y = Relu(c)\n"), "conv.0 = Conv, Relu\n");
        row("activation before a convolution stays out", image(w4 + "r = Relu(x)\n y = Conv(r, w)\n"),
            "relu.0 = Relu\nconv.0 = Conv\n");
        row("addition goes with the later convolution", image(w4 + w2 + "a = Conv(x, w)\n b = Conv(x, v)\n s = Add(a, b)\n y = Relu(s)\n"),
            "conv.0 = Conv\nconv.1 = Conv, Add, Relu\n");
        row("residual", image(w4 + w2 + "a = Conv(x, w)\n r = Relu(a)\n b = Conv(r, v)\n s = Add(b, x)\n y = Relu(s)\n"),
            "conv.0 = Conv, Relu\nconv.1 = Conv, Add, Relu\n");
        row("inner value used twice", image(w4 + "c = Conv(x, w)\n s = Sigmoid(c)\n y = Mul(c, s)\n"),
            "conv.0 = Conv, Sigmoid, Mul\n");
        row("value seen from outside", image(w4 + w2 + "c = Conv(x, w)\n r = Relu(c)\n d = Conv(c, v)\n y = Add(r, d)\n"),
            "conv.0 = Conv\nrelu.0 = Relu\nconv.1 = Conv, Add\n");
        row("graph output inside", "g (float[1,4,8,8] x) => (float[1,4,8,8] c, float[1,4,8,8] y) {\n" + w4 +
                                       "c = Conv(x, w)\n y = Relu(c)\n}",
            "conv.0 = Conv\nrelu.0 = Relu\n");
        row("broadcast to a larger shape", "g (float[4,1] x) => (float[4,8] y) {\n" + zeros("k", "4,8", 2) +
                                               "r = Relu(x)\n y = Add(r, k)\n}",
            "relu.0 = Relu\nadd.0 = Add\n");
        row("small element-wise graph", "g (float[8] x, float[8] z) => (float[8] y) {\n a = Relu(x)\n b = Sigmoid(z)\n c = Add(a, b)\n"
                                        " d = Tanh(c)\n y = Mul(c, d)\n}",
            "relu.0 = Relu, Sigmoid, Add, Tanh, Mul\n");
        row("view is a boundary", image(w4 + zeros("k", "4,64", 2) + "q = Constant <value = int64[2] {4,64}> ()\n" +
                                        "p = Constant <value = int64[4] {1,4,8,8}> ()\n" +
                                        "c = Conv(x, w)\n f = Reshape(c, q)\n a = Add(f, k)\n y = Reshape(a, p)\n"),
            "conv.0 = Conv\nadd.0 = Add\n");
        row("reduction with epilogue", "g (float[4,8] x) => (float[4,1] y) {\n m = ReduceMean <axes = [1]> (x)\n y = Sqrt(m)\n}",
            "reducemean.0 = ReduceMean, Sqrt\n");
        row("mover with epilogue", "g (float[4,8] x) => (float[8,4] y) {\n t = Transpose <perm = [1,0]> (x)\n y = Tanh(t)\n}",
            "transpose.0 = Transpose, Tanh\n");
        row("two outputs", "g (float[1,1,4,4] x) => (float[1,1,2,2] y, int64[1,1,2,2] i) {\n"
                           " m, i = MaxPool <kernel_shape = [2,2], strides = [2,2]> (x)\n y = Relu(m)\n}",
            "maxpool.0 = MaxPool, Relu\n");
        row("no circle through the second output", "g (float[1,1,4,4] x) => (float[1,1,2,2] y) {\n"
                                                   " m, i = MaxPool <kernel_shape = [2,2], strides = [2,2]> (x)\n"
                                                   " s = ReduceMax <axes = [3]> (i)\n f = Cast <to = 1> (s)\n y = Mul(m, f)\n}",
            "maxpool.0 = MaxPool\nreducemax.0 = ReduceMax, Cast\nmul.0 = Mul\n");
        row("attention scores", "g (float[2,8,4] q, float[2,4,8] k, float[8,8] mask) => (float[2,8,8] y) {\n"
                                " h = Constant <value = float {0.5}> ()\n s = MatMul(q, k)\n t = Mul(s, h)\n u = Add(t, mask)\n"
                                " y = Softmax <axis = -1> (u)\n}",
            "matmul.0 = MatMul, Mul, Add\nsoftmax.0 = Softmax\n");
        row("gelu", "g (float[4,8] x) => (float[4,8] y) {\n" + zeros("w", "8,8", 2) + zeros("b", "8", 1) +
                        "r = Constant <value = float {1.4142}> ()\n one = Constant <value = float {1.0}> ()\n"
                        "m = MatMul(x, w)\n a = Add(m, b)\n d = Div(a, r)\n e = Erf(d)\n p = Add(e, one)\n y = Mul(a, p)\n}",
            "matmul.0 = MatMul, Add, Div, Erf, Add, Mul\n");
        row("symbolic shapes", "g (float[batch,8] x) => (float[batch,8] y) {\n" + zeros("w", "8,8", 2) +
                                   "m = MatMul(x, w)\n y = Relu(m)\n}",
            "matmul.0 = MatMul, Relu\n");
    }

    void fuses()
    {
        QFETCH(std::string, body);
        QFETCH(std::string, groups);
        const auto graph = graphOf(body);
        VERIFY_OK(graph);
        const Result<std::vector<Group>> fused = fuseGroups(**graph);
        VERIFY_OK(fused);
        std::string firstLines;
        for (const std::string& line : splitText(toText(**graph, *fused), '\n')) {
            firstLines += line.empty() || line[0] == ' ' ? "" : line + "\n";
        }
        QCOMPARE(firstLines, groups);
    }

    void namesPorts()
    {
        const auto graph = graphOf("g (float[1,4,8,8] x) => (float[1,4,8,8] y) {\n" + zeros("w", "4,4,1,1", 4) + zeros("b", "4", 1) +
                                   zeros("k", "4,1,1", 3) + zeros("l", "1,1,1,8", 4) +
                                   "c = Conv(x, w, b)\n d = Add(c, k)\n e = Add(l, d)\n f = Add(e, x)\n h = Mul(f, k)\n"
                                   "i = Add(h, l)\n y = Relu(i)\n}");
        VERIFY_OK(graph);
        const Result<std::vector<Group>> groups = fuseGroups(**graph);
        VERIFY_OK(groups);
        QCOMPARE(groups->size(), std::size_t{1});
        std::string names;
        for (const GroupPort& port : groups->front().ports) {
            names += port.name + " ";
        }
        QCOMPARE(names, std::string("X W B add.B add.A Y "));
    }

    void namesRepeats()
    {
        const auto graph = graphOf("g (float[2,3] a, float[2,3] b, float[2,3] c) => (float[2,9] y) {\n"
                                   " m = Concat <axis = 1> (a, b, c)\n k = Constant <value = float {1.0}> ()\n"
                                   " l = Constant <value = float {2.0}> ()\n n = Mul(m, k)\n y = Mul(n, l)\n}");
        VERIFY_OK(graph);
        const Result<std::vector<Group>> groups = fuseGroups(**graph);
        VERIFY_OK(groups);
        std::string names;
        for (const GroupPort& port : groups->front().ports) {
            names += port.name + " ";
        }
        QCOMPARE(names, std::string("X X.2 X.3 mul.B mul.B.2 Y "));
    }
};

NW_TEST_MAIN(tst_fuse, TestFuse)
#include "tst_fuse.moc"
