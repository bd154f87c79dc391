#include "engine/measure/worker.h"
#include "tests/engine/measure/planted.h"
#include "tests/support/test.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace nw;
using namespace nw::measure;
using wire::Outcome;

class TestRunner : public QObject {
    Q_OBJECT

    Planted m_planted;
    std::unique_ptr<Worker> m_worker;

    JobResult<wire::RunReply> runKernel(const std::string& name, const std::string& body, std::int64_t timeoutMs = 20000)
    {
        wire::RunJob job = m_planted.sumJob(m_planted.kernel(name, kNames + body));
        job.timeoutMs = timeoutMs;
        return m_worker->run(job);
    }

private Q_SLOTS:
    void initTestCase() { m_worker = std::make_unique<Worker>(Worker::Settings{NW_RUNNER, 0, 0, {}}); }

    void acceptsWhatIsRight()
    {
        const JobResult<wire::RunReply> result = runKernel("right", kSum);
        QVERIFY2(result, result.error.message.c_str());
        QVERIFY(result.value.verdict.checked && result.value.verdict.correct);
        QCOMPARE(result.value.verdict.maxAbsDiff, 0.0);
        QVERIFY(result.value.samples.empty());
    }

    // One fault each; the words name the port and what happened.
    void catchesPlantedFaults_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* name, const std::string& body, const char* words) {
            QTest::newRow(name) << QByteArray::fromStdString(body) << QByteArray(words);
        };
        row("wrong-value", kSum + "y[7] += 1;", "output port 2 (data set 1, shifted): element 7 of 1003: got 10.0, expected 9.0");
        row("never-written", "for (int i = 0; i < 1002; ++i) y[i] = a[i] + b[i];", "element 1002 of 1003: got nan");
        row("uses-workspace", kSum + "y[3] += w[0];", "element 3 of 1003: got nan");
        row("writes-constant", kSum + "b[9] = 5;", "constant port 1 (data set 1, shifted): was written to, at byte");
        row("writes-behind", kSum + "y[1003] = 0;", "output port 2 (data set 1, shifted): wrote");
        row("writes-before", kSum + "y[-1] = 0;", "output port 2 (data set 1, shifted): wrote");
        row("reads-behind", kSum + "static volatile float s; s = a[1003];",
            "touched memory that is not its own: 1 bytes behind the end of port 0 (data set 1, right edge)");
        row("reads-before", kSum + "static volatile float s; s = a[-1];",
            "touched memory that is not its own: 4 bytes before the start of port 0 (data set 1, left edge)");
        row("workspace-overrun", kSum + "static volatile float s; s = w[16];",
            "touched memory that is not its own: 1 bytes behind the end of port 3 (data set 1, right edge)");
        row("depends-on-before", "static int calls; ++calls;" + kSum + "if (calls > 2) y[0] = 99;",
            "output port 2 (data set 1, right edge): element 0 of 1003: got 99.0");
    }

    void catchesPlantedFaults()
    {
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, words);
        const JobResult<wire::RunReply> result = runKernel(std::string("fault-") + QTest::currentDataTag(), body.toStdString());
        QCOMPARE(std::string(toText(result.outcome)), std::string("wrong-result"));
        QVERIFY2(result.error.message.find(words.toStdString()) != std::string::npos, result.error.message.c_str());
        const JobResult<wire::RunReply> next = runKernel("right", kSum);
        QVERIFY2(next, next.error.message.c_str());
    }

    // What a kernel can do to its process: each is told for what it is, and the next job is served.
    void case_49_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<int>("outcome");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* name, const char* body, Outcome outcome, const char* words) {
            QTest::newRow(name) << QByteArray(body) << static_cast<int>(outcome) << QByteArray(words);
        };
        row("segfault", "*(volatile int*)16 = 1;", Outcome::Crash, "signal 11");
        row("illegal", "__builtin_trap();", Outcome::Crash, "signal 4");
        row("overflows-stack", "volatile char big[64 << 20]; big[0] = 1; y[0] = big[0];", Outcome::Crash, "signal 11");
        row("endless", "for (volatile int i = 0; ; ) { i = 1; }", Outcome::Hang, "limit of 1 s reached");
        row("exits", "exit(0);", Outcome::EndedEarly, "ended early: the worker exited with status 0");
        row("closes-everything", "for (int i = 0; i < 1024; ++i) close(i);", Outcome::EndedEarly, "ended early");
        row("closes-and-hangs", "for (int i = 0; i < 1024; ++i) close(i); for (;;) pause();", Outcome::EndedEarly,
            "ended early: the worker closed its connection");
        row("killed", "kill(getpid(), 9);", Outcome::OutOfMemory, "killed (memory?)");
        row("garbage", "for (int i = 3; i < 10; ++i) write(i, \"not a frame at all\", 18);", Outcome::ProtocolError,
            "protocol error");
    }

    void case_49()
    {
        QFETCH(QByteArray, body);
        QFETCH(int, outcome);
        QFETCH(QByteArray, words);
        const bool hangs = outcome == static_cast<int>(Outcome::Hang);
        const JobResult<wire::RunReply> result = runKernel(std::string("end-") + QTest::currentDataTag(),
                                                           "#include <signal.h>\n" + body.toStdString(), hangs ? 1000 : 20000);
        QCOMPARE(std::string(toText(result.outcome)), std::string(toText(static_cast<Outcome>(outcome))));
        QVERIFY2(result.error.message.starts_with(words.toStdString()), result.error.message.c_str());
        const JobResult<wire::RunReply> next = runKernel("right", kSum);
        QVERIFY2(next, next.error.message.c_str());
    }

    // A kernel that forks: its copy neither answers nor stays.
    void case_45_forks()
    {
        const JobResult<wire::RunReply> quiet = runKernel("forks", kSum + "fork();");
        QVERIFY2(quiet, quiet.error.message.c_str());
        QVERIFY(runKernel("right", kSum));
        QVERIFY(m_worker->start());
        const int pid = m_worker->processId();
        const JobResult<wire::RunReply> left = runKernel("forks-and-spins", kSum + "if (fork() == 0) for (;;) ;");
        QVERIFY2(left, left.error.message.c_str());
        QTRY_VERIFY(m_worker->processId() != pid); // it took the copies with it
        QTRY_COMPARE(::system(("! pgrep -g " + std::to_string(pid) + " -r R,S,D >/dev/null").c_str()), 0);
        for (int i = 0; i < 10; ++i) { // the next job never meets the process that is about to end
            QVERIFY(runKernel("forks-and-spins", kSum + "if (fork() == 0) for (;;) ;"));
            const JobResult<wire::RunReply> next = runKernel("right", kSum);
            QVERIFY2(next, next.error.message.c_str());
        }
    }

    void case_45_prints()
    {
        const JobResult<wire::RunReply> result = runKernel(
            "prints", kSum + "static char line[1000]; memset(line, 'x', 999); line[999] = '\\n';\n"
                             "for (int i = 0; i < 34000; ++i) fwrite(line, 1, 1000, stdout); fflush(stdout);\n");
        QVERIFY2(result, result.error.message.c_str());
        QVERIFY(result.logTail.size() <= 4096);
    }

    void runsOutOfMemory()
    {
#ifdef NW_SANITIZED
        QSKIP("sanitizers need the whole address space");
#endif
        wire::RunJob job = m_planted.sumJob(m_planted.kernel("right", kNames + kSum));
        job.memoryLimitBytes = std::int64_t{64} << 20;
        QVERIFY(m_worker->run(job));
        job.dataSets[0][3].bytes = std::int64_t{1} << 30;
        const JobResult<wire::RunReply> buffers = m_worker->run(job);
        QVERIFY2(buffers.outcome == Outcome::OutOfMemory, buffers.error.message.c_str());

        job.dataSets[0][3].bytes = 64;
        job.sharedObject = m_planted.path("hoards.so");
        std::ofstream(m_planted.path("hoards.cpp"))
            << "#include <string>\n#include <vector>\nextern \"C\" void kernel(void* const*, const void*) {\n"
               "std::vector<std::string> v; for (;;) v.emplace_back(10000000, 'x'); }\n";
        QCOMPARE(::system(("c++ -O1 -shared -fPIC -o " + job.sharedObject + " " + m_planted.path("hoards.cpp")).c_str()), 0);
        const JobResult<wire::RunReply> hoards = m_worker->run(job);
        QVERIFY2(hoards.outcome == Outcome::OutOfMemory, hoards.error.message.c_str());
        QVERIFY(runKernel("right", kSum));
    }

    void saysWhatDoesNotLoad()
    {
        std::ofstream(m_planted.path("empty.so")) << "";
        for (const auto& [object, symbol, words] :
             {std::tuple{m_planted.path("missing.so"), "kernel", "missing.so"}, {m_planted.path("empty.so"), "kernel", "empty.so"},
              {m_planted.kernel("right", kNames + kSum), "other", "has no 'other'"}, {std::string("libc.so.6"), "malloc", "no path"}}) {
            wire::RunJob job = m_planted.sumJob(object);
            job.symbol = symbol;
            const JobResult<wire::RunReply> result = m_worker->run(job);
            QVERIFY(result.outcome == Outcome::DoesNotBuild);
            QVERIFY2(result.error.message.find(words) != std::string::npos, result.error.message.c_str());
        }
        wire::RunJob job = m_planted.sumJob(m_planted.kernel("right", kNames + kSum));
        job.dataSets[0][0].file = m_planted.path("nothing-here");
        QVERIFY(m_worker->run(job).outcome == Outcome::DeviceUnavailable);
        job = m_planted.sumJob(m_planted.kernel("right", kNames + kSum));
        job.dataSets[0][0].bytes += 4;
        QVERIFY(m_worker->run(job).outcome == Outcome::DeviceUnavailable);
    }

    // A blocked output with padding: values through the map, zeros elsewhere, allowed errors.
    void followsTheLogicalMap()
    {
        wire::RunJob job = m_planted.sumJob("");
        wire::PortData& output = job.dataSets[0][2];
        output.bytes = 8 * 4;
        output.expectedFile = m_planted.data<double>("map-values", {1, 2, 3, 4, 5});
        output.boundFile = m_planted.data<double>("map-bounds", {0.5, 0.5, 0.5, 0.5, 0.5});
        output.logicalMapFile = m_planted.data<std::int64_t>("map-offsets", {7, 1, 2, 3, 4});
        output.saveFile = m_planted.path("map-saved");
        const auto run = [&](const std::string& name, const std::string& body) {
            job.sharedObject = m_planted.kernel(name, "float* y = ports[2];" + body);
            return m_worker->run(job);
        };
        const std::string right = "float v[8] = {0, 2, 3.25f, 4, 5, 0, 0, 1}; memcpy(y, v, 32);";
        const JobResult<wire::RunReply> good = run("map-right", right);
        QVERIFY2(good, good.error.message.c_str());
        QCOMPARE(good.value.verdict.maxAbsDiff, 0.25);
        QCOMPARE(good.value.verdict.maxRelDiff, 0.05);
        std::ifstream saved(output.saveFile, std::ios::binary);
        std::vector<float> values(8);
        saved.read(reinterpret_cast<char*>(values.data()), 32);
        QCOMPARE(values, (std::vector<float>{0, 2, 3.25F, 4, 5, 0, 0, 1}));

        QVERIFY(run("map-padding", right + "y[5] = 0.001f;").error.message.find("padding at memory element 5 is") != std::string::npos);
        QVERIFY(run("map-bound", right + "y[2] = 3.75f;").error.message.find("element 2 of 5: got 3.75, expected 3.0") !=
                std::string::npos);
        QVERIFY(run("map-nan", right + "y[2] = 0.0f / (y[0] * 0);").outcome == Outcome::WrongResult);
        output.logicalMapFile = m_planted.data<std::int64_t>("map-outside", {8, 1, 2, 3, 4});
        QVERIFY(run("map-right", right).outcome == Outcome::DeviceUnavailable);
    }

    // Every protocol gives a time near the truth, or says that it is noisy: a kernel that spins for 200 us.
    void timesByEveryProtocol_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<bool>("cold");
        QTest::newRow("quick") << QByteArray("quick") << false;
        QTest::newRow("quick cold") << QByteArray("quick") << true;
        QTest::newRow("search") << QByteArray("search") << false;
        QTest::newRow("confirm") << QByteArray("confirm") << false;
    }

    void timesByEveryProtocol()
    {
        QFETCH(QByteArray, name);
        QFETCH(bool, cold);
        wire::RunJob job = m_planted.sumJob(m_planted.kernel(
            "spins", kNames + kSum + "struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); int64_t e = t.tv_sec * 1000000000 + "
                                     "t.tv_nsec + 200000; do { clock_gettime(CLOCK_MONOTONIC, &t); } while (t.tv_sec * 1000000000 + "
                                     "t.tv_nsec < e);"));
        const bool confirm = name == "confirm";
        job.protocol = {name.toStdString(), cold, confirm ? 10.0 : 4.0, 8, confirm ? 1500.0 : 150.0, 0};
        QElapsedTimer timer;
        timer.start();
        const JobResult<wire::RunReply> result = m_worker->run(job);
        const qint64 elapsed = timer.elapsed();
        QVERIFY2(result, result.error.message.c_str());
        const wire::RunReply& reply = result.value;
        QVERIFY2(reply.medianNs > 150000 && (reply.noisy || reply.medianNs < 300000), std::to_string(reply.medianNs).c_str());
        QVERIFY(reply.total > 0 && reply.total == static_cast<int>(reply.samples.size()) && reply.clean <= reply.total);
        QVERIFY(reply.shareOfPeakDenominator > 1e9);
        QVERIFY(reply.samples[0].peakGflops > 1 && reply.samples[0].addsPerNs > 0.5);
        QVERIFY2(elapsed < 10000, std::to_string(elapsed).c_str()); // other processes may take most of the machine
    }

    // The limit holds for a kernel that takes long: one run, or the time of the check.
    void keepsItsLimitWithASlowKernel()
    {
        const std::string slow = m_planted.kernel("slow", kNames + kSum + "usleep(400000);");
        wire::RunJob job = m_planted.sumJob(slow);
        job.protocol = {"quick", false, 4, 1000, 150, 0};
        QElapsedTimer timer;
        timer.start();
        const JobResult<wire::RunReply> timed = m_worker->run(job);
        QVERIFY2(timed, timed.error.message.c_str());
        QVERIFY(timed.value.medianNs > 3.9e8 && timed.value.total <= 2);
        QVERIFY(timer.elapsed() < 15000);
        job.timeoutMs = 1700;
        const JobResult<wire::RunReply> guessed = m_worker->run(job);
        QVERIFY2(guessed, guessed.error.message.c_str());
        QVERIFY2(guessed.value.noisy && guessed.value.note.find("too slow") != std::string::npos, guessed.value.note.c_str());
        QVERIFY(guessed.value.medianNs > 3.9e8);
        job.timeoutMs = 900;
        const JobResult<wire::RunReply> hang = m_worker->run(job);
        QVERIFY2(hang.outcome == Outcome::Hang, hang.error.message.c_str());
        QCOMPARE(hang.error.message, std::string("limit of 900 ms reached"));
    }

    void case_44()
    {
        // Nothing at all, and a copy of one element.
        for (const bool copies : {false, true}) {
            wire::RunJob job = m_planted.sumJob(copies ? m_planted.kernel("one", kNames + "y[0] = a[0];") : m_planted.kernel("nothing", ""));
            if (copies) {
                job.dataSets[0][2].expectedFile.clear();
            } else {
                job.dataSets = {{}};
            }
            job.protocol = {"quick", false, 4, 15, 150, 0};
            const JobResult<wire::RunReply> result = m_worker->run(job);
            QVERIFY2(result, result.error.message.c_str());
            QVERIFY(result.value.medianNs > 0 && result.value.medianNs < 1000);
            QVERIFY(std::isfinite(1 / result.value.medianNs));
        }
    }

    // What cold means: a kernel that reads 1 MiB is not faster with emptied caches.
    void case_47()
    {
        wire::RunJob job = m_planted.sumJob(
            m_planted.kernel("reads", "const float* a = ports[0]; float* y = ports[2]; float s = 0;"
                                      "for (int i = 0; i < 262144; i += 16) s += a[i]; y[0] = s;"),
            262144);
        job.dataSets[0][2].expectedFile.clear();
        job.protocol = {"quick", false, 4, 9, 400, 0};
        const JobResult<wire::RunReply> hot = m_worker->run(job);
        job.protocol.cold = true;
        const JobResult<wire::RunReply> cold = m_worker->run(job);
        QVERIFY2(hot && cold, (hot.error.message + cold.error.message).c_str());
        QVERIFY2(cold.value.medianNs > 1.2 * hot.value.medianNs || (hot.value.noisy && cold.value.noisy),
                 (std::to_string(cold.value.medianNs) + " " + std::to_string(hot.value.medianNs)).c_str());
    }

    // A pair tells a kernel of twice the work, and does not mind which files the second one has.
    void comparesAPair()
    {
        const std::string work = "float s = 0; for (int r = 0; r < ROUNDS; ++r) for (int i = 0; i < 1003; ++i) s += a[i] * r;"
                                 " w[0] = s;";
        wire::RunJob job = m_planted.sumJob(m_planted.kernel("pair-a", kNames + kSum + work, "-DROUNDS=100"));
        job.rivals = {{m_planted.kernel("pair-b", kNames + kSum + work, "-DROUNDS=200"), "kernel", job.dataSets, "", ""}};
        job.rivals[0].dataSets[0][3].bytes = 4096;
        job.protocol = {"pair", false, 5, 5, 2000, 0};
        const JobResult<wire::RunReply> result = m_worker->run(job);
        QVERIFY2(result, result.error.message.c_str());
        QVERIFY2(result.value.noisy || (result.value.pairRatio > 1.6 && result.value.pairRatio < 2.4),
                 std::to_string(result.value.pairRatio).c_str());
        QVERIFY(result.value.pairTotal > 0 && result.value.pairDecidable >= 0.02 && result.value.medianNs > 1000);
        job.rivals[0].sharedObject = m_planted.kernel("fault-wrong-value", kNames + kSum + "y[7] += 1;");
        const JobResult<wire::RunReply> wrong = m_worker->run(job);
        QVERIFY(wrong.outcome == Outcome::WrongResult);
        QVERIFY2(wrong.error.message.find("second of the pair") != std::string::npos, wrong.error.message.c_str());
    }

    // A model's entry: pointers by kind, arena, time stamps of its calls.
    void runsAModel()
    {
        wire::RunJob job = m_planted.sumJob(m_planted.source(
            "model",
            "#include <stdint.h>\n#include <x86intrin.h>\nstruct env { int64_t threads; uint64_t* stamps; };\n"
            "static void spin(int n) { for (volatile int i = 0; i < n; ++i) ; }\n"
            "void nw_model_run(void* const* in, void* const* out, void* const* constants, float* arena, const struct env* e) {\n"
            "const float* a = in[0]; const float* b = constants[0]; float* y = out[0];\n"
            "if (e->stamps) e->stamps[0] = __rdtsc();\n for (int i = 0; i < 16; ++i) arena[i] = a[i]; spin(1000);\n"
            "if (e->stamps) e->stamps[1] = __rdtsc();\n for (int i = 0; i < 1003; ++i) y[i] = a[i] + b[i]; spin(10000);\n"
            "if (e->stamps) e->stamps[2] = __rdtsc();\n}\n"));
        job.symbol = "nw_model_run";
        job.isModel = true;
        std::swap(job.dataSets[0][1], job.dataSets[0][2]); // inputs, outputs, constants, arena
        job.profileRuns = 20;
        job.protocol = {"quick", false, 2, 5, 100, 0};
        const JobResult<wire::RunReply> result = m_worker->run(job);
        QVERIFY2(result, result.error.message.c_str());
        QCOMPARE(result.value.profileNs.size(), std::size_t{2});
        QVERIFY(result.value.profileNs[0] > 100 && result.value.profileNs[1] > 3 * result.value.profileNs[0]);
        const double sum = result.value.profileNs[0] + result.value.profileNs[1];
        QVERIFY2(result.value.noisy || (sum > 0.5 * result.value.medianNs && sum < 2 * result.value.medianNs),
                 std::to_string(sum).c_str());
    }

    // The runner brings nw_parallel: every index once, on as many threads as asked for.
    void runsParallelLoops()
    {
        wire::RunJob job = m_planted.sumJob(m_planted.source(
            "parallel",
            "#include <stdint.h>\n"
            "void nw_parallel(void (*)(void*, int64_t, int64_t), void*, int64_t, int64_t);\n"
            "struct env { int64_t threads; uint64_t* stamps; };\n"
            "static void part(void* p, int64_t from, int64_t to) { void* const* ports = p; const float* a = ports[0]; const float* b ="
            " ports[1]; float* y = ports[2]; for (int64_t i = from; i < to; ++i) y[i] = a[i] + b[i]; }\n"
            "void kernel(void* const* ports, const struct env* e) { nw_parallel(part, (void*)ports, 1003, e->threads); }\n"));
        for (const int threads : {1, 2, 5}) {
            job.threads = threads;
            job.protocol = {"quick", false, 1, 3, 50, 0};
            const JobResult<wire::RunReply> result = m_worker->run(job);
            QVERIFY2(result, result.error.message.c_str());
            QVERIFY(result.value.medianNs > 0);
        }
    }

    // Who is ready early helps the other: the first half of the second share ends when its second half is done, too, or the sum
    // stays wrong.
    void sharesWhatIsLeft()
    {
        wire::RunJob job = m_planted.sumJob(m_planted.source(
            "shares",
            "#include <stdint.h>\n#include <time.h>\n#include <sched.h>\n"
            "void nw_parallel(void (*)(void*, int64_t, int64_t), void*, int64_t, int64_t);\n"
            "struct env { int64_t threads; uint64_t* stamps; };\n"
            "static int64_t done;\n"
            "static void part(void* p, int64_t from, int64_t to) {\n"
            "  void* const* ports = p; const float* a = ports[0]; const float* b = ports[1]; float* y = ports[2];\n"
            "  int late = 0;\n"
            "  if (from == 32) { time_t start = time(0);\n"
            "    while (__atomic_load_n(&done, __ATOMIC_SEQ_CST) < 48) { if (time(0) - start > 15) { late = 1; break; } sched_yield(); } }\n"
            "  for (int64_t i = from; i < to; ++i) for (int64_t j = i; j < 1003; j += 64) y[j] = a[j] + b[j] + late;\n"
            "  __atomic_fetch_add(&done, to - from, __ATOMIC_SEQ_CST); }\n"
            "void kernel(void* const* ports, const struct env* e) { __atomic_store_n(&done, 0, __ATOMIC_SEQ_CST); nw_parallel(part, (void*)ports, 64, e->threads); }\n"));
        job.threads = 2;
        job.protocol = {"quick", false, 1, 3, 50, 0};
        job.timeoutMs = 60000;
        const JobResult<wire::RunReply> result = m_worker->run(job);
        QVERIFY2(result, result.error.message.c_str());
    }
};

NW_TEST_MAIN(tst_runner, TestRunner)
#include "tst_runner.moc"
