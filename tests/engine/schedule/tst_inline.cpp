// Blocks that vanish into their readers or into their producer, and blocks that cannot.

#include "engine/base/text.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/rewrite_nest.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

constexpr const char* kTileWrittenBack = "split n into no ni:4\nreorder m no k ni\ncache_write matmul at no in registers";

} // namespace

class TestInline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rewrites_data()
    {
        addRewrites({
            {"compute_inline: a chain", "chain", "plain", "", "compute_inline add",
             "mul.d0 in 0..33\n"
             "  mul.d1 in 0..10\n"
             "    mul: Y[mul.d0, mul.d1] = (X[mul.d0, mul.d1] + 1.0) * 2.0\n",
             "d0 -> mul.d0; d1 -> mul.d1; add -> mul"},
            {"compute_inline: two readers, one a reduction", "softmax", "plain", "", "compute_inline shift",
             "d0 in 0..6\n"
             "  d1 in 0..10\n"
             "    max: max[d0] max= X[d0, d1]\n"
             "sum.d0 in 0..6\n"
             "  sum.d1 in 0..10\n"
             "    sum: sum[sum.d0] += X[sum.d0, sum.d1] - max[sum.d0]\n"
             "softmax.d0 in 0..6\n"
             "  softmax.d1 in 0..10\n"
             "    softmax: Y[softmax.d0, softmax.d1] = (X[softmax.d0, softmax.d1] - max[softmax.d0]) * 2.0 - sum[softmax.d0]\n",
             "shift.d0 -> sum.d0 softmax.d0; shift.d1 -> sum.d1 softmax.d1; shift -> sum softmax"},
            {"compute_inline: a tile with a tail", "chain", "plain", "split mul.d0 into o i:16\ncompute_at add at o", "compute_inline add",
             "o in 0..3\n"
             "  i in 0..16 (tail)\n"
             "    mul.d1 in 0..10\n"
             "      mul: Y[o * 16 + i, mul.d1] = (X[o * 16 + i, mul.d1] + 1.0) * 2.0 if o * 16 + i < 33\n",
             "add.d0 -> i; add.d1 -> mul.d1; add -> mul"},
            {"compute_inline: at two distances", "behind", "plain", "", "compute_inline f",
             "add.y in 0..8\n"
             "  add: Y[add.y] = select(add.y >= 1, X[add.y - 1] + 1.0, 0.0) + (X[add.y] + 1.0)\n",
             "y -> add.y; f -> add"},
            {"reverse_compute_inline: a chain", "chain", "plain", "", "reverse_compute_inline mul",
             "d0 in 0..33\n"
             "  d1 in 0..10\n"
             "    add: Y[d0, d1] = (X[d0, d1] + 1.0) * 2.0\n",
             "mul.d0 -> d0; mul.d1 -> d1; mul -> add"},
            {"reverse_compute_inline: into a write-back", "matmul_relu", "plain", kTileWrittenBack, "reverse_compute_inline relu",
             "m in 0..30\n"
             "  no in 0..5 with matmul.reg f32[1, 4] in registers\n"
             "    k in 0..24\n"
             "      ni in 0..4\n"
             "        matmul: matmul.reg[0, ni] += A[m, k] * B[k, no * 4 + ni]\n"
             "    matmul.wb.n in 0..4\n"
             "      matmul.wb: Y[m, no * 4 + matmul.wb.n] = max(matmul.reg[0, matmul.wb.n] + C[no * 4 + matmul.wb.n], 0.0)\n",
             "relu.m -> m; relu.n -> no matmul.wb.n; relu -> matmul.wb"},
            {"reverse_compute_inline: a copy of sums", "rows", "plain", "split copy.i into io ii:10\nsplit i into o i2:10", "reverse_compute_inline copy",
             "o in 0..11\n"
             "  i2 in 0..10 (tail)\n"
             "    k in 0..101\n"
             "      sum: C[o * 10 + i2] += A[o * 10 + i2, k] if o * 10 + i2 < 101\n",
             "io -> o i2; ii -> o i2; copy -> sum"},
            {"reverse_compute_inline: a part of what is made", "slice", "plain", "split i into io ii:4", "reverse_compute_inline mul",
             "io in 0..3\n"
             "  ii in 0..4 (tail)\n"
             "    add: Y[io * 4 + ii - 2] = (X[io * 4 + ii] + 1.0) * 2.0 if io * 4 + ii < 10 && 0 <= io * 4 + ii - 2 && io * 4 + ii - 2 < 6\n",
             "mul.j -> io ii; mul -> add"},
        });
    }
    void rewrites() { checkRewrite(); }

    // What is computed stays the same, whatever was done before and is done after.
    void keepsTheAnswer_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        struct Row {
            const char *definition, *script;
        };
        const std::vector<Row> rows = {
            {"chain", "fuse d0 d1 into f\nsplit f into fo fi:7\ncompute_inline add\nvectorize mul.d1\nparallel mul.d0"},
            {"chain", "fuse d0 d1 into f\nsplit f into fo fi:7\nreverse_compute_inline mul\nparallel fo"},
            {"chain", "split d0 into a b:5\nreorder b d1 a\nreverse_compute_inline mul\nvectorize a"},
            {"chain", "split mul.d1 into o i:4\ncompute_at add at o\ncompute_inline add\nvectorize i"},
            {"softmax", "compute_inline shift\nreverse_compute_at softmax at sum.d0"},
            {"softmax", "reverse_compute_at sum at shift.d0\ncompute_inline shift"},
            {"padded", "compute_inline relu\nsplit blur.i into o ii:5\nreorder o blur.k ii\nvectorize ii"},
            {"padded", "split blur.i into o ii:5\ncompute_at relu at o\ncompute_inline relu"},
            {"padded", "split blur.i into o ii:5\nreorder o blur.k ii\ncompute_at relu at blur.k\ncompute_inline relu\nvectorize ii"},
            {"padded", "split blur.i into o ii:5\ncompute_at relu at ii\ncompute_inline relu"},
            // The loops that tell the place belong to the sum and to its elements; the tile stays in its loop.
            {"padded", "split blur.i into o ii:5\nreorder o blur.k ii\ncompute_at relu at blur.k\ncompute_inline relu\n"
                       "cache_write blur at o in registers\nvectorize ii\nparallel o"},
            {"tiny_conv", "cache_write conv at ow in registers\nreverse_compute_inline relu"},
            {"tiny_conv", "split ow into owo owi:4\nreorder oc oh owo ic kh kw owi\ncache_write conv at owo in stack\nreverse_compute_inline relu\n"
                          "vectorize owi\nparallel oc oh"},
            {"tiny_branches", "compute_inline a"},
            {"tiny_branches", "compute_inline a\nreverse_compute_at d at c.d0"},
            // Guards around both stay; what the loops around say of an axis is said by the axis itself, so that its loops
            // can be made anew.
            {"tiny_matmul", "compute_at matmul at relu.m\ncache_write relu at relu.m in heap\nsplit relu.m into o i:5\n"
                            "cache_read C for relu at relu.n in stack\nreverse_compute_inline relu"},
            {"tiny_matmul", "split relu.n into o i:4\nsplit n into no ni:5\ncache_read B at no in stack\ncompute_inline B.read\n"
                            "compute_at matmul at o"},
            {"tiny_stencil", "split x into xo xi:3\nsplit r into ro ri:1\ncache_read X at ro in stack\nfuse xi ro into v\n"
                             "compute_inline X.read\ncompute_at f at add.y"},
            {"padded", "reorder blur.k blur.i\nfuse blur.k blur.i into v\ncompute_at relu at v\ncompute_inline relu\nsplit v into a b:3\n"
                       "split a into c d:2\nfuse c d into e"},
            {"residual", "reverse_compute_inline relu\nreverse_compute_inline scale"},
            {"residual", "compute_inline scale\ncompute_inline double"},
            {"residual", "compute_inline double\nsplit relu.d0 into o i:4\ncompute_at scale at o\ncompute_inline scale\nparallel o"},
        };
        for (const Row& row : rows) {
            QTest::addRow("%s: %s", row.definition, row.script) << std::string(row.definition) << std::string(row.script);
        }
    }

    void keepsTheAnswer()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        const LoopNest first = nestOf(definitionText(definition));
        const LoopNest now = after(first, script);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            QVERIFY2(differs(first, now, seed).empty(), (differs(first, now, seed) + "\n" + toText(now)).c_str());
        }
    }

    void refuses_data()
    {
        addRefusals({
            {"chain", "", "compute_inline ad", "compute_inline.no_block", "compute_inline: there is no block ad; did you mean add?"},
            {"chain", "", "compute_inline mul", "compute_inline.output",
             "compute_inline: mul writes the output Y, which must be there in the end"},
            {"matmul_relu", "", "compute_inline matmul", "compute_inline.reduction",
             "compute_inline: matmul is a reduction; the value of an element is only there after all of its steps"},
            {"matmul_relu", kTileWrittenBack, "compute_inline matmul.wb", "compute_inline.reads_private",
             "compute_inline: matmul.wb reads matmul.reg, which is private to no and not there for relu"},
            {"unread", "", "compute_inline add", "compute_inline.no_consumer", "compute_inline: nothing reads what add writes"},
            {"behind_rows", "merge y f.y\nmerge y add.y", "compute_inline f", "compute_inline.unknown",
             "compute_inline: whether g still holds what f reads of it where add stands is not known"},
            {"matmul_relu", "", "reverse_compute_inline rel", "reverse_compute_inline.no_block",
             "reverse_compute_inline: there is no block rel; did you mean relu?"},
            {"matmul_relu", "", "reverse_compute_inline matmul", "reverse_compute_inline.reduction",
             "reverse_compute_inline: matmul is a reduction and needs many elements for each of its own"},
            {"chain", "", "reverse_compute_inline add", "reverse_compute_inline.no_producer",
             "reverse_compute_inline: add reads nothing that another block makes for it alone"},
            {"matmul_relu", "", "reverse_compute_inline relu", "reverse_compute_inline.producer_reduction",
             "reverse_compute_inline: matmul is a reduction; relu would be applied to each unfinished sum",
             "cache_write matmul at n in registers"},
            {"tiny_branches", "", "reverse_compute_inline d", "reverse_compute_inline.producer_reduction",
             "reverse_compute_inline: c is a reduction; d would be applied to each unfinished sum", "cache_write c at c.d0 in registers"},
            {"behind", "", "reverse_compute_inline add", "reverse_compute_inline.not_one_to_one",
             "reverse_compute_inline: add does not read f one to one (each index a variable of its own)"},
            {"residual", "", "reverse_compute_inline scale", "reverse_compute_inline.other_reader",
             "reverse_compute_inline: relu reads double as well as scale; it could not vanish"},
            {"chain", "split mul.d0 into a b:8\nsplit b into c d:3", "reverse_compute_inline mul", "reverse_compute_inline.guard",
             "reverse_compute_inline: mul runs only where a * 8 + c * 3 + d < 33 && c * 3 + d < 8, which says nothing of the elements "
             "that add makes"},
            // What two variables find in one loop stays in its loops.
            {"late", "cache_read add for join at join.d0 in stack\nreverse_compute_inline join", "reverse_compute_at add.read at scale.d0",
             "reverse_compute_at.moves_together",
             "reverse_compute_at: d0 and d0.2 of add.read move with one loop; loops made anew for each would walk more"},
            {"few_sums", "", "reverse_compute_inline copy", "reverse_compute_inline.part_of_sums",
             "reverse_compute_inline: copy takes only a part of the sums of sum"},
            {"sometimes", "", "reverse_compute_inline mul", "reverse_compute_inline.conditional",
             "reverse_compute_inline: mul reads add only under a condition; where it does not hold add makes nothing that could "
             "stand for mul"},
            {"chain", "cache_write mul at mul.d1 in heap", "reverse_compute_inline mul", "reverse_compute_inline.private",
             "reverse_compute_inline: mul uses mul.heap, which is private to mul.d1 and not there for add"},
        });
    }
    void refuses() { checkRefusal(); }

    // A second writer of the buffer, which no step leaves without a reader of its own.
    void otherWriters()
    {
        LoopNest nest = nestOf(definitionText("chain"));
        Block again = *nest.findBlock("add").block;
        again.id = nest.nextId++;
        again.name = "again";
        const int outer = nest.findLoop("d1").loop->id;
        changeLoop(nest, outer, [&](Loop& loop) { loop.body.push_back(makeStmt(again)); });
        QCOMPARE(computeInline.check(nest, {{std::string("add")}}, smallContext()).why.rule, std::string("compute_inline.other_writer"));
        QCOMPARE(reverseComputeInline.check(nest, {{std::string("mul")}}, smallContext()).why.rule,
                 std::string("reverse_compute_inline.other_writer"));
    }

    // The place in the buffer says nothing of an axis that it holds twice over.
    void notInverted()
    {
        LoopNest nest = nestOf(definitionText("chain"));
        findBuffer(nest, "add")->shape = {65, 10};
        Block doubled = *nest.findBlock("add").block;
        doubled.indices[0] = doubled.indices[0] * 2;
        replaceBlock(nest, doubled.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(doubled)}; });
        QCOMPARE(computeInline.check(nest, {{std::string("add")}}, smallContext()).why.rule, std::string("compute_inline.not_inverted"));
    }

    // Loops made anew for two variables that one loop moves would walk the axis twice.
    void movesTogether()
    {
        LoopNest nest = nestOf(definitionText("chain"));
        Block again = *nest.findBlock("add").block;
        again.iters.push_back({"d0.in", false, intImm(33), var("d0")});
        replaceBlock(nest, again.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(again)}; });
        const Check check = computeAt.check(nest, {{std::string("add"), std::string("mul.d0")}}, smallContext());
        QCOMPARE(check.why.rule, std::string("compute_at.moves_together"));
        // The quotient and the remainder of one loop do not move together.
        const LoopNest fused = after(nestOf(definitionText("chain")), "fuse d0 d1 into f\ncompute_at add at mul.d0\n");
        QCOMPARE(verify(fused), std::string());
    }

    // A consumer must not run before another block that it reads.
    void overtakes()
    {
        const LoopNest nest = nestOf(definitionText("late"));
        const Check check = reverseComputeInline.check(nest, {{std::string("join")}}, smallContext());
        QCOMPARE(check.verdict, Verdict::Legal); // into the later one of its producers
        // Both producers in one loop, the other one's element of the step before: not finished where the second stands.
        const LoopNest shared = after(nest, "reverse_compute_at scale at d0");
        QCOMPARE(differs(nest, shared, 1), std::string());
        const Check late = reverseComputeInline.check(shared, {{std::string("join")}}, smallContext());
        QCOMPARE(late.why.rule, std::string("reverse_compute_inline.overtakes"));
        QCOMPARE(fillWords(late.why.words, late.why.operands),
                 std::string("reverse_compute_inline: join also reads add, which add has not finished where scale stands"));
    }

    // Chains that double with each link stop before the value takes all memory.
    void growth()
    {
        std::string text = "definition add\ninput X f32 [4]\noutput Y f32 [4]\nstage s0 f32 [i:4] =\n    X[i] + 1.0\n";
        for (int i = 1; i < 20; ++i) {
            text += format("stage s{0} {2}f32 [i:4] =\n    s{1}[i] + s{1}[i] * 0.5\n", i, i - 1, i == 19 ? "-> Y " : "");
        }
        LoopNest nest = nestOf(text);
        std::string rule;
        for (int i = 0; i < 19 && rule.empty(); ++i) {
            const Args args{{format("s{}", i)}};
            const Check check = computeInline.check(nest, args, smallContext());
            rule = check.why.rule;
            nest = check.verdict == Verdict::Legal ? computeInline.rewrite(nest, args, smallContext()).nest : nest;
        }
        QCOMPARE(rule, std::string("compute_inline.too_large"));
        QCOMPARE(verify(nest), std::string());
    }

    void offered()
    {
        const LoopNest nest = nestOf(definitionText("chain"));
        QCOMPARE(computeInline.propose(nest, "add", smallContext()).size(), std::size_t{1});
        QVERIFY(computeInline.propose(nest, "mul", smallContext()).empty());
        QVERIFY(computeInline.propose(nest, "d0", smallContext()).empty());
        QCOMPARE(reverseComputeInline.propose(nest, "mul", smallContext()).size(), std::size_t{1});
        QVERIFY(reverseComputeInline.propose(nest, "add", smallContext()).empty());
    }
};

NW_TEST_MAIN(tst_inline, TestInline)
#include "tst_inline.moc"
