#include "engine/base/random.h"
#include "engine/measure/worker.h"
#include "tests/support/test.h"

#include <QElapsedTimer>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

using namespace nw;
using namespace nw::measure;
using wire::Outcome;

namespace {

Worker::Settings planted()
{
    return {NW_PLANTED_WORKER, 0, 0, {}};
}

wire::RunJob mode(const std::string& name, std::int64_t timeoutMs = 20000)
{
    wire::RunJob job;
    job.symbol = name;
    job.timeoutMs = timeoutMs;
    return job;
}

struct ProcessLine {
    int pid = 0, group = 0, parent = 0;
    char state = ' ';
};

// All processes of the machine.
std::vector<ProcessLine> processes()
{
    std::vector<ProcessLine> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream file(entry.path() / "stat");
        std::string line;
        if (!std::getline(file, line) || line.rfind(')') == std::string::npos) {
            continue;
        }
        ProcessLine process;
        process.pid = std::atoi(line.c_str());
        std::sscanf(line.c_str() + line.rfind(')') + 1, " %c %d %d", &process.state, &process.parent, &process.group);
        found.push_back(process);
    }
    return found;
}

// Processes that still run in this group, and zombies that we should have reaped.
int leftOf(int group)
{
    int count = 0;
    for (const ProcessLine& process : processes()) {
        count += process.group == group && (process.state != 'Z' || process.parent == ::getpid()) ? 1 : 0;
    }
    return count;
}

int zombiesOfOurs()
{
    int count = 0;
    for (const ProcessLine& process : processes()) {
        count += process.parent == ::getpid() && process.state == 'Z' ? 1 : 0;
    }
    return count;
}

} // namespace

