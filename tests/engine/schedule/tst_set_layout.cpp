// Other orders in memory: what is refused, what the nest says of it, and that other steps keep it.

#include "engine/base/text.h"
#include "engine/schedule/primitives/all.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

std::vector<std::int64_t> memoryOf(const LoopNest& nest, const std::string& buffer)
{
    return *nest.buffer(buffer)->layout.memoryShape(nest.buffer(buffer)->shape);
}

} // namespace

class TestSetLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rewrites_data()
    {
        addRewriteColumns();
        const char* const chain = "d0 in 0..33\n"
                                  "  d1 in 0..10\n"
                                  "    add: add[d0, d1] = X[d0, d1] + 1.0\n"
                                  "mul.d0 in 0..33\n"
                                  "  mul.d1 in 0..10\n"
                                  "    mul: Y[mul.d0, mul.d1] = add[mul.d0, mul.d1] * 2.0\n";
        struct Row {
            const char *name, *map;
        };
        for (const Row& row : {Row{"blocked, with a tail", "(a, b) -> (b / 4, a, b % 4)"}, Row{"transposed", "(a, b) -> (b, a)"},
                               Row{"merged", "(a, b) -> (a * 12 + b)"}, Row{"skewed", "(a, b) -> (a + b, b)"},
                               Row{"skewed below 0", "(a, b) -> (b - a, a)"}, Row{"rotated", "(a, b) -> (a, (a + b) % 16)"},
                               Row{"moved", "(a, b) -> (a, b + 3)"}}) {
            const std::string text = format("add f32[33, 10] in heap as {}\n{}", row.map, chain);
            const std::string step = format("set_layout add as {}", row.map);
            addRewrite({row.name, "chain", "plain", "", step.c_str(), text.c_str(), ""});
        }
        addRewrite({"a tile", "chain", "plain", "reverse_compute_at mul at d0", "set_layout add as (a, b) -> (b, a)",
                    "d0 in 0..33 with add f32[1, 10] in stack as (a, b) -> (b, a)\n"
                    "  d1 in 0..10\n"
                    "    add: add[0, d1] = X[d0, d1] + 1.0\n"
                    "  mul.d1 in 0..10\n"
                    "    mul: Y[d0, mul.d1] = add[0, mul.d1] * 2.0\n",
                    ""});
    }
    void rewrites() { checkRewrite(); }

    void refuses_data()
    {
        addRefusals({
            {"matmul", "", "set_layout B as (k, n) -> (k, max(n, 3))", "set_layout.not_affine",
             "set_layout: max(n, 3) is no sum of dimensions, their products, quotients and remainders by literals; where an element "
             "of B lies would be hard to compute"},
            {"matmul", "", "set_layout B as (k, n) -> (k * n, n)", "set_layout.not_affine",
             "set_layout: k * n is no sum of dimensions, their products, quotients and remainders by literals; where an element "
             "of B lies would be hard to compute"},
            {"matmul", "", "set_layout B as (k, n) -> (k / 2, n)", "set_layout.not_invertible",
             "set_layout: the elements [0, 0] and [1, 0] of B would lie in one place"},
            {"matmul", "", "set_layout B as (k, n) -> (k * 16 + n)", "set_layout.not_invertible",
             "set_layout: the elements [0, 16] and [1, 0] of B would lie in one place"},
            {"chain", "", "set_layout add as (a, b) -> (a + b, a % 2)", "set_layout.not_invertible",
             "set_layout: the elements [0, 2] and [2, 0] of add would lie in one place"},
            {"large", "", "set_layout B as (k, n) -> (k, (n + n % 2 * 2) % 8192)", "set_layout.not_shown",
             "set_layout: whether each element of B has a place of its own is not known, and there are too many to try all of them; "
             "cut a dimension into quotient and remainder, or add one that stands alone to another"},
            {"large", "", "set_layout B as (k, n) -> (k * 5, n)", "set_layout.spread",
             "set_layout: the 67108864 elements of B would be spread over 335511552 places; at most 4 for each are allowed"},
            {"chain", "", "set_layout add as (a, b) -> (a * 4611686018427387904, b)", "set_layout.spread",
             "set_layout: the 330 elements of add would be spread over more than 2^62 places; at most 4 for each are allowed"},
            {"chain", "storage_align add 0 16 plus 3", "set_layout add as (a, b) -> (b, a)", "set_layout.room",
             "set_layout: the room between the rows of add was made for the layout it has; lay it out first, then make room",
             "storage_align add 0 1"},
            {"chain", "reverse_compute_at mul at d0", "set_layout add as (a, b) -> (a, b * 2000)", "set_layout.too_large",
             "set_layout: the tile of add has 18001 elements, more than the 16384 that belong on the stack; say heap, or a loop "
             "further in"},
        });
    }
    void refuses() { checkRefusal(); }

    void theSameByOtherNames()
    {
        const LoopNest nest = after(nestOf(definitionText("chain")), "set_layout add as (a, b) -> (b, a)");
        const auto verdict = [&](const char* map) {
            return setLayout.check(nest, {{std::string("add"), *parseIndexMap(map)}}, smallContext()).verdict;
        };
        QCOMPARE(verdict("(i, j) -> (j, i)"), Verdict::Pointless);
        QCOMPARE(verdict("(i, j) -> (i, j)"), Verdict::Legal);
        QCOMPARE(verdict("(i, j) -> (j + 1, i)"), Verdict::Legal);
    }

    // Elements of a full block and of the last one, and an index that would begin below 0.
    void memory()
    {
        const LoopNest nest = nestOf(definitionText("chain"));
        QCOMPARE(memoryOf(after(nest, "set_layout add as (a, b) -> (b / 4, a, b % 4)"), "add"), (std::vector<std::int64_t>{3, 33, 4}));
        QCOMPARE(memoryOf(after(nest, "set_layout add as (a, b) -> (b - a, a)"), "add"), (std::vector<std::int64_t>{42, 33}));
        QCOMPARE(memoryOf(after(nest, "set_layout add as (a, b) -> (a * 12 + b)"), "add"), (std::vector<std::int64_t>{394}));
    }

    // Whoever makes a buffer anew keeps its layout and the room between its rows.
    void othersKeepIt_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        QTest::addColumn<std::string>("buffer");
        QTest::addColumn<std::string>("layout");
        const auto row = [](const char* name, const char* definition, const char* script, const char* buffer, const char* layout) {
            QTest::newRow(name) << std::string(definition) << std::string(script) << std::string(buffer) << std::string(layout);
        };
        const std::string blocked = "set_layout add as (a, b) -> (b / 4, a, b % 4)\n";
        const std::string split = "split mul.d0 into o i:8\n";
        row("compute_at, a layout", "chain", (blocked + split + "compute_at add at o").c_str(), "add", "(a, b) -> (b / 4, a, b % 4)");
        row("compute_at, room", "chain", ("storage_align add 0 16 plus 2\n" + split + "compute_at add at o").c_str(), "add", "plain border 0 0:8");
        row("reverse_compute_at, a layout", "chain", (blocked + "split d0 into o i:8\nreverse_compute_at mul at o").c_str(), "add",
            "(a, b) -> (b / 4, a, b % 4)");
        row("reverse_compute_at, room", "chain", "storage_align add 0 16 plus 2\nsplit d0 into o i:8\nreverse_compute_at mul at o", "add",
            "plain border 0 0:8");
        row("cache_write, room", "chain",
            "split d0 into o i:8\nreverse_compute_at mul at o\nstorage_align add 0 16 plus 2\ncache_write add at o in heap", "add",
            "plain border 0 0:8");
        // A row of 1 would lie in blocks of 16.
        row("not where it is mostly room", "chain", "set_layout add as (a, b) -> (a / 16, b, a % 16)\ncompute_at add at mul.d0", "add", "plain");
        row("a copy of a copy", "matmul", "cache_read B at m in heap\nset_layout B.heap as (k, n) -> (n, k)\ncache_read B.heap at n in stack", "B.heap",
            "(k, n) -> (n, k)");
    }

    void othersKeepIt()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        QFETCH(std::string, buffer);
        QFETCH(std::string, layout);
        const LoopNest first = nestOf(definitionText(definition));
        const LoopNest now = after(first, script);
        QVERIFY(now.buffer(buffer) != nullptr);
        QCOMPARE(now.buffer(buffer)->layout.toText(), layout);
        QCOMPARE(differs(first, now, 3), std::string());
    }

    // Room in another order of dimensions, and none for a dimension that does not stand alone.
    void roomAfterwards()
    {
        const LoopNest transposed = after(nestOf(definitionText("chain")), "set_layout add as (a, b) -> (b, a)\nstorage_align add 1 16");
        QCOMPARE(memoryOf(transposed, "add"), (std::vector<std::int64_t>{10, 48}));
        for (const char* map : {"(a, b) -> (a + b, b)", "(a, b) -> (a, b + 3)", "(a, b) -> (a * 16 + b)"}) {
            const Result<Replay> done
                = steps(nestOf(definitionText("chain")), format("set_layout add as {}\nstorage_align add 0 16", map));
            QVERIFY(!done);
            QCOMPARE(done.error().refusal->rule, std::string("storage_align.layout"));
        }
    }

    void offered()
    {
        const LoopNest nest = nestOf(definitionText("matmul_relu"));
        std::vector<std::string> lines;
        for (const Args& args : setLayout.propose(nest, "matmul", smallContext())) {
            QCOMPARE(setLayout.check(nest, args, smallContext()).verdict, Verdict::Legal);
            lines.push_back(stepText(setLayout, args));
        }
        QCOMPARE(join(lines, "\n"), std::string("set_layout B as (a0, a1) -> (a1 / 4, a0, a1 % 4)\n"
                                                "set_layout matmul as (a0, a1) -> (a1 / 4, a0, a1 % 4)\n"
                                                "set_layout matmul as (a0, a1) -> (a1, a0)"));
    }
};

NW_TEST_MAIN(tst_set_layout, TestSetLayout)
#include "tst_set_layout.moc"
