// Steps that put loops beside each other: fission, merge, partition, decompose_reduction, tails of split.

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/random_scripts.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

#include <map>

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

// One of the steps at hand with arguments that make sense by their kinds, or anything that is offered.
std::string anyStep(const LoopNest& nest, Random& random, int& counter)
{
    const std::vector<const Loop*> loops = nest.allLoops();
    const std::vector<LoopNest::Path> blocks = nest.blocks();
    const std::string loop = loops[random.below(loops.size())]->name;
    const LoopNest::Path& path = blocks[random.below(blocks.size())];
    const std::string block = path.block->name;
    const std::string around = path.loops.empty() ? loop : path.loops[random.below(path.loops.size())]->name;
    const std::string name = "v" + std::to_string(++counter);
    switch (random.below(9)) {
    case 0: return format("fission {} after {}", around, block);
    case 1: return format("merge {} {}", loop, loops[random.below(loops.size())]->name);
    case 2: return format("partition {} at {}", loop, random.between(1, 5));
    case 3: return format("decompose_reduction {} at {}", block, around);
    case 4: {
        static const std::vector<std::string> kTails{"", " tail peel", " tail shift", " tail guard", " tail pad", " tail mask"};
        return format("split {} into {}o {}i:{}{}", loop, name, name, random.between(1, 4), kTails[random.below(kTails.size())]);
    }
    default: break;
    }
    const std::vector<Offer> offered
        = offers(nest, random.below(2) == 0 ? loop : block, allPrimitives(), smallContext());
    return offered.empty() ? "unroll " + loop : offered[random.below(offered.size())].text;
}

} // namespace

