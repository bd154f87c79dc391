// Steps behind the end of a loop: pad, and the tails of split that are made of it or become masks.

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/schedule/interpret_nest.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/rewrite_nest.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/random_scripts.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

#include <cmath>
#include <limits>
#include <map>
#include <set>

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

// Any step, with a liking for tails, copies and padded steps.
std::string anyStep(const LoopNest& nest, Random& random, int& counter)
{
    const std::vector<const Loop*> loops = nest.allLoops();
    const std::vector<LoopNest::Path> blocks = nest.blocks();
    static const std::vector<std::string> kScopes{"registers", "stack", "heap"};
    static const std::vector<std::string> kTails{"", " tail peel", " tail shift", " tail pad", " tail pad", " tail mask"};
    const std::string loop = loops[random.below(loops.size())]->name;
    const LoopNest::Path& path = blocks[random.below(blocks.size())];
    const std::string block = path.block->name;
    const std::string around = path.loops.empty() ? loop : path.loops[random.below(path.loops.size())]->name;
    const std::string scope = kScopes[random.below(kScopes.size())];
    const std::string name = "v" + std::to_string(++counter);
    switch (random.below(10)) {
    case 0:
    case 1: return format("pad {} to multiple {}", loop, random.between(1, 8));
    case 2: return format("pad {} to extent {}", loop, random.between(1, 14));
    case 3:
    case 4: return format("split {} into {}o {}i:{}{}", loop, name, name, random.between(1, 5), kTails[random.below(kTails.size())]);
    case 5: return format("cache_write {} at {} in {}", block, around, scope);
    case 6: {
        const std::string& buffer = nest.buffers[random.below(nest.buffers.size())].name;
        return format("cache_read {} at {} in {}", buffer, around, scope);
    }
    default: break;
    }
    const std::vector<Offer> offered = offers(nest, random.below(2) == 0 ? loop : block, allPrimitives(), smallContext());
    return offered.empty() ? "unroll " + loop : offered[random.below(offered.size())].text;
}

// The tiles of a matrix product whose extents no tile divides.
const std::string kTiles = "split m into mo mi:4\nsplit n into no ni:8\nreorder mo no k mi ni\ncache_write matmul at no in registers\n";

} // namespace

