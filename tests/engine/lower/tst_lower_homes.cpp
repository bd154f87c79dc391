// Copies under a condition, homes of buffers and rings, lowered: tests stand outside of loops, elements are made once.

#include "engine/base/text.h"
#include "engine/compute/interpret.h"
#include "tests/engine/lower/lowered_run.h"
#include "tests/engine/lower/nests.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::lower;

namespace {

const char* const kPools = "definition pool\ninput X f32 [2, 9, 5]\noutput Y f32 [2, 5, 5]\n"
                           "stage pool f32 [c:2, h:7, w:5] max [kh:3] from -inf =\n    X[c, h + kh, w]\n"
                           "stage pool2 -> Y f32 [c:2, h:5, w:5] max [kh:3] from -inf =\n    pool[c, h + kh, w]\n";
const char* const kBorder = "definition pool\ninput X f32 [7, 4]\noutput Y f32 [7, 4]\n"
                            "stage pool f32 [h:7, w:4] sum [kh:3] from 0.0 =\n    select(h + kh >= 1 && h + kh < 8, X[h + kh - 1, w], 0.0)\n"
                            "stage pool2 -> Y f32 [h:7, w:4] sum [kh:3] from 0.0 =\n    select(h + kh >= 1 && h + kh < 8, pool[h + kh - 1, w], 0.0)\n";

std::vector<Tensor> dataOf(const schedule::LoopNest& nest)
{
    Result<std::vector<Tensor>> inputs = compute::makeTestData(*nest.definition, compute::DataKind::SmallIntegers, 7);
    ENSURE(inputs.has_value(), inputs ? "" : inputs.error().message);
    return *std::move(inputs);
}

} // namespace

class TestLowerHomes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // One test a step of the other loop, none inside.
    void testsStandOutside()
    {
        const Target target = testTarget(16, 32);
        const schedule::LoopNest nest = scheduled(kBorder, "specialize w when h from 1 to 6\n", target);
        const Result<Lowered> program = lower::lower(nest, target);
        VERIFY_OK(program);
        const std::string text = toText(*program);
        const std::size_t from = text.find("for h in 0..7\n");
        QVERIFY2(from != std::string::npos, text.c_str());
        const std::string inner = "  if h >= 1\n    if h < 6\n      for w.2 in 0..4\n        pool[h * 4 + w.2] = 0.0\n        for kh.2 in 0..3\n"
                                  "          pool[h * 4 + w.2] += X[h * 4 + kh.2 * 4 + w.2 - 4]\n  if h < 1 || h >= 6\n    for w in 0..4\n";
        QVERIFY2(text.compare(from, 14 + inner.size(), "for h in 0..7\n" + inner) == 0, text.c_str());
    }

    // In a ring every element is made once: its first value and one addition a tap.
    void eachElementOnce()
    {
        const Target target = testTarget(16, 32);
        const std::string inside = "compute_at pool at pool2.h\n";
        const auto stores = [&](const std::string& script) {
            const schedule::LoopNest nest = scheduled(kPools, script, target);
            const Result<Lowered> program = lower::lower(nest, target);
            ENSURE(program.has_value(), program ? "" : program.error().message);
            const Result<RunCounts> counts = countLowered(*program, nest, dataOf(nest));
            ENSURE(counts.has_value(), counts ? "" : counts.error().message);
            return counts->stores;
        };
        const std::int64_t second = 2 * 5 * 5 * 4; // stores of pool2
        QCOMPARE(stores(inside), second + 2 * 5 * 3 * 5 * 4);
        QCOMPARE(stores(inside + "rolling_buffer pool at pool2.h\n"), second + 2 * 7 * 5 * 4);
        QCOMPARE(stores("reorder pool2.h pool2.c\n" + inside + "rolling_buffer pool at pool2.h size power_of_two\n"), second + 2 * 7 * 5 * 4);
    }

    void memory()
    {
        const Target target = testTarget(16, 32);
        const auto elements = [&](const std::string& script) {
            const schedule::LoopNest nest = scheduled(kPools, script, target);
            const Result<Lowered> program = lower::lower(nest, target);
            ENSURE(program.has_value(), program ? "" : program.error().message);
            return program->buffer("pool")->elements;
        };
        const std::string inside = "compute_at pool at pool2.h\n";
        QCOMPARE(elements(""), std::int64_t{2 * 7 * 5});
        QCOMPARE(elements(inside), std::int64_t{3 * 5});
        QCOMPARE(elements(inside + "store_at pool at pool2.c\n"), std::int64_t{7 * 5});
        QCOMPARE(elements(inside + "store_at pool\n"), std::int64_t{2 * 7 * 5});
        QCOMPARE(elements(inside + "rolling_buffer pool at pool2.h\n"), std::int64_t{3 * 5});
        QCOMPARE(elements(inside + "rolling_buffer pool at pool2.h size power_of_two\n"), std::int64_t{4 * 5});
    }

    // Everything behind such a step, too.
    void keepsTheAnswer_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        const std::vector<std::pair<std::string, std::string>> starts = {
            {kPools, "compute_at pool at pool2.h\nrolling_buffer pool at pool2.h\n"},
            {kPools, "reorder pool2.h pool2.c\ncompute_at pool at pool2.h\nrolling_buffer pool at pool2.h size power_of_two\n"},
            {kPools, "compute_at pool at pool2.w\nrolling_buffer pool at pool2.h\n"},
            {kPools, "compute_at pool at pool2.h\nstore_at pool\n"},
            {kBorder, "compute_at pool at pool2.h\nrolling_buffer pool at pool2.h\n"},
            {kBorder, "specialize w when h from 2 to 5\n"},
            {kBorder, "compute_at pool at pool2.h\nspecialize pool.h when pool2.h from 1 to 6\n"},
        };
        for (const auto& [definition, script] : starts) {
            QTest::newRow(join(splitText(script, '\n'), "; ").c_str()) << definition << script;
        }
    }

    void keepsTheAnswer()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        const Target target = testTarget(16, 32);
        const schedule::LoopNest initial = scheduled(definition, script, target);
        const std::vector<Tensor> inputs = dataOf(initial);
        for (std::uint64_t seed = 0; seed < draws(30); ++seed) {
            Random random(seed * 31 + 5);
            const Drawn drawn = randomSchedule(initial, random, static_cast<int>(random.below(10)), target);
            const Result<Lowered> program = lower::lower(drawn.nest, target);
            if (!program) {
                QVERIFY2(program.error().refusal != nullptr, program.error().message.c_str());
                continue;
            }
            const Result<std::vector<Tensor>> outputs = runLowered(*program, drawn.nest, inputs, seed);
            const std::string where = script + drawn.script + "\n" + schedule::toText(drawn.nest) + "\n" + toText(*program);
            QVERIFY2(outputs.has_value(), outputs ? "" : (outputs.error().message + "\n" + where).c_str());
            const std::string difference = compareWithOracle(*initial.definition, inputs, *outputs);
            QVERIFY2(difference.empty(), (difference + "\n" + where).c_str());
        }
    }
};

NW_TEST_MAIN(tst_lower_homes, TestLowerHomes)
#include "tst_lower_homes.moc"
