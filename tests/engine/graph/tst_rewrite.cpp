#include "engine/base/text.h"
#include "engine/graph/op_table.h"
#include "engine/graph/rewrite/rewriter.h"
#include "tests/engine/graph/graphs.h"

#include <algorithm>

using namespace nw;
using namespace nw::graph;

namespace {

std::vector<Rule> rulesNamed(const std::string& names)
{
    std::vector<Rule> rules;
    for (const std::string& name : splitWords(names)) {
        const auto found = std::ranges::find(allRules(), name, &Rule::name);
        if (found != allRules().end()) {
            rules.push_back(*found);
        }
    }
    return rules;
}

} // namespace

class TestRewrite : public QObject {
    Q_OBJECT

private:
    static void addRow(const char* name, const std::string& rules, const std::string& body, const std::string& after)
    {
        QTest::newRow(name) << rules << body << after;
    }

    // The four parameters of a batch normalization over two channels: factor 3 and 4, mean 1 and 0, offset 1 and 2.
    static std::string parameters()
    {
        return " s = Constant <value = float[2] {3.0, 8.0}> ()\n o = Constant <value = float[2] {1.0, 2.0}> ()\n"
               " m = Constant <value = float[2] {1.0, 0.0}> ()\n v = Constant <value = float[2] {1.0, 4.0}> ()\n";
    }

    void moverRows()
    {
        const std::string vector = "g (float[2,3] x) => (float[2,3] y) {\n";
        addRow("identity", "drop_identity", vector + " a = Identity(x)\n b = Relu(a)\n y = Identity(b)\n}",
               "input %0:f32[2,3]\n%1:f32[2,3] = Relu(%0)\noutput %1\n");
        addRow("identity of an input stays", "drop_identity", vector + " y = Identity(x)\n}",
               "input %0:f32[2,3]\n%1:f32[2,3] = Identity(%0)\noutput %1\n");
        addRow("identity of another output stays", "drop_identity",
               "g (float[2] x) => (float[2] r, float[2] y) {\n r = Relu(x)\n y = Identity(r)\n}",
               "input %0:f32[2]\n%1:f32[2] = Relu(%0)\n%2:f32[2] = Identity(%1)\noutput %1, %2\n");
        addRow("identity transpose", "drop_identity", vector + " a = Transpose <perm = [0,1]> (x)\n y = Relu(a)\n}",
               "input %0:f32[2,3]\n%1:f32[2,3] = Relu(%0)\noutput %1\n");
        addRow("reshape to itself", "drop_identity",
               vector + " k = Constant <value = int64[2] {2, 3}> ()\n a = Reshape(x, k)\n y = Relu(a)\n}",
               "input %0:f32[2,3]\n%1:f32[2,3] = Relu(%0)\noutput %1\n");
        addRow("swap of a square stays", "drop_identity",
               "g (float[2,2] x) => (float[2,2] y) {\n a = Transpose <perm = [1,0]> (x)\n y = Relu(a)\n}",
               "input %0:f32[2,2]\n%1:f32[2,2] = Transpose(%0) {perm=[1,0]}\n%2:f32[2,2] = Relu(%1)\noutput %2\n");
        addRow("transposes", "merge_transposes",
               "g (float[2,3,4] x) => (float[4,2,3] y) {\n a = Transpose <perm = [1,2,0]> (x)\n y = Transpose <perm = [1,2,0]> (a)\n}",
               "input %0:f32[2,3,4]\n%1:f32[4,2,3] = Transpose(%0) {perm=[2,0,1]}\noutput %1\n");
        addRow("transposes that cancel", "merge_transposes drop_identity",
               "g (float[2,3] x) => (float[2,3] y) {\n a = Transpose(x)\n b = Transpose(a)\n y = Relu(b)\n}",
               "input %0:f32[2,3]\n%1:f32[2,3] = Relu(%0)\noutput %1\n");
        addRow("transposes with something between", "merge_transposes",
               "g (float[2,3] x) => (float[2,3] y) {\n a = Transpose(x)\n b = Relu(a)\n y = Transpose(b)\n}",
               "input %0:f32[2,3]\n%1:f32[3,2] = Transpose(%0) {perm=[1,0]}\n%2:f32[3,2] = Relu(%1)\n"
               "%3:f32[2,3] = Transpose(%2) {perm=[1,0]}\noutput %3\n");
        addRow("reshapes", "merge_reshapes",
               "g (float[2,6] x) => (float[4,3] y) {\n k = Constant <value = int64[2] {3, -1}> ()\n"
               " l = Constant <value = int64[2] {-1, 3}> ()\n a = Reshape(x, k)\n y = Reshape(a, l)\n}",
               "input %0:f32[2,6]\n%1:f32[4,3] = Reshape(%0) {shape=[4,3]}\noutput %1\n");
        addRow("a lone reshape stays", "merge_reshapes",
               "g (float[2,6] x) => (float[4,3] y) {\n l = Constant <value = int64[2] {4, 3}> ()\n a = Relu(x)\n y = Reshape(a, l)\n}",
               "input %0:f32[2,6]\n%1:f32[2,6] = Relu(%0)\n%2:f32[4,3] = Reshape(%1) {shape=[4,3]}\noutput %2\n");
        addRow("common subexpressions", "common_subexpressions",
               "g (float[2] x) => (float[2] y) {\n k = Constant <value = float {2.0}> ()\n l = Constant <value = float {2.0}> ()\n"
               " a = Mul(x, k)\n b = Mul(x, l)\n y = Add(a, b)\n}",
               "input %0:f32[2]\n%1:f32[] = constant {2.0}\n%2:f32[2] = Mul(%0, %1)\n%3:f32[2] = Add(%2, %2)\noutput %3\n");
        addRow("other constants stay", "common_subexpressions",
               "g (float[2] x) => (float[2] y) {\n k = Constant <value = float {2.0}> ()\n l = Constant <value = float {3.0}> ()\n"
               " a = Mul(x, k)\n b = Mul(x, l)\n y = Add(a, b)\n}",
               "input %0:f32[2]\n%1:f32[] = constant {2.0}\n%2:f32[2] = Mul(%0, %1)\n%3:f32[] = constant {3.0}\n"
               "%4:f32[2] = Mul(%0, %3)\n%5:f32[2] = Add(%2, %4)\noutput %5\n");
    }

