// Features of nests: always the same numbers, all finite, what they say, and what tells schedules apart.
#include "engine/base/expr_parse.h"
#include "engine/base/text.h"
#include "engine/tune/features.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/template_tasks.h"
#include "tests/support/test.h"

#include <chrono>
#include <set>

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;
using namespace nw::tune;

namespace {

constexpr const char* kMatmul = "definition matmul\ninput A f32 [64, 64]\nconstant B f32 [64, 64]\noutput Y f32 [64, 64]\n"
                                "stage matmul -> Y f32 [m:64, n:64] sum [k:64] from 0.0 =\n    A[m, k] * B[k, n]\n";
// Tiles of 4 rows by 2 vectors of 16 lanes.
constexpr const char* kTile = "split m into mo:_ mi:4\nsplit n into no:_ nv:2 ni:16\nreorder mo no k mi nv ni\n"
                              "cache_write matmul at no in registers\nvectorize ni\nunroll nv\nunroll mi\n";

std::string faultsOf(const std::vector<float>& features)
{
    if (features.size() != featureNames().size()) {
        return format("{} features and {} names", features.size(), featureNames().size());
    }
    for (std::size_t i = 0; i < features.size(); ++i) {
        if (!std::isfinite(features[i])) {
            return std::string(featureNames()[i]) + " is not finite";
        }
    }
    return {};
}

double named(const std::vector<float>& features, std::string_view name)
{
    const auto found = std::find(featureNames().begin(), featureNames().end(), name);
    ENSURE(found != featureNames().end(), format("there is no feature {}", name));
    return features[static_cast<std::size_t>(found - featureNames().begin())];
}

std::vector<float> tiled(const std::string& script)
{
    return featuresOf(after(nestOf(kMatmul), script, wideContext()), wideTarget(), 1);
}

// The nest with every loop and axis of this name of another extent.
Stmt withExtent(const Stmt& statement, const std::string& name, const Expr& extent)
{
    if (const Block* block = statement->block()) {
        Block changed = *block;
        for (IterVar& iter : changed.iters) {
            iter.extent = iter.name == name ? extent : iter.extent;
        }
        return makeStmt(std::move(changed));
    }
    Loop changed = *statement->loop();
    changed.extent = changed.name == name ? extent : changed.extent;
    for (Stmt& inside : changed.body) {
        inside = withExtent(inside, name, extent);
    }
    return makeStmt(std::move(changed));
}

LoopNest withExtent(LoopNest nest, const std::string& name, const Expr& extent)
{
    for (Stmt& root : nest.roots) {
        root = withExtent(root, name, extent);
    }
    return nest;
}

} // namespace