class TestPad : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rewrites_data()
    {
        addRewrites({
            {"pad: rows of a tile", "matmul", "plain", "reorder m k n\ncache_write matmul at m in stack", "pad m to multiple 16",
             "m in 0..32 (tail) with matmul.stack f32[1, 20] in stack\n"
             "  k in 0..24\n"
             "    n in 0..20\n"
             "      matmul: matmul.stack[0, n] += A[min(m, 29), k] * B[k, n]\n"
             "  matmul.wb.n in 0..20\n"
             "    matmul.wb: Y[m, matmul.wb.n] = matmul.stack[0, matmul.wb.n] if m < 30\n",
             ""},
            {"pad: columns of a tile", "matmul", "plain", "reorder m k n\ncache_write matmul at m in stack", "pad n to multiple 16",
             "B f32[24, 20] as plain border 0 0:12\n"
             "m in 0..30 with matmul.stack f32[1, 32] in stack\n"
             "  k in 0..24\n"
             "    n in 0..32\n"
             "      matmul: matmul.stack[0, n] += A[m, k] * B[k, n]\n"
             "  matmul.wb.n in 0..20\n"
             "    matmul.wb: Y[m, matmul.wb.n] = matmul.stack[0, matmul.wb.n]\n",
             ""},
            {"pad: an intermediate", "chain", "plain", "", "pad d0 to multiple 8",
             "d0 in 0..40\n"
             "  d1 in 0..10\n"
             "    add: add[d0, d1] = X[min(d0, 32), d1] + 1.0\n"
             "mul.d0 in 0..33\n"
             "  mul.d1 in 0..10\n"
             "    mul: Y[mul.d0, mul.d1] = add[mul.d0, mul.d1] * 2.0\n",
             ""},
            {"pad: steps of a reduction", "matmul", "plain", "", "pad k to extent 32",
             "m in 0..30\n"
             "  n in 0..20\n"
             "    k in 0..32\n"
             "      matmul: Y[m, n] += select(k < 24, A[m, k] * B[k, n], 0.0)\n",
             ""},
            {"pad: the guard of a tail goes", "matmul", "plain", kTiles.c_str(), "pad mi to extent 4",
             "mo in 0..8\n"
             "  no in 0..3 with matmul.reg f32[4, 8] in registers\n"
             "    k in 0..24\n"
             "      mi in 0..4\n"
             "        ni in 0..8 (tail)\n"
             "          matmul: matmul.reg[mi, ni] += A[min(mo * 4 + mi, 29), k] * B[k, no * 8 + ni] if no * 8 + ni < 20\n"
             "    matmul.wb.m in 0..4 (tail)\n"
             "      matmul.wb.n in 0..8 (tail)\n"
             "        matmul.wb: Y[mo * 4 + matmul.wb.m, no * 8 + matmul.wb.n] = matmul.reg[matmul.wb.m, matmul.wb.n] if mo * 4 + matmul.wb.m < 30 && no * 8 + matmul.wb.n < 20\n",
             ""},
            {"pad: a copy", "matmul_in", "plain", "split n into no ni:8\nreorder no m k ni\ncache_read B at no in stack",
             "pad B.c.n to extent 8",
             "no in 0..3 with B.stack f32[24, 8] in stack\n"
             "  B.c.k in 0..24\n"
             "    B.c.n in 0..8\n"
             "      B.read: B.stack[B.c.k, B.c.n] = select(no * 8 + B.c.n < 20, B[B.c.k, no * 8 + B.c.n], 0.0)\n"
             "  m in 0..30\n"
             "    k in 0..24\n"
             "      ni in 0..8 (tail)\n"
             "        matmul: Y[m, no * 8 + ni] += A[m, k] * B.stack[k, ni] if no * 8 + ni < 20\n",
             ""},
            {"pad: behind a copy that is padded", "matmul_in", "plain",
             "split n into no ni:8\nreorder no m k ni\ncache_read B at no in stack\npad B.c.n to extent 8\ncache_write matmul at m in stack",
             "pad ni to extent 8",
             "no in 0..3 with B.stack f32[24, 8] in stack\n"
             "  B.c.k in 0..24\n"
             "    B.c.n in 0..8\n"
             "      B.read: B.stack[B.c.k, B.c.n] = select(no * 8 + B.c.n < 20, B[B.c.k, no * 8 + B.c.n], 0.0)\n"
             "  m in 0..30 with matmul.stack f32[1, 8] in stack\n"
             "    k in 0..24\n"
             "      ni in 0..8\n"
             "        matmul: matmul.stack[0, ni] += A[m, k] * B.stack[k, ni]\n"
             "    matmul.wb.n in 0..8 (tail)\n"
             "      matmul.wb: Y[m, no * 8 + matmul.wb.n] = matmul.stack[0, matmul.wb.n] if no * 8 + matmul.wb.n < 20\n",
             ""},
            {"pad: a picture with a border of tests", "conv", "plain", "", "pad ow to multiple 4",
             "oc in 0..8\n"
             "  oh in 0..9\n"
             "    ow in 0..12\n"
             "      ic in 0..6\n"
             "        kh in 0..3\n"
             "          kw in 0..3\n"
             "            conv: conv[0, oc, oh, ow] += select(kh + oh >= 1 && kh + oh < 10 && kw + ow >= 1 && kw + ow < 11, X[0, ic, kh + oh - 1, kw + ow - 1], 0.0) * W[oc, ic, kh, kw]\n"
             "relu.oc in 0..8\n"
             "  relu.oh in 0..9\n"
             "    relu.ow in 0..10\n"
             "      relu: Y[0, relu.oc, relu.oh, relu.ow] = max(conv[0, relu.oc, relu.oh, relu.ow] + B[relu.oc], 0.0)\n",
             ""},
            {"split: the loop padded first", "chain", "plain", "", "split d0 into o i:8 tail pad",
             "o in 0..5\n"
             "  i in 0..8\n"
             "    d1 in 0..10\n"
             "      add: add[o * 8 + i, d1] = X[min(o * 8 + i, 32), d1] + 1.0\n"
             "mul.d0 in 0..33\n"
             "  mul.d1 in 0..10\n"
             "    mul: Y[mul.d0, mul.d1] = add[mul.d0, mul.d1] * 2.0\n",
             "d0 -> o i"},
            {"split: masks", "matmul", "plain", "reorder m k n", "split n into no ni:8 tail mask",
             "m in 0..30\n"
             "  k in 0..24\n"
             "    no in 0..3\n"
             "      vector ni in 0..8 (tail)\n"
             "        matmul: Y[m, no * 8 + ni] += A[m, k] * B[k, no * 8 + ni] if no * 8 + ni < 20\n",
             "n -> no ni"},
        });
    }
    void rewrites() { checkRewrite(); }

    void keepsTheAnswer_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        struct Row {
            const char* definition;
            std::string script;
        };
        const std::vector<Row> rows = {
            {"matmul", kTiles + "pad mi to extent 4\npad ni to extent 8\nvectorize ni\nunroll mi\nparallel mo"},
            {"matmul_in", kTiles + "pad mi to extent 4\npad ni to extent 8\nvectorize ni\nunroll mi\nparallel mo no"},
            {"matmul_relu", kTiles + "pad mi to extent 4\npad ni to extent 8\nvectorize ni\nreverse_compute_at relu at no"},
            {"matmul", "split k into ko ki:7 tail pad\nunroll ki\nreorder ko m n ki\nparallel m"},
            {"matmul_relu", "pad m to multiple 8\npad n to multiple 16\nset_layout matmul as (m, n) -> (n / 8, m, n % 8)"},
            {"conv", "pad ow to multiple 4\npad oc to multiple 16\npad oh to extent 12\nreverse_compute_at relu at oh"},
            {"conv", "pad ow to multiple 4\npad oc to multiple 16\ncompute_at conv at relu.ow"},
            {"softmax", "pad d1 to multiple 8\npad d0 to multiple 4\npad shift.d1 to multiple 16\npad sum.d1 to multiple 16"},
            {"matmul", "reorder m k n\ncache_write matmul at m in stack\nparallel m\nvectorize n\npad m to multiple 4\npad n to multiple 8"},
            {"padded", "pad i to multiple 8\ncache_write blur at blur.i in stack\nsplit blur.i into o ii:5 tail pad"},
            {"stencil", "pad y to multiple 16\npad x to multiple 16\ntile add.y add.x into yo xo yi:20 xi:20\ncompute_at f at xo"},
        };
        for (const Row& row : rows) {
            QTest::addRow("%s: %s", row.definition, row.script.c_str()) << std::string(row.definition) << row.script;
        }
    }

    void keepsTheAnswer()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        const LoopNest first = nestOf(definitionText(definition));
        const LoopNest now = after(first, script);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const std::string fault = differs(first, now, seed);
            QVERIFY2(fault.empty(), (fault + "\n" + toText(now)).c_str());
        }
    }

    // Infinite factors where steps of the reduction end, and sums of rows that nobody asked for: no NaN comes of either.
    void infinities()
    {
        const LoopNest first = nestOf(definitionText("matmul_in"));
        std::vector<Tensor> inputs = {*Tensor::create(DType::F32, {30, 24}), *Tensor::create(DType::F32, {24, 20})};
        for (Tensor& input : inputs) {
            for (std::int64_t i = 0; i < input.count(); ++i) {
                const bool last = i / input.shape()[1] == input.shape()[0] - 1 || i % input.shape()[1] == input.shape()[1] - 1;
                input.mutableData<float>()[static_cast<std::size_t>(i)] = last ? std::numeric_limits<float>::infinity() : 1.0F;
            }
        }
        const Result<std::vector<Tensor>> wanted = interpretNest(first, inputs);
        const LoopNest now = after(first, "split k into ko ki:5 tail pad\n" + std::string("split n into no ni:8\nreorder m no ko ki ni\ncache_write matmul at no in registers\n") + "pad ni to extent 8\n");
        const Result<std::vector<Tensor>> got = interpretNest(now, inputs);
        VERIFY_OK(wanted);
        VERIFY_OK(got);
        for (std::int64_t i = 0; i < wanted->front().count(); ++i) {
            QCOMPARE(got->front().asDouble(i), wanted->front().asDouble(i));
        }
        const std::string maximum = toText(after(nestOf(definitionText("softmax")), "pad d1 to multiple 4\n"));
        QVERIFY2(maximum.find("max[d0] max= select(d1 < 10, X[d0, d1], -inf)") != std::string::npos, maximum.c_str());
    }

    // A constant's border of zeros, and a layout that has no room for one.
    void constants()
    {
        const LoopNest tile = after(nestOf(definitionText("matmul")), "reorder m k n\ncache_write matmul at m in stack\n");
        const LoopNest bordered = after(tile, "pad n to multiple 8\n");
        QCOMPARE(bordered.buffer("B")->layout.toText(), std::string("plain border 0 0:4"));
        const LoopNest packed = after(tile, "set_layout B as (k, n) -> (k * 20 + n)\npad n to multiple 8\n");
        QVERIFY(packed.buffer("B")->layout.border.empty());
        QVERIFY2(toText(packed).find("select(n < 20, B[k, n], 0.0)") != std::string::npos, toText(packed).c_str());
        QCOMPARE(differs(tile, packed, 1), std::string());
        const LoopNest blocked = after(tile, "set_layout B as (k, n) -> (n / 8, k, n % 8)\npad n to multiple 8\n");
        QCOMPARE(*blocked.buffer("B")->layout.memoryShape({24, 20}), (std::vector<std::int64_t>{3, 24, 8}));
        QCOMPARE(differs(tile, blocked, 1), std::string());
    }

    void randomScripts_data()
    {
        QTest::addColumn<std::string>("definition");
        for (const char* name : {"tiny_matmul", "tiny_conv", "tiny_stencil", "tiny_branches", "softmax", "chain", "behind", "ahead",
                                 "padded", "residual", "late"}) {
            QTest::newRow(name) << std::string(name);
        }
    }

    // What is not refused leaves a sound nest with the same results, in any order of parallel and vector loops.
    void randomScripts()
    {
        QFETCH(std::string, definition);
        const LoopNest first = nestOf(definitionText(definition));
        std::map<std::string, int> used;
        for (std::uint64_t seed = 1; seed <= draws(60); ++seed) {
            Random random(seed * 7919);
            const std::string fault = randomScript(first, random, {9, 50}, seed, &anyStep, used);
            QVERIFY2(fault.empty(), fault.c_str());
        }
        QVERIFY(kSanitized || used.contains("pad"));
    }

    // Guards alone: said with a step that would change it, and applied all the same.
    void pointless_data()
    {
        addRefusals({
            {"matmul", "", "pad n to multiple 8", "pad.port",
             "pad: matmul writes Y, an argument of the kernel, and nothing may be written behind its elements; a tile of its own could hold them",
             "cache_write matmul at n in registers"},
            {"softmax", "decompose_reduction max at d1", "pad d0 to multiple 4", "pad.shared",
             "pad: max.init shares elements of max with other blocks, or reads what they leave out in padded steps of d0"},
            {"quotient", "", "pad i to multiple 4", "pad.division",
             "pad: div divides by numbers that it reads, and in padded steps of i they may be 0"},
            {"chain", "split d0 into o i:11", "pad i to multiple 4", "pad.steps",
             "pad: more steps of i would only do over what add does in others, or have no place in add"},
            {"wide_tile", "split n into a:2 c:250", "pad c to multiple 400", "pad.steps",
             "pad: more steps of c would only do over what add does in others, or have no place in add"},
            {"matmul", "", "pad m to multiple 10", "pad.already", "pad: the 30 steps of m are what was asked for, without a guard"},
        });
    }

    void pointless()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, setup);
        QFETCH(std::string, step);
        QFETCH(std::string, rule);
        QFETCH(std::string, message);
        QFETCH(std::string, unlock);
        const LoopNest first = nestOf(definitionText(definition));
        const LoopNest nest = after(first, setup);
        const Result<Replay> done = steps(nest, step);
        VERIFY_OK(done);
        const Check& check = done->steps.back().check;
        QCOMPARE(check.verdict, Verdict::Pointless);
        QCOMPARE(check.why.rule, rule);
        QCOMPARE(fillWords(check.why.words, check.why.operands), message);
        QCOMPARE(join(check.why.unlocks, "; "), unlock);
        QCOMPARE(differs(first, done->nest(), 2), std::string());
        if (!unlock.empty()) {
            const Result<Replay> both = steps(nest, unlock + "\n" + step);
            VERIFY_OK(both);
            QCOMPARE(both->steps.back().check.verdict, Verdict::Legal);
        }
    }

    void refuses_data()
    {
        addRefusals({
            {"matmul", "", "pad q to multiple 4", "pad.no_loop", "pad: there is no loop q"},
            {"matmul", "", "pad m to multiple 0", "pad.not_positive", "pad: m cannot be padded to 0 steps; say at least 1"},
            {"matmul", "", "pad m to extent 29", "pad.shorter", "pad: m has 30 steps already, more than 29"},
            {"matmul", "", "pad m to multiple 1000", "pad.too_far", "pad: 1000 would give m more than 8 times its 30 steps"},
            {"wide_tile", "vectorize n", "pad n to multiple 96", "pad.has_kind",
             "pad: n is already vector, which it could not be then; pad it before that step"},
            {"matmul", "reorder m k n\ncache_write matmul at m in stack\nvectorize n", "pad matmul.wb.n to multiple 8", "pad.follows",
             "pad: matmul.wb.n is vector because n is, which has as many steps; pad it before that step"},
            {"matmul", "reorder m k n\ncache_write matmul at m in registers", "pad n to multiple 80", "pad.too_large",
             "pad: the tile of matmul.reg has 80 elements, 20 vectors of 4, but there are 16 registers"},
            {"matmul", "", "split n into no ni:8 tail mask", "vectorize.not_innermost",
             "vectorize: ni has k inside; only an innermost loop can be a vector loop", "reorder k n"},
            {"matmul", "", "split k into ko ki:7 tail mask", "vectorize.reduction",
             "vectorize: ki counts steps of the reduction over k in matmul; its steps add to one element and cannot run at once"},
        });
    }
    void refuses() { checkRefusal(); }

    // Ways to treat a tail are offered where there is one, and padding where it saves a guard.
    void offered()
    {
        const auto texts = [](const LoopNest& nest, const std::string& at) {
            std::set<std::string> found;
            for (const Offer& offer : offers(nest, at, allPrimitives(), smallContext())) {
                found.insert(offer.text);
            }
            return found;
        };
        const LoopNest first = nestOf(definitionText("matmul"));
        const std::set<std::string> plain = texts(first, "m");
        for (const char* tail : {"", " tail peel", " tail shift"}) {
            QVERIFY2(plain.contains(format("split m into mo:_ mi:4{}", tail)), tail);
        }
        QVERIFY(!plain.contains("split m into mo:_ mi:4 tail pad") && !plain.contains("split m into mo:_ mi:5 tail peel"));
        const LoopNest tiles = after(first, "cache_write matmul at n in registers\n");
        QVERIFY(texts(tiles, "m").contains("split m into mo:_ mi:4 tail pad"));
        QVERIFY(texts(tiles, "m").contains("pad m to multiple 4"));
        QVERIFY(texts(after(tiles, "split m into mo mi:4\n"), "mi").contains("pad mi to extent 4"));
    }

    // What the parser does not let through, and an extent that is no number yet.
    void refusesWithoutAScript()
    {
        const auto rule = [](const LoopNest& nest, const char* goal) {
            return pad.check(nest, {{std::string("m"), std::string(goal), std::int64_t{8}}}, smallContext()).why.rule;
        };
        LoopNest nest = nestOf(definitionText("matmul"));
        QCOMPARE(rule(nest, "tile"), std::string("pad.goal"));
        changeLoop(nest, nest.findLoop("m").loop->id, [](Loop& loop) { loop.extent = var("batch"); });
        QCOMPARE(rule(nest, "multiple"), std::string("pad.symbolic"));
    }
};

NW_TEST_MAIN(tst_pad, TestPad)
#include "tst_pad.moc"