    void productRows()
    {
        const std::string w = " w = Constant <value = float[2,1,1,1] {1.0, 2.0}> ()\n";
        const std::string image = "g (float[1,1,2,2] x) => (float[1,2,2,2] y) {\n" + w;
        const std::string conv = " {dilations=[1,1], group=1, pads=[0,0,0,0], strides=[1,1]}\n";
        addRow("normalization into a convolution", "fold_batch_norm",
               image + parameters() + " c = Conv(x, w)\n y = BatchNormalization <epsilon = 0.0> (c, s, o, m, v)\n}",
               "input %0:f32[1,1,2,2]\n%1:f32[2,1,1,1] = constant {3.0, 8.0}\n%2:f32[2] = constant {-2.0, 2.0}\n"
               "%3:f32[1,2,2,2] = Conv(%0, %1, %2)" + conv + "output %3\n");
        addRow("convolution with another reader", "fold_batch_norm",
               "g (float[1,1,2,2] x) => (float[1,2,2,2] y, float[1,2,2,2] z) {\n" + w + parameters() +
                   " c = Conv(x, w)\n y = BatchNormalization <epsilon = 0.0> (c, s, o, m, v)\n z = Relu(c)\n}",
               "input %0:f32[1,1,2,2]\n%1:f32[2,1,1,1] = constant {1.0, 2.0}\n%2:f32[1,2,2,2] = Conv(%0, %1)" + conv +
                   "%3:f32[2] = constant {3.0, 8.0}\n%4:f32[2] = constant {1.0, 2.0}\n%5:f32[2] = constant {1.0, 0.0}\n"
                   "%6:f32[2] = constant {1.0, 4.0}\n%7:f32[1,2,2,2] = BatchNormalization(%2, %3, %4, %5, %6) {epsilon=0.0}\n"
                   "%8:f32[1,2,2,2] = Relu(%2)\noutput %7, %8\n");
        addRow("normalization into a product", "fold_batch_norm",
               "g (float[1,2] x) => (float[1,2] y) {\n w = Constant <value = float[2,2] {1.0, 2.0, 3.0, 4.0}> ()\n" + parameters() +
                   " c = MatMul(x, w)\n y = BatchNormalization <epsilon = 0.0> (c, s, o, m, v)\n}",
               "input %0:f32[1,2]\n%1:f32[2,2] = constant {3.0, 8.0, 9.0, 16.0}\n%2:f32[2] = constant {-2.0, 2.0}\n"
               "%3:f32[1,2] = Gemm(%0, %1, %2) {alpha=1.0, beta=1.0, transA=0, transB=0}\noutput %3\n");
        addRow("normalization into a transposed product", "fold_batch_norm",
               "g (float[1,2] x) => (float[1,2] y) {\n w = Constant <value = float[2,2] {1.0, 2.0, 3.0, 4.0}> ()\n"
               " b = Constant <value = float[2] {1.0, 1.0}> ()\n" + parameters() +
                   " c = Gemm <transB = 1> (x, w, b)\n y = BatchNormalization <epsilon = 0.0> (c, s, o, m, v)\n}",
               "input %0:f32[1,2]\n%1:f32[2,2] = constant {3.0, 6.0, 12.0, 16.0}\n%2:f32[2] = constant {1.0, 6.0}\n"
               "%3:f32[1,2] = Gemm(%0, %1, %2) {alpha=1.0, beta=1.0, transA=0, transB=1}\noutput %3\n");
        addRow("a normalization alone", "batch_norm_to_affine",
               "g (float[1,2,1] x) => (float[1,2,1] y) {\n" + parameters() + " y = BatchNormalization <epsilon = 0.0> (x, s, o, m, v)\n}",
               "input %0:f32[1,2,1]\n%1:f32[2,1] = constant {3.0, 4.0}\n%2:f32[1,2,1] = Mul(%0, %1)\n"
               "%3:f32[2,1] = constant {-2.0, 2.0}\n%4:f32[1,2,1] = Add(%2, %3)\noutput %4\n");
        addRow("variance 0", "batch_norm_to_affine fold_batch_norm",
               "g (float[1,1] x) => (float[1,1] y) {\n s = Constant <value = float[1] {1.0}> ()\n v = Constant <value = float[1] {0.0}> ()\n"
               " y = BatchNormalization <epsilon = 0.0> (x, s, s, s, v)\n}",
               "input %0:f32[1,1]\n%1:f32[1] = constant {1.0}\n%2:f32[1] = constant {0.0}\n"
               "%3:f32[1,1] = BatchNormalization(%0, %1, %1, %1, %2) {epsilon=0.0}\noutput %3\n");
        addRow("addition into a convolution", "conv_bias",
               image + " k = Constant <value = float[2,1,1] {5.0, 6.0}> ()\n c = Conv(x, w)\n y = Add(k, c)\n}",
               "input %0:f32[1,1,2,2]\n%1:f32[2,1,1,1] = constant {1.0, 2.0}\n%2:f32[2] = constant {5.0, 6.0}\n"
               "%3:f32[1,2,2,2] = Conv(%0, %1, %2)" + conv + "output %3\n");
        addRow("one number for all channels", "conv_bias",
               image + " k = Constant <value = float {5.0}> ()\n c = Conv(x, w)\n y = Add(c, k)\n}",
               "input %0:f32[1,1,2,2]\n%1:f32[2,1,1,1] = constant {1.0, 2.0}\n%2:f32[2] = constant {5.0, 5.0}\n"
               "%3:f32[1,2,2,2] = Conv(%0, %1, %2)" + conv + "output %3\n");
        addRow("a number a column stays", "conv_bias",
               image + " k = Constant <value = float[1,2] {5.0, 6.0}> ()\n c = Conv(x, w)\n y = Add(c, k)\n}",
               "input %0:f32[1,1,2,2]\n%1:f32[2,1,1,1] = constant {1.0, 2.0}\n%2:f32[1,2,2,2] = Conv(%0, %1)" + conv +
                   "%3:f32[1,2] = constant {5.0, 6.0}\n%4:f32[1,2,2,2] = Add(%2, %3)\noutput %4\n");
        addRow("a bias is not added to a bias", "conv_bias",
               image + " b = Constant <value = float[2] {1.0, 1.0}> ()\n k = Constant <value = float {5.0}> ()\n c = Conv(x, w, b)\n y = Add(c, k)\n}",
               "input %0:f32[1,1,2,2]\n%1:f32[2,1,1,1] = constant {1.0, 2.0}\n%2:f32[2] = constant {1.0, 1.0}\n"
               "%3:f32[1,2,2,2] = Conv(%0, %1, %2)" + conv + "%4:f32[] = constant {5.0}\n%5:f32[1,2,2,2] = Add(%3, %4)\noutput %5\n");
        addRow("swap into a product", "transpose_into_gemm",
               "g (float[3,2] a, float[4,3] b) => (float[2,4] y) {\n t = Transpose <perm = [1,0]> (a)\n u = Transpose <perm = [1,0]> (b)\n"
               " y = MatMul(t, u)\n}",
               "input %0:f32[3,2]\ninput %1:f32[4,3]\n%2:f32[2,4] = Gemm(%0, %1) {alpha=1.0, beta=1.0, transA=1, transB=1}\noutput %2\n");
        addRow("a batch is not swapped", "transpose_into_gemm",
               "g (float[1,3,2] a, float[1,3,4] b) => (float[1,2,4] y) {\n t = Transpose <perm = [0,2,1]> (a)\n y = MatMul(t, b)\n}",
               "input %0:f32[1,3,2]\ninput %1:f32[1,3,4]\n%2:f32[1,2,3] = Transpose(%0) {perm=[0,2,1]}\n%3:f32[1,2,4] = MatMul(%2, %1)\noutput %3\n");
        addRow("beta into its constant", "gemm_beta",
               "g (float[1,2] a, float[2,2] b) => (float[1,2] y) {\n c = Constant <value = float[2] {2.0, 4.0}> ()\n"
               " y = Gemm <alpha = 2.0, beta = 0.5> (a, b, c)\n}",
               "input %0:f32[1,2]\ninput %1:f32[2,2]\n%2:f32[2] = constant {1.0, 2.0}\n"
               "%3:f32[1,2] = Gemm(%0, %1, %2) {alpha=2.0, beta=1.0, transA=0, transB=0}\noutput %3\n");
        addRow("beta of a computed C stays", "gemm_beta",
               "g (float[1,2] a, float[2,2] b, float[2] c) => (float[1,2] y) {\n y = Gemm <beta = 0.5> (a, b, c)\n}",
               "input %0:f32[1,2]\ninput %1:f32[2,2]\ninput %2:f32[2]\n"
               "%3:f32[1,2] = Gemm(%0, %1, %2) {alpha=1.0, beta=0.5, transA=0, transB=0}\noutput %3\n");
    }

private Q_SLOTS:
    void rewrites_data()
    {
        QTest::addColumn<std::string>("rules");
        QTest::addColumn<std::string>("body");
        QTest::addColumn<std::string>("after");
        moverRows();
        productRows();
    }

