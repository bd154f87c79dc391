// Buffers of the kernel's own that lie in another order: the same numbers come out, and where the layout puts the lanes of
// a vector side by side they are stored and loaded as one.

#include "engine/base/text.h"
#include "engine/code/builder.h"
#include "tests/engine/code/harness.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::lower;
using namespace nw::test;

namespace {

const char* const kTwoStages = "definition sums\n"
                               "input X f32 [21, 40]\n"
                               "output Y f32 [21, 40]\n"
                               "stage twice f32 [i:21, j:40] =\n    X[i, j] * 2.0\n"
                               "stage sums -> Y f32 [i:21, j:40] sum [k:3] from 0.0 =\n"
                               "    select(j + k < 40, twice[i, j + k], 1.0)\n";

Result<Lowered> loweredFrom(const std::string& script, const Target& target)
{
    return code::lowerKernel({"kernel", kTwoStages, {}, script, false}, target);
}

} // namespace

class TestLayouts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepTheNumbers_data()
    {
        QTest::addColumn<QByteArray>("map");
        QTest::addColumn<QByteArray>("loops");
        const std::pair<const char*, const char*> loops[] = {
            {"lanes along j", "split j into jo ji:8\nvectorize ji\nsplit sums.j into so si:8\nreorder so sums.k si\nvectorize si\n"},
            {"lanes along i", "split i into io ii:8\nreorder io j ii\nvectorize ii\nsplit sums.i into so si:4\nreorder so sums.j sums.k si\nvectorize si\n"},
            {"threads", "parallel i\nsplit sums.j into so si:8\nparallel so\n"},
            {"on the stack", "split sums.i into so si:4\ncompute_at twice at so\nvectorize twice.j\n"},
        };
        for (const char* map : {"(i, j) -> (j / 8, i, j % 8)", "(i, j) -> (i / 8, j / 16, j % 16, i % 8)", "(i, j) -> (j, i)",
                                "(i, j) -> (i * 41 + j)", "(i, j) -> (i + j, i)", "(i, j) -> (i - j, j)", "(i, j) -> (i, (i + j) % 40)",
                                "(i, j) -> (i, 39 - j)", "(i, j) -> (i + 2, j * 2)", "(i, j) -> (j, (i + j / 8) % 24)"}) {
            for (const auto& [name, script] : loops) {
                QTest::addRow("%s, %s", map, name) << QByteArray(map) << QByteArray(script);
            }
        }
    }

    void keepTheNumbers()
    {
        QFETCH(QByteArray, map);
        QFETCH(QByteArray, loops);
        for (const Target& target : targetsHere()) {
            const Result<Lowered> plain = loweredFrom("", target);
            VERIFY_OK(plain);
            const Memory inputs = randomMemory(*plain, 5);
            Memory expected = inputs;
            interpretLowered(*plain, expected, false);
            for (const bool first : {true, false}) {
                const std::string step = "set_layout twice as " + map.toStdString() + "\n";
                const std::string script = first ? step + loops.toStdString() : loops.toStdString() + step;
                const Result<Lowered> lowered = loweredFrom(script, target);
                VERIFY_OK(lowered);
                Memory got = inputs;
                interpretLowered(*lowered, got, false);
                QCOMPARE(firstDifference(*plain, expected, got), std::string());
                QCOMPARE(differences(*lowered, inputs), std::string());
            }
        }
    }

    // Lanes of j in one block of 8 or 16; along i they stand apart.
    void vectorsStayWhole_data()
    {
        QTest::addColumn<QByteArray>("map");
        QTest::addColumn<bool>("whole");
        QTest::newRow("as it was") << QByteArray("(i, j) -> (i, j)") << true;
        QTest::newRow("blocks of the vector") << QByteArray("(i, j) -> (j / 8, i, j % 8)") << true;
        QTest::newRow("wider blocks") << QByteArray("(i, j) -> (j / 16, i, j % 16)") << true;
        QTest::newRow("skewed") << QByteArray("(i, j) -> (i, i + j)") << true;
        QTest::newRow("skewed outside") << QByteArray("(i, j) -> (i + j / 8, j)") << true;
        QTest::newRow("transposed") << QByteArray("(i, j) -> (j, i)") << false;
        QTest::newRow("every other") << QByteArray("(i, j) -> (i, j * 2)") << false;
    }

    void vectorsStayWhole()
    {
        QFETCH(QByteArray, map);
        QFETCH(bool, whole);
        for (const Target& target : targetsHere()) {
            const Result<Lowered> lowered = loweredFrom("set_layout twice as " + map.toStdString() + "\nsplit j into jo ji:8\nvectorize ji\n", target);
            VERIFY_OK(lowered);
            const auto compiled = code::compileKernel("kernel", *lowered, target, {true, 1, true});
            VERIFY_OK(compiled);
            const std::string& ir = compiled->listing.llvmIr;
            QCOMPARE(ir.find("store <8 x float>") != std::string::npos, whole);
            QVERIFY2(ir.find("scatter") == std::string::npos, "lane by lane, or through addresses");
        }
    }
};

NW_TEST_MAIN(tst_layouts, TestLayouts)
#include "tst_layouts.moc"
