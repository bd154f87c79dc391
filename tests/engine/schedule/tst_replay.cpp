// Replaying scripts: the first refused step and its place, forward maps, cached prefixes and what they cost, offers, the
// default rule.

#include "engine/base/text.h"
#include "engine/schedule/script.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

#include <algorithm>
#include <chrono>

using namespace nw;
using namespace nw::schedule;

namespace {

Target fixedTarget()
{
    Target target;
    target.name = "test";
    target.vectorBytes = 64;
    target.vectorRegisters = 32;
    target.cores = 2;
    return target;
}

const Target kTarget = fixedTarget();
const Context kContext{&kTarget};

LoopNest nestOf(const std::string& text)
{
    const Result<compute::Definition> parsed = compute::parseDefinition(text);
    ENSURE(parsed.has_value(), parsed ? "" : parsed.error().message);
    const auto definition = std::make_shared<const compute::Definition>(*parsed);
    const Result<LoopNest> nest = initialNest(definition, std::vector<Layout>(definition->ports.size()));
    ENSURE(nest.has_value(), nest ? "" : nest.error().message);
    return *nest;
}

const std::string kConv = "definition conv\ninput X f32 [1, 64, 56, 56]\nconstant W f32 [64, 64, 3, 3]\nconstant B f32 [64]\n"
                          "output Y f32 [1, 64, 56, 56]\n"
                          "stage conv f32 [n:1, oc:64, oh:56, ow:56] sum [ic:64, kh:3, kw:3] from 0.0 =\n"
                          "    select(oh + kh >= 1 && oh + kh < 57 && ow + kw >= 1 && ow + kw < 57, "
                          "X[n, ic, oh + kh - 1, ow + kw - 1], 0.0) * W[oc, ic, kh, kw]\n"
                          "stage relu -> Y f32 [n:1, oc:64, oh:56, ow:56] =\n    max(conv[n, oc, oh, ow] + B[oc], 0.0)\n";

// Twenty steps; the last one is what an editor changes.
std::string twentySteps(int last)
{
    return format("split oc into oco:_ oci:16\n"
                  "split ow into owo:_ owi:14\n"
                  "split ic into ico:_ ici:8\n"
                  "reorder oco oh owo ico kh kw ici owi oci\n"
                  "vectorize oci\n"
                  "unroll owi\n"
                  "split oh into oho:_ ohi:8\n"
                  "split relu.oc into r.oco:_ r.oci:16\n"
                  "split relu.ow into r.owo:_ r.owi:14\n"
                  "reorder r.oco relu.oh r.owo r.owi r.oci\n"
                  "vectorize r.oci\n"
                  "split oco into oco.a:_ oco.b:2\n"
                  "split ico into ico.a:_ ico.b:2\n"
                  "split oho into oho.a:_ oho.b:7\n"
                  "set_layout W as (oc, ic, kh, kw) -> (oc / 16, ic, kh, kw, oc % 16)\n"
                  "split r.oco into r.oco.a:_ r.oco.b:2\n"
                  "split owo into owo.a:_ owo.b:2\n"
                  "unroll kw\n"
                  "parallel oco.a\n"
                  "split r.owo into r.owo.a:_ r.owo.b:{}\n",
                  last);
}

Result<Replay> replayed(const LoopNest& nest, const std::string& text)
{
    const Result<Script> script = parseScript(text, allPrimitives(), kContext);
    return script ? replay(nest, *script, {}, kContext) : Result<Replay>(script.error());
}

// A small convolution with an epilogue for several images.
std::string convOf(int batch)
{
    return format("definition conv\ninput X f32 [{0}, 3, 7, 7]\nconstant W f32 [16, 3, 3, 3]\nconstant B f32 [16]\noutput Y f32 [{0}, 16, 5, 5]\n"
                  "stage conv f32 [n:{0}, oc:16, oh:5, ow:5] sum [ic:3, kh:3, kw:3] from 0.0 =\n"
                  "    X[n, ic, oh + kh, ow + kw] * W[oc, ic, kh, kw]\n"
                  "stage relu -> Y f32 [n:{0}, oc:16, oh:5, ow:5] =\n    max(conv[n, oc, oh, ow] + B[oc], 0.0)\n",
                  batch);
}

double medianMicroseconds(std::vector<double>& times)
{
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    return times[times.size() / 2];
}

} // namespace

class TestReplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsAreKept()
    {
        const Result<Replay> one = replayed(nestOf(kConv), "# first\nsplit oc into oco oci:16\n");
        VERIFY_OK(one);
        QCOMPARE(one->steps.size(), std::size_t{1});
        QCOMPARE(one->steps[0].text, std::string("split oc into oco oci:16"));
        QCOMPARE(one->steps[0].line, 2);
        const LoopId oc = one->initial.findLoop("oc").loop->id;
        const LoopId oco = one->nest().findLoop("oco").loop->id;
        const LoopId oci = one->nest().findLoop("oci").loop->id;
        QCOMPARE(one->steps[0].forward.loops.at(oc), (std::vector<LoopId>{oco, oci}));
        QVERIFY(one->initial.findLoop("oc"));
        QCOMPARE(replayed(nestOf(kConv), "")->steps.size(), std::size_t{0});
    }

    void firstRefusedStepIsReported()
    {
        const Result<Replay> done = replayed(nestOf(kConv), "unroll kw\n\n  unroll kx\nunroll ky\n");
        QVERIFY(!done);
        QCOMPARE(done.error().kind, Error::Kind::Refused);
        QCOMPARE(done.error().line, 3);
        QCOMPARE(done.error().column, 3);
        QVERIFY(done.error().refusal != nullptr);
        QVERIFY2(done.error().message.find("kx") != std::string::npos, done.error().message.c_str());
        const Result<Replay> zero = replayed(nestOf(kConv), "split oc into a b:4 / 0\n");
        QVERIFY(!zero);
        QCOMPARE(zero.error().message, std::string("division by zero"));
        QCOMPARE(zero.error().line, 1);
    }

    void knobsTakeTheirValues()
    {
        const LoopNest nest = nestOf(kConv);
        const Result<Script> script = parseScript("split ow into a b:?t\nknob t = divisors(56) default 14\n", allPrimitives(),
                                                  kContext);
        VERIFY_OK(script);
        const Result<Replay> defaults = replay(nest, *script, {}, kContext);
        VERIFY_OK(defaults);
        QCOMPARE(constantExtent(*defaults->nest().findLoop("b").loop), std::optional<std::int64_t>(14));
        const Result<Replay> seven = replay(nest, *script, {{"t", 7}}, kContext);
        VERIFY_OK(seven);
        QCOMPARE(constantExtent(*seven->nest().findLoop("b").loop), std::optional<std::int64_t>(7));
        ReplayCache cache(nest, kContext);
        QCOMPARE(toText(cache.replay(*script, {{"t", 7}})->nest()), toText(seven->nest()));
        QCOMPARE(toText(cache.replay(*script, {})->nest()), toText(defaults->nest()));
        QCOMPARE(toText(cache.replay(*script, {{"t", 7}})->nest()), toText(seven->nest()));
        QVERIFY(!cache.replay(*script, {{"t", 9}}));
    }

    void cacheAgreesWithPlainReplay()
    {
        const LoopNest nest = nestOf(kConv);
        ReplayCache cache(nest, kContext, 8); // forgets often
        for (const int last : {2, 4, 2, 1, 4}) {
            const std::string text = twentySteps(last);
            const Result<Replay> plain = replayed(nest, text);
            VERIFY_OK(plain);
            QCOMPARE(plain->steps.size(), std::size_t{20});
            const Result<Replay> cached = cache.replayText("# moved down by a line\n" + text);
            VERIFY_OK(cached);
            QCOMPARE(cached->steps.size(), std::size_t{20});
            for (std::size_t i = 0; i < cached->steps.size(); ++i) {
                QCOMPARE(toText(cached->steps[i].nest), toText(plain->steps[i].nest));
                QCOMPARE(cached->steps[i].line, plain->steps[i].line + 1);
            }
        }
        const Result<Replay> refusedStep = cache.replayText("unroll kw\nunroll kx\n");
        QVERIFY(!refusedStep);
        QCOMPARE(refusedStep.error().line, 2);
        QVERIFY(!cache.replayText("unrol kw\n"));
    }

    // Made where the batch has four steps, replayed where it has one, seven, and four again: a loop of one step is there when
    // the script names it, the plain nest and all other scripts stay as they are.
    void batchesOfOneAndMore_data()
    {
        QTest::addColumn<std::string>("script");
        const auto row = [](const char* name, const char* script) { QTest::newRow(name) << std::string(script); };
        row("split", "split n into no ni:2\nreorder no oc ni\nunroll ni\n");
        row("fused", "fuse n oc into f\nparallel f\n");
        row("both stages", "merge n relu.n\nparallel n\n");
        row("epilogue", "split oc into oco:_ oci:8\nreorder n oco oh ow ic kh kw oci\nreverse_compute_at relu at n\nvectorize oci\nparallel n\n");
        row("cached", "cache_read X for conv at n in heap\nsplit ow into owo:_ owi:4 tail shift\n");
        row("partitioned", "split n into no:_ ni:3\npartition oh at 2\n");
        row("not named", "parallel oc\nunroll kw\n");
        row("off at one of them", "knob b = switch default on\nreorder oc n when ?b\nparallel oc\n");
    }
    void batchesOfOneAndMore()
    {
        QFETCH(std::string, script);
        std::string four;
        for (const int batch : {4, 1, 7, 4}) {
            const LoopNest plain = nestOf(convOf(batch));
            QCOMPARE(bool(plain.findLoop("n")), batch != 1);
            const Result<Replay> done = replayed(plain, script);
            QVERIFY2(done.has_value(), done ? "" : format("batch {}: line {}: {}", batch, done.error().line, done.error().message).c_str());
            QCOMPARE(verify(done->nest()), std::string());
            if (!kSanitized || batch == 1) { // interpreting the others takes too long there
                QCOMPARE(test::differs(plain, done->nest(), 7), std::string());
            }
            ReplayCache cache(plain, kContext);
            for (int again = 0; again < 2; ++again) {
                const Result<Replay> cached = cache.replayText(script);
                VERIFY_OK(cached);
                QCOMPARE(toText(cached->nest()), toText(done->nest()));
                QCOMPARE(toText(cached->initial), toText(done->initial));
            }
            if (batch == 4) {
                QVERIFY(four.empty() || four == toText(done->nest()));
                four = toText(done->nest());
            }
        }
    }

    void whatDoesNotFitSaysWhere()
    {
        const auto refusal = [](int batch, const std::string& script) {
            const Result<Replay> done = replayed(nestOf(convOf(batch)), script);
            return done ? std::string("accepted") : format("line {}: {}", done.error().line, done.error().message);
        };
        const std::string four = "parallel oc\n\nsplit n into no:2 ni:2\n";
        QCOMPARE(refusal(4, four), std::string("accepted"));
        QCOMPARE(refusal(1, four), std::string("accepted"));
        QVERIFY(refusal(7, four).starts_with("line 3: split: 4 steps do not cover the 7 of n"));
        const std::string peeled = "unroll kw\nsplit n into no:_ ni:4 tail peel\n";
        QCOMPARE(refusal(7, peeled), std::string("accepted"));
        QVERIFY(refusal(1, peeled).starts_with("line 2: split: the 1 steps of n are less than one turn of 4"));
        QVERIFY(refusal(1, "unroll kw\nunroll m\n").starts_with("line 2: ")); // no axis goes by that name
        QVERIFY(refusal(1, "split oc into n x:8\nunroll oc\n").starts_with("line 2: ")); // it has had its loop
        // A loop that a step makes may go by the name of an axis without one, as ever.
        const Result<Replay> taken = replayed(nestOf(convOf(1)), "split oc into n x:8\nunroll n\n");
        VERIFY_OK(taken);
        QCOMPARE(constantExtent(*taken->nest().findLoop("n").loop), std::optional<std::int64_t>(2));
        QCOMPARE(toText(taken->initial), toText(nestOf(convOf(1))));
        // Only at the beginning: a nest that steps have been done to is taken as it is.
        const LoopNest later = replayed(nestOf(convOf(1)), "unroll kw\n")->nest();
        QVERIFY(!replayed(later, "parallel n\n"));
    }

    // A stage all of whose axes have one step has a loop all the same; the script may name another of its axes.
    void stagesOfOneElement()
    {
        const auto text = [](int a, int b) {
            return format("definition add\ninput X f32 [{0}, {1}]\noutput Y f32 [{0}, {1}]\nstage add -> Y f32 [d0:{0}, d1:{1}] =\n    X[d0, d1] + 1.0\n", a, b);
        };
        QCOMPARE(toText(replayed(nestOf(text(1, 1)), "parallel d0\n")->nest()), std::string("parallel d0 in 0..1\n  add: Y[0, 0] = X[0, 0] + 1.0\n"));
        QCOMPARE(toText(replayed(nestOf(text(1, 1)), "")->nest()), std::string("d1 in 0..1\n  add: Y[0, 0] = X[0, 0] + 1.0\n"));
        QVERIFY(replayed(nestOf(text(1, 1)), "fuse d0 d1 into f\n"));
        QVERIFY(replayed(nestOf(text(1, 3)), "fuse d0 d1 into f\n"));
        QVERIFY(replayed(nestOf(text(3, 1)), "fuse d0 d1 into f\n"));
    }

    // The figure of the design is for a release build; elsewhere the number is only printed.
    void lastStepChangedIsQuick()
    {
        ReplayCache cache(nestOf(kConv), kContext);
        std::vector<double> times;
        for (int i = 0; i < static_cast<int>(draws(200)); ++i) {
            const std::string text = twentySteps(2 + i % 50); // a value that was not seen before, at first
            const auto start = std::chrono::steady_clock::now();
            const Result<Replay> done = cache.replayText(text);
            const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
            VERIFY_OK(done);
            if (i > 0 && i < 50) {
                times.push_back(spent.count());
            }
        }
        const double median = medianMicroseconds(times);
        qInfo("20 steps, the last one new: %.0f us", median);
#ifdef NDEBUG
        QVERIFY2(median <= 200, format("{} us", median).c_str());
#endif
    }

    void offersAreLinesOfTheLanguage()
    {
        const LoopNest nest = nestOf(kConv);
        int legal = 0;
        for (const char* name : {"oc", "ow", "kw", "relu.ow", "conv"}) {
            for (const Offer& offer : offers(nest, name, allPrimitives(), kContext)) {
                const Result<Script> script = parseScript(offer.text, allPrimitives(), kContext);
                QVERIFY2(script.has_value(), (offer.text + ": " + (script ? "" : script.error().message)).c_str());
                const Result<Replay> done = replay(nest, *script, {}, kContext);
                const bool allowed = offer.check.verdict == Verdict::Legal || offer.check.verdict == Verdict::Pointless;
                QVERIFY2(done.has_value() == allowed, offer.text.c_str());
                legal += allowed ? 1 : 0;
            }
        }
        QVERIFY(legal >= 10);
    }

    void defaultRule()
    {
        const LoopNest nest = nestOf(kConv);
        QCOMPARE(defaultScript(nest, kContext, 2),
                 std::string("split ow into ow.o:_ ow.i:lanes(f32)\n"
                             "reorder ic kh kw ow.i\n"
                             "vectorize ow.i\n"
                             "fuse oc oh into oc.oh\n"
                             "parallel oc.oh\n"
                             "split relu.ow into relu.ow.o:_ relu.ow.i:lanes(f32)\n"
                             "vectorize relu.ow.i\n"));
        QCOMPARE(defaultScript(nest, kContext, 1),
                 std::string("split ow into ow.o:_ ow.i:lanes(f32)\n"
                             "reorder ic kh kw ow.i\n"
                             "vectorize ow.i\n"
                             "split relu.ow into relu.ow.o:_ relu.ow.i:lanes(f32)\n"
                             "vectorize relu.ow.i\n"));
    }

    void defaultRuleReplays_data()
    {
        QTest::addColumn<std::string>("definition");
        const auto row = [](const char* name, const std::string& text) { QTest::newRow(name) << text; };
        row("conv", kConv);
        row("matmul", "definition matmul\ninput A f32 [300, 200]\ninput B f32 [200, 1000]\noutput Y f32 [300, 1000]\n"
                      "stage matmul -> Y f32 [m:300, n:1000] sum [k:200] from 0.0 =\n    A[m, k] * B[k, n]\n");
        row("vector", "definition add\ninput A f32 [9000000]\noutput C f32 [9000000]\n"
                      "stage add -> C f32 [d0:9000000] =\n    A[d0] + 1.0\n");
        row("transpose", "definition transpose\ninput A f32 [40, 50]\noutput C f32 [50, 40]\n"
                         "stage transpose -> C f32 [d0:50, d1:40] =\n    A[d1, d0]\n");
        row("bool", "definition less\ninput A f32 [40, 50]\noutput C bool [40, 50]\n"
                    "stage less -> C bool [d0:40, d1:50] =\n    A[d0, d1] < 0.5\n");
        row("gather", "definition gather\ninput X f32 [40, 50]\ninput I i64 [7] range 0 39\noutput C f32 [7, 50]\n"
                      "stage gather -> C f32 [d0:7, d1:50] =\n    X[max(min(I[d0], 39), 0), d1]\n");
        row("softmax", "definition softmax\ninput X f32 [64, 1000]\noutput Y f32 [64, 1000]\n"
                       "stage max f32 [d0:64] max [r0:1000] from -inf =\n    X[d0, r0]\n"
                       "stage sum f32 [d0:64] sum [r0:1000] from 0.0 =\n    exp(min(X[d0, r0] - max[d0], 0.0))\n"
                       "stage softmax -> Y f32 [d0:64, d1:1000] =\n    exp(min(X[d0, d1] - max[d0], 0.0)) / sum[d0]\n");
        row("scalar", "definition sum\ninput X f32 [30]\noutput Y f32 [1]\n"
                      "stage sum -> Y f32 [d0:1] sum [r0:30] from 0.0 =\n    X[r0]\n");
        row("ones", "definition add\ninput X f32 [1, 1]\noutput Y f32 [1, 1]\nstage add -> Y f32 [d0:1, d1:1] =\n    X[d0, d1] + 1.0\n");
    }

    void defaultRuleReplays()
    {
        QFETCH(std::string, definition);
        const LoopNest nest = nestOf(definition);
        for (const int threads : {1, 2}) {
            const std::string text = defaultScript(nest, kContext, threads);
            const Result<Replay> done = replayed(nest, text);
            QVERIFY2(done.has_value(), (text + (done ? "" : done.error().message)).c_str());
            QVERIFY(verify(done->nest()).empty());
            for (const Step& step : done->steps) {
                QVERIFY2(step.check.verdict == Verdict::Legal, step.text.c_str());
            }
        }
    }
};

NW_TEST_MAIN(tst_replay, TestReplay)
#include "tst_replay.moc"
