// What a nest computes stays the same under every step: seeded random scripts, unlocks that keep their promise, and
// cases from the field.

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/schedule/interpret_nest.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/rewrite_nest.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/random_scripts.h"
#include "tests/support/test.h"

#include <algorithm>
#include <chrono>
#include <map>

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

// A step that makes sense by its kinds, legal or not.
std::string anyStep(const LoopNest& nest, Random& random, int& counter)
{
    const std::vector<const Loop*> loops = nest.allLoops();
    const std::vector<LoopNest::Path> blocks = nest.blocks();
    const auto loop = [&] { return loops[random.below(loops.size())]; };
    const auto block = [&] { return blocks[random.below(blocks.size())].block->name; };
    const std::string name = "v" + std::to_string(++counter);
    switch (random.below(12)) {
    case 0:
    case 1:
        return format("split {} into {}o {}i:{}", loop()->name, name, name, random.between(1, 7));
    case 2:
        return format("split {} into {}a {}b:{} {}c:{}", loop()->name, name, name, random.between(1, 3), name, random.between(1, 4));
    case 3: {
        const Loop* outer = loop();
        const Loop* inner = outer->body.front()->loop();
        return inner == nullptr ? format("unroll {}", outer->name) : format("fuse {} {} into {}", outer->name, inner->name, name);
    }
    case 4:
    case 5: {
        std::vector<std::string> order;
        for (const Loop* l = loop(); l != nullptr; l = l->body.front()->loop()) {
            order.push_back(l->name);
        }
        for (std::size_t i = order.size(); i > 1; --i) {
            std::swap(order[i - 1], order[random.below(i)]);
        }
        return "reorder " + join(order, " ");
    }
    case 6: return "vectorize " + loop()->name;
    case 7: return "unroll " + loop()->name;
    case 8: return "parallel " + loop()->name;
    case 9: {
        static const std::vector<std::string> kScopes{"registers", "stack", "heap"};
        const LoopNest::Path& path = blocks[random.below(blocks.size())];
        const Loop* at = path.loops.empty() ? loop() : path.loops[random.below(path.loops.size())];
        return format("cache_write {} at {} in {}", path.block->name, at->name, kScopes[random.below(3)]);
    }
    case 10: return format("compute_at {} at {}", block(), loop()->name);
    default: return format("reverse_compute_at {} at {}", block(), loop()->name);
    }
}

} // namespace

