// Which algorithms a group may be computed by, and what a choice makes of the graph.

#include "engine/graph/op_table.h"
#include "engine/graph/winograd.h"
#include "engine/plan/algorithms.h"
#include "tests/engine/graph/graphs.h"

#include <algorithm>

using namespace nw;
using namespace nw::plan;

namespace {

std::string netOf(const std::string& attributes, const std::string& extents = "[1,4,8,8]", const std::string& w = "4,4,3,3")
{
    return "g (float" + extents + " x) => (float" + extents + " y) {\n" + zeros("w", w, 4) + zeros("b", "4", 1) + "c = Conv <" + attributes
        + "> (x, w, b)\n y = Relu(c)\n}";
}

Result<Plan> planOf(const std::string& body, const std::string& choiceText)
{
    const auto graph = graphOf(body);
    if (!graph) {
        return graph.error();
    }
    const Result<Choices> choices = parseChoices(choiceText);
    return choices ? makePlan(*graph, *choices) : choices.error();
}

} // namespace

class TestAlgorithms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tilesHaveWeightsOfTheirOwn()
    {
        const auto graph = graphOf(netOf("pads = [1,1,1,1]"));
        VERIFY_OK(graph);
        const auto choices = parseChoices("algorithm conv.0 winograd4\n");
        VERIFY_OK(choices);
        const auto plan = makePlan(*graph, *choices);
        VERIFY_OK(plan);
        QCOMPARE(toText(*plan), std::string(R"(conv.0 = WinogradConv, Relu
  input X %0:f32[1,4,8,8] at input 0
  constant U %1:f32[6,6,4,4] at constant 0
  constant B %2:f32[4] at constant 1
  output Y %3:f32[1,4,8,8] at output 0
arena 0 bytes
)"));
        QCOMPARE(graph::verify(*plan->graph), std::string());
        const graph::Value& made = plan->graph->values[static_cast<std::size_t>(plan->constants[0])];
        QVERIFY(made.constant.has_value());
        QCOMPARE(made.constant->shape(), (std::vector<std::int64_t>{6, 6, 4, 4}));
        QCOMPARE((*graph)->nodes[0].op->name, std::string_view("Conv")); // the graph that was given stays
        const auto direct = makePlan(*graph, *parseChoices("algorithm conv.0 direct\n"));
        VERIFY_OK(direct);
        QCOMPARE(direct->graph, *graph);
    }

    void layoutsAndTilesGoTogether()
    {
        const auto plan = planOf(netOf("pads = [1,1,1,1]"), "algorithm conv.0 winograd2\nlayout conv.0 X NCHW4c\n");
        VERIFY_OK(plan);
        QCOMPARE(plan->groups.size(), std::size_t{2});
        QVERIFY(!plan->find("conv.0")->ports[0].layout.isPlain());
    }

    void refuses_data()
    {
        QTest::addColumn<std::string>("body");
        QTest::addColumn<std::string>("algorithm");
        QTest::addColumn<std::string>("why");
        const auto row = [](const char* name, const std::string& body, const char* algorithm, const char* why) {
            QTest::newRow(name) << body << std::string(algorithm) << std::string(why);
        };
        const std::string fine = netOf("pads = [1,1,1,1]");
        row("word", fine, "winograd3", "\"winograd3\" is no algorithm for conv.0; did you mean winograd2? There are direct, winograd2, winograd4.");
        row("other word", fine, "fourier", "\"fourier\" is no algorithm for conv.0. There are direct, winograd2, winograd4.");
        const std::string is = "conv.0 cannot be computed by winograd4: ";
        const std::string rest = ". That algorithm is for 3x3 convolutions with stride 1, no dilation, one group of channels and "
                                 "constant weights; write direct.";
        const auto unfit = [&](const char* name, const std::string& body, const std::string& why) {
            QTest::newRow(name) << body << std::string("winograd4") << is + why + rest;
        };
        unfit("window", "g (float[1,4,8,8] x) => (float[1,4,8,8] y) {\n" + zeros("w", "4,4,1,1", 4) + "y = Conv(x, w)\n}", "its window is not 3x3");
        unfit("stride", "g (float[1,4,8,8] x) => (float[1,4,3,3] y) {\n" + zeros("w", "4,4,3,3", 4) + "y = Conv <strides = [2,2]> (x, w)\n}", "its stride is not 1");
        unfit("dilation", "g (float[1,4,8,8] x) => (float[1,4,4,4] y) {\n" + zeros("w", "4,4,3,3", 4) + "y = Conv <dilations = [2,2]> (x, w)\n}", "it is dilated");
        unfit("groups", "g (float[1,4,8,8] x) => (float[1,4,6,6] y) {\n" + zeros("w", "4,1,3,3", 4) + "y = Conv <group = 4> (x, w)\n}", "it works in groups of channels");
        unfit("weights", "g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[1,4,6,6] y) {\n y = Conv(x, w)\n}", "its weights are no constant");
        unfit("one axis", "g (float[1,4,8] x) => (float[1,4,6] y) {\n" + zeros("w", "4,4,3", 3) + "y = Conv(x, w)\n}", "its window is not 3x3");
        QTest::newRow("no convolution") << std::string("g (float[4] x) => (float[4] y) { y = Relu(x) }") << std::string("winograd4")
                                        << "relu.0 cannot be computed by winograd4: it is no convolution" + rest;
    }

    void refuses()
    {
        QFETCH(std::string, body);
        QFETCH(std::string, algorithm);
        QFETCH(std::string, why);
        const std::string group = why.find("relu.0") == 0 ? "relu.0" : "conv.0";
        const auto plan = planOf(body, "algorithm " + group + " " + algorithm + "\n");
        QVERIFY(!plan);
        QCOMPARE(plan.error().message, why);
    }

    void alternatives()
    {
        const auto graph = graphOf(netOf("pads = [1,1,1,1]"));
        VERIFY_OK(graph);
        const auto groups = fuseGroups(**graph);
        VERIFY_OK(groups);
        QCOMPARE(algorithmsOf(**graph, groups->front()), (std::vector<std::string>{"direct", "winograd2", "winograd4"}));
        const auto strided = graphOf("g (float[1,4,8,8] x) => (float[1,4,3,3] y) {\n" + zeros("w", "4,4,3,3", 4) + "y = Conv <strides = [2,2]> (x, w)\n}");
        VERIFY_OK(strided);
        QCOMPARE(algorithmsOf(**strided, fuseGroups(**strided)->front()), std::vector<std::string>{"direct"});
    }
};

NW_TEST_MAIN(tst_algorithms, TestAlgorithms)
#include "tst_algorithms.moc"
