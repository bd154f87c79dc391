// What fission, merge, partition, decompose_reduction and the tails of split refuse, and what other primitives refuse
// where blocks share a buffer.

#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

const Primitive& splitting()
{
    return *allPrimitives().front();
}

} // namespace

class TestStructureRefusals : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
            {"matmul", "cache_write matmul at n in heap\nsplit n into no ni:5\nunroll ni", "fission ni after matmul", "fission.private",
             "fission: matmul.heap is kept for one step of ni and used on both sides of the cut"},
            {"matmul_relu", "merge m relu.m\nmerge n relu.n\nparallel m n", "fission n after matmul", "fission.parallel_chain",
             "fission: n stands directly inside the parallel loop m, which would hold two parallel loops then"},
            // merge
            {"matmul_relu", "", "merge m relu", "merge.no_loop", "merge: there is no loop relu"},
            {"matmul_relu", "", "merge relu.m m", "merge.not_neighbours", "merge: m does not stand directly behind relu.m"},
            {"matmul_relu", "", "merge m n", "merge.not_neighbours", "merge: n does not stand directly behind m"},
            {"stencil", "", "merge y add.y", "merge.extents",
             "merge: y has 84 steps and add.y has 64; only loops of as many steps can become one"},
            {"matmul_relu", "parallel m\nunroll relu.m", "merge m relu.m", "merge.kinds", "merge: m is parallel and relu.m is unrolled"},
            {"behind", "vectorize add.y", "merge y add.y", "merge.kinds", "merge: add.y is vector, which y and add.y together cannot be"},
            {"behind", "vectorize y", "merge y add.y", "merge.dependence",
             "merge: add touches elements of f that f uses in other steps of y, which run at the same time"},
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
            {"matmul", "parallel m n", "partition n at 3", "partition.parallel_chain",
             "partition: n stands directly inside the parallel loop m, which would hold two parallel loops then"},
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
             "split: the 30 steps of m are less than one turn of 32; say guard, pad or mask"},
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
             "rfactor: matmul.2 writes matmul as well; matmul does not add to all of it"},
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
        QCOMPARE(none.error().message, std::string("\"tail\" must be followed by guard or peel or shift or pad or mask"));
        const Args args{{std::string("m"), std::vector<Part>{{"a", std::nullopt}, {"b", 8}}, std::string("shift")}};
        QCOMPARE(stepText(splitting(), args), std::string("split m into a:_ b:8 tail shift"));
        // Made without the parser: told, too.
        const Args odd{{std::string("m"), std::vector<Part>{{"a", std::nullopt}, {"b", 8}}, std::string("cut")}};
        const Check check = splitting().check(nest, odd, smallContext());
        QCOMPARE(check.why.rule, std::string("split.tail"));
    }
};

NW_TEST_MAIN(tst_structure_refusals, TestStructureRefusals)
#include "tst_structure_refusals.moc"
