// What specialize, store_at and rolling_buffer refuse, and that they and what follows them keep the answer.

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/schedule/rewrite_nest.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/random_scripts.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

#include <map>

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

const Primitive& primitiveNamed(const std::string& name)
{
    for (const Primitive* primitive : allPrimitives()) {
        if (primitive->name == name) {
            return *primitive;
        }
    }
    throwBug(__FILE__, __LINE__, "no primitive " + name);
}

// What brings a stage into the loops of the next, then one of the steps at hand with arguments that make sense by their
// kinds, or anything that is offered.
std::string anyStep(const LoopNest& nest, Random& random, int& counter)
{
    const std::vector<const Loop*> loops = nest.allLoops();
    const std::vector<LoopNest::Path> blocks = nest.blocks();
    const std::string loop = loops[random.below(loops.size())]->name;
    const LoopNest::Path& path = blocks[random.below(blocks.size())];
    const std::string around = path.loops.empty() ? loop : path.loops[random.below(path.loops.size())]->name;
    const std::string inside = path.loops.empty() ? loop : path.loops[random.below(path.loops.size())]->name;
    const std::string& buffer = nest.buffers[random.below(nest.buffers.size())].name;
    const std::string name = "v" + std::to_string(++counter);
    switch (random.below(12)) {
    case 0:
    case 1: return format("compute_at {} at {}", path.block->name, loop);
    case 2: return format("merge {} {}", loop, loops[random.below(loops.size())]->name);
    case 3: return format("specialize {} when {} from {} to {}", inside, around, random.between(0, 3), random.between(1, 6));
    case 4:
    case 5: return format("store_at {} at {}", buffer, random.below(3) == 0 ? "root" : around);
    case 6:
    case 7:
    case 8: return format("rolling_buffer {} at {}{}", buffer, around, random.below(3) == 0 ? " size power_of_two" : "");
    case 9: return format("split {} into {}o {}i:{}", loop, name, name, random.between(1, 4));
    default: break;
    }
    const std::vector<Offer> offered = offers(nest, random.below(2) == 0 ? loop : path.block->name, allPrimitives(), smallContext());
    return offered.empty() ? "unroll " + loop : offered[random.below(offered.size())].text;
}

} // namespace

