// Elements that are read several times, "f[y / 4]": what one step of a loop needs of them is told like any other window.
#include "engine/base/text.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

// Y[y, x] = f[y / 4, x / 2] + f[y / 4, 3], y to `rows`.
std::string enlarged(int rows)
{
    return format("definition add\ninput X f32 [8, 12]\noutput Y f32 [{0}, 24]\nstage f f32 [h:8, w:12] =\n    X[h, w] * 2.0\n"
                  "stage add -> Y f32 [y:{0}, x:24] =\n    f[y / 4, x / 2] + f[y / 4, 3]\n",
                  rows);
}

} // namespace

class TestQuotients : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void windows_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<std::string>("script");
        QTest::addColumn<std::string>("text");
        const auto row = [](const char* name, int rows, const char* script, const char* text) {
            QTest::newRow(name) << rows << std::string(script) << std::string(text);
        };
        row("one of them", 32, "split add.y into o i:4\ncompute_at f at o",
            "o in 0..8 with f f32[1, 12] in stack\n"
            "  f.w in 0..12\n"
            "    f: f[0, f.w] = X[o, f.w] * 2.0\n"
            "  i in 0..4\n"
            "    add.x in 0..24\n"
            "      add: Y[o * 4 + i, add.x] = f[0, add.x / 2] + f[0, 3]\n");
        row("several, with a tail", 30, "split add.y into o i:8\ncompute_at f at o",
            "o in 0..4 with f f32[2, 12] in stack\n"
            "  f.h in 0..2\n"
            "    f.w in 0..12\n"
            "      f: f[f.h, f.w] = X[o * 2 + f.h, f.w] * 2.0\n"
            "  i in 0..8 (tail)\n"
            "    add.x in 0..24\n"
            "      add: Y[o * 8 + i, add.x] = f[i / 4, add.x / 2] + f[i / 4, 3] if o * 8 + i < 30\n");
        row("steps that do not begin with one", 32, "split add.y into o i:6\ncompute_at f at o",
            "o in 0..6 with f f32[8, 12] in stack\n"
            "  f.h in 0..8\n"
            "    f.w in 0..12\n"
            "      f: f[f.h, f.w] = X[f.h, f.w] * 2.0\n"
            "  i in 0..6 (tail)\n"
            "    add.x in 0..24\n"
            "      add: Y[o * 6 + i, add.x] = f[(o * 6 + i) / 4, add.x / 2] + f[(o * 6 + i) / 4, 3] if o * 6 + i < 32\n");
        row("inside of both", 32, "split add.y into o i:6\ncompute_at f at add.x",
            "o in 0..6\n"
            "  i in 0..6 (tail)\n"
            "    add.x in 0..24 with f f32[1, 12] in stack\n"
            "      f.w in 0..12\n"
            "        f: f[0, f.w] = X[(o * 6 + i) / 4, f.w] * 2.0 if (o * 6 + i) / 4 < 8\n"
            "      add: Y[o * 6 + i, add.x] = f[0, add.x / 2] + f[0, 3] if o * 6 + i < 32\n");
        row("a copy", 32, "split add.y into o i:8\ncache_read X for f at h in stack\ncache_read f for add at o in stack",
            "h in 0..8 with X.stack f32[1, 12] in stack\n"
            "  X.c.w in 0..12\n"
            "    X.read: X.stack[0, X.c.w] = X[h, X.c.w]\n"
            "  w in 0..12\n"
            "    f: f[h, w] = X.stack[0, w] * 2.0\n"
            "o in 0..4 with f.stack f32[2, 12] in stack\n"
            "  f.c.y in 0..2\n"
            "    f.c.x in 0..12\n"
            "      f.read: f.stack[f.c.y, f.c.x] = f[o * 2 + f.c.y, f.c.x]\n"
            "  i in 0..8\n"
            "    add.x in 0..24\n"
            "      add: Y[o * 8 + i, add.x] = f.stack[i / 4, add.x / 2] + f.stack[i / 4, 3]\n");
    }

    void windows()
    {
        QFETCH(int, rows);
        QFETCH(std::string, script);
        QFETCH(std::string, text);
        const LoopNest first = nestOf(enlarged(rows));
        const LoopNest now = after(first, script);
        const std::string shown = toText(now);
        QCOMPARE(shown.substr(std::min(shown.find(text.substr(0, text.find('\n'))), shown.size())), text);
        QCOMPARE(verify(now), std::string());
        QCOMPARE(differs(first, now, 11), std::string());
    }

    void homesMove()
    {
        const LoopNest first = nestOf(enlarged(30));
        for (const char* script : {"split add.y into o i:8\ncompute_at f at o\nstore_at f", "split add.y into o m:2 i:4\ncompute_at f at m\nstore_at f at o",
                                   "split add.y into o i:8\ncompute_at f at o\nvectorize f.w\nunroll i", "split add.y into o i:8\nparallel o\ncompute_at f at o"}) {
            const LoopNest now = after(first, script);
            QCOMPARE(verify(now), std::string());
            QCOMPARE(differs(first, now, 7), std::string());
        }
    }
};

NW_TEST_MAIN(tst_quotients, TestQuotients)
#include "tst_quotients.moc"
