// Copies of what is read and tiles of what is written, in registers, on the stack and on the heap; room between rows.

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/schedule/primitives/all.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/random_scripts.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

#include <algorithm>
#include <map>

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

// Any step, legal or not, with a liking for those that move computation and data.
std::string anyMove(const LoopNest& nest, Random& random, int& counter)
{
    const std::vector<const Loop*> loops = nest.allLoops();
    const std::vector<LoopNest::Path> blocks = nest.blocks();
    static const std::vector<std::string> kScopes{"registers", "stack", "heap"};
    const Loop* loop = loops[random.below(loops.size())];
    const LoopNest::Path& path = blocks[random.below(blocks.size())];
    const Loop* around = path.loops.empty() ? loop : path.loops[random.below(path.loops.size())];
    const std::string scope = kScopes[random.below(kScopes.size())];
    const std::string name = "v" + std::to_string(++counter);
    switch (random.below(13)) {
    case 0: return format("split {} into {}o {}i:{}", loop->name, name, name, random.between(1, 5));
    case 1: {
        const Loop* inner = loop->body.front()->loop();
        return inner == nullptr ? format("vectorize {}", loop->name) : format("reorder {} {}", inner->name, loop->name);
    }
    case 2: {
        const Loop* inner = loop->body.front()->loop();
        return inner == nullptr ? format("unroll {}", loop->name) : format("fuse {} {} into {}", loop->name, inner->name, name);
    }
    case 3: return "parallel " + loop->name;
    case 4: return format("compute_at {} at {}", path.block->name, loop->name);
    case 5: return format("reverse_compute_at {} at {}", path.block->name, loop->name);
    case 6: return format("cache_write {} at {} in {}", path.block->name, around->name, scope);
    case 7: return "compute_inline " + path.block->name;
    case 8: return "reverse_compute_inline " + path.block->name;
    case 9: {
        const Buffer& buffer = nest.buffers[random.below(nest.buffers.size())];
        return format("storage_align {} {} {} plus {}", buffer.name, random.below(3), random.between(1, 12), random.below(4));
    }
    default: {
        const Buffer& buffer = nest.buffers[random.below(nest.buffers.size())];
        const std::string only = random.below(3) == 0 ? "for " + path.block->name + " " : "";
        return format("cache_read {} {}at {} in {}", buffer.name, only, around->name, scope);
    }
    }
}

// A matrix product, a convolution with its padding as tests or as zeros, and stages that read windows of others.
constexpr const char* kBorder = "(n, c, h, w) -> (n, c, h, w) border 0 0 1 1";
struct Sample {
    const char *definition, *layout;
};
constexpr Sample kSamples[] = {
    {"tiny_matmul", "plain"}, {"tiny_conv", "plain"},  {"tiny_conv", kBorder}, {"tiny_stencil", "plain"},
    {"tiny_branches", "plain"}, {"residual", "plain"}, {"padded", "plain"},           {"softmax", "plain"},
    {"late", "plain"},
};

} // namespace