class TestWorker : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void answersJobsAndStaysTheSameProcess()
    {
        Worker::Settings settings = planted();
        settings.arguments = {"an argument"};
        Worker worker(settings);
        QCOMPARE(worker.processId(), 0);
        VERIFY_OK(worker.start());
        const int pid = worker.processId();
        QVERIFY(pid > 0);
        for (int i = 0; i < 5; ++i) {
            const JobResult<wire::RunReply> result = worker.run(mode("fine"));
            QVERIFY2(result, result.error.message.c_str());
            QCOMPARE(result.value.medianNs, 42.0);
            QCOMPARE(result.value.note, std::string("an argument"));
        }
        QCOMPARE(worker.processId(), pid);
    }

    // Six kinds of end, each told apart, with the log, and the next job is served.
    void case_49_data()
    {
        QTest::addColumn<QByteArray>("how");
        QTest::addColumn<int>("outcome");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* how, Outcome outcome, const char* words) {
            QTest::newRow(how) << QByteArray(how) << static_cast<int>(outcome) << QByteArray(words);
        };
        row("crash", Outcome::Crash, "signal 11");
        row("abort", Outcome::Crash, "signal 6");
        row("hang", Outcome::Hang, "limit of 300 ms reached");
        row("spin", Outcome::Hang, "limit of 300 ms reached");
        row("exit0", Outcome::EndedEarly, "ended early: the worker exited with status 0");
        row("exit1", Outcome::EndedEarly, "ended early: the worker exited with status 1");
        row("hang-up", Outcome::EndedEarly, "ended early: the worker closed its connection");
        row("half-answer", Outcome::EndedEarly, "ended early");
        row("orphan-holds-connection", Outcome::EndedEarly, "ended early: the worker exited with status 3");
        row("garbage", Outcome::ProtocolError, "protocol error");
        row("garbage-frame", Outcome::ProtocolError, "protocol error");
        row("wrong-id", Outcome::ProtocolError, "protocol error");
        row("killed", Outcome::OutOfMemory, "killed (memory?)");
        row("error-memory", Outcome::OutOfMemory, "no room for the buffers");
        row("refuse", Outcome::Refused, "not like this");
        row("wrong", Outcome::WrongResult, "wrong result: output 2, element 17: got 1, expected 2");
    }

    void case_49()
    {
        QFETCH(QByteArray, how);
        QFETCH(int, outcome);
        QFETCH(QByteArray, words);
        Worker worker(planted());
        VERIFY_OK(worker.start());
        const int group = worker.processId();
        const JobResult<wire::RunReply> result =
            worker.run(mode(how.toStdString(), outcome == static_cast<int>(Outcome::Hang) ? 300 : 20000));
        QCOMPARE(std::string(toText(result.outcome)), std::string(toText(static_cast<Outcome>(outcome))));
        QVERIFY2(result.error.message.starts_with(words.toStdString()), result.error.message.c_str());
        if (how == "crash") {
            QVERIFY2(result.logTail.find("about to crash") != std::string::npos, result.logTail.c_str());
        }
        if (worker.processId() != group) {
            QTRY_COMPARE(leftOf(group), 0);
        }
        const JobResult<wire::RunReply> next = worker.run(mode("fine"));
        QVERIFY2(next, next.error.message.c_str());
        QCOMPARE(next.value.medianNs, 42.0);
    }

    // An answer from a process that is about to end: the next job must not be sent to it.
    void aLastAnswerEndsTheWorker()
    {
        Worker worker(planted());
        for (int i = 0; i < 3; ++i) {
            const JobResult<wire::RunReply> result = worker.run(mode("last-answer"));
            QVERIFY2(result, result.error.message.c_str());
            QCOMPARE(result.value.medianNs, 41.0);
            QCOMPARE(worker.processId(), 0);
        }
    }

    void aBuildThatFailsDoesNotBuild()
    {
        Worker worker(planted());
        const JobResult<wire::BuildReply> result = worker.build({});
        QVERIFY(result.outcome == Outcome::DoesNotBuild);
        QCOMPARE(result.error.message, std::string("LLVM said no"));
    }

    void aMissingProgramIsNoDevice()
    {
        Worker worker({"/nowhere/runner", 0, 0, {}});
        const JobResult<wire::RunReply> result = worker.run(mode("fine"));
        QVERIFY(result.outcome == Outcome::DeviceUnavailable);
        QVERIFY2(result.error.message.find("/nowhere/runner") != std::string::npos, result.error.message.c_str());
        QCOMPARE(zombiesOfOurs(), 0);
    }

    void runsOutOfMemoryUnderItsLimit()
    {
#ifdef NW_SANITIZED
        QSKIP("sanitizers need the whole address space");
#endif
        Worker::Settings settings = planted();
        settings.memoryLimitBytes = std::int64_t{1} << 30;
        Worker worker(settings);
        const JobResult<wire::RunReply> result = worker.run(mode("bad-alloc"));
        QVERIFY2(result.outcome == Outcome::OutOfMemory, result.error.message.c_str());
        QVERIFY(worker.run(mode("fine")));
    }

    // A hundred megabytes on stdout neither block the child nor are kept.
    void keepsTheEndOfMuchOutput()
    {
        Worker worker(planted());
        const JobResult<wire::RunReply> result = worker.run(mode("print"));
        QVERIFY2(result, result.error.message.c_str());
        QVERIFY(result.logTail.size() <= 4096);
        QTRY_VERIFY(worker.run(mode("fine")).outcome == Outcome::Ok);
    }

    // Twenty workers whose children ignore SIGTERM: no descendant and no zombie is left.
    void case_45()
    {
        std::set<int> groups;
        Worker worker(planted());
        for (int i = 0; i < 20; ++i) {
            VERIFY_OK(worker.start());
            groups.insert(worker.processId());
            QVERIFY(worker.run(mode("ignores-term", 60)).outcome == Outcome::Hang);
        }
        QCOMPARE(groups.size(), std::size_t{20});
        for (const int group : groups) {
            QTRY_COMPARE(leftOf(group), 0);
        }
        QCOMPARE(zombiesOfOurs(), 0);
    }

    // When the process that owns the worker is killed, the worker ends.
    void dies_with_its_parent()
    {
        int fds[2];
        QVERIFY(::pipe(fds) == 0);
        const pid_t owner = ::fork();
        if (owner == 0) {
            Worker worker(planted());
            const int pid = worker.start() ? worker.processId() : 0;
            [[maybe_unused]] const ssize_t written = ::write(fds[1], &pid, sizeof pid);
            (void)worker.run(mode("spin")).outcome;
            ::_exit(0);
        }
        int pid = 0;
        QVERIFY(::read(fds[0], &pid, sizeof pid) == static_cast<ssize_t>(sizeof pid));
        ::close(fds[0]);
        ::close(fds[1]);
        QVERIFY(pid > 0);
        QVERIFY(::kill(pid, 0) == 0);
        ::kill(owner, SIGKILL);
        ::waitpid(owner, nullptr, 0);
        const auto gone = [pid] {
            for (const ProcessLine& process : processes()) {
                if (process.pid == pid && process.state != 'Z') {
                    return false;
                }
            }
            return true;
        };
        QTRY_VERIFY(gone());
    }

    // The thread that asked for the worker may end before the worker does.
    void outlivesTheThreadThatStartedIt()
    {
        Worker worker(planted());
        int pid = 0;
        std::thread starter([&] {
            QVERIFY(worker.start().has_value());
            pid = worker.processId();
        });
        starter.join();
        QVERIFY(worker.run(mode("slow")));
        QCOMPARE(worker.processId(), pid);
    }

    void stopsWhenAsked()
    {
        Worker worker(planted());
        VERIFY_OK(worker.start());
        const StopToken stop;
        std::thread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            stop.requestStop();
        });
        QElapsedTimer timer;
        timer.start();
        const JobResult<wire::RunReply> result = worker.run(mode("spin", 60000), stop);
        later.join();
        QVERIFY(result.outcome == Outcome::Stopped);
        QVERIFY(timer.elapsed() < 5000);
        QCOMPARE(zombiesOfOurs(), 0);
        QVERIFY(worker.run(mode("fine"), stop).outcome == Outcome::Stopped);
        QVERIFY(worker.run(mode("fine")));
    }

    void startsAfreshAfterSoManyJobs()
    {
        Worker::Settings settings = planted();
        settings.recycleAfter = 3;
        Worker worker(settings);
        std::vector<int> pids;
        for (int i = 0; i < 7; ++i) {
            QVERIFY(worker.run(mode("fine")));
            pids.push_back(worker.processId());
        }
        QVERIFY(pids[0] == pids[2] && pids[2] != pids[3] && pids[3] == pids[5] && pids[5] != pids[6]);
    }

    // Killed at a random moment of a job, two hundred times: that job is lost, the next one is answered.
    void survivesRandomKills()
    {
        Random random(3);
        Worker worker(planted());
        int lost = 0;
        for (int i = 0; i < 200; ++i) {
            VERIFY_OK(worker.start());
            const int pid = worker.processId();
            const auto wait = std::chrono::microseconds(random.below(40000));
            std::thread killer([pid, wait] {
                std::this_thread::sleep_for(wait);
                ::kill(pid, SIGKILL);
            });
            const JobResult<wire::RunReply> result = worker.run(mode("slow"));
            killer.join();
            if (result.outcome == Outcome::Ok) {
                QCOMPARE(result.value.medianNs, 42.0);
            } else {
                ++lost;
                QVERIFY2(result.outcome == Outcome::OutOfMemory, result.error.message.c_str());
            }
            if (i % 20 == 0) {
                QVERIFY(worker.run(mode("fine")));
            }
        }
        QVERIFY2(lost > 50 && lost < 200, std::to_string(lost).c_str());
        QVERIFY(worker.run(mode("fine")));
        QCOMPARE(zombiesOfOurs(), 0);
    }
};

NW_TEST_MAIN(tst_worker, TestWorker)
#include "tst_worker.moc"
