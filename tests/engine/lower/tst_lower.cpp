// Texts of lowered programs, refusals and what is written around outputs.

#include "engine/base/text.h"
#include "engine/compute/interpret.h"
#include "engine/lower/pass.h"
#include "tests/engine/lower/lowered_run.h"
#include "tests/engine/lower/nests.h"
#include "tests/support/test.h"

#include <algorithm>

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
        QTest::newRow("a block that goes on stores no initial value")
            << kMatmul << std::string("partition k at 16\ndecompose_reduction matmul at n\n")
            << std::string("port A f32 [6400]\nport B f32 [3072]\nport Y f32 [4800] output\n"
                           "for m in 0..100\n"
                           "  for matmul.init.n in 0..48\n"
                           "    Y[m * 48 + matmul.init.n] = 0.0\n"
                           "  for n in 0..48\n"
                           "    for k.0 in 0..16\n"
                           "      Y[m * 48 + n] += A[m * 64 + k.0] * B[k.0 * 48 + n]\n"
                           "    for k.1 in 0..48\n"
                           "      Y[m * 48 + n] += A[m * 64 + k.1 + 16] * B[k.1 * 48 + n + 768]\n");
        QTest::newRow("prefetch: what the loops inside walk, line by line; steps to come are not clamped")
            << kMatmul << std::string("split n into no ni:24\nreorder no m k ni\nvectorize ni\nprefetch B of matmul at k ahead 4\n"
                                      "prefetch A of matmul at m ahead 1\n")
            << std::string("port A f32 [6400]\nport B f32 [3072]\nport Y f32 [4800] output\n"
                           "for no in 0..2\n"
                           "  for m in 0..100\n"
                           "    prefetch A[m * 64 + 64]\n"
                           "    prefetch A[m * 64 + 80]\n"
                           "    prefetch A[m * 64 + 96]\n"
                           "    prefetch A[m * 64 + 112]\n"
                           "    vector ni.init in 0..24\n"
                           "      Y[m * 48 + no * 24 + ni.init] = 0.0\n"
                           "    for k in 0..64\n"
                           "      prefetch B[k * 48 + no * 24 + 192]\n"
                           "      prefetch B[k * 48 + no * 24 + 208]\n"
                           "      vector ni in 0..24\n"
                           "        Y[m * 48 + no * 24 + ni] += A[m * 64 + k] * B[k * 48 + no * 24 + ni]\n");
        QTest::newRow("prefetch: the innermost of parallel loops takes it, ahead of both versions of a tail")
            << kMatmul << std::string("split n into no ni:32\nreorder m no k ni\nvectorize ni\nparallel m no\n"
                                      "prefetch B of matmul at no ahead 1\nprefetch A of matmul at m ahead 2\n")
            << std::string("port A f32 [6400]\n"
                           "port B f32 [3072]\n"
                           "port Y f32 [4800] output\n"
                           "parallel m in 0..100\n"
                           "  parallel no in 0..2\n"
                           "    prefetch A[m * 64 + 128]\n"
                           "    prefetch A[m * 64 + 144]\n"
                           "    prefetch A[m * 64 + 160]\n"
                           "    prefetch A[m * 64 + 176]\n"
                           "    prefetch B[no * 32 + 32]\n"
                           "    prefetch B[no * 32 + 48]\n"
                           "    if no < 1\n"
                           "      vector ni.init in 0..32\n"
                           "        Y[m * 48 + ni.init] = 0.0\n"
                           "      for k in 0..64\n"
                           "        vector ni in 0..32\n"
                           "          Y[m * 48 + ni] += A[m * 64 + k] * B[k * 48 + ni]\n"
                           "    else\n"
                           "      vector ni.init in 0..32\n"
                           "        if ni.init < 16\n"
                           "          Y[m * 48 + ni.init + 32] = 0.0\n"
                           "      for k in 0..64\n"
                           "        vector ni in 0..32\n"
                           "          if ni < 16\n"
                           "            Y[m * 48 + ni + 32] += A[m * 64 + k] * B[k * 48 + ni + 32]\n");
        QTest::newRow("hints and streams")
            << kMatmul << std::string("cache_write matmul at m in stack\nparallel m\nannotate m grain 8\nannotate k unroll_hint 4\n"
                                      "annotate k align 64\nvectorize matmul.wb.n\nstream matmul.wb\n")
            << std::string("port A f32 [6400]\n"
                           "port B f32 [3072]\n"
                           "port Y f32 [4800] output\n"
                           "stack matmul.stack f32 [48]\n"
                           "parallel m in 0..100 grain 8\n"
                           "  with matmul.stack\n"
                           "    for n in 0..48\n"
                           "      matmul.stack[n] = 0.0\n"
                           "      for k in 0..64 unroll_hint 4 align 64\n"
                           "        matmul.stack[n] += A[m * 64 + k] * B[k * 48 + n]\n"
                           "    vector matmul.wb.n in 0..48\n"
                           "      Y[m * 48 + matmul.wb.n] = matmul.stack[matmul.wb.n] (streamed)\n");
        QTest::newRow("prefetch: eight lines at most")
            << kMatmul << std::string("prefetch B of matmul at m ahead 3\n")
            << std::string("port A f32 [6400]\nport B f32 [3072]\nport Y f32 [4800] output\n"
                           "for m in 0..100\n"
                           "  prefetch B[0]\n"
                           "  prefetch B[16]\n"
                           "  prefetch B[32]\n"
                           "  prefetch B[48]\n"
                           "  prefetch B[64]\n"
                           "  prefetch B[80]\n"
                           "  prefetch B[96]\n"
                           "  prefetch B[112]\n"
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

    void partsKeepTheAnswer_data()
    {
        QTest::addColumn<std::string>("sample");
        QTest::addColumn<std::string>("script");
        const std::vector<std::pair<const char*, const char*>> rows{
            {"matmul", "decompose_reduction matmul at m\n"},
            {"matmul", "split n into no ni:4\nreorder m no k ni\nvectorize ni\ndecompose_reduction matmul at k\n"},
            {"matmul", "split n into no ni:4\nreorder m no k ni\ncache_write matmul at no in registers\nvectorize ni\n"
                       "decompose_reduction matmul at k\npartition k at 2\n"},
            {"matmul", "parallel m\ndecompose_reduction matmul at m\n"},
            {"matmul", "reorder k m n\npartition k at 2\npartition m at 3\n"},
            {"matmul", "split k into ko ki:3\npartition ki at 1\n"},
            {"matmul", "split n into no ni:4 tail peel\nreorder no k ni\nvectorize ni\n"},
            {"matmul", "split n into no ni:4 tail shift\nreorder no k ni\nvectorize ni\nparallel m\n"},
            {"matmul", "split n into no ni:8 tail shift\nreorder no k ni\ncache_write matmul at no in registers\nvectorize ni\n"},
            {"matmul with epilogue", "merge m relu.m\nmerge n relu.n\nparallel m\n"},
            {"matmul with epilogue", "merge m relu.m\nfission m after matmul\npartition k at 3\nreverse_compute_at relu at n\n"},
            {"matmul with epilogue", "decompose_reduction matmul at n\nreverse_compute_at relu at m\n"},
            {"blocked conv with border", "partition oh at 6\npartition oh.0 at 1\npartition ow at 1\n"},
            {"conv", "partition oh at 6\npartition oh.0 at 1\n"},
            {"conv", "split ow into owo owi:4 tail peel\ndecompose_reduction conv at ic\n"},
            {"conv", "split ow into owo owi:4 tail shift\nsplit oh into oho ohi:3 tail shift\n"},
            {"strided pool", "partition oh at 1\npartition ow at 4\ndecompose_reduction maxpool at kh\n"},
            {"row sums", "merge d0 sum.d0\nmerge d0 sub.d0\nparallel d0\n"},
            {"one element", "decompose_reduction reducesum at r0\npartition r0 at 6\n"},
        };
        for (const auto& [sample, script] : rows) {
            QTest::addRow("%s: %s", sample, script) << std::string(sample) << std::string(script);
        }
    }

    // Reductions that other blocks start or go on with, bodies that were copied, turns that overlap.
    void partsKeepTheAnswer()
    {
        QFETCH(std::string, sample);
        QFETCH(std::string, script);
        const auto found = std::find_if(samples().begin(), samples().end(), [&](const Sample& s) { return s.name == sample; });
        QVERIFY(found != samples().end());
        const Target target = testTarget(16, 32);
        const schedule::LoopNest nest = scheduled(found->definition, script, target, found->layouts);
        const Result<std::vector<Tensor>> inputs = compute::makeTestData(*nest.definition, compute::DataKind::SmallIntegers, 7);
        VERIFY_OK(inputs);
        const Result<Lowered> program = lower::lower(nest, target);
        VERIFY_OK(program);
        for (const std::uint64_t order : {std::uint64_t{0}, std::uint64_t{5}}) {
            const Result<std::vector<Tensor>> outputs = runLowered(*program, nest, *inputs, order);
            VERIFY_OK(outputs);
            const std::string difference = compareWithOracle(*nest.definition, *inputs, *outputs);
            QVERIFY2(difference.empty(), (difference + "\n" + toText(*program)).c_str());
        }
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
