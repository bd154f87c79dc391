// Loops that are no longer serial: steps that change their kinds, or make loops that take over the kind of another.

#include "engine/base/text.h"
#include "engine/schedule/rewrite_nest.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

// "parallel mo; mi; vector n": loops in program order.
std::string kindsOf(const LoopNest& nest)
{
    std::vector<std::string> loops;
    for (const Loop* loop : nest.allLoops()) {
        const LoopKind kind = effectiveKind(nest, *loop);
        const std::string word = kind == LoopKind::Parallel ? "parallel " : kind == LoopKind::Vector ? "vector "
            : kind == LoopKind::Unrolled                                                         ? "unrolled "
                                                                                                 : "";
        loops.push_back(word + loop->name);
    }
    return join(loops, "; ");
}

} // namespace

class TestKinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void kept_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        QTest::addColumn<std::string>("kinds");
        struct Row {
            const char *definition, *script, *kinds;
        };
        const std::vector<Row> rows = {
            // split: outermost, innermost, all
            {"matmul", "parallel m\nsplit m into mo mi:8", "parallel mo; mi; n; k"},
            {"matmul", "parallel m n\nsplit m into mo mi:8", "parallel mo; parallel mi; parallel n; k"},
            {"matmul", "parallel m\nsplit m into mo mi:8 tail peel", "parallel mo; mi; n; k; parallel m.1; n.2; k.2"},
            {"matmul", "reorder m k n\nvectorize n\nsplit n into no ni:8", "m; k; no; vector ni"},
            {"chain", "vectorize d1\nsplit d1 into a b:4 tail shift", "d0; a; vector b; mul.d0; mul.d1"},
            {"matmul", "unroll k\nsplit k into ko ki:5", "m; n; unrolled ko; unrolled ki"},
            {"matmul", "parallel m n\ntile m n into mo no mi:8 ni:8", "parallel mo; parallel no; parallel mi; ni; k"},
            {"matmul", "tile k into ko ki:8", "m; n; ko; ki"},
            // fuse: what one is, all are
            {"matmul", "parallel m\nfuse m n into f", "parallel f; k"},
            {"matmul", "unroll n\nunroll k\nfuse n k into f", "m; unrolled f"},
            {"chain", "vectorize d1\nsplit d0 into a b:3\nfuse b d1 into f", "a; vector f; mul.d0; mul.d1"},
            // partition, fission, merge
            {"chain", "vectorize d1\npartition d1 at 8", "d0; vector d1.0; vector d1.1; mul.d0; mul.d1"},
            {"chain", "parallel d0\npartition d0 at 8", "parallel d0.0; d1; parallel d0.1; d1.2; mul.d0; mul.d1"},
            {"chain", "merge d0 mul.d0\nmerge d1 mul.d1\nvectorize d1\nfission d1 after add", "d0; vector d1; vector d1.2"},
            {"chain", "parallel d0\nmerge d0 mul.d0", "parallel d0; d1; mul.d1"},
            {"chain", "merge d0 mul.d0\nvectorize mul.d1\nmerge d1 mul.d1", "d0; vector d1"},
            {"chain", "unroll d1\nunroll mul.d1\nmerge d0 mul.d0\nmerge d1 mul.d1", "d0; unrolled d1"},
            // another kind
            {"chain", "unroll d1\nvectorize d1", "d0; vector d1; mul.d0; mul.d1"},
            {"chain", "vectorize d1\nparallel d1", "d0; parallel d1; mul.d0; mul.d1"},
            {"chain", "parallel d0 d1\nunroll d0", "unrolled d0; parallel d1; mul.d0; mul.d1"},
            {"chain", "parallel d1 d0", "parallel d0; parallel d1; mul.d0; mul.d1"},
            // Memory on the stack is its threads' together; a lane has an element of its own.
            {"matmul", "cache_write matmul at m in stack\nparallel n", "m; parallel n; k; matmul.wb.n"},
            {"matmul", "parallel n\ncache_read A at m in stack", "m; A.c.k; parallel n; k"},
            {"matmul", "parallel n\ncache_write matmul at m in heap", "m; parallel n; k; matmul.wb.n"},
            {"matmul_relu", "parallel relu.n\ncompute_at matmul at relu.m", "relu.m; matmul.n; matmul.k; parallel relu.n"},
            {"matmul_relu", "parallel n\nreverse_compute_at relu at m", "m; parallel n; k; relu.n"},
            {"matmul", "reorder m k n\nvectorize n\ncache_read B at n in stack", "m; k; vector n"},
        };
        for (const Row& row : rows) {
            QTest::addRow("%s: %s", row.definition, row.script)
                << std::string(row.definition) << std::string(row.script) << std::string(row.kinds);
        }
    }

    void kept()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        QFETCH(std::string, kinds);
        const LoopNest first = nestOf(definitionText(definition));
        const LoopNest now = after(first, script);
        QCOMPARE(kindsOf(now), kinds);
        for (const std::uint64_t seed : {1, 2, 3}) {
            QCOMPARE(differs(first, now, seed), std::string());
        }
    }

    // The order of sums may change, and what is kept for a step moves with the loops.
    void reordered_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        const auto row = [](const char* definition, const char* script) { QTest::addRow("%s", script) << std::string(definition) << std::string(script); };
        row("matmul", "partition k at 8\nsplit m into mo mi:5\nreorder mi mo");
        row("conv", "partition kw at 1\nreorder kh ic");
        row("matmul", "cache_write matmul at n in heap\nsplit m into mo mi:5\nreorder mi mo");
        row("chain", "reverse_compute_at mul at d0\nmerge d1 mul.d1\nreorder d1 d0");
        row("two_pools", "split h into ho hi:4 tail shift\nreorder kh ho");
        row("matmul", "decompose_reduction matmul at k\nrfactor matmul over k");
        row("matmul", "partition k at 8\nrfactor matmul.2 over k.1");
    }

    void reordered()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        const LoopNest first = nestOf(definitionText(definition));
        const Result<Replay> done = steps(first, script);
        VERIFY_OK(done);
        QCOMPARE(verify(done->nest()), std::string());
        for (const std::uint64_t seed : {1, 2, 3}) {
            QCOMPARE(differs(first, done->nest(), seed), std::string());
        }
    }

    // Parallel loops stand in one chain, a layout takes the buffer's dimensions: what the nest's own check says.
    void sound()
    {
        const LoopNest nest = after(nestOf(definitionText("matmul")), "split n into no ni:5");
        LoopNest apart = nest;
        for (const char* name : {"m", "ni"}) {
            changeKind(apart, name, LoopKind::Parallel);
        }
        QCOMPARE(verify(apart), std::string("parallel loop ni stands inside the parallel loop m, but not directly"));
        changeKind(apart, "no", LoopKind::Parallel);
        QCOMPARE(verify(apart), std::string());
        LoopNest bent = nest;
        bent.buffers.front().layout.map = IndexMap::identity(3);
        QCOMPARE(verify(bent), std::string("buffer A has 2 dimensions, its layout takes 3"));
    }

private:
    static void changeKind(LoopNest& nest, const std::string& name, LoopKind kind)
    {
        changeLoop(nest, nest.findLoop(name).loop->id, [&](Loop& loop) { loop.kind = kind; });
    }
};

NW_TEST_MAIN(tst_kinds, TestKinds)
#include "tst_kinds.moc"
