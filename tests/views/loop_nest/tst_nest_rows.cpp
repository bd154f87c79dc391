#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"
#include "views/common/format.h"
#include "views/loop_nest/nest_rows.h"
#include "views/loop_nest/row_text.h"

#include <QObject>

using namespace nw;
using namespace nw::views;
using schedule::test::after;
using schedule::test::definitionText;
using schedule::test::nestOf;

namespace {

std::string names(const std::vector<NestRow>& rows, bool changedOnly)
{
    std::string text;
    for (const NestRow& row : rows) {
        if (!changedOnly || row.changed) {
            text += (text.empty() ? "" : " ") + row.name;
        }
    }
    return text;
}

} // namespace

class TestNestRows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsOfTheFirstNest()
    {
        const std::vector<NestRow> rows = nestRows(nestOf(definitionText("matmul")), nullptr);
        QCOMPARE(names(rows, false), std::string("m n k matmul"));
        QCOMPARE(rows[0].depth, 0);
        QCOMPARE(rows[3].depth, 3);
        QCOMPARE(rows[3].parent, 2);
        QVERIFY(rows[0].kind == NestRow::Kind::Serial);
        QVERIFY(rows[2].kind == NestRow::Kind::Reduction);
        QVERIFY(rows[3].kind == NestRow::Kind::Block);
        QCOMPARE(rows[3].statement, std::string("Y += A * B"));
        QCOMPARE(rows[2].extent, std::string("24"));
        QCOMPARE(names(rows, true), std::string());
    }

    void accessesOfTheInnermostLoop()
    {
        const schedule::LoopNest first = nestOf(definitionText("matmul"));
        const auto text = [](const schedule::LoopNest& nest, const char* loop) {
            const std::vector<NestRow> rows = nestRows(nest, nullptr);
            return accessText(rows[static_cast<std::size_t>(rowOf(rows, loop))]);
        };
        QCOMPARE(text(first, "k"), QStringLiteral("Y broadcast, A contiguous, B strided 20"));
        QCOMPARE(text(first, "n"), QString());
        QCOMPARE(text(after(first, "reorder k n"), "n"), QStringLiteral("Y contiguous, A broadcast, B contiguous"));
        // A packed layout is read along its innermost dimension.
        const char* packed = "split n into no:_ ni:4\nreorder no k ni\nset_layout B as (k, n) -> (n / 4, k, n % 4)";
        QCOMPARE(text(after(first, packed), "ni"), QStringLiteral("Y contiguous, A broadcast, B contiguous"));
    }

    void kindsAndBuffers()
    {
        const schedule::LoopNest nest = after(nestOf(definitionText("matmul")),
                                              "split n into no:_ ni:4\nreorder m no k ni\ncache_write matmul at no in registers\n"
                                              "vectorize ni\nparallel m");
        const std::vector<NestRow> rows = nestRows(nest, nullptr);
        const auto row = [&](const char* name) { return rows[static_cast<std::size_t>(rowOf(rows, name))]; };
        QVERIFY(row("m").kind == NestRow::Kind::Parallel);
        QCOMPARE(noteText(row("ni")), QStringLiteral("vector f32x4"));
        QCOMPARE(row("no").buffers.size(), std::size_t{1});
        QCOMPARE(bufferText(row("no").buffers.front()), QStringLiteral("matmul.reg registers 16 B"));
        // Registers have no addresses: only what is read from memory is told.
        QCOMPARE(accessText(row("ni")), QStringLiteral("A broadcast, B contiguous"));
    }

    void tails()
    {
        const std::vector<NestRow> rows = nestRows(after(nestOf(definitionText("matmul")), "split m into mo:_ mi:8"), nullptr);
        QCOMPARE(extentText(rows[0]), QStringLiteral("4"));
        QCOMPARE(extentText(rows[1]), QStringLiteral("8 (tail)"));
        QVERIFY(rows.back().guarded);
        QCOMPARE(spokenText(rows[1]), QStringLiteral("loop mi, extent 8 (tail), serial"));
    }

    void hints()
    {
        const schedule::LoopNest plain = after(nestOf(definitionText("chain")), "parallel mul.d0\nvectorize mul.d1");
        const schedule::LoopNest nest = after(plain, "annotate mul.d0 grain 4\nprefetch add of mul at mul.d0 ahead 2\nannotate d0 align 64\n"
                                                     "stream mul");
        const std::vector<NestRow> rows = nestRows(nest, &plain);
        const auto row = [&](const char* name) { return rows[static_cast<std::size_t>(rowOf(rows, name))]; };
        QCOMPARE(noteText(row("mul.d0")), QStringLiteral("parallel, grain 4, prefetch add of mul 2 ahead"));
        QCOMPARE(noteText(row("d0")), QStringLiteral("align 64"));
        QCOMPARE(spokenText(row("d0")), QStringLiteral("loop d0, extent 33, serial, align 64, changed"));
        QVERIFY(noteText(row("mul")).endsWith(QStringLiteral(", streamed")));
        QVERIFY(row("mul.d0").changed && row("mul").changed && !row("mul.d1").changed);
    }

    void bytes_data()
    {
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << qint64{0} << QStringLiteral("0 B");
        QTest::newRow("bytes") << qint64{1000} << QStringLiteral("1000 B");
        QTest::newRow("whole") << qint64{24 * 1024} << QStringLiteral("24 KiB");
        QTest::newRow("a part") << qint64{1843} << QStringLiteral("1.8 KiB");
        QTest::newRow("tens") << qint64{100 * 1024} << QStringLiteral("100 KiB");
        QTest::newRow("just below the next unit") << qint64{1023 * 1024 + 600} << QStringLiteral("1 MiB");
        QTest::newRow("large") << qint64{3} * 1024 * 1024 * 1024 / 2 << QStringLiteral("1.5 GiB");
    }

    void bytes()
    {
        QFETCH(qint64, bytes);
        QFETCH(QString, text);
        QCOMPARE(shortBytes(bytes), text);
    }

    void changes_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("step");
        QTest::addColumn<std::string>("changed");
        QTest::newRow("split: the new loops alone") << std::string("matmul") << std::string("split n into no:_ ni:4") << std::string("no ni");
        QTest::newRow("reorder: both that changed places") << std::string("matmul") << std::string("reorder k n") << std::string("k n");
        QTest::newRow("reorder: one that passed two others") << std::string("matmul") << std::string("reorder k m n") << std::string("k m n");
        QTest::newRow("reorder: not the one between") << std::string("conv") << std::string("reorder kw kh") << std::string("kw kh");
        QTest::newRow("kind") << std::string("matmul") << std::string("unroll k") << std::string("k");
        QTest::newRow("fuse") << std::string("matmul") << std::string("fuse m n into mn") << std::string("mn");
        QTest::newRow("a block that moved") << std::string("chain") << std::string("compute_at add at mul.d0")
                                            << std::string("mul.d0 add.d1 add");
    }

    void changes()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, step);
        QFETCH(std::string, changed);
        const schedule::LoopNest before = nestOf(definitionText(definition));
        QCOMPARE(names(nestRows(after(before, step), &before), true), changed);
    }
};

NW_TEST_MAIN(tst_nest_rows, TestNestRows)
#include "tst_nest_rows.moc"
