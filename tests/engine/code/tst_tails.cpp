// Steps that are left over: padded, or masks of lanes. The same numbers come out of each, nothing is touched outside of the
// arguments, and a padded tile has no masks in its inner loop.

#include "engine/base/text.h"
#include "engine/code/builder.h"
#include "tests/engine/code/harness.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::lower;
using namespace nw::test;

namespace {

// No tile divides any of the extents.
const char* const kMatmul = "definition matmul\n"
                            "input A f32 [37, 53]\ninput B f32 [53, 41]\noutput Y f32 [37, 41]\n"
                            "stage matmul -> Y f32 [m:37, n:41] sum [k:53] from 0.0 =\n    A[m, k] * B[k, n]\n";
const char* const kPacked = "definition matmul\n"
                            "input A f32 [37, 53]\nconstant B f32 [53, 41]\noutput Y f32 [37, 41]\n"
                            "stage matmul -> Y f32 [m:37, n:41] sum [k:53] from 0.0 =\n    A[m, k] * B[k, n]\n";
const char* const kStages = "definition sums\n"
                            "input X f32 [21, 43]\noutput Y f32 [21, 43]\n"
                            "stage twice f32 [i:21, j:43] =\n    X[i, j] * 2.0\n"
                            "stage most f32 [i:21, j:43] max [k:3] from -inf =\n    select(j + k < 43, twice[i, j + k], 1.0)\n"
                            "stage sums -> Y f32 [i:21, j:43] =\n    most[i, j] + X[i, j]\n";

const std::string kTiles = "split m into mo mi:4\nsplit n into no ni:16\nreorder no mo k mi ni\n";
const std::string kCopied = kTiles + "cache_read B at no in stack\npad B.c.n to extent 16\nvectorize B.c.n\n"
                                     "cache_write matmul at mo in registers\n";
const std::string kInRegisters = "vectorize ni\nunroll mi\n";

Result<Lowered> loweredFrom(const char* definition, const std::string& script, const Target& target)
{
    return code::lowerKernel({"kernel", definition, {}, script, false}, target);
}

} // namespace

class TestTails : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepTheNumbers_data()
    {
        QTest::addColumn<QByteArray>("definition");
        QTest::addColumn<QByteArray>("script");
        const std::vector<std::pair<const char*, std::string>> rows = {
            {kMatmul, kTiles + "cache_write matmul at mo in registers\npad mi to extent 4\npad ni to extent 16\n" + kInRegisters},
            {kMatmul, kCopied + "pad mi to extent 4\npad ni to extent 16\n" + kInRegisters},
            {kMatmul, kCopied + "pad mi to extent 4\npad ni to extent 16\nvectorize ni\nunroll mi\nparallel no\n"},
            {kMatmul, "split k into ko ki:8 tail pad\nunroll ki\nparallel m\n"},
            {kMatmul, "reorder m k n\nsplit n into no ni:16 tail mask\nparallel m\n"},
            {kMatmul, "reorder m k n\ncache_write matmul at m in stack\nsplit n into no ni:16 tail mask\nsplit m into mo mi:8 tail pad\n"},
            {kStages, "split i into io ii:8 tail pad\nsplit j into jo ji:8 tail pad\nvectorize ji\nreorder most.k most.j\nsplit most.j into mo mi:8 tail mask\n"
                      "parallel sums.i\n"},
            {kStages, "pad i to multiple 8\npad j to multiple 16\nset_layout twice as (i, j) -> (j / 16, i, j % 16)\n"
                      "split j into jo ji:16\nvectorize ji\ncompute_at most at sums.i\nparallel sums.i\n"},
            {kStages, "pad most.k to multiple 4\nunroll most.k\npad most.j to multiple 8\nsplit most.j into jo ji:8\nreorder jo most.k ji\n"
                      "vectorize ji\n"},
        };
        for (const auto& [definition, script] : rows) {
            QTest::addRow("%s", script.c_str()) << QByteArray(definition) << QByteArray(script.c_str());
        }
    }

    void keepTheNumbers()
    {
        QFETCH(QByteArray, definition);
        QFETCH(QByteArray, script);
        for (const Target& target : targetsHere()) {
            const Result<Lowered> plain = loweredFrom(definition.constData(), "", target);
            VERIFY_OK(plain);
            const Memory inputs = randomMemory(*plain, 5);
            Memory expected = inputs;
            interpretLowered(*plain, expected, false);
            const Result<Lowered> lowered = loweredFrom(definition.constData(), script.toStdString(), target);
            VERIFY_OK(lowered);
            Memory got = inputs;
            interpretLowered(*lowered, got, false);
            QCOMPARE(firstDifference(*plain, expected, got), std::string());
            QCOMPARE(differences(*lowered, inputs), std::string());
        }
    }

    // Where the factor is a constant its memory has room for whole tiles.
    void constants()
    {
        const std::string script = kTiles + "cache_write matmul at mo in registers\npad mi to extent 4\npad ni to extent 16\n" + kInRegisters;
        for (const Target& target : targetsHere()) {
            const Result<Lowered> lowered = loweredFrom(kPacked, script, target);
            VERIFY_OK(lowered);
            QCOMPARE(lowered->buffer("B")->elements, std::int64_t{53 * 48});
            QCOMPARE(differences(*lowered, randomMemory(*lowered, 3)), std::string());
        }
    }

    void masks_data()
    {
        QTest::addColumn<QByteArray>("definition");
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<bool>("masked");
        const std::string tile = kTiles + "cache_write matmul at mo in registers\n";
        const std::string pads = "pad mi to extent 4\npad ni to extent 16\n";
        QTest::newRow("guarded") << QByteArray(kPacked) << QByteArray((tile + kInRegisters).c_str()) << true;
        QTest::newRow("padded") << QByteArray(kPacked) << QByteArray((tile + pads + kInRegisters).c_str()) << false;
        QTest::newRow("padded, the factor read in place") << QByteArray(kMatmul) << QByteArray((tile + pads + kInRegisters).c_str()) << true;
        QTest::newRow("a padded copy") << QByteArray(kMatmul) << QByteArray((kCopied + pads + kInRegisters).c_str()) << false;
    }

    // Conditions on loads and sums around k; those of the write-back and of the copy stay.
    void masks()
    {
        QFETCH(QByteArray, definition);
        QFETCH(QByteArray, script);
        QFETCH(bool, masked);
        for (const Target& target : targetsHere()) {
            const Result<Lowered> lowered = loweredFrom(definition.constData(), script.toStdString(), target);
            VERIFY_OK(lowered);
            QCOMPARE(testsSums(lowered->body, false), masked);
        }
    }

private:
    // A reduction step stands under a condition.
    static bool testsSums(const LBody& body, bool tested)
    {
        return std::any_of(body.begin(), body.end(), [&](const LStmt& statement) {
            if (const auto* loop = std::get_if<LFor>(&statement->kind())) {
                return testsSums(loop->body, tested && loop->kind != LoopKind::Serial);
            }
            if (const auto* test = std::get_if<LIf>(&statement->kind())) {
                return testsSums(test->then, true) || testsSums(test->otherwise, true);
            }
            if (const auto* memory = std::get_if<LAlloc>(&statement->kind())) {
                return testsSums(memory->body, tested);
            }
            const auto* store = std::get_if<LStore>(&statement->kind());
            return store != nullptr && store->accumulates && tested;
        });
    }
};

NW_TEST_MAIN(tst_tails, TestTails)
#include "tst_tails.moc"