class TestCopies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rewrites_data()
    {
        addRewrites({
            {"cache_read: a row", "matmul", "plain", "", "cache_read A at m in stack",
             "m in 0..30 with A.stack f32[1, 24] in stack\n"
             "  A.c.k in 0..24\n"
             "    A.read: A.stack[0, A.c.k] = A[m, A.c.k]\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: Y[m, n] += A.stack[0, k] * B[k, n]\n",
             ""},
            {"cache_read: a panel, lanes innermost", "matmul", "plain", "split n into no ni:4\nreorder no m k ni\nvectorize ni",
             "cache_read B at no in heap",
             "no in 0..5 with B.heap f32[24, 4] in heap\n"
             "  B.c.k in 0..24\n"
             "    vector B.c.n in 0..4\n"
             "      B.read: B.heap[B.c.k, B.c.n] = B[B.c.k, no * 4 + B.c.n]\n"
             "  m in 0..30\n"
             "    k in 0..24\n"
             "      vector ni in 0..4\n"
             "        matmul: Y[m, no * 4 + ni] += A[m, k] * B.heap[k, ni]\n",
             ""},
            {"cache_read: a tail", "matmul", "plain", "split m into mo mi:8\nreorder mo n k mi", "cache_read A at mo in stack",
             "mo in 0..4 with A.stack f32[8, 24] in stack as (a0, a1) -> (a1, a0)\n"
             "  A.c.k in 0..24\n"
             "    A.c.m in 0..8 (tail)\n"
             "      A.read: A.stack[A.c.m, A.c.k] = A[mo * 8 + A.c.m, A.c.k] if mo * 8 + A.c.m < 30\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      mi in 0..8 (tail)\n"
             "        matmul: Y[mo * 8 + mi, n] += A.stack[mi, k] * B[k, n] if mo * 8 + mi < 30\n",
             ""},
            {"cache_read: a window with padding", "padded", "plain", "split blur.i into o ii:4", "cache_read relu for blur at o in stack",
             "i in 0..12\n"
             "  relu: relu[i] = max(X[i], 0.0)\n"
             "o in 0..3 with relu.stack f32[6] in stack\n"
             "  relu.c.i in 0..6 (tail)\n"
             "    relu.read: relu.stack[relu.c.i] = relu[o * 4 + relu.c.i - 1] if o * 4 + relu.c.i >= 1 && o * 4 + relu.c.i < 13\n"
             "  ii in 0..4\n"
             "    blur.k in 0..3\n"
             "      blur: Y[o * 4 + ii] += select(o * 4 + blur.k + ii >= 1 && o * 4 + blur.k + ii < 13, relu.stack[blur.k + ii], 0.0)\n",
             ""},
            {"cache_write: a tile of a tile", "matmul", "plain", "cache_write matmul at m in stack", "cache_write matmul at n in registers",
             "m in 0..30 with matmul.stack f32[1, 20] in stack\n"
             "  n in 0..20 with matmul.reg f32[1, 1] in registers\n"
             "    k in 0..24\n"
             "      matmul: matmul.reg[0, 0] += A[m, k] * B[k, n]\n"
             "    matmul.wb.2: matmul.stack[0, n] = matmul.reg[0, 0]\n"
             "  matmul.wb.n in 0..20\n"
             "    matmul.wb: Y[m, matmul.wb.n] = matmul.stack[0, matmul.wb.n]\n",
             "matmul -> matmul matmul.wb.2"},
        });
    }
    void rewrites() { checkRewrite(); }

    void keepsTheAnswer_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("layout");
        QTest::addColumn<std::string>("script");
        struct Row {
            const char *definition, *layout, *script;
        };
        const std::vector<Row> rows = {
            {"matmul", "plain", "split k into ko ki:7\nreorder ko m n ki\ncache_read A at ko in heap\ncache_read B at ko in stack"},
            {"matmul", "plain", "split n into no ni:4\nsplit k into ko ki:5\nreorder m no ko ki ni\ncache_read B at ko in registers\n"
                                "vectorize ni\nunroll ki\nparallel m"},
            {"matmul", "plain", "tile m n into mo no mi:6 ni:8\nreorder mo no k mi ni\ncache_read A at mo in stack\n"
                                "cache_read A.stack at no in heap\ncache_write matmul at no in registers\nvectorize ni"},
            {"matmul", "plain", "split m into mo mi:8\ncache_read A at mo in heap\ncache_read A.heap at mi in stack"},
            {"conv", "plain", "split oh into o i:4\nreorder oc o ic kh kw i ow\ncache_read X at o in stack\nparallel oc"},
            {"conv", kBorder, "split oh into o i:4\nreorder oc o ic kh kw i ow\ncache_read X at o in stack\nparallel oc"},
            {"conv", kBorder, "cache_read X at ic in stack"},
            {"conv", kBorder, "cache_read X at oc in heap"},
            {"conv", "plain", "cache_read W at oh in stack\ncache_read B at relu.oc in registers"},
            {"conv", "plain", "split relu.oh into o i:4\nreorder o relu.oc i relu.ow\ncompute_at conv at o\ncache_read X at conv.oc in heap"},
            {"conv", "plain", "reverse_compute_at relu at oh\ncache_read conv at relu.ow in stack"},
            {"stencil", "plain", "tile add.y add.x into yo xo yi:20 xi:20\ncompute_at f at xo\ncache_read f at yi in stack"},
            {"stencil", "plain", "tile add.y add.x into yo xo yi:20 xi:20\ncache_read f for add at xo in stack\nparallel yo xo"},
            {"padded", "plain", "split blur.i into o ii:5\ncompute_at relu at o\ncache_read relu at ii in stack"},
            {"padded", "plain", "split i into o ii:5\ncache_read X at o in registers"},
            {"softmax", "plain", "reverse_compute_at shift at d0\ncache_read X at d0 in stack\nparallel d0"},
            {"softmax", "plain", "cache_read shift for sum at sum.d0 in stack\ncache_read shift for softmax at softmax.d0 in heap"},
            {"matmul", "plain", "reorder m k n\ncache_write matmul at m in stack\nvectorize n"},
            {"matmul", "plain", "reorder m k n\ncache_write matmul at m in heap"},
            {"matmul_relu", "plain", "split n into no ni:8\nreorder m no k ni\ncache_write matmul at no in stack\nparallel m"},
            {"softmax", "plain", "cache_write max at d0 in stack\ncache_write sum at sum.d0 in heap"},
            {"conv", "plain", "split ow into owo owi:4\nreorder oc oh owo ic kh kw owi\ncache_write conv at oh in stack\n"
                              "cache_write conv at owo in registers\nunroll owi"},
            {"chain", "plain", "storage_align add 0 16 plus 3"},
            {"chain", "plain", "set_layout add as (a, b) -> (b, a)\nstorage_align add 1 16\nvectorize d1"},
            {"conv", "plain", "storage_align conv 1 128 plus 16\nstorage_align conv 2 16\nparallel oc"},
            {"matmul", "plain", "split n into no ni:4\nreorder no m k ni\ncache_read B at no in stack\nstorage_align B.stack 0 32 plus 8"},
        };
        for (const Row& row : rows) {
            QTest::addRow("%s, %s: %s", row.definition, row.layout, row.script)
                << std::string(row.definition) << std::string(row.layout) << std::string(row.script);
        }
    }

    void keepsTheAnswer()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, layout);
        QFETCH(std::string, script);
        const LoopNest first = nestOf(definitionText(definition), {layout});
        const LoopNest now = after(first, script);
        const std::string fault = differs(first, now, 3);
        QVERIFY2(fault.empty(), (fault + "\n" + toText(now)).c_str());
    }

    // Whatever is not refused leaves a sound nest with the same results in any order of parallel and vector loops.
    void randomScripts_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < std::size(kSamples); ++i) {
            QTest::addRow("%s, %s", kSamples[i].definition, kSamples[i].layout) << static_cast<int>(i);
        }
    }

    void randomScripts()
    {
        QFETCH(int, index);
        const Sample& sample = kSamples[index];
        const LoopNest first = nestOf(definitionText(sample.definition), {sample.layout});
        std::map<std::string, int> used;
        for (std::uint64_t seed = 1; seed <= draws(60); ++seed) {
            Random random(seed * 6007 + static_cast<std::uint64_t>(index));
            const std::string fault = randomScript(first, random, {10, 48}, seed, &anyMove, used);
            QVERIFY2(fault.empty(), fault.c_str());
        }
        QVERIFY(kSanitized || (used.contains("cache_read") && used.contains("cache_write")));
        QVERIFY2(kSanitized || used.size() >= 7, std::to_string(used.size()).c_str());
    }

    // 28 elements read and written through copies of 16: nothing outside of them is touched (the interpreter checks each
    // access), in all remainders.
    void case_30()
    {
        for (const int extent : {15, 16, 17, 28, 31}) {
            const LoopNest first = nestOf(format("definition copy\ninput X f32 [{0}]\noutput Y f32 [{0}]\n"
                                                 "stage copy -> Y f32 [i:{0}] =\n    X[i]\n",
                                                 extent));
            const LoopNest cached = after(first, "split i into io ii:16\ncache_read X at io in stack\ncache_write copy at io in stack\n"
                                                 "vectorize ii\n");
            QCOMPARE(differs(first, cached, 2), std::string());
        }
    }

    void refuses_data()
    {
        addRefusals({
            {"matmul", "", "cache_read Q at m in stack", "cache_read.no_buffer", "cache_read: there is no buffer Q; there are A, B, Y"},
            {"matmul", "", "cache_read A at mm in stack", "cache_read.no_loop", "cache_read: there is no loop mm; did you mean m?"},
            {"matmul", "", "cache_read A for matmu at m in stack", "cache_read.no_block",
             "cache_read: there is no block matmu; did you mean matmul?"},
            {"matmul_relu", "", "cache_read A at relu.m in stack", "cache_read.no_reader", "cache_read: nothing inside relu.m reads A"},
            {"matmul_relu", "", "cache_read A for relu at relu.m in stack", "cache_read.not_a_reader",
             "cache_read: relu does not read A inside relu.m"},
            {"matmul", "reorder k n\nvectorize n", "cache_read B at n in heap", "cache_read.vector",
             "cache_read: n is a vector loop; each of its lanes can keep one element, on the stack or in registers"},
            {"matmul", "parallel n", "cache_read A at m in registers", "cache_read.parallel_inside",
             "cache_read: a loop inside m is parallel; its threads reach the stack or the heap, but no registers"},
            {"matmul", "parallel m n", "cache_read A at m in stack", "cache_read.parallel_chain",
             "cache_read: the parallel loop m would hold the copy beside the parallel loop inside of it"},
            {"matmul", "parallel m", "cache_read A at m in heap", "cache_read.heap_shared",
             "cache_read: the heap is shared by the threads of m; keep the copy in registers or on the stack"},
            {"chain", "reverse_compute_at mul at d0", "cache_read add at d0 in stack", "cache_read.written",
             "cache_read: add writes add inside d0; a copy made when the step begins would be out of date"},
            {"matmul", "cache_write matmul at n in registers", "cache_read matmul.reg at n in stack", "cache_read.registers",
             "cache_read: matmul.reg lies in registers, the nearest place there is"},
            {"matmul", "", "cache_read B at m in registers", "cache_read.too_large",
             "cache_read: the tile of B has 480 elements, 120 vectors of 4, but there are 16 registers"},
            {"wide", "", "cache_read X at a in stack", "cache_read.too_large",
             "cache_read: the tile of X has 20000 elements, more than the 16384 that belong on the stack; say heap, or a loop "
             "further in"},
            {"wide", "", "cache_write sum at a in stack", "cache_write.too_large",
             "cache_write: the tile of sum has 20000 elements, more than the 16384 that belong on the stack; say heap, or a loop "
             "further in"},
            {"chain", "reverse_compute_at mul at d1", "cache_write add at d0 in stack", "cache_write.outwards",
             "cache_write: add is private to a step of d1 inside d0; kept for a step of d0, one element would stand for many"},
            {"matmul", "", "storage_align Q 0 16", "storage_align.no_buffer", "storage_align: there is no buffer Q; there are A, B, Y"},
            {"chain", "", "storage_align Y 0 16", "storage_align.port",
             "storage_align: Y is an argument of the kernel, whose layout others rely on; only the kernel's own buffers have room to "
             "spare"},
            {"matmul", "cache_write matmul at n in registers", "storage_align matmul.reg 0 16", "storage_align.registers",
             "storage_align: matmul.reg lies in registers, which have no distances"},
            {"chain", "", "storage_align add 2 16", "storage_align.no_dimension",
             "storage_align: add has 2 dimensions, counted from 0; there is no 2"},
            {"chain", "", "storage_align add 0 0", "storage_align.factor", "storage_align: the factor must be from 1 to 1048576, not 0"},
            {"chain", "", "storage_align add 0 16 plus 16", "storage_align.offset",
             "storage_align: the offset must be from 0 to below the factor 16, not 16"},
            {"chain", "", "storage_align add 1 16", "storage_align.innermost",
             "storage_align: elements of add that follow one another in dimension 1 lie side by side; there is no row inside of it to "
             "widen"},
            {"chain", "set_layout add as (a, b) -> (a / 3, b, a % 3)", "storage_align add 0 16", "storage_align.layout",
             "storage_align: the layout of add cuts its dimensions; a step of one has no single distance"},
            {"conv", "", "storage_align conv 1 16 plus 3", "storage_align.unreachable",
             "storage_align: a step of dimension 1 of conv is a multiple of 10 elements, which is never a multiple of 16 and 3 more"},
        });
    }
    void refuses() { checkRefusal(); }

    void pointless()
    {
        const auto verdict = [](const std::string& definition, const std::string& script) {
            const Result<Replay> done = steps(nestOf(definitionText(definition)), script);
            return done ? fillWords(done->steps.back().check.why.words, done->steps.back().check.why.operands) : "refused";
        };
        QCOMPARE(verdict("matmul", "cache_read B at m in stack"), std::string("cache_read: each step of m would copy all of B"));
        QCOMPARE(verdict("matmul", "cache_read B at n in stack"), std::string());
        QCOMPARE(verdict("chain", "storage_align add 0 10"), std::string("storage_align: the elements of add lie this way already"));
        QCOMPARE(verdict("chain", "storage_align add 0 16\nstorage_align add 0 16"),
                 std::string("storage_align: the elements of add lie this way already"));
    }

    // Rows lie where they were asked to, and a second wish replaces the first.
    void distances()
    {
        const LoopNest nest = after(nestOf(definitionText("conv")), "storage_align conv 2 16 plus 4\n");
        const Buffer& buffer = *nest.buffer("conv");
        QCOMPARE(*buffer.layout.memoryShape(buffer.shape), (std::vector<std::int64_t>{1, 8, 9, 20}));
        const LoopNest again = after(nest, "storage_align conv 2 16\nstorage_align conv 1 128\n");
        const Buffer& wider = *again.buffer("conv");
        QCOMPARE(*wider.layout.memoryShape(wider.shape), (std::vector<std::int64_t>{1, 8, 16, 16}));
        const LoopNest back = after(again, "storage_align conv 2 1\nstorage_align conv 1 1\n");
        QVERIFY(back.buffer("conv")->layout.isPlain());
    }

    // What of a buffer has not been written yet cannot be shown to be there: told, and applied only on request.
    void unwritten()
    {
        const LoopNest rows = after(nestOf(definitionText("behind_rows")), "merge y f.y\nmerge y add.y");
        const Args above{{std::string("f"), std::monostate(), std::string("add.x"), std::string("stack")}};
        const Check check = cacheRead.check(rows, above, smallContext());
        QCOMPARE(check.verdict, Verdict::Unproven);
        QCOMPARE(check.why.rule, std::string("cache_read.unwritten"));
        QCOMPARE(fillWords(check.why.words, check.why.operands),
                 std::string("cache_read: whether f has written all that would be copied of f when a step of add.x begins is not known"));
        QVERIFY(!steps(rows, "cache_read f at add.x in stack"));
        // The element at hand was made in the same step.
        const LoopNest same = after(nestOf(definitionText("residual")), "reverse_compute_at scale at d0\n");
        QCOMPARE(cacheRead.check(same, {{std::string("double"), std::monostate(), std::string("scale.d1"), std::string("stack")}}, smallContext())
                     .verdict,
                 Verdict::Legal);
    }

    void offered()
    {
        const LoopNest nest = nestOf(definitionText("matmul_relu"));
        std::vector<std::string> lines;
        for (const char* name : {"m", "matmul", "relu"}) {
            for (const Primitive* primitive : {&cacheRead, &storageAlign}) {
                for (const Args& args : primitive->propose(nest, name, smallContext())) {
                    lines.push_back(stepText(*primitive, args));
                }
            }
        }
        QCOMPARE(join(lines, "\n"), std::string("cache_read A at m in stack\ncache_read B at m in stack\n"
                                                "cache_read A for matmul at k in stack\ncache_read B for matmul at k in stack\n"
                                                "storage_align matmul 0 1024 plus 16\nstorage_align matmul 0 1024 plus 16"));
    }
};

NW_TEST_MAIN(tst_copies, TestCopies)
#include "tst_copies.moc"