class TestAnswers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsTheAnswer_data()
    {
        QTest::addColumn<std::string>("definition");
        for (const char* name : {"tiny_matmul", "tiny_conv", "tiny_stencil", "tiny_branches", "softmax", "chain"}) {
            QTest::newRow(name) << std::string(name);
        }
    }

    // Up to 12 steps drawn at random; whatever is not refused must leave a sound nest with the same results, in any
    // order of parallel and vector loops.
    void keepsTheAnswer()
    {
        QFETCH(std::string, definition);
        const LoopNest first = nestOf(definitionText(definition));
        std::map<std::string, int> used;
        for (std::uint64_t seed = 1; seed <= draws(40); ++seed) {
            Random random(seed * 7919);
            const std::uint64_t length = 3 + random.below(10);
            const std::string fault = randomScript(first, random, {length, length * 4}, seed, &anyStep, used, Unlocks::Left);
            QVERIFY2(fault.empty(), fault.c_str());
        }
        int applied = 0;
        for (const auto& [primitive, times] : used) {
            applied += times;
        }
        QVERIFY2(kSanitized || applied > 60, std::to_string(applied).c_str());
        QVERIFY(kSanitized || used.size() >= 6);
    }

    // Every refusal met on the way that names a step to take first tells the truth.
    void unlocksAreTrue()
    {
        int met = 0;
        for (const char* name : {"matmul_relu", "conv", "softmax"}) {
            for (std::uint64_t seed = 1; seed <= draws(60); ++seed) {
                Random random(seed);
                int counter = 0;
                LoopNest nest = nestOf(definitionText(name));
                for (int i = 0; i < 8; ++i) {
                    const std::string line = anyStep(nest, random, counter);
                    const Result<Replay> done = steps(nest, line);
                    if (done) {
                        nest = done->nest();
                        continue;
                    }
                    if (done.error().refusal == nullptr) {
                        continue;
                    }
                    for (const std::string& unlock : done.error().refusal->unlocks) {
                        const Result<Replay> both = steps(nest, unlock + "\n" + line + "\n");
                        QVERIFY2(both.has_value(), both ? "" : (line + " after " + unlock + ": " + both.error().message).c_str());
                        ++met;
                    }
                }
            }
        }
        QVERIFY2(met > 5, std::to_string(met).c_str());
    }

    // A non-dividing split around a reduction: the guard holds for its initial value too.
    void case_29()
    {
        const LoopNest rows = nestOf(definitionText("rows"));
        const LoopNest moved = after(rows, "split copy.i into io ii:100\ncompute_at sum at ii\n");
        QCOMPARE(differs(rows, moved, 1), std::string());
        const LoopNest outer = after(rows, "split copy.i into io ii:100\ncompute_at sum at io\n");
        QCOMPARE(differs(rows, outer, 1), std::string());
        QVERIFY2(toText(outer).find("if io * 100 + sum.i < 101") != std::string::npos, toText(outer).c_str());
        // Without a guard: sums that nobody asked for are kept where nobody looks.
        const LoopNest padded = after(rows, "split i into io ii:100 tail pad\nsplit k into ko ki:100 tail pad\n");
        QCOMPARE(differs(rows, padded, 1), std::string());
        QCOMPARE(padded.buffer("sum")->shape, std::vector<std::int64_t>{200});
        const LoopNest masked = after(rows, "split copy.i into io ii:100 tail mask\ncompute_at sum at io\n");
        QCOMPARE(differs(rows, masked, 1), std::string());
        // A loop of one step cut into 20 must not set the sum to 0 again.
        const LoopNest total = nestOf(definitionText("sum"));
        const LoopNest cut = after(total, "split k into ko ki:1\nsplit ki into a:_ b:20\n");
        QCOMPARE(differs(total, cut, 3), std::string());
        const LoopNest over = after(total, "split k into ko ki:1\nsplit ki into a:_ b:20 tail pad\n");
        QCOMPARE(differs(total, over, 3), std::string());
        const LoopNest longer = after(total, "split k into ko:7 ki:20 tail pad\n");
        QCOMPARE(differs(total, longer, 3), std::string());
    }

    void case_30()
    {
        for (const int extent : {1, 15, 16, 17, 28, 31}) {
            const LoopNest first = nestOf(format("definition sum\ninput A f32 [{0}, 5]\noutput X f32 [{0}]\n"
                                                 "stage sum -> X f32 [i:{0}] sum [k:5] from 0.0 =\n    A[i, k]\n",
                                                 extent));
            const std::string loop = first.allLoops().front()->name;
            if (extent == 1) {
                QCOMPARE(loop, std::string("k"));
                continue;
            }
            const LoopNest cached = after(first, "split i into io ii:16\ncache_write sum at io in stack\n");
            QCOMPARE(differs(first, cached, 2), std::string());
            const LoopNest vector
                = after(first, "split i into io ii:16\nreorder k ii\ncache_write sum at io in registers\nvectorize ii\n");
            QCOMPARE(differs(first, vector, 2), std::string());
            const LoopNest padded = after(first, "cache_write sum at i in heap\nsplit i into io ii:16 tail pad\n");
            QCOMPARE(differs(first, padded, 2), std::string());
            const LoopNest masked = after(first, "reorder k i\nsplit i into io ii:16 tail mask\n");
            QCOMPARE(differs(first, masked, 2), std::string());
        }
    }

    void case_31()
    {
        const LoopNest sum = nestOf(definitionText("sum"));
        const LoopNest matmul = nestOf(definitionText("matmul"));
        const auto refusal = [&](const LoopNest& nest, const std::string& script) {
            const Result<Replay> done = steps(nest, script);
            return done ? std::string("accepted") : done.error().message;
        };
        QCOMPARE(refusal(sum, "vectorize k"),
                 std::string("vectorize: k counts steps of the reduction over k in sum; its steps add to one element and cannot run at once"));
        QCOMPARE(refusal(sum, "parallel k"),
                 std::string("parallel: k counts steps of the reduction over k in sum; threads would add to one element at the same time"));
        QCOMPARE(refusal(sum, "unroll k"), std::string("accepted"));
        QCOMPARE(refusal(matmul, "fuse n k into f\nvectorize f"),
                 std::string("vectorize: f has 480 steps, more than 256; split it first"));
        QCOMPARE(refusal(matmul, "fuse n k into f\nparallel f"),
                 std::string("parallel: f counts steps of the reduction over k in matmul; threads would add to one element at the same time"));
        QCOMPARE(refusal(matmul, "reorder k n\nvectorize n"), std::string("accepted"));
        QCOMPARE(differs(matmul, after(matmul, "reorder k n\nvectorize n"), 5), std::string());
    }

    void case_34()
    {
        const LoopNest copy = nestOf("definition copy\ninput X f32 [16]\noutput G f32 [16]\n"
                                     "stage copy -> G f32 [x:16] =\n    X[x]\n");
        const LoopNest nested = after(copy, "split x into xo xi:2\nsplit xi into a b:4\nreorder b xo a\n");
        QCOMPARE(differs(copy, nested, 1), std::string());
        for (const int factor : {1, 16, 17}) {
            const LoopNest once = after(copy, format("split x into xo xi:{}\nreorder xi xo\n", factor));
            QCOMPARE(differs(copy, once, 1), std::string());
        }
        const LoopNest masks = after(copy, "split x into xo xi:2\nsplit xi into a b:4 tail mask\n");
        QCOMPARE(differs(copy, masks, 1), std::string());
        // Two steps of a slice do not become four of which two are the next slice's.
        const LoopNest slices = after(copy, "cache_write copy at x in stack\nsplit x into xo xi:2\n");
        const LoopNest longer = after(slices, "split xi into a b:4 tail pad");
        QCOMPARE(differs(copy, longer, 1), std::string());
        QVERIFY2(toText(longer).find("if b < 2") != std::string::npos, toText(longer).c_str());
        const LoopNest all = after(copy, "cache_write copy at x in stack\nsplit x into xo xi:17 tail pad\n");
        QCOMPARE(differs(copy, all, 1), std::string());
        for (const int factor : {0, -1}) {
            const Result<Replay> done = steps(copy, format("split x into xo xi:{}", factor));
            QVERIFY(!done);
            QCOMPARE(done.error().message, format("split: xi must have at least 1 step, not {}", factor));
        }
    }

    // Storage that several parallel steps would share is private or refused.
    void case_36()
    {
        const LoopNest first = nestOf(definitionText("stencil"));
        const std::string tiles = "tile add.y add.x into yo xo yi:16 xi:16\n";
        const LoopNest inside = after(first, tiles + "compute_at f at xo\nparallel yo xo\n");
        QCOMPARE(inside.buffer("f")->scope, Scope::Stack);
        QCOMPARE(inside.buffer("f")->atLoop, std::string("xo"));
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            QCOMPARE(differs(first, inside, seed), std::string());
        }
        const Result<Replay> fused = steps(first, "fuse x r into xr\nparallel xr\n");
        QVERIFY(!fused);
        QCOMPARE(fused.error().refusal->rule, std::string("parallel.reduction"));
        // A tile on the heap serves one step after the other, not several at once.
        const LoopNest matmul = nestOf(definitionText("matmul"));
        const Result<Replay> shared = steps(matmul, "cache_write matmul at m in heap\nparallel m\n");
        QVERIFY(!shared);
        QCOMPARE(shared.error().message,
                 std::string("parallel: several steps of m write the same element of matmul.heap in matmul; only the last would count"));
    }

    void case_37()
    {
        const LoopNest large = nestOf("definition copy\ninput X f32 [32, 32, 64]\noutput G f32 [32, 32, 64]\n"
                                      "stage copy -> G f32 [a:32, b:32, c:64] =\n    X[a, b, c]\n");
        const Result<Replay> three = steps(large, "unroll c\nunroll b\nunroll a\n");
        QVERIFY(!three);
        QCOMPARE(three.error().message,
                 std::string("unroll: a would give 65536 statements, more than 4096; split it and unroll the inner part"));
        QCOMPARE(three.error().line, 3);
        // Both parts of an unrolled loop are unrolled, to no more copies than before.
        const LoopNest later = after(large, "unroll c\nsplit c into co ci:8\n");
        QCOMPARE(later.findLoop("co").loop->kind, LoopKind::Unrolled);
        QCOMPARE(later.findLoop("ci").loop->kind, LoopKind::Unrolled);
        QCOMPARE(differs(nestOf(definitionText("rows")), after(nestOf(definitionText("rows")), "unroll i\nsplit i into io ii:8\n"), 1), std::string());
        const LoopNest million = nestOf("definition copy\ninput X f32 [1000000]\noutput G f32 [1000000]\n"
                                        "stage copy -> G f32 [a:1000000] =\n    X[a]\n");
        QVERIFY(!steps(million, "unroll a"));
        // Of a space only what keeps to the limit is left.
        const Result<Script> script = parseScript("knob u = {8, 4096, 1000000}\nsplit a into b c:?u\nunroll c\n", allPrimitives(), smallContext());
        VERIFY_OK(script);
        std::vector<bool> fits;
        for (const KnobValues& values : *allChoices(*script, 10)) {
            fits.push_back(replay(million, *script, values, smallContext()).has_value());
        }
        QCOMPARE(fits, (std::vector<bool>{true, true, false}));
        // An extent that is no number has no number of copies.
        LoopNest open = nestOf(definitionText("rows"));
        changeLoop(open, open.findLoop("i").loop->id, [](Loop& loop) { loop.extent = var("n"); });
        QCOMPARE(unroll.check(open, {{std::string("i")}}, smallContext()).why.rule, std::string("unroll.symbolic"));
    }

    // 65536 x 65536 steps are counted in 64 bits.
    void case_39()
    {
        const LoopNest wide = nestOf("definition copy\ninput X f32 [65536, 65536]\noutput G f32 [65536, 65536]\n"
                                     "stage copy -> G f32 [a:65536, b:65536] =\n    X[a, b]\n");
        const LoopNest fused = after(wide, "fuse a b into f\n");
        QCOMPARE(*constantExtent(*fused.findLoop("f").loop), std::int64_t{65536} * 65536);
        QCOMPARE(toText(fused), std::string("f in 0..4294967296\n  copy: G[f / 65536, f % 65536] = X[f / 65536, f % 65536]\n"));
        QVERIFY(steps(fused, "split f into fo fi:8\nvectorize fi\nparallel fo\n").has_value());
    }

    // The whole way of a tuned convolution, and what its steps cost.
    void costs()
    {
        const LoopNest first = nestOf("definition conv\ninput X f32 [1, 64, 56, 56]\nconstant W f32 [64, 64, 3, 3]\n"
                                      "constant B f32 [64]\noutput Y f32 [1, 64, 56, 56]\n"
                                      "stage conv f32 [n:1, oc:64, oh:56, ow:56] sum [ic:64, kh:3, kw:3] from 0.0 =\n"
                                      "    select(oh + kh >= 1 && oh + kh < 57 && ow + kw >= 1 && ow + kw < 57, "
                                      "X[n, ic, oh + kh - 1, ow + kw - 1], 0.0) * W[oc, ic, kh, kw]\n"
                                      "stage relu -> Y f32 [n:1, oc:64, oh:56, ow:56] =\n"
                                      "    max(conv[n, oc, oh, ow] + B[oc], 0.0)\n");
        Target target = smallTarget();
        target.vectorBytes = 64;
        target.vectorRegisters = 32;
        const Context context{&target};
        const std::string script = "split oc into oco oci:lanes(f32)\nsplit ow into owo owi:14\nsplit ic into ico ici:8\n"
                                   "reorder oco oh owo ico kh kw ici owi oci\ncache_write conv at owo in registers\n"
                                   "reverse_compute_at relu at owo\nvectorize oci\nunroll owi\nunroll ici\nparallel oco oh\n";
        const auto start = std::chrono::steady_clock::now();
        const LoopNest nest = after(first, script, context);
        const auto middle = std::chrono::steady_clock::now();
        std::size_t count = 0;
        for (const Loop* loop : nest.allLoops()) {
            count += offers(nest, loop->name, allPrimitives(), context).size();
        }
        const auto end = std::chrono::steady_clock::now();
        using Milliseconds = std::chrono::duration<double, std::milli>;
        const double aStep = Milliseconds(middle - start).count() / 10;
        const double aLoop = Milliseconds(end - middle).count() / static_cast<double>(nest.allLoops().size());
        qInfo("a step with its checks %.3f ms, legality of all primitives for a loop %.3f ms (%zu offers)", aStep, aLoop, count);
        QVERIFY(count > 10);
        QVERIFY2(aLoop < 50.0 * 4, std::to_string(aLoop).c_str()); // 50 ms, with room for a busy machine
    }
};

NW_TEST_MAIN(tst_answers, TestAnswers)
#include "tst_answers.moc"