class TestFeatures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesAreUnique()
    {
        const std::set<std::string_view> unique(featureNames().begin(), featureNames().end());
        QCOMPARE(unique.size(), featureNames().size());
        QVERIFY2(unique.size() >= 100 && unique.size() <= 250, std::to_string(unique.size()).c_str());
        QCOMPARE(faultsOf(featuresOf(LoopNest(), smallTarget(), 1)), std::string());
    }

    void describesAnyTemplate_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const Template& shipped : allTemplates()) {
            QTest::newRow(shipped.name.c_str()) << QByteArray::fromStdString(shipped.name);
        }
    }
    void describesAnyTemplate()
    {
        QFETCH(QByteArray, name);
        const std::span<const Template> all = allTemplates();
        const auto tried = std::find_if(all.begin(), all.end(), [&](const Template& t) { return t.name == name.toStdString(); });
        Random random(23);
        std::uint64_t fitted = 0;
        for (int drawn = 0; fitted < draws(8) && drawn < 400; ++drawn) {
            const Target& target = random.below(2) == 0 ? smallTarget() : wideTarget();
            Result<Task> task = drawn == 0 ? usualTask(*tried, target) : drawTask(*tried, random, target);
            VERIFY_OK(task);
            task->threads = static_cast<int>(random.between(1, 3));
            const Result<LoopNest> initial = initialNest(*task);
            VERIFY_OK(initial);
            const std::vector<float> plain = featuresOf(*initial, target, task->threads);
            QCOMPARE(faultsOf(plain), std::string());
            const Result<std::string> script = instantiate(*tried, *task, *initial);
            if (!script) {
                continue;
            }
            ++fitted;
            const Context context{&task->target};
            const Result<Replay> replayed = replay(*initial, *parseScript(*script, allPrimitives(), context), {}, context);
            VERIFY_OK(replayed);
            const std::vector<float> scheduled = featuresOf(replayed->nest(), target, task->threads);
            QCOMPARE(faultsOf(scheduled), std::string());
            QVERIFY(scheduled != plain);
            QVERIFY(scheduled == featuresOf(replayed->nest(), target, task->threads));
        }
        QVERIFY(fitted > 0);
    }

    // CASES.md 42: nests of 6 and of 9 loops give rows of one length.
    void case_42()
    {
        const LoopNest matmul = nestOf(kMatmul);
        const LoopNest two = after(matmul, "split m into mo:_ mi:8\nsplit n into no:_ ni:8\nsplit k into ko:_ ki:8\nreorder mo no ko mi ni ki\n");
        const LoopNest three = after(matmul, "split m into ma:_ mb:4 mc:4\nsplit n into na:_ nb:4 nc:4\nsplit k into ka:_ kb:4 kc:4\n"
                                             "reorder ma na ka mb nb kb mc nc kc\n");
        QCOMPARE(two.allLoops().size(), std::size_t{6});
        QCOMPARE(three.allLoops().size(), std::size_t{9});
        for (const LoopNest* nest : {&matmul, &two, &three}) {
            QCOMPARE(faultsOf(featuresOf(*nest, smallTarget(), 1)), std::string());
        }
        QVERIFY(featuresOf(two, smallTarget(), 1) != featuresOf(three, smallTarget(), 1));
    }

    void describesOddExtents_data()
    {
        QTest::addColumn<QByteArray>("extent");
        for (const char* extent : {"0", "1", "s", "s * t + 3", "s / t", "4611686018427387904"}) {
            QTest::newRow(extent) << QByteArray(extent);
        }
    }
    void describesOddExtents()
    {
        QFETCH(QByteArray, extent);
        const Result<Expr> parsed = parseExpr(extent.toStdString());
        VERIFY_OK(parsed);
        for (const char* axis : {"m", "k"}) {
            const LoopNest nest = withExtent(nestOf(kMatmul), axis, *parsed);
            QCOMPARE(faultsOf(featuresOf(nest, smallTarget(), 2)), std::string());
        }
    }

    // A place that is read from memory is no sum of loops.
    void describesLookUps()
    {
        const LoopNest nest = nestOf("definition gather\ninput X f32 [50, 8]\ninput I i64 [20] range 0 49\noutput Y f32 [20, 8]\n"
                                     "stage gather -> Y f32 [i:20, j:8] =\n    X[max(min(I[i], 49), 0), j]\n");
        const std::vector<float> features = featuresOf(nest, smallTarget(), 1);
        QCOMPARE(faultsOf(features), std::string());
        QCOMPARE(named(features, "read1.scope"), 0.0); // the indices are read too
    }

    void tellsSchedulesApart_data()
    {
        QTest::addColumn<QByteArray>("one");
        QTest::addColumn<QByteArray>("other");
        const auto row = [](const char* title, const char* one, const char* other) { QTest::newRow(title) << QByteArray(one) << QByteArray(other); };
        row("tile", "split m into mo:_ mi:4\n", "split m into mo:_ mi:8\n");
        row("order", "reorder m k n\n", "reorder k m n\n");
        row("order of outer loops", "split k into ko:_ ki:8\nreorder m ko n ki\n", "split k into ko:_ ki:8\nreorder ko m n ki\n");
        row("vector loop", "split n into no:_ ni:16\nreorder m no k ni\nvectorize ni\n", "split m into mo:_ mi:16\nreorder mo n k mi\nvectorize mi\n");
        row("no vector loop", "split n into no:_ ni:16\nreorder m no k ni\nvectorize ni\n", "split n into no:_ ni:16\nreorder m no k ni\n");
        row("unrolled", "reorder m k n\nsplit n into no:_ ni:4\nunroll ni\n", "reorder m k n\nsplit n into no:_ ni:4\n");
        row("threads", "parallel m\n", "");
        row("home of sums", kTile, "split m into mo:_ mi:4\nsplit n into no:_ nv:2 ni:16\nreorder mo no k mi nv ni\nvectorize ni\nunroll nv\nunroll mi\n");
        row("layout of the constant", "", "set_layout B as (k, n) -> (n / 16, k, n % 16)\n");
        row("copy of an input", "cache_read B for matmul at m in stack\n", "");
    }
    void tellsSchedulesApart()
    {
        QFETCH(QByteArray, one);
        QFETCH(QByteArray, other);
        QVERIFY(tiled(one.toStdString()) != tiled(other.toStdString()));
        QVERIFY(tiled(one.toStdString()) == tiled(one.toStdString()));
    }

    // Numbers that can be counted by hand.
    void countsATile()
    {
        const std::vector<float> features = tiled(kTile);
        const auto log2Of = [](double x) { return static_cast<double>(static_cast<float>(std::log2(1 + x))); };
        QCOMPARE(named(features, "tile.accumulators"), 8.0);
        QCOMPARE(named(features, "tile.accumulators_to_registers"), 0.25);
        QCOMPARE(named(features, "tile.live_to_registers"), static_cast<double>(11.0F / 32)); // and 2 vectors of B, 1 of A
        QCOMPARE(named(features, "tile.vector_loads"), 0.25);                                  // 2 for 8 multiply-adds
        QCOMPARE(named(features, "tile.broadcasts"), 0.5);
        QCOMPARE(named(features, "tile.gathers"), 0.0);
        QCOMPARE(named(features, "tile.in_registers"), 1.0);
        QCOMPARE(named(features, "tile.chains"), log2Of(8));
        QCOMPARE(named(features, "tile.tiles_in_sum"), log2Of(1));
        QCOMPARE(named(features, "nest.loops"), 6.0);
        QCOMPARE(named(features, "loop0.vector"), 1.0);
        QCOMPARE(named(features, "loop0.extent"), log2Of(16));
        QCOMPARE(named(features, "loop3.reduction"), 1.0);
        QCOMPARE(named(features, "loop3.steps"), log2Of(64 * 4 * 2 * 16));
        QCOMPARE(named(features, "anchor.products"), 1.0);
        QCOMPARE(named(features, "kernel.work"), log2Of(2.0 * 64 * 64 * 64 + 64 * 64)); // and the write-back
        QCOMPARE(named(features, "kernel.port_bytes"), log2Of(3 * 64 * 64 * 4));
        QCOMPARE(named(features, "kernel.wasted_share"), 0.0);
        // B, the larger in lines inside of a step of mo, then A: each tile's panel of B is 64 rows of 128 bytes.
        QCOMPARE(named(features, "read1.vector_stride") + named(features, "read0.vector_stride"), log2Of(0) + log2Of(1));
        QCOMPARE(named(features, "cache2.steps"), log2Of(64 * 64 * 64)); // all of it lies in the second level
        QCOMPARE(named(features, "cache2.traffic"), log2Of(2 * 64 * 64 * 4)); // what is written goes through the tile's home
    }

    // 60 rows by tiles of 7: 63 are walked.
    void countsWaste()
    {
        const LoopNest nest = after(nestOf("definition matmul\ninput A f32 [60, 64]\nconstant B f32 [64, 64]\noutput Y f32 [60, 64]\n"
                                           "stage matmul -> Y f32 [m:60, n:64] sum [k:64] from 0.0 =\n    A[m, k] * B[k, n]\n"),
                                    "split m into mo:_ mi:7\n");
        const std::vector<float> features = featuresOf(nest, wideTarget(), 1);
        QCOMPARE(named(features, "kernel.wasted_share"), static_cast<double>(3.0F / 63));
        QCOMPARE(named(features, "tile.guards"), 1.0);
    }

    // A turned copy reads with one and writes with another stride; blocks of 16 keep neighbours together.
    void seesStridesThroughLayouts()
    {
        const std::string text = "definition relu\ninput X f32 [1, 32, 10, 12]\noutput Y f32 [1, 32, 10, 12]\n"
                                 "stage relu -> Y f32 [n:1, c:32, h:10, w:12] =\n    max(X[n, c, h, w], 0.0)\n";
        const std::string blocked = "(n, c, h, w) -> (n, c / 16, h, w, c % 16)";
        const std::string steps = "split c into co:_ ci:16\nreorder co h w ci\nvectorize ci\n";
        const std::vector<float> features = featuresOf(after(nestOf(text, {"plain", blocked}), steps, wideContext()), wideTarget(), 1);
        QCOMPARE(named(features, "read0.vector_stride"), static_cast<double>(static_cast<float>(std::log2(1 + 120.0))));
        QCOMPARE(named(features, "write.vector_stride"), 1.0);
        QCOMPARE(named(features, "tile.gathers"), 16.0);
    }

    void isFast()
    {
        const LoopNest nest = after(nestOf(definitionText("conv")),
                                    "split oc into oco:_ oci:4\nsplit ow into owo:_ owi:5\nsplit ic into ico:_ ici:2\nsplit oh into oho:_ ohi:3\n"
                                    "reorder oco oho ohi owo ico ici kh kw owi oci\ncache_write conv at owo in registers\n"
                                    "reverse_compute_at relu at owo\nvectorize oci\nunroll owi\n");
        QVERIFY2(nest.allLoops().size() >= 12, std::to_string(nest.allLoops().size()).c_str());
        constexpr int kTimes = 200;
        std::vector<double> us;
        for (int i = 0; i < kTimes; ++i) {
            const auto begin = std::chrono::steady_clock::now();
            const std::vector<float> features = featuresOf(nest, smallTarget(), 1);
            us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
            QVERIFY(!features.empty());
        }
        std::sort(us.begin(), us.end());
        qInfo("%zu features of %zu loops: %.0f us", featureNames().size(), nest.allLoops().size(), us[kTimes / 2]);
        QVERIFY2(kSanitized || us[kTimes / 2] < 1000, format("{} us", us[kTimes / 2]).c_str());
    }
};

NW_TEST_MAIN(tst_features, TestFeatures)
#include "tst_features.moc"
