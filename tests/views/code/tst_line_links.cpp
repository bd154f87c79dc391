#include "tests/support/test.h"
#include "tests/views/code/listings.h"
#include "views/code/line_links.h"
#include "views/code/loop_forest.h"

using namespace nw::views;

namespace {

// "mb no! k": the loops of a line, the last with ! where the line opens it.
std::string toText(const LineLink& link)
{
    std::string text;
    for (const std::string& loop : link.loops) {
        text += (text.empty() ? "" : " ") + loop;
    }
    return text + (link.opens ? "!" : "");
}

std::string toText(const LoopForest& forest)
{
    std::string text;
    for (const LoopTree& tree : forest) {
        text += text.empty() ? "" : " ";
        for (std::size_t i = 0; i < tree.names.size(); ++i) {
            text += (i > 0 ? "*" : "") + tree.names[i];
        }
        text += tree.inside.empty() ? "" : "(" + toText(tree.inside) + ")";
    }
    return text;
}

} // namespace

class TestLineLinks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void opensALoop_data()
    {
        QTest::addColumn<std::string>("line");
        QTest::addColumn<std::string>("name");
        QTest::addColumn<std::string>("kind");
        QTest::addColumn<qint64>("extent");
        QTest::newRow("lowered") << std::string("    for ico in 0..4") << std::string("ico") << std::string("for") << qint64{4};
        QTest::newRow("nest, serial") << std::string("mo in 0..12 (tail) with matmul.reg f32[6, 16] in registers") << std::string("mo") << std::string() << qint64{12};
        QTest::newRow("vector") << std::string("  vector relu.oci in 0..8") << std::string("relu.oci") << std::string("vector") << qint64{8};
        QTest::newRow("starting values") << std::string("unrolled owi.init in 0..4") << std::string("owi") << std::string("unrolled") << qint64{4};
        QTest::newRow("block") << std::string("conv: Y[i] += X[i] * W[i]") << std::string() << std::string() << qint64{0};
        QTest::newRow("words") << std::string("registers in 3") << std::string() << std::string() << qint64{0};
    }

    void opensALoop()
    {
        QFETCH(std::string, line);
        QFETCH(std::string, name);
        QFETCH(std::string, kind);
        QFETCH(qint64, extent);
        const OpenedLoop opened = openedLoop(line);
        QCOMPARE(opened.name, name);
        QCOMPARE(opened.kind, kind);
        QCOMPARE(qint64{opened.extent}, extent);
    }

    void nestByIndentation()
    {
        const LineLinks links = linkIndented(nw::test::nestText());
        QCOMPARE(links.size(), std::size_t{6});
        QCOMPARE(toText(links[0]), std::string("mb!"));
        QCOMPARE(toText(links[2]), std::string("mb no mo!"));
        QCOMPARE(toText(links[5]), std::string("mb no mo k mi"));
    }

    void loweredByIndentation()
    {
        const LineLinks links = linkIndented(nw::test::loweredText());
        QCOMPARE(toText(links[0]), std::string());
        QCOMPARE(toText(links[5]), std::string("mb no mo"));     // with matmul.reg
        QCOMPARE(toText(links[7]), std::string("mb no mo mi!")); // mi.init
        QCOMPARE(toText(links[9]), std::string("mb no mo k!"));
        QCOMPARE(toText(links[12]), std::string("mb no mo"));    // else
    }

    void stagesBelongToTheirAxes()
    {
        const LineLinks links = linkDefinition(
            "definition conv\ninput X f32 [1, 64]\nstage conv f32 [n:1, oc:64] sum [ic:64, kh:3] from 0.0 = select(a >= 1, X[n, ic], 0.0)\n");
        QCOMPARE(links.size(), std::size_t{3});
        QCOMPARE(toText(links[1]), std::string());
        QCOMPARE(toText(links[2]), std::string("n oc ic kh"));
    }

    void loopsThatAreLeft_data()
    {
        QTest::addColumn<std::string>("lowered");
        QTest::addColumn<std::string>("body");
        QTest::addColumn<std::string>("task");
        QTest::newRow("tail twice") << nw::test::loweredText() << std::string("mb(no(mo(k k)))") << std::string();
        QTest::newRow("parallel") << nw::test::parallelLowered() << std::string() << std::string("mb(no(mo(k k)))");
        QTest::newRow("one step and vectors vanish") << std::string("for n in 0..1\n  for i in 0..4\n    vector j in 0..8\n      Y[j] = 0\n")
                                                     << std::string("i") << std::string();
        QTest::newRow("parallel loops become one") << std::string("parallel a in 0..4\n  parallel b in 0..8\n    for c in 0..2\n      Y[c] = 0\n")
                                                   << std::string() << std::string("a*b(c)");
        QTest::newRow("parallel inside") << std::string("for s in 0..3\n  parallel a in 0..4\n    for c in 0..2\n      Y[c] = 0\nfor t in 0..9\n  Z[t] = 0\n")
                                         << std::string("s t") << std::string("a(c)");
    }

    void loopsThatAreLeft()
    {
        QFETCH(std::string, lowered);
        QFETCH(std::string, body);
        QFETCH(std::string, task);
        auto loops = compiledLoops(lowered);
        QCOMPARE(toText(loops["body"]), body);
        QCOMPARE(toText(loops["task0"]), task);
    }
};

NW_TEST_MAIN(tst_line_links, TestLineLinks)
#include "tst_line_links.moc"
