#include "engine/base/divisors.h"
#include "engine/base/text.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"
#include "views/loop_nest/nest_gestures.h"

#include <QObject>

using namespace nw;
using namespace nw::views;
using schedule::test::after;
using schedule::test::definitionText;
using schedule::test::nestOf;

class TestNestGestures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void chains()
    {
        const schedule::LoopNest nest = nestOf(definitionText("softmax"));
        QCOMPARE(join(chainAround(nestOf(definitionText("matmul")), "n"), " "), std::string("m n k"));
        QCOMPARE(join(chainAround(nest, "d1"), " "), std::string("d0 d1"));
        QCOMPARE(join(chainAround(nest, "nobody"), " "), std::string());
    }

    void reorders_data()
    {
        QTest::addColumn<std::string>("loop");
        QTest::addColumn<int>("gap");
        QTest::addColumn<std::string>("line");
        QTest::newRow("outwards by one") << std::string("n") << 0 << std::string("reorder n m");
        QTest::newRow("outwards by two") << std::string("k") << 0 << std::string("reorder k m n");
        QTest::newRow("inwards by one") << std::string("m") << 2 << std::string("reorder n m");
        QTest::newRow("innermost") << std::string("m") << 3 << std::string("reorder n k m");
        QTest::newRow("above itself") << std::string("n") << 1 << std::string();
        QTest::newRow("below itself") << std::string("n") << 2 << std::string();
        QTest::newRow("no such gap") << std::string("n") << 4 << std::string();
    }

    void reorders()
    {
        QFETCH(std::string, loop);
        QFETCH(int, gap);
        QFETCH(std::string, line);
        QCOMPARE(reorderLine(nestOf(definitionText("matmul")), {loop}, gap), line);
    }

    void whatGoesAlong_data()
    {
        QTest::addColumn<std::string>("step");
        QTest::addColumn<std::string>("loop");
        QTest::addColumn<std::string>("moved");
        const std::string split = "split m into mo:_ mi:5";
        QTest::newRow("all inside") << std::string() << std::string("n") << std::string("n k");
        QTest::newRow("innermost") << std::string() << std::string("k") << std::string("k");
        QTest::newRow("to the other part of its split") << split << std::string("mo") << std::string("mo mi");
        QTest::newRow("with what stands between the parts") << split + "\nreorder mo n mi" << std::string("mo") << std::string("mo n mi");
        QTest::newRow("the inner part has no other") << split << std::string("mi") << std::string("mi n k");
        QTest::newRow("to the last of three parts") << split + "\nsplit mi into mio:_ mii:5" << std::string("mo") << std::string("mo mio mii");
        QTest::newRow("no such loop") << std::string() << std::string("x") << std::string();
    }

    void whatGoesAlong()
    {
        QFETCH(std::string, step);
        QFETCH(std::string, loop);
        QFETCH(std::string, moved);
        const schedule::LoopNest nest = nestOf(definitionText("matmul"));
        QCOMPARE(join(chainedWith(step.empty() ? nest : after(nest, step), loop), " "), moved);
    }

    void chainsAreReordered()
    {
        const schedule::LoopNest nest = after(nestOf(definitionText("matmul")), "split m into mo:_ mi:5");
        QCOMPARE(reorderLine(nest, {"mo", "mi"}, 3), std::string("reorder n mo mi"));
        QCOMPARE(reorderLine(nest, {"mo", "mi"}, 4), std::string("reorder n k mo mi"));
        QCOMPARE(reorderLine(nest, {"n", "k"}, 0), std::string("reorder n k mo mi"));
        QCOMPARE(reorderLine(nest, {"n", "k"}, 1), std::string("reorder n k mi"));
        for (const int stays : {0, 1, 2}) {
            QCOMPARE(reorderLine(nest, {"mo", "mi"}, stays), std::string());
        }
        QCOMPARE(reorderLine(nest, {}, 0), std::string());
    }

    void otherLines()
    {
        const schedule::LoopNest nest = nestOf(definitionText("matmul"));
        QCOMPARE(splitLine(nest, "m", 5), std::string("split m into mo:_ mi:5"));
        // A name that is taken is not given again.
        const schedule::LoopNest split = after(nest, "split n into mo:_ mi:5");
        QCOMPARE(splitLine(split, "m", 5), std::string("split m into mo.2:_ mi.2:5"));
        QCOMPARE(fuseLine(nest, "m", "n"), std::string("fuse m n into m_n"));
        QCOMPARE(fuseLine(nest, "n", "m"), std::string("fuse m n into m_n"));
        QCOMPARE(fuseLine(nest, "k", "m"), std::string());
        QCOMPARE(join(cacheWriteLines(nest, "matmul", "n"), "\n"),
                 std::string("cache_write matmul at n in registers\ncache_write matmul at n in stack\ncache_write matmul at n in heap"));
        QVERIFY(cacheWriteLines(nest, "A", "n").empty());
        QCOMPARE(join(cacheReadLines(nest, "A", "n"), "\n"),
                 std::string("cache_read A at n in stack\ncache_read A at n in heap\ncache_read A at n in registers"));
        QVERIFY(cacheReadLines(nest, "Q", "n").empty() && cacheReadLines(nest, "A", "q").empty());
        QCOMPARE(writerOf(nest, "Y"), std::string("matmul"));
        QVERIFY((splitFactors(nest, "k") == std::vector<std::int64_t>{2, 3, 4, 6, 8, 12}));
        QVERIFY((properDivisors(16) == std::vector<std::int64_t>{2, 4, 8}));
        QVERIFY(properDivisors(7).empty());
    }

    void blocksMoveToReadersOrMakers()
    {
        const schedule::LoopNest nest = nestOf(definitionText("chain"));
        QCOMPARE(computeAtLines(nest, "add", "mul.d0").front(), std::string("compute_at add at mul.d0"));
        QCOMPARE(computeAtLines(nest, "mul", "d0").front(), std::string("reverse_compute_at mul at d0"));
        QVERIFY(computeAtLines(nest, "mul", "nowhere").empty());
    }
};

NW_TEST_MAIN(tst_nest_gestures, TestNestGestures)
#include "tst_nest_gestures.moc"
