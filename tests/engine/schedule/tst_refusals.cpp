// Every refusal with its full message, its rule and what would unlock it.

#include "engine/base/text.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

class TestRefusals : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refuses_data()
    {
        const std::vector<RefusedStep> rows = {
            // split
            {"matmul", "", "split mm into a b:4", "split.no_loop", "split: there is no loop mm; did you mean m?"},
            {"matmul", "", "split zzzzzz into a b:4", "split.no_loop", "split: there is no loop zzzzzz"},
            {"matmul", "", "split m into a b:0", "split.factor_not_positive", "split: b must have at least 1 step, not 0"},
            {"matmul", "", "split m into a b", "split.two_inferred",
             "split: only one part of m can be inferred; give the others a number"},
            {"matmul", "", "split m into a:3 b:4", "split.does_not_cover",
             "split: 12 steps do not cover the 30 of m; enlarge a part or leave one inferred"},
            {"matmul", "", "split m into a", "split.one_part", "split: m must be cut into at least two loops"},
            {"matmul", "", "split m into n b:4", "split.name_taken", "split: the name n is taken; choose another"},
            {"matmul", "", "split m into b b:4", "split.name_twice", "split: the name b is given twice"},
            {"matmul", "parallel m", "split m into a b:4 tail shift", "split.has_kind",
             "split: m is already parallel, which its parts could not be; split it before that step"},
            // fuse
            {"matmul", "", "fuse m k into f", "fuse.not_nested", "fuse: k does not stand directly inside m"},
            {"matmul", "", "fuse n m into f", "fuse.not_nested", "fuse: m does not stand directly inside n"},
            {"matmul", "parallel m\nunroll n", "fuse m n into f", "fuse.has_kind",
             "fuse: m is parallel and n is unrolled; one loop cannot be both"},
            {"matmul", "parallel n", "fuse n k into f", "fuse.has_kind",
             "fuse: n is already parallel, which all of n, k together cannot be; fuse before that step"},
            {"matmul", "cache_write matmul at n in registers", "fuse n k into f", "fuse.not_alone",
             "fuse: n holds 2 statements, so k is not all of it"},
            // reorder
            {"matmul", "", "reorder n n", "reorder.twice", "reorder: n is named twice"},
            {"matmul_relu", "", "reorder relu.n m", "reorder.not_nested", "reorder: relu.n, m are not all nested in one another"},
            {"matmul", "cache_write matmul at m in stack", "reorder n m", "reorder.broken_chain",
             "reorder: m holds matmul.wb.n beside n, so no loop can move across it"},
            {"matmul", "reorder k n\nvectorize n", "reorder n k", "reorder.vector_outer",
             "reorder: n is a vector loop and must stay innermost"},
            {"matmul", "parallel m n", "reorder k n", "reorder.parallel_apart", "reorder: n would stand apart from the other parallel loops"},
            {"matmul", "fuse n k into f\nsplit f into fo fi:7", "reorder fi fo", "reorder.reduction_start",
             "reorder: fo and fi together walk elements of matmul and its reduction over k; "
             "in this order the reduction would not start at its first step"},
            {"matmul", "fuse n k into f\nsplit f into fo:_ fi:32\nsplit fi into a:_ b:24", "reorder a fo", "reorder.restarts",
             "reorder: steps of a come back to elements of matmul, which would start anew in each of them"},
            {"behind", "merge y add.y\nsplit y into yo yi:4", "reorder yi yo", "reorder.dependence",
             "reorder: f and add use the same elements of f in different steps of yo, whose order matters"},
            // tile
            {"matmul", "", "tile m n into a b:4", "tile.parts", "tile: 2 loops give 4 parts, the outer ones first; there are 2"},
            {"matmul", "", "tile m n into a b c:0 d:4", "split.factor_not_positive", "split: c must have at least 1 step, not 0"},
            // vectorize
            {"matmul", "", "vectorize n", "vectorize.not_innermost",
             "vectorize: n has k inside; only an innermost loop can be a vector loop", "reorder k n"},
            {"matmul", "", "vectorize k", "vectorize.reduction",
             "vectorize: k counts steps of the reduction over k in matmul; its steps add to one element and cannot run at once"},
            {"matmul", "unroll k", "vectorize k", "vectorize.reduction",
             "vectorize: k counts steps of the reduction over k in matmul; its steps add to one element and cannot run at once"},
            // unroll
            {"matmul", "split m into mo mi:5\nparallel mo mi n", "unroll mi", "unroll.parallel_apart",
             "unroll: the parallel loops around and inside of mi would stand apart"},
            {"matmul", "unroll k\nunroll n", "unroll m", "unroll.too_large",
             "unroll: m would give 14400 statements, more than 4096; split it and unroll the inner part"},
            // parallel
            {"matmul", "", "parallel k", "parallel.reduction",
             "parallel: k counts steps of the reduction over k in matmul; threads would add to one element at the same time"},
            {"matmul_relu", "", "parallel relu.n m", "parallel.not_nested",
             "parallel: relu.n is not the only statement of m; name loops nested directly"},
            {"matmul", "split n into no ni:5\nparallel m", "parallel ni", "parallel.nested",
             "parallel: ni stands inside the parallel loop m, but not directly"},
            {"matmul", "split n into no ni:5\nparallel ni", "parallel m", "parallel.around",
             "parallel: a loop inside m is parallel already, but not directly inside"},
            {"matmul", "cache_write matmul at m in registers", "parallel n", "parallel.private",
             "parallel: matmul uses matmul.reg, kept in registers around n, where other threads cannot reach it"},
            {"matmul", "cache_write matmul at m in heap", "parallel m", "parallel.race",
             "parallel: several steps of m write the same element of matmul.heap in matmul; only the last would count"},
            // cache_write
            {"matmul", "", "cache_write matmull at m in registers", "cache_write.no_block",
             "cache_write: there is no block matmull; did you mean matmul?"},
            {"matmul_relu", "", "cache_write matmul at relu.n in registers", "cache_write.not_around",
             "cache_write: matmul does not stand inside relu.n"},
            {"matmul", "reorder m k n", "cache_write matmul at n in registers", "cache_write.reduction_outside",
             "cache_write: matmul adds to its result in every step of k, which is not inside n; "
             "a tile kept for a step of n would not hold all of it",
             "reorder n k"},
            {"matmul", "", "cache_write matmul at k in registers", "cache_write.reduction_outside",
             "cache_write: matmul adds to its result in every step of k, which is not inside k; "
             "a tile kept for a step of k would not hold all of it"},
            {"matmul", "split m into mo mi:10", "cache_write matmul at mo in registers", "cache_write.too_large",
             "cache_write: the tile of matmul has 200 elements, 50 vectors of 4, but there are 16 registers"},
            {"matmul", "parallel n", "cache_write matmul at m in registers", "cache_write.parallel_inside",
             "cache_write: n inside m is parallel; its threads reach the stack or the heap, but no registers"},
            {"matmul", "parallel m n", "cache_write matmul at m in stack", "cache_write.parallel_chain",
             "cache_write: the parallel loop m would hold the write-back beside the parallel loop inside of it"},
            {"matmul", "parallel m", "cache_write matmul at n in heap", "cache_write.heap_shared",
             "cache_write: the heap is shared by the threads of m; keep the tile in registers or on the stack"},
            {"matmul", "fuse n k into f", "cache_write matmul at m in stack", "cache_write.mixed",
             "cache_write: f walks elements of matmul and its reduction at once"},
            {"matmul", "fuse m n into f\nsplit f into fo fi:7", "cache_write matmul at fo in stack", "cache_write.region",
             "cache_write: what matmul writes in one step of fo is no box; a loop that walks (fo * 7 + fi) / 20 mixes steps inside and around"},
            // compute_at
            {"matmul_relu", "", "compute_at relu at m", "compute_at.output",
             "compute_at: relu writes the output Y, all of which must be there in the end; it cannot become part of m"},
            {"matmul_relu", "", "compute_at matmul at m", "compute_at.inside", "compute_at: matmul already stands inside m"},
            {"matmul_relu", "vectorize relu.n", "compute_at matmul at relu.n", "compute_at.vector",
             "compute_at: relu.n is a vector loop and can hold no loops"},
            {"matmul_relu", "parallel relu.m relu.n", "compute_at matmul at relu.m", "compute_at.parallel_chain",
             "compute_at: the parallel loop relu.m would hold the block beside the parallel loop inside of it"},
            {"softmax", "", "compute_at shift at sum.d0", "compute_at.consumer_outside",
             "compute_at: softmax reads shift outside of sum.d0"},
            {"matmul_relu", "cache_write matmul at n in registers", "compute_at matmul.wb at relu.m", "compute_at.reads_private",
             "compute_at: matmul.wb reads matmul.reg, which is private to n"},
            {"matmul_relu", "reverse_compute_at relu at m", "compute_at matmul at relu.n", "compute_at.already_local",
             "compute_at: matmul, which matmul writes, already belongs to m"},
            // reverse_compute_at
            {"matmul_relu", "", "reverse_compute_at matmul at relu.m", "reverse_compute_at.no_producer",
             "reverse_compute_at: nothing inside relu.m writes what matmul reads"},
            {"matmul_relu", "", "reverse_compute_at relu at relu.m", "reverse_compute_at.inside",
             "reverse_compute_at: relu already stands inside relu.m"},
            {"matmul_relu", "reorder m k n", "reverse_compute_at relu at n", "reverse_compute_at.reduction_outside",
             "reverse_compute_at: matmul goes on adding in every step of k, which is not inside n; relu would read unfinished sums",
             "reorder n k"},
            {"stencil", "", "reverse_compute_at add at y", "reverse_compute_at.not_one_to_one",
             "reverse_compute_at: add does not read f one to one (each index a variable of its own), "
             "so a step of y does not make all that an element of add needs"},
            {"cut", "cache_read f at add.y in stack\nreverse_compute_inline add", "reverse_compute_at f.read at y", "reverse_compute_at.writes_outside",
             "reverse_compute_at: f.read leaves out elements that lie outside of G, and its loops in y would run on them"},
            {"cut", "cache_read f at add.y in stack\nreverse_compute_inline add", "reverse_compute_inline f.read", "reverse_compute_inline.writes_outside",
             "reverse_compute_inline: f.read leaves out elements that lie outside of G, and f makes them"},
            {"shifted", "", "reverse_compute_at add at y", "reverse_compute_at.reads_outside",
             "reverse_compute_at: add has elements that read nothing of f, so no step of y would make them"},
            {"softmax", "", "reverse_compute_at sum at shift.d1", "reverse_compute_at.incomplete",
             "reverse_compute_at: an element of sum needs dimension 1 of shift whole, and a step of shift.d1 makes 1 of its 10 elements"},
            {"softmax", "", "reverse_compute_at softmax at shift.d0", "reverse_compute_at.overtakes",
             "reverse_compute_at: softmax also reads what sum writes, which runs after shift.d0"},
            {"matmul_relu", "reorder k m n\nreorder m n k\nfuse m n into f\nsplit f into fo fi:7", "reverse_compute_at relu at fo",
             "reverse_compute_at.region",
             "reverse_compute_at: what matmul writes in one step of fo is no box that other loops could walk"},
            {"chain", "cache_write mul at mul.d1 in heap", "reverse_compute_at mul at d1", "reverse_compute_at.private",
             "reverse_compute_at: mul uses mul.heap, which is private to mul.d1"},
            {"matmul_relu", "parallel m n", "reverse_compute_at relu at m", "reverse_compute_at.parallel_chain",
             "reverse_compute_at: the parallel loop m would hold relu beside the parallel loop inside of it"},
            // set_layout
            {"matmul", "", "set_layout Q as (a, b) -> (b, a)", "set_layout.no_buffer", "set_layout: there is no buffer Q; there are A, B, Y"},
            {"matmul", "", "set_layout A as (m, k) -> (k, m)", "set_layout.activation",
             "set_layout: A is an activation, whose layout belongs to the planner; say \"layout GROUP A ...\" in the choices"},
            {"matmul", "", "set_layout Y as (m, k) -> (k, m)", "set_layout.activation",
             "set_layout: Y is an activation, whose layout belongs to the planner; say \"layout GROUP Y ...\" in the choices"},
            {"matmul", "", "set_layout B as (a) -> (a)", "set_layout.rank", "set_layout: B has 2 dimensions, the map takes 1"},
            {"matmul", "cache_write matmul at n in registers", "set_layout matmul.reg as (a, b) -> (b, a)", "set_layout.registers",
             "set_layout: matmul.reg lies in registers, which have no addresses; vectorize puts its lanes side by side"},
        };
        addRefusals(rows);
    }

    void refuses()
    {
        checkRefusal();
    }

    void notInvertible()
    {
        const Result<Replay> done = steps(nestOf(definitionText("matmul")), "set_layout B as (k, n) -> (k / 2, n)");
        QVERIFY(!done);
        QCOMPARE(done.error().refusal->rule, std::string("set_layout.not_invertible"));
        QCOMPARE(join(done.error().refusal->operands, "; "), std::string("B; [0, 0]; [1, 0]"));
    }

    // Legal, but of no use: told, not refused.
    void pointless_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("setup");
        QTest::addColumn<std::string>("step");
        QTest::addColumn<std::string>("message");
        struct Row {
            const char *definition, *setup, *step, *message;
        };
        const std::vector<Row> rows = {
            {"matmul", "", "split m into a b:1", "split: this leaves m as it is, with loops of one step around or inside"},
            {"matmul", "", "split m into a b:30", "split: this leaves m as it is, with loops of one step around or inside"},
            {"matmul", "", "reorder m n", "reorder: m, n already stand in this order"},
            {"matmul", "split m into a b:30", "parallel a", "parallel: there is a single step"},
            {"matmul", "split m into a b:30", "unroll a", "unroll: a has a single step"},
            {"matmul", "parallel m", "parallel m", "parallel: m is parallel already"},
            {"matmul", "unroll m", "unroll m", "unroll: m is unrolled already"},
            {"matmul", "", "fuse m into f", "fuse: with nothing to fuse with, m only gets another name"},
            {"matmul", "cache_write matmul at n in registers", "cache_write matmul at n in stack",
             "cache_write: matmul already writes the tile matmul.reg"},
            {"chain", "", "cache_write add at d0 in stack", "cache_write: add writes each element once, so a tile saves nothing"},
            {"matmul", "set_layout B as (k, n) -> (n, k)", "set_layout B as (k, n) -> (n, k)", "set_layout: B lies this way already"},
            {"softmax", "", "compute_at max at shift.d1", ""},
            {"stencil", "split add.y into a b:64", "compute_at f at a", ""},
        };
        for (const Row& row : rows) {
            QTest::addRow("%s %s", row.definition, row.step)
                << std::string(row.definition) << std::string(row.setup) << std::string(row.step) << std::string(row.message);
        }
    }

    void pointless()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, setup);
        QFETCH(std::string, step);
        QFETCH(std::string, message);
        const LoopNest nest = after(nestOf(definitionText(definition)), setup);
        const Result<Replay> done = steps(nest, step);
        VERIFY_OK(done);
        const Check& check = done->steps.back().check;
        QCOMPARE(check.verdict, message.empty() ? Verdict::Legal : Verdict::Pointless);
        QCOMPARE(fillWords(check.why.words, check.why.operands), message);
        QCOMPARE(verify(done->nest()), std::string());
    }
};

NW_TEST_MAIN(tst_refusals, TestRefusals)
#include "tst_refusals.moc"
