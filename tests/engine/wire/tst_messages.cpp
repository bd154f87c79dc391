#include "engine/base/random.h"
#include "engine/wire/messages.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::wire;

namespace {

BuildJob sampleBuildJob()
{
    BuildJob job;
    job.target.name = "x86-64-v3";
    job.target.features = {"avx2", "fma"};
    job.target.tuneCpu = "znver3";
    job.target.vectorBytes = 32;
    job.target.hasFma = true;
    job.target.l3Bytes = std::int64_t{1} << 34;
    job.kernels = {{"kernel_0", "definition matmul\n", {"plain", "(k, n) -> (n, k)"}, "split i into io ii:4\n", true},
                   {"kernel_1", std::string("\0\xff\xfe", 3), {}, "", false}};
    job.calls = {{1, {{CallArgument::Space::Input, 0, 0}, {CallArgument::Space::Arena, 0, 4096}}},
                 {0, {{CallArgument::Space::Constant, 3, 0}, {CallArgument::Space::Output, 1, 64}}}};
    job.arenaBytes = 1 << 20;
    job.outputPath = "/tmp/\xff.so";
    job.timeoutMs = 1234;
    return job;
}

RunJob sampleRunJob()
{
    RunJob job;
    job.sharedObject = "/tmp/a.so";
    job.symbol = "kernel_0";
    job.isModel = true;
    PortData input{PortRole::Input, 64, "/tmp/x", 128, "", "", "", "f64", ""};
    PortData output{PortRole::Output, 32, "", 0, "/tmp/e", "/tmp/b", "/tmp/m", "i64", "/tmp/s"};
    job.dataSets = {{input, output}, {output, input}};
    job.protocol = {"confirm", true, 12.5, 7, 4000, 3.9};
    job.threads = 2;
    job.timeoutMs = 99;
    job.memoryLimitBytes = std::int64_t{3} << 32;
    job.profileRuns = 11;
    job.rivals = {{"/tmp/b.so", "kernel_1", {{output, output}}, "", ""}, {"", "", {}, "onednn", "{}"}};
    job.library = "onednn";
    job.libraryOp = "{\"kind\": \"matmul\"}";
    return job;
}

RunReply sampleRunReply()
{
    RunReply reply;
    reply.verdict = {true, false, 0.5, 0.25, "output 2, element 17: got 1, expected 2"};
    reply.samples = {{1.5, 100, 5.25, 0.001, true}, {2.5, 99, 4, 0.25, false}};
    reply.clean = 1;
    reply.total = 2;
    reply.medianNs = 1.5;
    reply.spread = 0.01;
    reply.noisy = true;
    reply.shareOfPeakDenominator = 1e11;
    reply.profileNs = {1, 2.5, 3};
    reply.pairRatio = 1.04;
    reply.pairHalfWidth = 0.003;
    reply.pairClean = 15;
    reply.pairTotal = 19;
    reply.pairDecidable = 0.02;
    reply.bestAddsPerClock = 3.75;
    reply.note = "other processes used 40 % of a CPU";
    RunReply rival;
    rival.medianNs = 2.5;
    rival.outcome = Outcome::Refused;
    rival.failure = "no such operator";
    reply.rivals = {rival};
    return reply;
}

Frame sampleError()
{
    Frame frame;
    frame.kind = Frame::Kind::Error;
    frame.id = std::uint64_t{1} << 63;
    frame.error = refused(Refusal{"split.uneven", "{0} does not divide {1}", {"48", "128"}, {"i"}, {"fuse i j into ij"}});
    frame.error.line = 3;
    frame.error.column = 7;
    frame.outcome = Outcome::Refused;
    return frame;
}

// Every message by name: its bytes, and decoding followed by encoding again ("" when refused).
struct Kind {
    const char* name;
    std::string bytes;
    std::string (*again)(std::string_view);
};

template <typename T, Result<T> (*Decode)(std::string_view)>
std::string again(std::string_view bytes)
{
    const Result<T> value = Decode(bytes);
    return value ? encode(*value) : std::string();
}

std::vector<Kind> kinds()
{
    BuildReply reply;
    reply.path = "/tmp/a.so";
    reply.kernels = {{"kernel_0", 4096, 1, 2, 16, 24, 900, {{"X", false, AccessKind::Broadcast, 6}, {"Y", true, AccessKind::Contiguous, 2}},
                      "for i", "define", "vfmadd"}};
    reply.arenaBytes = 77;
    reply.lowerMs = 1;
    reply.optimizeMs = 2;
    reply.codegenMs = 3;
    reply.linkMs = 4;
    return {{"build job", encode(sampleBuildJob()), &again<BuildJob, decodeBuildJob>},
            {"build reply", encode(reply), &again<BuildReply, decodeBuildReply>},
            {"run job", encode(sampleRunJob()), &again<RunJob, decodeRunJob>},
            {"run reply", encode(sampleRunReply()), &again<RunReply, decodeRunReply>},
            {"frame", encode(sampleError()), &again<Frame, decodeFrame>}};
}

} // namespace