class TestHomeAnswers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refuses_data()
    {
        addRefusals({
            // specialize
            {"conv", "", "specialize x when oh from 1 to 8", "specialize.no_loop", "specialize: there is no loop x"},
            {"conv", "", "specialize oc when oh from 1 to 8", "specialize.not_around", "specialize: oh does not stand around oc", "reorder oh oc"},
            {"conv", "", "specialize oh when oh from 1 to 8", "specialize.not_around", "specialize: oh does not stand around oh"},
            {"conv", "", "specialize ow when oh from 8 to 8", "specialize.range",
             "specialize: from 8 to below 8 is no range of the 9 steps of oh, counted from 0"},
            {"conv", "", "specialize ow when oh from 1 to 10", "specialize.range",
             "specialize: from 1 to below 10 is no range of the 9 steps of oh, counted from 0"},
            {"conv", "", "specialize ow when oh from 0 to 9", "specialize.all_steps",
             "specialize: from 0 to 9 are all steps of oh; none would be left for what is there now"},
            {"conv", "parallel oc oh", "specialize oh when oc from 1 to 3", "specialize.parallel_chain",
             "specialize: oh stands directly inside the parallel loop oc, which would hold two parallel loops then"},
            {"matmul", "reorder m k n", "specialize n when k from 1 to 3", "specialize.reduction",
             "specialize: k counts steps of the reduction over k in matmul, which would start in both copies"},
            // store_at
            {"stencil", "", "store_at g", "store_at.no_buffer", "store_at: there is no buffer g; there are X, G, f"},
            {"stencil", "", "store_at f at x5", "store_at.no_loop", "store_at: there is no loop x5; did you mean x?"},
            {"stencil", "", "store_at G at add.y", "store_at.port",
             "store_at: G is an argument of the kernel; its memory is the caller's"},
            {"stencil", "", "store_at f at y", "store_at.user_outside", "store_at: add uses f outside of y"},
            {"behind", "merge y add.y", "store_at f at y", "store_at.handed_on",
             "store_at: elements of f are made in one step of y or of a loop around it and used in another"},
            {"padded_pools", "compute_at pool2 at relu.h\ncompute_at pool at relu.h\nrolling_buffer pool at relu.h", "store_at pool", "store_at.part",
             "store_at: which h an element of pool is for is not told by its place; steps inside would use one place for many values"},
            {"unread_sum", "", "store_at sum at r", "store_at.reduction_outside",
             "store_at: sum adds to sum in every step of r, which is not inside r"},
            {"chain", "merge d0 mul.d0\nmerge d1 mul.d1\nvectorize d1", "store_at add at d1", "store_at.vector",
             "store_at: d1 is a vector loop; its lanes cannot keep memory of their own"},
            {"chain", "merge d0 mul.d0\nmerge d1 mul.d1\nparallel d0 d1", "store_at add at d0", "store_at.parallel_inside",
             "store_at: threads of d1 would share what is private to a step around them, add"},
            {"matmul", "split n into no ni:4\nreorder m no k ni\ncache_write matmul at no in registers", "store_at matmul.reg",
             "store_at.too_large", "store_at: the tile of matmul.reg has 600 elements, 150 vectors of 4, but there are 16 registers"},
            {"wide", "cache_write sum at b in stack\nparallel a", "store_at sum.stack at a", "store_at.too_large",
             "store_at: the tile of sum.stack has 20000 elements, more than the 16384 that belong on the stack; say heap, or a loop further in"},
            // rolling_buffer
            {"two_pools", "", "rolling_buffer poole at pool2.h", "rolling_buffer.no_buffer",
             "rolling_buffer: there is no buffer poole; did you mean pool?"},
            {"two_pools", "", "rolling_buffer pool at x", "rolling_buffer.no_loop", "rolling_buffer: there is no loop x"},
            {"two_pools", "", "rolling_buffer Y at pool2.h", "rolling_buffer.port",
             "rolling_buffer: Y is an argument of the kernel, all of which must be there"},
            {"two_pools", "compute_at pool at pool2.h\nparallel pool2.h", "rolling_buffer pool at pool2.h", "rolling_buffer.kind",
             "rolling_buffer: pool2.h is parallel; its steps run at once, and none can rely on the one before"},
            {"padded_pools", "partition h at 3", "rolling_buffer pool at pool2.h", "rolling_buffer.other_writer",
             "rolling_buffer: pool and pool.2 both write pool; a ring is filled by one block"},
            {"two_pools", "", "rolling_buffer pool at pool2.h", "rolling_buffer.user_outside",
             "rolling_buffer: pool uses pool outside of pool2.h", "compute_at pool at pool2.h"},
            {"two_pools", "compute_at pool at pool2.h", "rolling_buffer pool at pool2.w", "rolling_buffer.user_outside",
             "rolling_buffer: pool uses pool outside of pool2.w"},
            {"unread", "", "rolling_buffer add at d0", "rolling_buffer.no_reader", "rolling_buffer: nothing reads what add writes"},
            {"behind_rows", "merge y f.y\nmerge y add.y\nmerge x f.x\nmerge x add.x", "rolling_buffer f at x", "rolling_buffer.handed_on",
             "rolling_buffer: elements of f are handed on between steps of y, around x; a ring begins anew in each"},
            {"bent", "compute_at f at add.y", "rolling_buffer f at add.y", "rolling_buffer.same",
             "rolling_buffer: f writes the same part of f in each step of add.y, as far as its indices tell"},
            {"diagonal", "compute_at f at add.y", "rolling_buffer f at add.y", "rolling_buffer.diagonal",
             "rolling_buffer: what f writes of f moves in several dimensions with add.y"},
            {"short", "merge y add.y", "rolling_buffer f at y", "rolling_buffer.window",
             "rolling_buffer: a step of y uses all of f that its window moves along, or which part is not known"},
            {"backwards", "compute_at f at add.y", "rolling_buffer f at add.y", "rolling_buffer.not_monotone",
             "rolling_buffer: the part of f that a step of add.y uses does not move on by a fixed number of elements"},
            {"two_pools", "compute_at pool at pool2.w", "rolling_buffer pool at pool2.w", "rolling_buffer.no_overlap",
             "rolling_buffer: steps of pool2.w use parts of pool that do not overlap; there is nothing to keep"},
            {"two_pools", "compute_at pool at pool2.h\nfuse pool.h pool.w into f", "rolling_buffer pool at pool2.h", "rolling_buffer.gaps",
             "rolling_buffer: what pool writes of pool in a step of pool2.h is no box without gaps"},
            {"two_pools", "compute_at pool at pool2.h\nsplit pool.h into ho hi:2", "rolling_buffer pool at pool2.h", "rolling_buffer.guard",
             "rolling_buffer: pool is guarded by ho * 2 + hi < 3, which may hold in one step of pool2.h and not in another for the same element"},
            {"two_convs", "split conv2.ow into wo wi:2\nreorder conv2.oh wo conv2.oc wi\ncompute_at conv at wo\nparallel wo",
             "rolling_buffer conv at conv2.oh", "rolling_buffer.race",
             "rolling_buffer: several steps of wo write the same element of conv in conv; only the last would count"},
            {"strided", "cache_read f for add at add.k in stack\nrolling_buffer f.stack at add.y", "reverse_compute_at f.read at y",
             "reverse_compute_at.ring",
             "reverse_compute_at: f.read uses a ring, whose elements are written over, and must take turns with its other users"},
            {"late", "split scale.d0 into o i:2\nsplit d0 into a b:2\nmerge a o", "reverse_compute_at join at i", "reverse_compute_at.overtakes",
             "reverse_compute_at: join also reads what add writes in turns with i, and may need more of it than is there"},
            {"behind_rows", "merge f.y add.y\nrolling_buffer f at f.y", "reverse_compute_inline f", "reverse_compute_inline.ring",
             "reverse_compute_inline: f uses a ring, whose elements are written over, and must take turns with its other users"},
            {"padded_pools", "reorder pool2.h pool2.c\ncompute_at pool at pool2.h\nrolling_buffer pool at pool2.h", "compute_at pool2 at relu.h",
             "compute_at.ring",
             "compute_at: pool2 uses a ring, whose elements are written over, and must take turns with its other users"},
        });
    }

    void refuses()
    {
        checkRefusal();
    }

    // Rules that no script of numbers meets.
    void refusesOtherNests()
    {
        LoopNest symbolic = nestOf(definitionText("chain"));
        changeLoop(symbolic, symbolic.findLoop("d0").loop->id, [](Loop& loop) { loop.extent = var("n"); });
        const Args some{{std::string("d1"), std::string("d0"), std::int64_t{0}, std::int64_t{3}}};
        QCOMPARE(primitiveNamed("specialize").check(symbolic, some, smallContext()).why.rule, std::string("specialize.symbolic"));

        // A block whose value counts steps of the loop.
        LoopNest counting = after(nestOf(definitionText("dilated")), "compute_at f at add.y\n");
        const LoopNest::Path f = counting.findBlock("f");
        Block counted = *f.block;
        counted.iters.push_back({"step", false, intImm(9), var("add.y")});
        counted.value = counted.value + castTo(DType::F32, var("step"));
        replaceBlock(counting, counted.id, [&](const StmtNode&) { return std::vector<Stmt>{makeStmt(counted)}; });
        const Args roll{{std::string("f"), std::string("add.y"), ArgValue()}};
        QCOMPARE(primitiveNamed("rolling_buffer").check(counting, roll, smallContext()).why.rule, std::string("rolling_buffer.value"));

        const LoopNest chain = nestOf(definitionText("chain"));
        QCOMPARE(primitiveNamed("store_at").check(chain, {{std::string("add"), ArgValue()}}, smallContext()).why.rule, std::string("store_at.already"));
    }

    // Shared memory for what steps of parallel loops compute: a refusal that names the race, or memory of their own.
    void case_36_store_at()
    {
        const LoopNest first = nestOf(definitionText("stencil"));
        const LoopNest inside = after(first, "tile add.y add.x into yo xo yi:16 xi:16\ncompute_at f at xo\nparallel yo xo\n");
        for (const char* step : {"store_at f", "store_at f at root"}) {
            const Result<Replay> shared = steps(inside, step);
            QVERIFY(!shared);
            QCOMPARE(shared.error().message, std::string("store_at: several steps of yo write the same element of f in f; only the last would count"));
        }
        const Result<Replay> oneRow = steps(inside, "store_at f at yo");
        QVERIFY(!oneRow);
        QCOMPARE(oneRow.error().message, std::string("store_at: threads of xo would share what is private to a step around them, f"));
        // The other way round: memory outside first, then threads.
        for (const char* loops : {"yo", "xo", "yo xo"}) {
            const Result<Replay> late = steps(first, format("tile add.y add.x into yo xo yi:16 xi:16\ncompute_at f at xo\nstore_at f\nparallel {}\n", loops));
            QVERIFY(!late);
            QCOMPARE(late.error().refusal->rule, std::string("parallel.race"));
        }
        // A row of tiles has memory of its own; its tiles run one after the other.
        const LoopNest rows = after(first, "tile add.y add.x into yo xo yi:16 xi:16\ncompute_at f at xo\nparallel yo\nstore_at f at yo\n");
        QCOMPARE(rows.buffer("f")->scope, Scope::Stack);
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            QCOMPARE(differs(first, rows, seed), std::string());
        }
        // Steps that share nothing may use one memory.
        const LoopNest apart = after(nestOf(definitionText("chain")), "merge d0 mul.d0\nstore_at add at d0\nparallel d0\nstore_at add\n");
        QCOMPARE(apart.buffer("add")->scope, Scope::Heap);
        QCOMPARE(differs(nestOf(definitionText("chain")), apart, 3), std::string());
    }

    // A ring keeps what steps after it may do: it is refused or the answer stays.
    void ringsStay()
    {
        const LoopNest first = nestOf(definitionText("two_pools"));
        const LoopNest ring = after(first, "compute_at pool at pool2.h\nrolling_buffer pool at pool2.h\n");
        const std::map<std::string, bool> legal = {
            {"unroll pool2.h", true},        {"unroll pool.h", true},          {"vectorize pool2.w", false},
            {"partition pool2.h at 2", true}, {"split pool2.h into a b:2", true}, {"partition pool.h at 2", true},
            {"parallel pool2.h", false},     {"fission pool2.h after pool", false}, {"store_at pool at pool2.h", false},
            {"rolling_buffer pool at pool2.h", false}, {"compute_inline pool", false}, {"specialize pool.w when pool2.h from 1 to 5", true},
        };
        for (const auto& [step, expected] : legal) {
            const Result<Replay> done = steps(ring, step);
            QVERIFY2(done.has_value() == expected, step.c_str());
            QCOMPARE(done ? differs(first, done->nest(), 5) : std::string(), std::string());
        }
        const Result<Replay> turned = steps(ring, "split pool2.h into a b:3\nreorder b a\n");
        QVERIFY(!turned);
    }

    void keepsTheAnswer_data()
    {
        QTest::addColumn<std::string>("definition");
        for (const char* name : {"two_pools", "padded_pools", "dilated", "strided", "two_convs", "tiny_stencil", "tiny_matmul", "tiny_branches",
                                 "behind_rows", "diagonal", "backwards", "slice", "late"}) {
            QTest::newRow(name) << std::string(name);
        }
    }

    // Random steps, these among all others: what is not refused leaves a sound nest with the same results, in any order
    // of parallel and vector loops, and what a refusal promises holds.
    void keepsTheAnswer()
    {
        QFETCH(std::string, definition);
        const LoopNest first = nestOf(definitionText(definition));
        std::map<std::string, int> used;
        const std::uint64_t scripts = qEnvironmentVariableIsSet("NW_RANDOM_SCRIPTS") ? static_cast<std::uint64_t>(qEnvironmentVariableIntValue("NW_RANDOM_SCRIPTS")) : draws(40);
        for (std::uint64_t seed = 1; seed <= scripts; ++seed) {
            Random random(seed * 7919);
            const std::uint64_t length = 2 + random.below(9);
            const std::string fault = randomScript(first, random, {length, length * 6}, seed, &anyStep, used);
            QVERIFY2(fault.empty(), fault.c_str());
        }
        const bool slides = definition.ends_with("pools") || definition == "dilated" || definition == "strided" || definition == "two_convs";
        for (const char* step : {"specialize", "store_at", "rolling_buffer"}) {
            QVERIFY2(kSanitized || !slides || used[step] > 0, step);
        }
    }
};

NW_TEST_MAIN(tst_home_answers, TestHomeAnswers)
#include "tst_home_answers.moc"
