// Several kernels in one job, in rounds, through the real runner.
#include "engine/measure/worker.h"
#include "tests/engine/measure/planted.h"
#include "tests/support/test.h"

#include <utility>

using namespace nw;
using namespace nw::measure;
using wire::Outcome;

class TestRounds : public QObject {
    Q_OBJECT

    Planted m_planted;
    std::unique_ptr<Worker> m_worker;

private Q_SLOTS:
    void initTestCase() { m_worker = std::make_unique<Worker>(Worker::Settings{NW_RUNNER, 0, 0, {}}); }

    // Several in rounds: each has figures of its own; a wrong one and a library that is not there are left out and told.
    void measuresSeveralTogether()
    {
        const std::string work = "float s = 0; for (int r = 0; r < ROUNDS; ++r) for (int i = 0; i < 1003; ++i) s += a[i] * r;"
                                 " w[0] = s;";
        wire::RunJob job = m_planted.sumJob(m_planted.kernel("pair-a", kNames + kSum + work, "-DROUNDS=100"));
        job.rivals = {{m_planted.kernel("fault-wrong-value", kNames + kSum + "y[7] += 1;"), "kernel", {}, "", ""},
                      {m_planted.kernel("pair-c", kNames + kSum + work, "-DROUNDS=3000"), "kernel", job.dataSets, "", ""},
                      {"", "", {}, "no-such-library", "{}"}};
        job.rivals[1].dataSets[0][3].bytes = 4096;
        job.protocol = {"quick", false, 3, 6, 600, 0};
        JobResult<wire::RunReply> result = m_worker->run(job);
        QVERIFY2(result, result.error.message.c_str());
        QCOMPARE(result.value.rivals.size(), std::size_t{3});
        const wire::RunReply& wrong = result.value.rivals[0];
        QVERIFY(!wrong.verdict.correct && wrong.medianNs == 0 && wrong.samples.empty());
        const wire::RunReply& second = result.value.rivals[1];
        QVERIFY(second.verdict.checked && second.verdict.correct && second.outcome == Outcome::Ok);
        QVERIFY2(second.medianNs > 3 * result.value.medianNs, std::to_string(second.medianNs / result.value.medianNs).c_str());
        QCOMPARE(second.total, result.value.total); // one of each a round
        QVERIFY(second.shareOfPeakDenominator > 0 && result.value.shareOfPeakDenominator > 0);
        QVERIFY(result.value.rivals[2].outcome == Outcome::Refused);
        QVERIFY2(result.value.rivals[2].failure.find("no-such-library") != std::string::npos, result.value.rivals[2].failure.c_str());

        // The first may be the wrong one; the others are measured all the same.
        std::swap(job.sharedObject, job.rivals[0].sharedObject);
        result = m_worker->run(job);
        QVERIFY(result.outcome == Outcome::WrongResult);
        QVERIFY(result.value.medianNs == 0 && result.value.rivals[0].medianNs > 0 && result.value.rivals[1].medianNs > 0);
    }

    // A library is one of them, and may be the only one that is left.
    void aLibraryTakesItsTurns()
    {
        wire::RunJob job = m_planted.sumJob(m_planted.kernel("right", kNames + kSum));
        job.rivals = {{"", "", {}, "bandwidth", "{\"kind\": \"read\", \"bytes\": 65536}"}};
        job.protocol = {"quick", false, 3, 6, 600, 0};
        JobResult<wire::RunReply> result = m_worker->run(job);
        QVERIFY2(result, result.error.message.c_str());
        QVERIFY(result.value.medianNs > 0 && result.value.rivals[0].medianNs > 0);
        QCOMPARE(result.value.rivals[0].total, result.value.total);
        job.sharedObject = m_planted.kernel("fault-wrong-value", kNames + kSum + "y[7] += 1;");
        result = m_worker->run(job);
        QVERIFY(result.outcome == Outcome::WrongResult);
        QVERIFY2(result.value.medianNs == 0 && result.value.rivals[0].medianNs > 0, result.error.message.c_str());
    }

    // A kernel that dies ends the job; the worker is there for the next one.
    void aRivalThatDiesEndsTheRounds()
    {
        wire::RunJob job = m_planted.sumJob(m_planted.kernel("right", kNames + kSum));
        job.rivals = {{m_planted.kernel("rival-abort", kNames + kSum + "abort();"), "kernel", {}, "", ""}};
        job.protocol = {"quick", false, 3, 6, 600, 0};
        QVERIFY(m_worker->run(job).outcome == Outcome::Crash);
        job.rivals.clear();
        QVERIFY(m_worker->run(job));
    }
};

NW_TEST_MAIN(tst_rounds, TestRounds)
#include "tst_rounds.moc"