class TestMessages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsEveryField()
    {
        for (const Kind& kind : kinds()) {
            QVERIFY2(kind.bytes.size() > 20, kind.name);
            QVERIFY2(kind.again(kind.bytes) == kind.bytes, kind.name);
        }
        const Result<BuildJob> build = decodeBuildJob(encode(sampleBuildJob()));
        VERIFY_OK(build);
        QCOMPARE(build->target.toText(), sampleBuildJob().target.toText());
        QCOMPARE(build->target.l3Bytes, std::int64_t{1} << 34);
        QCOMPARE(build->kernels[0].layouts[1], std::string("(k, n) -> (n, k)"));
        QVERIFY(build->kernels[0].listings && !build->kernels[1].listings);
        QCOMPARE(build->kernels[1].definition, std::string("\0\xff\xfe", 3));
        QCOMPARE(build->calls[0].arguments[1].offset, std::int64_t{4096});
        QVERIFY(build->calls[1].arguments[0].space == CallArgument::Space::Constant);
        QCOMPARE(build->timeoutMs, std::int64_t{1234});

        const Result<RunJob> run = decodeRunJob(encode(sampleRunJob()));
        VERIFY_OK(run);
        QVERIFY(run->dataSets[1][0].role == PortRole::Output);
        QCOMPARE(run->dataSets[0][1].logicalMapFile, std::string("/tmp/m"));
        QCOMPARE(run->rivals.size(), std::size_t{2});
        QCOMPARE(run->rivals[0].symbol, std::string("kernel_1"));
        QCOMPARE(run->rivals[0].dataSets.size(), std::size_t{1});
        QCOMPARE(run->rivals[1].libraryOp, std::string("{}"));
        const Result<RunReply> reply = decodeRunReply(encode(sampleRunReply()));
        VERIFY_OK(reply);
        QCOMPARE(reply->rivals.size(), std::size_t{1});
        QVERIFY(reply->rivals[0].outcome == Outcome::Refused);
        QCOMPARE(reply->rivals[0].failure, std::string("no such operator"));
        QVERIFY(run->protocol.cold && run->protocol.sampleMs == 12.5 && run->protocol.samples == 7);
        QCOMPARE(run->memoryLimitBytes, std::int64_t{3} << 32);

        const Result<Frame> frame = decodeFrame(encode(sampleError()));
        VERIFY_OK(frame);
        QCOMPARE(frame->error.message, std::string("48 does not divide 128"));
        QVERIFY(frame->error.refusal != nullptr);
        QCOMPARE(frame->error.refusal->unlocks.at(0), std::string("fuse i j into ij"));
        QCOMPARE(frame->error.column, 7);
        QVERIFY(frame->outcome == Outcome::Refused);
    }

    void refusesWhatCannotBe_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("negative size") << 0;
        QTest::newRow("unknown type") << 1;
        QTest::newRow("sets that differ") << 2;
        QTest::newRow("endless limit") << 3;
        QTest::newRow("call of no kernel") << 4;
    }

    void refusesWhatCannotBe()
    {
        QFETCH(int, fault);
        RunJob run = sampleRunJob();
        BuildJob build = sampleBuildJob();
        if (fault == 0) {
            run.dataSets[0][0].bytes = -1;
        } else if (fault == 1) {
            run.dataSets[0][0].elementType = "f31";
        } else if (fault == 2) {
            run.dataSets[1].pop_back();
        } else if (fault == 3) {
            run.protocol.limitMs = std::numeric_limits<double>::infinity();
        } else {
            build.calls[0].kernel = 2;
            const Result<BuildJob> decoded = decodeBuildJob(encode(build));
            QVERIFY(!decoded);
            QVERIFY(decoded.error().message.starts_with("protocol"));
            return;
        }
        const Result<RunJob> decoded = decodeRunJob(encode(run));
        QVERIFY(!decoded);
        QVERIFY2(decoded.error().message.starts_with("protocol"), decoded.error().message.c_str());
    }

    // Mutated, cut and random bytes: an error or a value that can be encoded, never a crash (run under ASan as well).
    void survivesGarbage()
    {
        Random random(7);
        int refusedCount = 0;
        int accepted = 0;
        for (const Kind& kind : kinds()) {
            for (int round = 0; round < 4000; ++round) {
                std::string bytes = kind.bytes;
                if (round % 4 == 3) {
                    bytes.assign(random.below(200), '\0');
                    for (char& c : bytes) {
                        c = static_cast<char>(random.below(256));
                    }
                } else {
                    for (std::uint64_t i = random.below(6) + 1; i > 0; --i) {
                        bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
                    }
                    if (round % 4 == 2) {
                        bytes.resize(random.below(bytes.size()));
                    }
                }
                for (const Kind& reader : kinds()) {
                    const bool empty = reader.again(bytes).empty();
                    (empty ? refusedCount : accepted) += 1;
                }
            }
        }
        QVERIFY(refusedCount > 10000);
        QVERIFY(accepted > 100);
    }

    void everyOutcomeHasItsWord()
    {
        std::vector<std::string> seen;
        for (int i = 0; i <= static_cast<int>(Outcome::DeviceUnavailable); ++i) {
            const std::string word(toText(static_cast<Outcome>(i)));
            QVERIFY(word != "unknown");
            QVERIFY(std::find(seen.begin(), seen.end(), word) == seen.end());
            seen.push_back(word);
        }
        QCOMPARE(seen[4], std::string("crash"));
    }
};

NW_TEST_MAIN(tst_messages, TestMessages)
#include "tst_messages.moc"