class TestStructure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rewrites_data()
    {
        addRewrites({
            {"merge: rows of two stages", "matmul_relu", "plain", "",
             "merge m relu.m",
             "m in 0..30\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: matmul[m, n] += A[m, k] * B[k, n]\n"
             "  relu.n in 0..20\n"
             "    relu: Y[m, relu.n] = max(matmul[m, relu.n] + C[relu.n], 0.0)\n",
             "relu.m -> m"},
            {"merge: elements of two stages", "matmul_relu", "plain", "merge m relu.m",
             "merge n relu.n",
             "m in 0..30\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: matmul[m, n] += A[m, k] * B[k, n]\n"
             "    relu: Y[m, n] = max(matmul[m, n] + C[n], 0.0)\n",
             "relu.n -> n"},
            {"merge: an element of an earlier step", "behind", "plain", "",
             "merge y add.y",
             "y in 0..8\n"
             "  f: f[y] = X[y] + 1.0\n"
             "  add: Y[y] = select(y >= 1, f[y - 1], 0.0) + f[y]\n",
             "add.y -> y"},
            {"merge: tails", "chain", "plain", "split d0 into o i:16\nsplit mul.d0 into p q:16",
             "merge o p",
             "o in 0..3\n"
             "  i in 0..16 (tail)\n"
             "    d1 in 0..10\n"
             "      add: add[o * 16 + i, d1] = X[o * 16 + i, d1] + 1.0 if o * 16 + i < 33\n"
             "  q in 0..16 (tail)\n"
             "    mul.d1 in 0..10\n"
             "      mul: Y[o * 16 + q, mul.d1] = add[o * 16 + q, mul.d1] * 2.0 if o * 16 + q < 33\n",
             "p -> o"},
            {"merge: parallel rows", "matmul_relu", "plain", "parallel m\nparallel relu.m",
             "merge m relu.m",
             "parallel m in 0..30\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: matmul[m, n] += A[m, k] * B[k, n]\n"
             "  relu.n in 0..20\n"
             "    relu: Y[m, relu.n] = max(matmul[m, relu.n] + C[relu.n], 0.0)\n",
             "relu.m -> m"},
            {"cache_write: elements are handed on to later steps", "behind", "plain", "merge y add.y",
             "cache_write f at y in stack",
             "y in 0..8 with f.stack f32[1] in stack\n"
             "  f: f.stack[0] = X[y] + 1.0\n"
             "  f.wb: f[y] = f.stack[0]\n"
             "  add: Y[y] = select(y >= 1, f[y - 1], 0.0) + f[y]\n",
             "f -> f f.wb"},
            {"reverse_compute_at: elements are handed on to later steps", "two_readers", "plain", "merge y add.y",
             "reverse_compute_at mul at y",
             "y in 0..8\n"
             "  f: f[y] = X[y] + 1.0\n"
             "  mul: Z[y] = f[y] * 2.0\n"
             "  add: Y[y] = select(y >= 1, f[y - 1], 0.0) + f[y]\n",
             "mul.y -> nothing"},
            {"fission: undoes a merge", "matmul_relu", "plain", "merge m relu.m",
             "fission m after matmul",
             "m in 0..30\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: matmul[m, n] += A[m, k] * B[k, n]\n"
             "m.2 in 0..30\n"
             "  relu.n in 0..20\n"
             "    relu: Y[m.2, relu.n] = max(matmul[m.2, relu.n] + C[relu.n], 0.0)\n",
             "m -> m m.2"},
            {"fission: a reader of earlier steps", "behind", "plain", "merge y add.y",
             "fission y after f",
             "y in 0..8\n"
             "  f: f[y] = X[y] + 1.0\n"
             "y.2 in 0..8\n"
             "  add: Y[y.2] = select(y.2 >= 1, f[y.2 - 1], 0.0) + f[y.2]\n",
             "y -> y y.2"},
            {"fission: memory of the first part stays", "matmul_relu", "plain", "cache_write matmul at m in stack\nmerge m relu.m",
             "fission m after matmul.wb",
             "m in 0..30 with matmul.stack f32[1, 20] in stack\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: matmul.stack[0, n] += A[m, k] * B[k, n]\n"
             "  matmul.wb.n in 0..20\n"
             "    matmul.wb: matmul[m, matmul.wb.n] = matmul.stack[0, matmul.wb.n]\n"
             "m.2 in 0..30\n"
             "  relu.n in 0..20\n"
             "    relu: Y[m.2, relu.n] = max(matmul[m.2, relu.n] + C[relu.n], 0.0)\n",
             "m -> m m.2"},
            {"fission: memory of the second part goes with it", "tiny_branches", "plain",
             "cache_write c at c.d0 in stack\nmerge b.d0 c.d0",
             "fission b.d0 after b",
             "d0 in 0..6\n"
             "  d1 in 0..5\n"
             "    a: a[d0, d1] = X[d0, d1] + 1.0\n"
             "b.d0 in 0..6\n"
             "  b.r in 0..5\n"
             "    b: b[b.d0] += a[b.d0, b.r]\n"
             "b.d0.2 in 0..6 with c.stack f32[1] in stack\n"
             "  c.r in 0..5\n"
             "    c: c.stack[0] max= a[b.d0.2, c.r] * 2.0\n"
             "  c.wb: c[b.d0.2] = c.stack[0]\n"
             "d.d0 in 0..6\n"
             "  d: Y[d.d0] = b[d.d0] - c[d.d0]\n",
             "b.d0 -> b.d0 b.d0.2"},
            {"partition: full tiles", "matmul", "plain", "split m into mo mi:8",
             "partition mo at 3",
             "mo.0 in 0..3\n"
             "  mi in 0..8\n"
             "    n in 0..20\n"
             "      k in 0..24\n"
             "        matmul: Y[mo.0 * 8 + mi, n] += A[mo.0 * 8 + mi, k] * B[k, n]\n"
             "mo.1 in 0..1\n"
             "  mi.2 in 0..8 (tail)\n"
             "    n.2 in 0..20\n"
             "      k.2 in 0..24\n"
             "        matmul.2: Y[mi.2 + 24, n.2] += A[mi.2 + 24, k.2] * B[k.2, n.2] if mi.2 < 6\n",
             "n -> n n.2; k -> k k.2; mo -> mo.0 mo.1; mi -> mi mi.2; matmul -> matmul matmul.2"},
            {"partition: a reduction", "matmul", "plain", "",
             "partition k at 8",
             "m in 0..30\n"
             "  n in 0..20\n"
             "    k.0 in 0..8\n"
             "      matmul: Y[m, n] += A[m, k.0] * B[k.0, n]\n"
             "    k.1 in 0..16\n"
             "      matmul.2: Y[m, n] += A[m, k.1 + 8] * B[k.1 + 8, n] (continued)\n",
             "k -> k.0 k.1; matmul -> matmul matmul.2"},
            {"partition: elements inside of a reduction", "matmul", "plain", "reorder m k n",
             "partition n at 16",
             "m in 0..30\n"
             "  k in 0..24\n"
             "    n.0 in 0..16\n"
             "      matmul: Y[m, n.0] += A[m, k] * B[k, n.0]\n"
             "    n.1 in 0..4\n"
             "      matmul.2: Y[m, n.1 + 16] += A[m, k] * B[k, n.1 + 16]\n",
             "n -> n.0 n.1; matmul -> matmul matmul.2"},
            {"partition: a tile of its own", "matmul", "plain", "reorder m k n\ncache_write matmul at m in stack\nvectorize n",
             "partition m at 29",
             "m.0 in 0..29 with matmul.stack f32[1, 20] in stack\n"
             "  k in 0..24\n"
             "    vector n in 0..20\n"
             "      matmul: matmul.stack[0, n] += A[m.0, k] * B[k, n]\n"
             "  vector matmul.wb.n in 0..20\n"
             "    matmul.wb: Y[m.0, matmul.wb.n] = matmul.stack[0, matmul.wb.n]\n"
             "m.1 in 0..1 with matmul.stack.2 f32[1, 20] in stack\n"
             "  k.2 in 0..24\n"
             "    vector n.2 in 0..20\n"
             "      matmul.2: matmul.stack.2[0, n.2] += A[29, k.2] * B[k.2, n.2]\n"
             "  vector matmul.wb.n.2 in 0..20\n"
             "    matmul.wb.2: Y[29, matmul.wb.n.2] = matmul.stack.2[0, matmul.wb.n.2]\n",
             "m -> m.0 m.1; n -> n n.2; k -> k k.2; matmul.wb.n -> matmul.wb.n matmul.wb.n.2; matmul -> matmul matmul.2; "
             "matmul.wb -> matmul.wb matmul.wb.2"},
            {"decompose_reduction: at the reduction", "matmul", "plain", "",
             "decompose_reduction matmul at k",
             "m in 0..30\n"
             "  n in 0..20\n"
             "    matmul.init: Y[m, n] = 0.0\n"
             "    k in 0..24\n"
             "      matmul: Y[m, n] += A[m, k] * B[k, n] (continued)\n",
             "matmul -> matmul matmul.init"},
            {"decompose_reduction: for everything", "matmul", "plain", "",
             "decompose_reduction matmul at m",
             "matmul.init.m in 0..30\n"
             "  matmul.init.n in 0..20\n"
             "    matmul.init: Y[matmul.init.m, matmul.init.n] = 0.0\n"
             "m in 0..30\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: Y[m, n] += A[m, k] * B[k, n] (continued)\n",
             "m -> m matmul.init.m; n -> n matmul.init.n; matmul -> matmul matmul.init"},
            {"decompose_reduction: guards and vectors", "matmul", "plain", "split n into no ni:8\nreorder m no k ni\nvectorize ni",
             "decompose_reduction matmul at k",
             "m in 0..30\n"
             "  no in 0..3\n"
             "    vector matmul.init.ni in 0..8 (tail)\n"
             "      matmul.init: Y[m, no * 8 + matmul.init.ni] = 0.0 if no * 8 + matmul.init.ni < 20\n"
             "    k in 0..24\n"
             "      vector ni in 0..8 (tail)\n"
             "        matmul: Y[m, no * 8 + ni] += A[m, k] * B[k, no * 8 + ni] (continued) if no * 8 + ni < 20\n",
             "ni -> ni matmul.init.ni; matmul -> matmul matmul.init"},
            {"decompose_reduction: a guard of the reduction", "matmul", "plain", "split k into ko ki:7",
             "decompose_reduction matmul at ko",
             "m in 0..30\n"
             "  n in 0..20\n"
             "    matmul.init: Y[m, n] = 0.0\n"
             "    ko in 0..4\n"
             "      ki in 0..7 (tail)\n"
             "        matmul: Y[m, n] += A[m, ko * 7 + ki] * B[ko * 7 + ki, n] (continued) if ko * 7 + ki < 24\n",
             "matmul -> matmul matmul.init"},
            {"decompose_reduction: a maximum into a tile", "softmax", "plain", "cache_write max at d0 in stack",
             "decompose_reduction max at d1",
             "d0 in 0..6 with max.stack f32[1] in stack\n"
             "  max.init: max.stack[0] = -inf\n"
             "  d1 in 0..10\n"
             "    max: max.stack[0] max= X[d0, d1] (continued)\n"
             "  max.wb: max[d0] = max.stack[0]\n"
             "shift.d0 in 0..6\n"
             "  shift.d1 in 0..10\n"
             "    shift: shift[shift.d0, shift.d1] = X[shift.d0, shift.d1] - max[shift.d0]\n"
             "sum.d0 in 0..6\n"
             "  sum.d1 in 0..10\n"
             "    sum: sum[sum.d0] += shift[sum.d0, sum.d1]\n"
             "softmax.d0 in 0..6\n"
             "  softmax.d1 in 0..10\n"
             "    softmax: Y[softmax.d0, softmax.d1] = shift[softmax.d0, softmax.d1] * 2.0 - sum[softmax.d0]\n",
             "max -> max max.init"},
            {"split: the tail peeled off", "matmul", "plain", "",
             "split m into mo mi:8 tail peel",
             "mo in 0..3\n"
             "  mi in 0..8\n"
             "    n in 0..20\n"
             "      k in 0..24\n"
             "        matmul: Y[mo * 8 + mi, n] += A[mo * 8 + mi, k] * B[k, n]\n"
             "m.1 in 0..6\n"
             "  n.2 in 0..20\n"
             "    k.2 in 0..24\n"
             "      matmul.2: Y[m.1 + 24, n.2] += A[m.1 + 24, k.2] * B[k.2, n.2]\n",
             "m -> mo mi m.1; n -> n n.2; k -> k k.2; matmul -> matmul matmul.2"},
            {"split: three parts, the tail of the middle one peeled off", "matmul", "plain", "",
             "split k into a:2 b:_ c:5 tail peel",
             "m in 0..30\n"
             "  n in 0..20\n"
             "    a in 0..2\n"
             "      b in 0..2\n"
             "        c in 0..5\n"
             "          matmul: Y[m, n] += A[m, a * 10 + b * 5 + c] * B[a * 10 + b * 5 + c, n]\n"
             "    k.1 in 0..4\n"
             "      matmul.2: Y[m, n] += A[m, k.1 + 20] * B[k.1 + 20, n] (continued)\n",
             "k -> a b c k.1; matmul -> matmul matmul.2"},
            {"split: nothing to peel off", "matmul", "plain", "",
             "split m into mo mi:6 tail peel",
             "mo in 0..5\n"
             "  mi in 0..6\n"
             "    n in 0..20\n"
             "      k in 0..24\n"
             "        matmul: Y[mo * 6 + mi, n] += A[mo * 6 + mi, k] * B[k, n]\n",
             "m -> mo mi"},
            {"split: the last turn shifted", "matmul", "plain", "",
             "split n into no ni:8 tail shift",
             "m in 0..30\n"
             "  no in 0..3\n"
             "    ni in 0..8\n"
             "      k in 0..24\n"
             "        matmul: Y[m, ni + min(no * 8, 12)] += A[m, k] * B[k, ni + min(no * 8, 12)]\n",
             "n -> no ni"},
            {"vectorize: turns of which the last is shifted", "matmul", "plain", "split n into no ni:8 tail shift\nreorder no k ni",
             "vectorize ni",
             "m in 0..30\n"
             "  no in 0..3\n"
             "    k in 0..24\n"
             "      vector ni in 0..8\n"
             "        matmul: Y[m, ni + min(no * 8, 12)] += A[m, k] * B[k, ni + min(no * 8, 12)]\n",
             ""},
            {"reverse_compute_at: behind a reduction in two parts", "matmul_relu", "plain", "partition k at 8",
             "reverse_compute_at relu at n",
             "m in 0..30\n"
             "  n in 0..20 with matmul f32[1, 1] in stack\n"
             "    k.0 in 0..8\n"
             "      matmul: matmul[0, 0] += A[m, k.0] * B[k.0, n]\n"
             "    k.1 in 0..16\n"
             "      matmul.2: matmul[0, 0] += A[m, k.1 + 8] * B[k.1 + 8, n] (continued)\n"
             "    relu: Y[m, n] = max(matmul[0, 0] + C[n], 0.0)\n",
             "relu.m -> nothing; relu.n -> nothing"},
        });
    }

    void rewrites()
    {
        checkRewrite();
    }

    // Where the kernel lies inside the picture nothing is tested any more.
    void middleWithoutBorder()
    {
        const LoopNest conv = nestOf(definitionText("conv"));
        const std::string rows = "partition oh at 8\npartition oh.0 at 1\n";
        const LoopNest cut = after(conv, rows);
        const auto around = [](const LoopNest::Path& path, const std::string& name) {
            return std::any_of(path.loops.begin(), path.loops.end(), [&](const Loop* loop) { return loop->name == name; });
        };
        std::string column; // the middle's loop over columns
        for (const LoopNest::Path& path : cut.blocks()) {
            const std::string value = toText(path.block->value);
            const bool testsRows = value.find("select(kh") != std::string::npos; // kh alone in a part of one row
            if (path.block->stage == "conv") {
                QVERIFY2(testsRows != around(path, "oh.0.1"), value.c_str());
                column = around(path, "oh.0.1") ? path.loops.at(2)->name : column;
            }
        }
        QCOMPARE(differs(conv, cut, 3), std::string());
        const LoopNest both = after(cut, format("partition {0} at 9\npartition {0}.0 at 1\n", column));
        int free = 0;
        for (const LoopNest::Path& path : both.blocks()) {
            const bool isFree = toText(path.block->value).find("select") == std::string::npos && path.block->stage == "conv";
            QVERIFY(!isFree || around(path, column + ".0.1"));
            free += isFree ? 1 : 0;
        }
        QCOMPARE(free, 1);
        QCOMPARE(differs(conv, both, 4), std::string());
    }

    void keepsTheAnswer_data()
    {
        QTest::addColumn<std::string>("definition");
        for (const char* name : {"tiny_matmul", "tiny_conv", "tiny_stencil", "tiny_branches", "softmax", "chain", "behind", "ahead"}) {
            QTest::newRow(name) << std::string(name);
        }
    }

    // Random steps, these among all others; what is not refused leaves a sound nest with the same results, in any order
    // of parallel and vector loops, and what a refusal promises holds.
    void keepsTheAnswer()
    {
        QFETCH(std::string, definition);
        const LoopNest first = nestOf(definitionText(definition));
        std::map<std::string, int> used;
        for (std::uint64_t seed = 1; seed <= draws(60); ++seed) {
            Random random(seed * 6151);
            const std::uint64_t length = 2 + random.below(8);
            const std::string fault = randomScript(first, random, {length, length * 5}, seed, &anyStep, used);
            QVERIFY2(fault.empty(), fault.c_str());
        }
        for (const char* step : {"fission", "partition"}) {
            QVERIFY2(kSanitized || used.contains(step) || definition == "tiny_stencil", step);
        }
    }
};

NW_TEST_MAIN(tst_structure, TestStructure)
#include "tst_structure.moc"
