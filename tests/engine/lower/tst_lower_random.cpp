// Lowering keeps the answer: random legal schedules of every sample, lowered, run with every access checked and compared
// with the oracle of the definition.

#include "engine/base/text.h"
#include "engine/compute/interpret.h"
#include "tests/engine/lower/lowered_run.h"
#include "tests/engine/lower/nests.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::lower;

class TestLowerRandom : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsTheAnswer_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < samples().size(); ++i) {
            QTest::newRow(samples()[i].name.c_str()) << static_cast<int>(i);
        }
    }

    void keepsTheAnswer()
    {
        QFETCH(int, index);
        const Sample& sample = samples()[static_cast<std::size_t>(index)];
        const Target target = testTarget(16, 32); // four lanes: small shapes get tails and full tiles
        const schedule::LoopNest initial = scheduled(sample.definition, "", target, sample.layouts);
        const Result<std::vector<Tensor>> inputs
            = compute::makeTestData(*initial.definition, compute::DataKind::SmallIntegers, 7);
        VERIFY_OK(inputs);
        int lowered = 0;
        constexpr int kSchedules = 40;
        for (int seed = 0; seed < kSchedules; ++seed) {
            Random random(static_cast<std::uint64_t>(seed * 31 + index));
            const Drawn drawn = randomSchedule(initial, random, static_cast<int>(random.below(14)), target);
            std::vector<StageText> stages;
            const Result<Lowered> program = lower::lower(drawn.nest, target, &stages);
            if (!program) {
                // Only the limits of code may refuse what the nest allows.
                QVERIFY2(program.error().refusal != nullptr, program.error().message.c_str());
                continue;
            }
            ++lowered;
            const auto orderSeed = static_cast<std::uint64_t>(seed % 2 == 0 ? 0 : seed);
            const Result<std::vector<Tensor>> outputs = runLowered(*program, drawn.nest, *inputs, orderSeed);
            const std::string where = drawn.script + "\n" + schedule::toText(drawn.nest) + "\n" + toText(*program);
            QVERIFY2(outputs.has_value(), outputs ? "" : (outputs.error().message + "\n" + where).c_str());
            const std::string difference = compareWithOracle(*initial.definition, *inputs, *outputs);
            QVERIFY2(difference.empty(), (difference + "\n" + where).c_str());
        }
        QVERIFY2(lowered > kSchedules / 2, format("only {} of {} were lowered", lowered, kSchedules).c_str());
    }
};

NW_TEST_MAIN(tst_lower_random, TestLowerRandom)
#include "tst_lower_random.moc"
