// Texts of lowered programs, refusals and what is written around outputs.

#include "engine/base/text.h"
#include "engine/compute/interpret.h"
#include "engine/lower/pass.h"
#include "tests/engine/lower/lowered_run.h"
#include "tests/engine/lower/nests.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::lower;

namespace {

const std::string kMatmul = "definition matmul\ninput A f32 [100, 64]\nconstant B f32 [64, 48]\noutput Y f32 [100, 48]\n"
                            "stage matmul -> Y f32 [m:100, n:48] sum [k:64] from 0.0 =\n    A[m, k] * B[k, n]\n";

std::string lowered(const std::string& definition, const std::string& script,
                    const std::map<std::string, std::string>& layouts = {}, const Target& target = testTarget())
{
    const Result<Lowered> program = lower::lower(scheduled(definition, script, target, layouts), target);
    return program ? toText(*program) : program.error().message;
}

} // namespace

class TestLower : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void texts_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        QTest::addColumn<std::string>("text");

        QTest::newRow("plain: initial value in front of the reduction")
            << kMatmul << std::string()
            << std::string("port A f32 [6400]\nport B f32 [3072]\nport Y f32 [4800] output\n"
                           "for m in 0..100\n"
                           "  for n in 0..48\n"
                           "    Y[m * 48 + n] = 0.0\n"
                           "    for k in 0..64\n"
                           "      Y[m * 48 + n] += A[m * 64 + k] * B[k * 48 + n]\n");
        QTest::newRow("spatial loops inside of the reduction are copied for it")
            << kMatmul << std::string("split n into n.o n.i:16\nreorder k n.i\nvectorize n.i\nparallel m n.o\n")
            << std::string("port A f32 [6400]\nport B f32 [3072]\nport Y f32 [4800] output\n"
                           "parallel m in 0..100\n"
                           "  parallel n.o in 0..3\n"
                           "    vector n.i.init in 0..16\n"
                           "      Y[m * 48 + n.o * 16 + n.i.init] = 0.0\n"
                           "    for k in 0..64\n"
                           "      vector n.i in 0..16\n"
                           "        Y[m * 48 + n.o * 16 + n.i] += A[m * 64 + k] * B[k * 48 + n.o * 16 + n.i]\n");
    }

    void texts()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        QFETCH(std::string, text);
        QCOMPARE(lowered(definition, script), text);
    }

    void stagesAreNamed()
    {
        const Target target = testTarget();
        std::vector<StageText> stages;
        const Result<Lowered> program = lower::lower(scheduled(kMatmul, "", target), target, &stages);
        VERIFY_OK(program);
        QCOMPARE(stages.size(), allPasses().size());
        QCOMPARE(stages.front().pass, std::string("build"));
        QVERIFY(stages.front().text.find("for k in 0..64") != std::string::npos);
    }
};

NW_TEST_MAIN(tst_lower, TestLower)
#include "tst_lower.moc"
