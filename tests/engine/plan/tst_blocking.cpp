// Which ports lie in blocks of channels when the plan may choose.
#include "engine/base/text.h"
#include "engine/plan/plan.h"
#include "tests/engine/graph/graphs.h"

using namespace nw;
using namespace nw::plan;

namespace {

// "conv.0: Y; maxpool.0: X Y": the blocked ports of each group that has some, and the copies.
std::string blockedPorts(const Plan& plan)
{
    std::vector<std::string> groups;
    for (const Group& group : plan.groups) {
        std::vector<std::string> ports;
        for (const GroupPort& port : group.ports) {
            if (!port.layout.isPlain()) {
                ports.push_back(port.name);
            }
        }
        if (!ports.empty()) {
            groups.push_back(group.name + ": " + join(ports, " "));
        }
    }
    return join(groups, "; ");
}

std::string convolutions(const std::string& output, const std::string& body)
{
    return "g (float[1,3,8,8] x, float[1,8,8,8] z) => (float[" + output + "] y) {\n" + zeros("w", "8,3,1,1", 4) + zeros("v", "8,8,1,1", 4) +
           zeros("odd", "6,3,1,1", 4) + zeros("deep", "8,1,1,1", 4) + zeros("halves", "8,4,1,1", 4) + zeros("sixteen", "8,16,1,1", 4) + body + "\n}";
}

} // namespace

class TestBlocking : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ports_data()
    {
        QTest::addColumn<std::string>("body");
        QTest::addColumn<std::string>("ports");
        const auto row = [](const char* name, const std::string& body, const char* ports) {
            QTest::newRow(name) << body << std::string(ports);
        };
        row("between convolutions, and through a pool", convolutions("1,8,4,4", "a = Conv(x, w)\n b = MaxPool <kernel_shape = [2,2], strides = [2,2]> (a)\n y = Conv(b, v)"),
            "conv.0: Y; maxpool.0: X Y; conv.1: X");
        row("inputs and outputs stay", convolutions("1,8,8,8", "y = Conv(z, v)"), "");
        row("what is added behind a convolution", convolutions("1,8,8,8", "a = Conv(x, w)\n d = Conv(x, w)\n b = Conv(a, v)\n c = Add(b, d)\n y = Conv(c, v)"),
            "conv.0: Y; conv.1: Y; conv.2: X add.B Y; conv.3: X");
        row("a plain one that is added is converted", convolutions("1,8,8,8", "a = Conv(x, w)\n b = Conv(a, v)\n c = Add(b, z)\n y = Conv(c, v)"),
            "conv.0: Y; copy.0: Y; conv.1: X add.B Y; conv.2: X");
        row("concatenation", convolutions("1,8,8,8", "a = Conv(x, w)\n b = Conv(x, w)\n c = Concat <axis = 1> (a, b)\n y = Conv(c, sixteen)"),
            "conv.0: Y; conv.1: Y; conv.2: X");
        row("no whole blocks", convolutions("1,6,8,8", "a = Conv(x, odd)\n b = MaxPool <kernel_shape = [1,1]> (a)\n y = Relu(b)"), "");
        row("an operand of another model input", convolutions("1,8,8,8", "a = Conv(x, w)\n b = Relu(a)\n c = Concat <axis = 1> (b, z)\n y = Conv(c, sixteen)"), "");
        row("used by a transposition alone", convolutions("1,8,8,8", "a = Conv(x, w)\n y = Transpose <perm = [0,1,3,2]> (a)"), "");
        row("used by both", convolutions("1,8,8,8", "a = Conv(x, w)\n b = Transpose <perm = [0,1,3,2]> (a)\n c = Conv(a, v)\n y = Add(c, b)"),
            "conv.0: Y; copy.0: X; conv.1: X");
        row("depthwise", convolutions("1,8,8,8", "a = Conv(x, w)\n b = Conv <group = 8> (a, deep)\n y = Conv(b, v)"), "conv.0: Y; conv.1: X Y; conv.2: X");
        row("groups of whole blocks", convolutions("1,8,8,8", "a = Conv(x, w)\n b = Conv <group = 2> (a, halves)\n y = Conv(b, v)"), "conv.0: Y; conv.1: X Y; conv.2: X");
        row("means over all pixels", convolutions("1,8", "a = Conv(x, w)\n b = GlobalAveragePool(a)\n y = Flatten(b)"), "conv.0: Y; reducemean.0: X");
    }

    void ports()
    {
        QFETCH(std::string, body);
        QFETCH(std::string, ports);
        const auto graph = graphOf(body);
        VERIFY_OK(graph);
        const Result<Choices> choices = parseChoices("layouts blocked 4\n");
        VERIFY_OK(choices);
        const Result<Plan> plan = makePlan(*graph, *choices);
        VERIFY_OK(plan);
        QCOMPARE(blockedPorts(*plan), ports);
        // A plan that nobody asked for blocks is plain, and a choice of one port comes last.
        const Result<Plan> plain = makePlan(*graph, *parseChoices("layouts plain\n"));
        VERIFY_OK(plain);
        QCOMPARE(blockedPorts(*plain), std::string());
        const Result<Plan> one = makePlan(*graph, *parseChoices("layouts blocked 4\nlayout conv.0 Y NHWC\n"));
        VERIFY_OK(one);
        QCOMPARE(one->find("conv.0")->ports.back().layout.map.toText(), std::string("(n, c, h, w) -> (n, h, w, c)"));
    }
};

NW_TEST_MAIN(tst_blocking, TestBlocking)
#include "tst_blocking.moc"