    void rewrites()
    {
        QFETCH(std::string, rules);
        QFETCH(std::string, body);
        QFETCH(std::string, after);
        const auto graph = graphOf(body);
        VERIFY_OK(graph);
        const std::vector<Rule> chosen = rulesNamed(rules);
        QCOMPARE(chosen.size(), splitWords(rules).size());
        const Result<Rewritten> rewritten = rewrite(*graph, chosen);
        VERIFY_OK(rewritten);
        QCOMPARE(toText(*rewritten->graph), after);
        QCOMPARE(verify(*rewritten->graph), std::string());
        QCOMPARE(rewritten->firings.empty(), toText(**graph) == after);
    }

    void removesDead()
    {
        const auto graph = graphOf("g (float[2] x) => (float[2] y) {\n y = Relu(x)\n}");
        VERIFY_OK(graph);
        Graph withDead = **graph;
        const ValueId unread = static_cast<ValueId>(withDead.values.size());
        withDead.values.push_back({"unread", withDead.values[0].type, std::nullopt, 1});
        withDead.nodes.push_back({findOp("Tanh"), "dead", {withDead.inputs[0]}, {unread}, {}});
        const Result<Rewritten> rewritten = rewrite(std::make_shared<const Graph>(withDead), rulesNamed("remove_dead"));
        VERIFY_OK(rewritten);
        QCOMPARE(toText(*rewritten->graph), toText(**graph));
        QCOMPARE(rewritten->firings.size(), std::size_t{1});
        QCOMPARE(rewritten->firings[0].where, std::string("dead"));
    }

    void keepsOutputNames()
    {
        const auto graph = graphOf("g (float[1,1,2,2] x) => (float[1,2,2,2] result) {\n w = Constant <value = float[2,1,1,1] {1.0, 2.0}> ()\n" +
                                   parameters() + " c = Conv(x, w)\n n = BatchNormalization(c, s, o, m, v)\n result = Identity(n)\n}");
        VERIFY_OK(graph);
        const Result<Rewritten> rewritten = rewrite(*graph, allRules());
        VERIFY_OK(rewritten);
        QCOMPARE(rewritten->graph->nodes.size(), std::size_t{1});
        QCOMPARE(rewritten->graph->values[static_cast<std::size_t>(rewritten->graph->outputs[0])].name, std::string("result"));
    }
};

NW_TEST_MAIN(tst_rewrite, TestRewrite)
#include "tst_rewrite.moc"
