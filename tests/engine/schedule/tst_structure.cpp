// Steps that put loops beside each other: fission, merge, partition, decompose_reduction, tails of split.

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

#include <set>

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
        static const std::vector<std::string> kTails{"", " tail peel", " tail shift", " tail guard"};
        return format("split {} into {}o {}i:{}{}", loop, name, name, random.between(1, 4), kTails[random.below(4)]);
    }
    default: break;
    }
    const std::vector<Offer> offered
        = offers(nest, random.below(2) == 0 ? loop : block, allPrimitives(), smallContext());
    return offered.empty() ? "unroll " + loop : offered[random.below(offered.size())].text;
}

const Primitive& split_()
{
    return *allPrimitives().front();
}

} // namespace

class TestStructure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rewrites_data()
    {
        addRewriteColumns();
        const std::vector<Rewrite> rows = {
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
        };
        for (const Rewrite& row : rows) {
            addRewrite(row);
        }
    }

    void rewrites()
    {
        checkRewrite();
    }

    void refuses_data()
    {
        addRefusals({
            // fission
            {"matmul", "", "fission x after matmul", "fission.no_loop", "fission: there is no loop x"},
            {"matmul", "", "fission m after matmol", "fission.no_block", "fission: there is no block matmol; did you mean matmul?"},
            {"matmul_relu", "", "fission relu.m after matmul", "fission.not_around", "fission: matmul does not stand inside relu.m"},
            {"matmul", "", "fission m after matmul", "fission.last", "fission: nothing stands in m behind the statement with matmul"},
            {"matmul", "cache_write matmul at n in registers", "fission n after matmul", "fission.private",
             "fission: matmul.reg is kept for one step of n and used on both sides of the cut"},
            {"matmul", "cache_write matmul at n in heap", "fission n after matmul", "fission.private",
             "fission: matmul.heap is kept for one step of n and used on both sides of the cut"},
            {"matmul", "cache_write matmul at n in heap\nsplit n into no ni:5\nunroll ni", "fission ni after matmul", "fission.has_kind",
             "fission: ni is already unrolled; cut it before that step"},
            {"matmul_relu", "merge m relu.m\nmerge n relu.n\nparallel m n", "fission n after matmul", "fission.parallel_chain",
             "fission: n stands directly inside the parallel loop m, which would hold two parallel loops then"},
            // merge
            {"matmul_relu", "", "merge m relu", "merge.no_loop", "merge: there is no loop relu"},
            {"matmul_relu", "", "merge relu.m m", "merge.not_neighbours", "merge: m does not stand directly behind relu.m"},
            {"matmul_relu", "", "merge m n", "merge.not_neighbours", "merge: n does not stand directly behind m"},
            {"stencil", "", "merge y add.y", "merge.extents",
             "merge: y has 84 steps and add.y has 64; only loops of as many steps can become one"},
            {"matmul_relu", "parallel m", "merge m relu.m", "merge.kinds", "merge: m is parallel and relu.m is serial"},
            {"behind", "vectorize y", "merge y add.y", "merge.has_kind", "merge: y is already vector; merge before that step"},
            {"matmul_relu", "parallel m n\nparallel relu.m", "merge m relu.m", "merge.parallel_inside",
             "merge: a loop inside the parallel loop m is parallel, too, and would no longer be all of it"},
            {"ahead", "", "merge y add.y", "merge.dependence",
             "merge: add touches elements of f that f uses in a later step of y; all of f must run before"},
            {"matmul_relu", "reorder k m n\nsplit k into ko ki:30\nreorder ki m n", "merge ko relu.m", "merge.extents",
             "merge: ko has 1 steps and relu.m has 30; only loops of as many steps can become one"},
            {"behind", "parallel y\nparallel add.y", "merge y add.y", "merge.dependence",
             "merge: add touches elements of f that f uses in other steps of y, which run at the same time"},
            {"bent", "", "merge y add.y", "merge.unknown",
             "merge: whether add touches elements of f that f uses in a later step of y is not known"},
            // partition
            {"matmul", "", "partition x at 3", "partition.no_loop", "partition: there is no loop x"},
            {"matmul", "", "partition m at 0", "partition.empty_part", "partition: 0 leaves one part of m empty; it has 30 steps"},
            {"matmul", "", "partition m at 30", "partition.empty_part", "partition: 30 leaves one part of m empty; it has 30 steps"},
            {"matmul", "parallel m", "partition m at 3", "partition.has_kind",
             "partition: m is already parallel; partition it before that step"},
            {"matmul", "fuse n k into f", "partition f at 30", "partition.mixed",
             "partition: f counts both elements of matmul and steps of its reduction; a part would start some elements late"},
            {"matmul", "split k into ko ki:7\nreorder m ko n ki\nfuse n ki into f", "partition ko at 2", "partition.guard",
             "partition: the guard of matmul may leave out the first step of its reduction over ko"},
            // decompose_reduction
            {"matmul", "", "decompose_reduction x at m", "decompose_reduction.no_block", "decompose_reduction: there is no block x"},
            {"matmul", "", "decompose_reduction matmul at x", "decompose_reduction.no_loop", "decompose_reduction: there is no loop x"},
            {"matmul_relu", "", "decompose_reduction relu at relu.m", "decompose_reduction.no_reduction",
             "decompose_reduction: relu adds nothing up"},
            {"matmul", "partition k at 8", "decompose_reduction matmul.2 at m", "decompose_reduction.continued",
             "decompose_reduction: matmul.2 goes on with what another block started; it has no initial value"},
            {"matmul_relu", "", "decompose_reduction matmul at relu.m", "decompose_reduction.not_around",
             "decompose_reduction: matmul does not stand inside relu.m"},
            {"matmul", "reorder m k n", "decompose_reduction matmul at n", "decompose_reduction.reduction_outside",
             "decompose_reduction: matmul goes on adding in every step of k around n; "
             "starting values in front of n would come again and again",
             "reorder n k"},
            {"matmul", "cache_write matmul at m in stack", "decompose_reduction matmul at m", "decompose_reduction.private",
             "decompose_reduction: matmul.stack, which matmul writes, is kept for one step of m and not there in front of m"},
            {"matmul", "parallel m n", "decompose_reduction matmul at n", "decompose_reduction.parallel_chain",
             "decompose_reduction: n would no longer be all of the parallel loop m"},
            {"matmul", "split k into ko ki:7\nreorder m ko ki n\nfuse ki n into f", "decompose_reduction matmul at ko",
             "decompose_reduction.guard", "decompose_reduction: the guard of matmul ties its reduction to the element it writes"},
            {"matmul", "cache_write matmul at m in heap\nsplit m into mo mi:5", "decompose_reduction matmul at mi",
             "decompose_reduction.private",
             "decompose_reduction: matmul.heap, which matmul writes, is kept for one step of mi and not there in front of mi"},
            // tails of split
            {"matmul", "", "split k into ko ki:7 tail shift", "split.shift_reduction",
             "split: matmul adds to what it holds from outside of a step of k; a step done twice would be added twice"},
            {"matmul", "reorder m k n", "split n into no ni:8 tail shift", "split.shift_reduction",
             "split: matmul adds to what it holds from outside of a step of n; a step done twice would be added twice"},
            {"matmul", "decompose_reduction matmul at m", "split m into mo mi:8 tail shift", "split.shift_reduction",
             "split: matmul adds to what it holds from outside of a step of m; a step done twice would be added twice"},
            {"matmul", "", "split m into mo mi:32 tail peel", "split.no_full_turn",
             "split: the 30 steps of m are less than one turn of 32; only a guard fits"},
            {"matmul", "", "split m into mo:7 mi tail shift", "split.shift_inner",
             "split: mi is not the outermost part of m; only the last turn of that can be shifted"},
            {"matmul", "cache_write matmul at m in heap", "split m into mo mi:8 tail shift", "split.race",
             "split: several steps of m write the same element of matmul.heap in matmul; only the last would count"},
            {"matmul", "", "split m into m.1 mi:8 tail peel", "split.name_taken", "split: the name m.1 is taken; choose another"},
            {"matmul", "fuse n k into f", "split f into fo fi:7 tail peel", "partition.mixed",
             "partition: f counts both elements of matmul and steps of its reduction; a part would start some elements late"},
            {"matmul", "split n into no ni:8 tail shift", "reorder k no", "reorder.revisits",
             "reorder: steps of no come back to elements of matmul, which would be added to again inside of k"},
            {"matmul", "split n into no ni:8 tail shift\nparallel ni", "reorder ni no", "reorder.race",
             "reorder: steps of ni run at once and would meet at elements of matmul when no stands inside"},
            {"matmul", "split n into no ni:8 tail shift\nreorder no k ni", "fuse no k into f", "fuse.revisits",
             "fuse: steps of no come back to elements of matmul, which start anew only where k does"},
            {"matmul", "split n into no ni:8 tail shift", "parallel no", "parallel.race",
             "parallel: several steps of no write the same element of Y in matmul; only the last would count"},
            {"matmul", "split n into no ni:8 tail shift", "decompose_reduction matmul at no", "decompose_reduction.again",
             "decompose_reduction: several steps of no use the same elements of Y, which matmul starts anew in each"},
            {"matmul", "split n into no ni:8 tail shift\nreorder no k ni\nfuse k ni into f\nsplit f into fo fi:8", "partition fi at 3", "partition.meets",
             "partition: steps of fi meet at elements of Y, which matmul goes on adding to in loops around fi"},
            // Blocks that share a buffer, met by the other primitives.
            {"matmul_relu", "partition m at 8", "compute_at matmul at relu.m", "compute_at.other_writer",
             "compute_at: matmul.2 writes matmul as well, and matmul alone would not make all of it"},
            {"matmul_relu", "partition m at 8", "reverse_compute_at relu at m.1", "reverse_compute_at.other_writer",
             "reverse_compute_at: matmul writes matmul as well, so relu would not run on all of it in m.1"},
            {"matmul_relu", "partition n at 8", "reverse_compute_at relu at m", "reverse_compute_at.other_writer",
             "reverse_compute_at: matmul writes matmul as well, so relu would not run on all of it in m"},
            {"matmul", "partition k at 8", "cache_write matmul.2 at n in registers", "cache_write.continued",
             "cache_write: matmul.2 goes on with what another block started in Y, and a tile would begin empty"},
            {"matmul", "split k into ko ki:6\npartition ki at 2\nreorder m n ko", "cache_write matmul at m in stack", "cache_write.other_user",
             "cache_write: matmul.2 uses Y beside matmul, before the tile of a step of m is written back"},
            {"softmax", "partition sum.d1 at 4", "reverse_compute_at sum.2 at shift.d0", "reverse_compute_at.shares_result",
             "reverse_compute_at: sum.2 and sum both work on sum, one after the other; sum.2 cannot leave its place"},
            {"matmul_relu", "partition m at 8", "rfactor matmul over k", "rfactor.other_writer",
             "rfactor: matmul.2 writes matmul as well; what matmul adds up is not all of it"},
        });
    }

    void refuses()
    {
        checkRefusal();
    }

    void wordsOfATail()
    {
        const LoopNest nest = nestOf(definitionText("matmul"));
        const Result<Replay> cut = steps(nest, "split m into a b:4 tail peal");
        QVERIFY(!cut);
        QCOMPARE(cut.error().message, std::string("\"peal\" is no tail; did you mean \"peel\"?"));
        QCOMPARE(cut.error().column, 25);
        const Result<Replay> none = steps(nest, "split m into a b:4 tail");
        QVERIFY(!none);
        QCOMPARE(none.error().message, std::string("\"tail\" must be followed by guard or peel or shift"));
        const Args args{{std::string("m"), std::vector<Part>{{"a", std::nullopt}, {"b", 8}}, std::string("shift")}};
        QCOMPARE(stepText(split_(), args), std::string("split m into a:_ b:8 tail shift"));
        // Made without the parser: told, too.
        const Args odd{{std::string("m"), std::vector<Part>{{"a", std::nullopt}, {"b", 8}}, std::string("cut")}};
        const Check check = split_().check(nest, odd, smallContext());
        QCOMPARE(check.why.rule, std::string("split.tail"));
    }

    // Where the kernel lies inside the picture nothing is tested any more.
    void middleWithoutBorder()
    {
        const LoopNest conv = nestOf(definitionText("conv"));
        const std::string rows = "partition oh at 8\npartition oh.0 at 1\n";
        const LoopNest cut = after(conv, rows);
        const LoopNest::Path middle = cut.findLoop("oh.0.1");
        QVERIFY(middle);
        QCOMPARE(*constantExtent(*middle.loop), std::int64_t{7});
        for (const LoopNest::Path& path : cut.blocks()) {
            const bool inside = std::any_of(path.loops.begin(), path.loops.end(), [&](const Loop* loop) { return loop == middle.loop; });
            const bool tests = toText(path.block->value).find("oh + kh") != std::string::npos
                && toText(path.block->value).find("select") != std::string::npos
                && toText(path.block->value).find("&& kh + oh") != std::string::npos;
            QVERIFY2(!inside || !tests, toText(path.block->value).c_str());
        }
        QCOMPARE(differs(conv, cut, 3), std::string());
        const LoopNest both = after(conv, rows + "reorder oc ow\n");
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
        std::set<std::string> used;
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            Random random(seed * 6151);
            LoopNest nest = first;
            std::string script;
            int counter = 0;
            const std::uint64_t length = 2 + random.below(8);
            for (std::uint64_t i = 0; i < length * 5 && splitText(script, '\n').size() <= length; ++i) {
                const std::string line = anyStep(nest, random, counter);
                const Result<Replay> done = steps(nest, line);
                if (done) {
                    nest = done->nest();
                    script += line + "\n";
                    used.insert(line.substr(0, line.find(' ')));
                    QVERIFY2(verify(nest).empty(), (script + verify(nest) + "\n" + toText(nest)).c_str());
                    continue;
                }
                QCOMPARE(done.error().kind, Error::Kind::Refused);
                for (const std::string& unlock : done.error().refusal == nullptr ? std::vector<std::string>{} : done.error().refusal->unlocks) {
                    const Result<Replay> both = steps(nest, unlock + "\n" + line + "\n");
                    QVERIFY2(both.has_value(), (script + line + " after " + unlock).c_str());
                }
            }
            const std::string fault = differs(first, nest, seed);
            QVERIFY2(fault.empty(), (script + fault + "\n" + toText(nest)).c_str());
        }
        for (const char* step : {"fission", "partition"}) {
            QVERIFY2(used.contains(step) || definition == "tiny_stencil", step);
        }
    }
};

NW_TEST_MAIN(tst_structure, TestStructure)
#include "tst_structure.moc"
