// What steers the code: prefetches, stores past the caches and annotations, and where they go when loops and blocks change.

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/schedule/hints.h"
#include "engine/schedule/primitives/all.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/random_scripts.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

#include <map>

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

// What the nest tells the code generator, a part a line: "m: grain 4", "k: B of matmul 4", "relu: streamed".
std::string told(const LoopNest& nest)
{
    std::string text;
    for (const Loop* loop : nest.allLoops()) {
        for (const auto& [key, value] : loop->annotations) {
            text += format("{}: {} {}\n", loop->name, key, value);
        }
        for (const Prefetch& prefetch : loop->prefetches) {
            text += format("{}: {} of {} {}\n", loop->name, prefetch.buffer, prefetch.block, prefetch.ahead);
        }
    }
    for (const LoopNest::Path& path : nest.blocks()) {
        text += path.block->streams ? path.block->name + ": streamed\n" : "";
    }
    return text;
}

std::string reasonFor(const std::string& definition, const std::string& script, const Context& context = smallContext())
{
    const Result<Replay> done = steps(nestOf(definitionText(definition)), script, context);
    return done ? fillWords(done->steps.back().check.why.words, done->steps.back().check.why.operands) : "refused: " + done.error().message;
}

// Any step, legal or not: half of them steer, half change what is steered.
std::string anyStep(const LoopNest& nest, Random& random, int& counter)
{
    const std::vector<const Loop*> loops = nest.allLoops();
    const std::vector<LoopNest::Path> blocks = nest.blocks();
    const Loop* loop = loops[random.below(loops.size())];
    const LoopNest::Path& path = blocks[random.below(blocks.size())];
    const Loop* around = path.loops.empty() ? loop : path.loops[random.below(path.loops.size())];
    const Buffer& buffer = nest.buffers[random.below(nest.buffers.size())];
    const Loop* inner = loop->body.front()->loop();
    const std::string name = "v" + std::to_string(++counter);
    switch (random.below(18)) {
    case 0:
    case 1:
    case 2: return format("prefetch {} of {} at {} ahead {}", buffer.name, path.block->name, around->name, random.between(1, 4));
    case 3:
    case 4: return "stream " + path.block->name;
    case 5: return format("annotate {} unroll_hint {}", loop->name, random.between(1, 5));
    case 6: return format("annotate {} grain {}", loop->name, random.between(1, 9));
    case 7: return format("annotate {} align {}", loop->name, 8 << random.below(4));
    case 8: return format("split {} into {}o {}i:{}", loop->name, name, name, random.between(1, 5));
    case 9: return format("split {} into {}o {}i:{} tail peel", loop->name, name, name, random.between(2, 5));
    case 10: return inner == nullptr ? format("vectorize {}", loop->name) : format("reorder {} {}", inner->name, loop->name);
    case 11: return inner == nullptr ? format("unroll {}", loop->name) : format("fuse {} {} into {}", loop->name, inner->name, name);
    case 12: return format("partition {} at {}", loop->name, random.between(1, 6));
    case 13: return "parallel " + loop->name;
    case 14: return format("{} {} at {} in {}", random.below(2) == 0 ? "cache_write" : "cache_read",
                           random.below(2) == 0 ? path.block->name : buffer.name, around->name, random.below(2) == 0 ? "stack" : "heap");
    case 15: return format("{} {} at {}", random.below(2) == 0 ? "compute_at" : "reverse_compute_at", path.block->name, loop->name);
    case 16: return format("{} {}", random.below(2) == 0 ? "compute_inline" : "reverse_compute_inline", path.block->name);
    default: return random.below(2) == 0 ? format("fission {} after {}", loop->name, path.block->name)
                                         : format("decompose_reduction {} at {}", path.block->name, around->name);
    }
}

constexpr const char* kSamples[] = {"tiny_matmul", "tiny_conv", "tiny_stencil", "tiny_branches", "softmax", "chain", "padded", "gather"};

} // namespace

class TestHints : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rewrites_data()
    {
        addRewrites({
            {"prefetch: a row of B", "matmul", "plain", "split n into no ni:4\nreorder m no k ni\nvectorize ni", "prefetch B of matmul at k ahead 4",
             "m in 0..30\n"
             "  no in 0..5\n"
             "    k in 0..24 prefetching B of matmul 4 ahead\n"
             "      vector ni in 0..4\n"
             "        matmul: Y[m, no * 4 + ni] += A[m, k] * B[k, no * 4 + ni]\n",
             ""},
            {"prefetch: another distance", "matmul", "plain", "prefetch B of matmul at k ahead 4\nprefetch A of matmul at m ahead 1",
             "prefetch B of matmul at k ahead 2",
             "m in 0..30 prefetching A of matmul 1 ahead\n"
             "  n in 0..20\n"
             "    k in 0..24 prefetching B of matmul 2 ahead\n"
             "      matmul: Y[m, n] += A[m, k] * B[k, n]\n",
             ""},
            {"stream", "chain", "plain", "", "stream mul",
             "d0 in 0..33\n"
             "  d1 in 0..10\n"
             "    add: add[d0, d1] = X[d0, d1] + 1.0\n"
             "mul.d0 in 0..33\n"
             "  mul.d1 in 0..10\n"
             "    mul: Y[mul.d0, mul.d1] = add[mul.d0, mul.d1] * 2.0 (streamed)\n",
             ""},
            {"annotate: grain", "matmul", "plain", "parallel m", "annotate m grain 5",
             "parallel m in 0..30 (grain 5)\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: Y[m, n] += A[m, k] * B[k, n]\n",
             ""},
            {"annotate: a follower stands for itself", "matmul", "plain", "cache_write matmul at m in stack", "annotate matmul.wb.n unroll_hint 2",
             "m in 0..30 with matmul.stack f32[1, 20] in stack\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: matmul.stack[0, n] += A[m, k] * B[k, n]\n"
             "  matmul.wb.n in 0..20 (unroll_hint 2)\n"
             "    matmul.wb: Y[m, matmul.wb.n] = matmul.stack[0, matmul.wb.n]\n",
             ""},
        });
    }
    void rewrites() { checkRewrite(); }

    void refuses_data()
    {
        addRefusals({
            {"matmul", "", "prefetch Q of matmul at k ahead 4", "prefetch.no_buffer", "prefetch: there is no buffer Q; there are A, B, Y"},
            {"matmul", "", "prefetch B of matmu at k ahead 4", "prefetch.no_block", "prefetch: there is no block matmu; did you mean matmul?"},
            {"matmul", "", "prefetch B of matmul at kk ahead 4", "prefetch.no_loop", "prefetch: there is no loop kk; did you mean k?"},
            {"matmul_relu", "", "prefetch C of matmul at k ahead 4", "prefetch.not_read", "prefetch: matmul does not read C"},
            {"matmul_relu", "", "prefetch B of matmul at relu.m ahead 4", "prefetch.not_inside", "prefetch: matmul does not stand inside relu.m"},
            {"matmul", "cache_write matmul at m in registers\n", "prefetch matmul.reg of matmul.wb at m ahead 1", "prefetch.registers",
             "prefetch: matmul.reg lies in registers, which need no fetching"},
            {"matmul", "cache_read B at m in stack", "prefetch B.stack of matmul at m ahead 1", "prefetch.made_anew",
             "prefetch: each step of m has a B.stack of its own; what a later step reads is not there yet"},
            {"gather", "", "prefetch X of gather at i ahead 1", "prefetch.index_read",
             "prefetch: where gather reads X is itself read from memory; it cannot be told ahead"},
            {"matmul", "reorder k n\nvectorize n", "prefetch B of matmul at n ahead 1", "prefetch.vector",
             "prefetch: the steps of n run at once; name a loop around it"},
            {"matmul", "", "prefetch B of matmul at k ahead 0", "prefetch.ahead", "prefetch: from 1 to 1048576 steps ahead, not 0"},
            {"matmul", "", "stream matmu", "stream.no_block", "stream: there is no block matmu; did you mean matmul?"},
            {"matmul", "", "stream matmul", "stream.reduction",
             "stream: matmul adds to what it stores, again and again; only a block that stores each element once can stream"},
            {"matmul", "partition k at 8", "stream matmul.2", "stream.reduction",
             "stream: matmul.2 adds to what it stores, again and again; only a block that stores each element once can stream"},
            {"matmul", "cache_read A at m in stack", "stream A.read", "stream.private",
             "stream: A.stack, which A.read writes, is not meant to reach memory"},
            {"matmul", "", "annotate x grain 2", "annotate.no_loop", "annotate: there is no loop x"},
            {"matmul", "", "annotate m grain 2", "annotate.kind", "annotate: grain is for loops that are parallel; m is serial", "parallel m"},
            {"matmul", "", "annotate k grain 2", "annotate.kind", "annotate: grain is for loops that are parallel; k is serial"},
            {"matmul", "unroll k", "annotate k unroll_hint 2", "annotate.kind", "annotate: unroll_hint is for loops that are serial; k is unrolled"},
            {"matmul", "unroll k", "annotate k align 64", "annotate.kind",
             "annotate: align is for loops that are serial or parallel; k is unrolled"},
            {"matmul", "", "annotate k unroll_hint 65", "annotate.value", "annotate: unroll_hint must be from 1 to 64, not 65"},
            {"matmul", "", "annotate k align 48", "annotate.power_of_two", "annotate: align must be a power of two, not 48"},
            {"matmul", "unroll k\nunroll n", "annotate m unroll_hint 9", "annotate.too_large",
             "annotate: unroll_hint would give 4320 statements, more than 4096; choose a smaller one"},
            {"matmul", "annotate n unroll_hint 8\nunroll k", "unroll m", "unroll.too_large",
             "unroll: m would give 5760 statements, more than 4096; split it and unroll the inner part"},
            {"matmul", "annotate k unroll_hint 2", "unroll k", "unroll.hint",
             "unroll: k carries unroll_hint, of which a loop that is unrolled has no use; undo that step first"},
            {"matmul", "reorder k n\nannotate n align 64", "vectorize n", "vectorize.hint",
             "vectorize: n carries align, of which a loop that is vector has no use; undo that step first"},
            {"matmul", "reorder k n\nprefetch B of matmul at n ahead 4", "vectorize n", "vectorize.hint",
             "vectorize: n carries prefetch, of which a loop that is vector has no use; undo that step first"},
            {"matmul", "annotate m unroll_hint 2", "parallel m", "parallel.hint",
             "parallel: m carries unroll_hint, of which a loop that is parallel has no use; undo that step first"},
        });
    }
    void refuses() { checkRefusal(); }

    // A block that reads what it writes does not come about by steps.
    void readsItself()
    {
        LoopNest nest = nestOf(definitionText("chain"));
        Loop outer = *nest.roots[1]->loop();
        Loop inner = *outer.body[0]->loop();
        Block block = *inner.body[0]->block();
        block.value = load("Y", DType::F32, block.indices) * floatImm(2);
        inner.body = {makeStmt(block)};
        outer.body = {makeStmt(inner)};
        nest.roots[1] = makeStmt(outer);
        const Result<Replay> done = steps(nest, "stream mul");
        QVERIFY(!done);
        QCOMPARE(done.error().refusal->rule, std::string("stream.reads_itself"));
    }

    // A script cannot say it, a caller can.
    void unknownKey()
    {
        const Check found = annotate.check(nestOf(definitionText("matmul")), {{std::string("m"), std::string("speed"), std::int64_t{2}}},
                                           smallContext());
        QCOMPARE(found.verdict, Verdict::Illegal);
        QCOMPARE(fillWords(found.why.words, found.why.operands), std::string("annotate: speed is nothing that a loop can carry"));
    }

    void pointless_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        QTest::addColumn<std::string>("reason");
        const auto row = [](const char* definition, const char* script, const char* reason) {
            QTest::addRow("%s: %s", definition, script) << std::string(definition) << std::string(script) << std::string(reason);
        };
        row("matmul", "prefetch B of matmul at k ahead 4", "");
        row("matmul", "prefetch A of matmul at n ahead 4", "prefetch: matmul reads the same of A in all steps of n");
        row("matmul", "prefetch A of matmul at k ahead 24", "prefetch: k has 24 steps; none is 24 ahead of another");
        row("matmul", "prefetch A of matmul at k ahead 4\nprefetch A of matmul at k ahead 4", "prefetch: k does so already for A");
        row("chain", "stream mul", "");
        row("chain", "stream mul\nstream mul", "stream: mul does so already");
        row("chain", "stream add", "stream: mul reads add again, which would come back from memory");
        row("matmul", "decompose_reduction matmul at k\nstream matmul.init", "stream: matmul reads Y again, which would come back from memory");
        row("chain", "reorder mul.d1 mul.d0\nstream mul",
            "stream: steps of mul.d0 do not store side by side in Y; lines would go to memory in pieces");
        row("chain", "split mul.d1 into o i:2\nvectorize i\nstream mul",
            "stream: mul stores 8 bytes at once; the machine has no such store past the caches");
        row("chain", "split mul.d1 into o i:4\nvectorize i\nstream mul",
            "stream: a step of mul.d0 moves the stores of mul by 40 bytes, no multiple of 16; only vectors that lie at a multiple go past the caches");
        row("copy", "split i into o i2:8 tail shift\nstream copy", "stream: steps of o come back to elements of Y, which would go to memory twice");
        row("matmul", "annotate k unroll_hint 4", "");
        row("matmul", "annotate k unroll_hint 4\nannotate k unroll_hint 4", "annotate: unroll_hint of k is 4 already");
        row("matmul", "annotate k unroll_hint 4\nannotate k unroll_hint 2", "");
        row("matmul", "split k into o i:24\nannotate o align 64", "annotate: o has a single step");
    }

    void pointless()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        QFETCH(std::string, reason);
        QCOMPARE(reasonFor(definition, script), reason);
    }

    // Hints go where their loops, reads and stores go.
    void follows_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        QTest::addColumn<std::string>("hints");
        const auto row = [](const char* definition, const char* script, const char* hints) {
            QTest::addRow("%s: %s", definition, script) << std::string(definition) << std::string(script) << std::string(hints);
        };
        row("matmul", "prefetch B of matmul at k ahead 4\nannotate k unroll_hint 2\nsplit k into ko ki:8", "ki: unroll_hint 2\nki: B of matmul 4\n");
        row("matmul", "prefetch B of matmul at k ahead 4\nsplit k into ko ki:7 tail peel", "ki: B of matmul 4\nk.1: B of matmul.2 4\n");
        row("matmul", "prefetch B of matmul at n ahead 6\nreorder m k n\nsplit n into no ni:4 tail mask", "no: B of matmul 2\n");
        row("matmul", "parallel m\nannotate m grain 9\nannotate m align 64\nsplit m into mo mi:5", "mo: grain 2\nmi: align 64\n");
        row("matmul", "prefetch B of matmul at k ahead 4\nreorder k m n", "k: B of matmul 4\n");
        row("matmul", "prefetch B of matmul at n ahead 3\nprefetch A of matmul at m ahead 2\nfuse m n into f", "f: B of matmul 3\nf: A of matmul 40\n");
        row("matmul", "parallel m n\nannotate m grain 3\nannotate n grain 7\nfuse m n into f", "f: grain 60\n");
        row("matmul", "parallel m n\nannotate m grain 1\nannotate n grain 70\nfuse m n into f", "f: grain 70\n");
        row("matmul", "annotate k align 32\nprefetch B of matmul at k ahead 4\npartition k at 8",
            "k.0: align 32\nk.0: B of matmul 4\nk.1: align 32\nk.1: B of matmul.2 4\n");
        row("matmul", "prefetch B of matmul at k ahead 4\npartition m at 8", "k: B of matmul 4\nk.2: B of matmul.2 4\n");
        row("matmul", "prefetch B of matmul at m ahead 4\ncache_read B at m in stack", "m: B of B.read 4\n");
        row("matmul", "prefetch B of matmul at k ahead 4\ncache_read B at m in stack", "");
        row("chain", "prefetch X of add at d0 ahead 4\ncompute_at add at mul.d0", "");
        row("chain", "prefetch X of add at d0 ahead 4\nreverse_compute_inline mul", "d0: X of add 4\n");
        row("chain", "prefetch add of mul at mul.d0 ahead 4\ncompute_inline add", "");
        row("chain", "stream mul\ncache_write mul at mul.d0 in stack", "mul.wb: streamed\n");
        row("chain", "stream mul\npartition mul.d0 at 8", "mul: streamed\nmul.2: streamed\n");
        row("chain", "stream mul\nreverse_compute_inline mul", "add: streamed\n");
        row("matmul_relu", "stream relu\nreverse_compute_at relu at m", "relu: streamed\n");
    }

    void follows()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        QFETCH(std::string, hints);
        const LoopNest first = nestOf(definitionText(definition));
        const LoopNest now = after(first, script);
        QCOMPARE(told(now), hints);
        QCOMPARE(differs(first, now, 5), std::string());
    }

    // Whatever is not refused leaves a sound nest with the same results; hints stand only where they may.
    void randomScripts_data()
    {
        QTest::addColumn<std::string>("definition");
        for (const char* sample : kSamples) {
            QTest::newRow(sample) << std::string(sample);
        }
    }

    void randomScripts()
    {
        QFETCH(std::string, definition);
        const LoopNest first = nestOf(definitionText(definition));
        std::map<std::string, int> used;
        for (std::uint64_t seed = 1; seed <= draws(60); ++seed) {
            Random random(seed * 7109 + definition.size());
            const std::string fault = randomScript(first, random, {12, 60}, seed, &anyStep, used, Unlocks::Left);
            QVERIFY2(fault.empty(), fault.c_str());
        }
        QVERIFY(kSanitized || (used.contains("prefetch") && used.contains("stream") && used.contains("annotate")));
    }

    // Offered are only steps that may be taken.
    void proposals()
    {
        const LoopNest nest = after(nestOf(definitionText("matmul")), "split n into no ni:4\nreorder m no k ni\nvectorize ni\nparallel m");
        const auto lines = [&](const Primitive& primitive, const std::string& place) {
            std::string text;
            for (const Args& args : primitive.propose(nest, place, smallContext())) {
                text += stepText(primitive, args) + "\n";
            }
            return text;
        };
        QCOMPARE(lines(prefetch, "matmul"), std::string("prefetch A of matmul at k ahead 4\nprefetch B of matmul at k ahead 4\n"));
        QCOMPARE(lines(prefetch, "no"), std::string("prefetch B of matmul at no ahead 2\n"));
        QCOMPARE(lines(annotate, "m"), std::string("annotate m grain 15\n"));
        QCOMPARE(lines(annotate, "ni"), std::string());
        QCOMPARE(lines(stream, "matmul"), std::string("stream matmul\n"));
    }
};

NW_TEST_MAIN(tst_hints, TestHints)
#include "tst_hints.moc"
