// The whole way of a measurement with the real builder and runner: definition, script, data, check, times.
#include "engine/measure/library_op.h"
#include "engine/measure/model_run.h"
#include "tests/engine/measure/planted.h"
#include "tests/support/local_device.h"
#include "tests/support/test.h"

#include <QTemporaryDir>

#include <chrono>
#include <thread>

using namespace nw;
using namespace nw::measure;
using wire::Outcome;

namespace {

const char* const kMatmul = "definition matmul\n"
                            "input A f32 [48, 40]\n"
                            "constant B f32 [40, 64]\n"
                            "output Y f32 [48, 64]\n"
                            "stage matmul -> Y f32 [m:48, n:64] sum [k:40] from 0.0 =\n"
                            "  A[m, k] * B[k, n]\n";
const char* const kPacked = "split n into no ni:8\n"
                            "reorder m no k ni\n"
                            "vectorize ni\n"
                            "set_layout B as (k, n) -> (n / 8, k, n % 8)\n";

schedule::Task taskOf(const char* definition)
{
    const Result<compute::Definition> parsed = compute::parseDefinition(definition);
    ENSURE(parsed.has_value(), parsed ? "" : parsed.error().message);
    schedule::Task task;
    task.definition = std::make_shared<const compute::Definition>(*parsed);
    task.layouts.resize(parsed->ports.size());
    task.target = nativeTarget();
    return task;
}

std::vector<LibraryOp> oneDnn(const char* definition)
{
    return oneDnnOf(*taskOf(definition).definition);
}

} // namespace

class TestDevice : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<LocalDevice> m_device;

    std::filesystem::path folder(const char* name) const { return std::filesystem::path(m_folder.path().toStdString()) / name; }
    std::unique_ptr<LocalDevice> makeDevice() const { return std::make_unique<LocalDevice>(nw::test::deviceIn(m_folder)); }

private Q_SLOTS:
    void initTestCase() { m_device = makeDevice(); }

    void measures_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QByteArray>("protocol");
        QTest::newRow("plain, checked only") << QByteArray() << QByteArray("none");
        QTest::newRow("plain, quick") << QByteArray() << QByteArray("quick");
        QTest::newRow("packed, quick") << QByteArray(kPacked) << QByteArray("quick");
        QTest::newRow("packed, search") << QByteArray(kPacked) << QByteArray("search");
    }

    void measures()
    {
        QFETCH(QByteArray, script);
        QFETCH(QByteArray, protocol);
        const Measurement m = m_device->measure(taskOf(kMatmul), script.toStdString(), protocol.toStdString());
        QVERIFY2(m.outcome == Outcome::Ok, (std::string(toText(m.outcome)) + ": " + m.error.message).c_str());
        QVERIFY(m.run.verdict.checked && m.run.verdict.correct);
        if (protocol == "none") {
            QCOMPARE(m.medianNs, 0.0);
            return;
        }
        QVERIFY(m.medianNs > 100 && m.medianNs < 1e9);
        QVERIFY(m.shareOfPeak > 0 && m.shareOfPeak < 1.2);
        QVERIFY(m.bound.ns > 0 && !m.bound.by.empty());
        QVERIFY(m.shareOfBound > 0);
    }

    // What was long unused is removed from the cache, by other processes, too: it is made again.
    void makesLostDataAgain()
    {
        const schedule::Task task = taskOf(kMatmul);
        QVERIFY(m_device->measure(task, kPacked, "none").outcome == Outcome::Ok);
        QVERIFY(std::filesystem::remove_all(m_device->settings().cacheFolder / "tasks") > 0);
        for (const char* script : {kPacked, ""}) {
            const Measurement m = m_device->measure(task, script, "none");
            QVERIFY2(m.outcome == Outcome::Ok && m.run.verdict.correct, m.error.message.c_str());
        }
    }

    // A constant that is packed, and a buffer between two stages that is written and read by vectors, in every kind of layout.
    void layouts_data()
    {
        QTest::addColumn<QByteArray>("map");
        for (const char* map : {"(a, b) -> (b / 8, a, b % 8)", "(a, b) -> (b / 24, a, b % 24)", "(a, b) -> (b, a)", "(a, b) -> (a * 72 + b)",
                                "(a, b) -> (a + b, b)", "(a, b) -> (b - a, a)", "(a, b) -> (a, (a + b) % 64)", "(a, b) -> (a, (b - 8 * a) % 64)",
                                "(a, b) -> (a, 70 - b)", "(a, b) -> (a / 4, b + 5, a % 4)", "(a, b) -> (a, b * 2)"}) {
            QTest::newRow(map) << QByteArray(map);
        }
    }

    void layouts()
    {
        QFETCH(QByteArray, map);
        const char* const twoStages = "definition matmul\n"
                                      "input A f32 [33, 40]\n"
                                      "constant B f32 [40, 64]\n"
                                      "output Y f32 [33, 64]\n"
                                      "stage matmul f32 [m:33, n:64] sum [k:40] from 0.0 =\n  A[m, k] * B[k, n]\n"
                                      "stage relu -> Y f32 [m:33, n:64] =\n  max(matmul[m, n], 0.0)\n";
        const std::string script = "split n into no ni:8\nreorder m no k ni\nsplit relu.n into rno rni:8\n"
                                   "set_layout B as " + map.toStdString() + "\nset_layout matmul as " + map.toStdString() + "\n"
                                   "cache_write matmul at no in registers\nvectorize ni\nvectorize rni\nparallel m\n";
        const Measurement m = m_device->measure(taskOf(twoStages), script, "none");
        QVERIFY2(m.outcome == Outcome::Ok, (std::string(toText(m.outcome)) + ": " + m.error.message).c_str());
        QVERIFY(m.run.verdict.checked && m.run.verdict.correct);
    }

    void refusesWhatTheScriptMayNot()
    {
        const Measurement m = m_device->measure(taskOf(kMatmul), "split nowhere into a b:4\n", "quick");
        QVERIFY2(m.outcome == Outcome::Refused, std::string(toText(m.outcome)).c_str());
        QCOMPARE(m.error.line, 1);
        QVERIFY(m_device->measure(taskOf(kMatmul), "", "slowly").outcome == Outcome::Refused);
    }

    // The files of a task are made once; a second device of the same cache finds them.
    void keepsItsData()
    {
        VERIFY_OK(m_device->prepare(taskOf(kMatmul)));
        std::map<std::string, std::filesystem::file_time_type> before;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder("cache"))) {
            if (entry.is_regular_file()) { // a task's folder says when it was used
                before[entry.path().string()] = std::filesystem::last_write_time(entry.path());
            }
        }
        const std::unique_ptr<LocalDevice> other = makeDevice();
        VERIFY_OK(other->prepare(taskOf(kMatmul)));
        for (const auto& [path, time] : before) {
            QVERIFY2(std::filesystem::last_write_time(path) == time, path.c_str());
        }
        const Result<Roofs> roofs = other->roofs(1);
        VERIFY_OK(roofs);
        QVERIFY(roofs->peakGflopsPerThread > 1);
        QCOMPARE(roofs->levels.size(), std::size_t{4});
        for (std::size_t i = 1; i < roofs->levels.size(); ++i) {
            QVERIFY(roofs->levels[i].gbPerSecond > 0.1 && roofs->levels[i].gbPerSecond <= roofs->levels[i - 1].gbPerSecond);
        }
    }

    // Two scripts with constants in different forms, in one process.
    void comparesTwoScripts()
    {
        const PairResult pair = m_device->pair(taskOf(kMatmul), "", kPacked);
        QVERIFY2(pair.outcome == Outcome::Ok, pair.error.message.c_str());
        QVERIFY(pair.ratio > 0 && pair.decidable >= 0.02 && pair.total > 0 && !pair.verdict.empty());
    }

    // All in one job; the script that does not fit is left out and says why.
    void measuresSeveralTogether()
    {
        const Together together =
            m_device->measureTogether(taskOf(kMatmul), {"", "split nowhere into a b:4\n", kPacked}, oneDnn(kMatmul), "quick");
        QVERIFY(together.together);
        QCOMPARE(together.scripts.size(), std::size_t{3});
        for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
            const Measurement& m = together.scripts[i];
            QVERIFY2(m.outcome == Outcome::Ok, (std::string(toText(m.outcome)) + ": " + m.error.message).c_str());
            QVERIFY(m.run.verdict.checked && m.run.verdict.correct);
            QVERIFY(m.medianNs > 100 && m.shareOfPeak > 0 && m.bound.ns > 0 && m.protocol == "quick");
            QCOMPARE(m.run.total, together.scripts[0].run.total);
        }
        QVERIFY(together.scripts[1].outcome == Outcome::Refused);
        QCOMPARE(together.scripts[1].medianNs, 0.0);
        if (m_device->measureLibrary(taskOf(kMatmul), oneDnn(kMatmul).at(0), "quick").outcome != Outcome::Refused) {
            const std::optional<Measurement> library = together.library();
            QVERIFY(library && library->outcome == Outcome::Ok);
            QCOMPARE(library->run.total, together.scripts[0].run.total);
            QVERIFY(library->shareOfPeak > 0);
        }
        QVERIFY(m_device->measureTogether(taskOf(kMatmul), {""}, {}, "search").scripts[0].outcome == Outcome::Refused);
        const Together none = m_device->measureTogether(taskOf(kMatmul), {"split nowhere into a b:4\n"}, {}, "quick");
        QVERIFY(!none.together && !none.library() && none.scripts[0].outcome == Outcome::Refused);
        const StopToken stop;
        stop.requestStop();
        for (const Measurement& m : m_device->measureTogether(taskOf(kMatmul), {"", kPacked}, oneDnn(kMatmul), "quick", stop).scripts) {
            QVERIFY(m.outcome == Outcome::Stopped && m.medianNs == 0);
        }
    }

    // Two ways to compute one thing have tasks and data of their own, and figures in the light of their own work.
    void measuresTasksTogether()
    {
        const std::string half = "definition matmul\ninput A f32 [48, 40]\nconstant B f32 [40, 32]\noutput Y f32 [48, 32]\n"
                                 "stage matmul -> Y f32 [m:48, n:32] sum [k:40] from 0.0 =\n  A[m, k] * B[k, n]\n";
        const Together together = m_device->measureTogether({{taskOf(kMatmul), kPacked}, {taskOf(half.c_str()), ""}, {taskOf(half.c_str()), kPacked}},
                                                            std::vector<LibraryOp>(), "quick");
        QVERIFY(together.together);
        QCOMPARE(together.scripts.size(), std::size_t{3});
        for (const Measurement& m : together.scripts) {
            QVERIFY2(m.outcome == Outcome::Ok, m.error.message.c_str());
            QVERIFY(m.run.verdict.checked && m.run.verdict.correct && m.medianNs > 0);
        }
        QCOMPARE(together.scripts[1].bound.ns, together.scripts[2].bound.ns);
        QVERIFY(together.scripts[0].bound.ns > 1.5 * together.scripts[1].bound.ns);
        QVERIFY(m_device->measureTogether(std::vector<LocalDevice::Entry>(), std::vector<LibraryOp>(), "quick").scripts.empty());
    }

    // Operators of libraries beside a script: one that is not there says so, and the others are timed all the same.
    void measuresBesideLibraries()
    {
        const std::string op = libraryOpOf(*taskOf(kMatmul).definition).value();
        const Together found = m_device->measureTogether(taskOf(kMatmul), {""}, {{"onednn", op}, {"openblas", op}, {"no-such", op}}, "quick");
        QVERIFY(found.together && found.scripts[0].outcome == Outcome::Ok);
        QCOMPARE(found.libraries.size(), std::size_t{3});
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
            const Measurement& m = found.libraries[i];
            if (m.outcome == Outcome::Refused) {
                QVERIFY2(m.error.message.find("is not installed") != std::string::npos, m.error.message.c_str());
                continue;
            }
            QVERIFY2(m.outcome == Outcome::Ok, m.error.message.c_str());
            QVERIFY(m.medianNs > 100 && m.shareOfPeak > 0);
            QCOMPARE(m.run.total, found.scripts[0].run.total);
        }
        QVERIFY(found.libraries[2].outcome == Outcome::Refused && found.libraries[2].error.message.find("no-such") != std::string::npos);
    }

    // As much unrolled code as the limits let through keeps LLVM busy for seconds; a wish to stop is heard meanwhile, and the
    // next job is taken as ever.
    void case_37()
    {
        std::string definition = "definition add\ninput A f32 [4096]\noutput X f32 [4096]\n";
        std::string script;
        constexpr int kStages = 15;
        for (int i = 0; i < kStages; ++i) {
            definition += "stage s" + std::to_string(i) + (i + 1 == kStages ? " -> X" : "") + " f32 [i:4096] =\n  " +
                          (i == 0 ? "A" : "s" + std::to_string(i - 1)) + "[i] + 1.0\n";
            script += "unroll " + (i == 0 ? std::string() : "s" + std::to_string(i) + ".") + "i\n";
        }
        const StopToken stop;
        std::thread impatient([stop] {
            std::this_thread::sleep_for(std::chrono::milliseconds(400)); // so that the build has begun
            stop.requestStop();
        });
        const auto start = std::chrono::steady_clock::now();
        const Measurement m = m_device->measure(taskOf(definition.c_str()), script, "none", false, stop);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        impatient.join();
        QVERIFY2(m.outcome == Outcome::Stopped, (std::string(toText(m.outcome)) + ": " + m.error.message).c_str());
        QVERIFY2(spent.count() < 10, std::to_string(spent.count()).c_str());
        QVERIFY(m_device->measure(taskOf(kMatmul), kPacked, "none").outcome == Outcome::Ok);
    }

    // A runner that dies costs an attempt: the next one has all of them again.
    void aRunnerThatDiesIsReplaced()
    {
        VERIFY_OK(m_device->prepare(taskOf(kMatmul)));
        const std::filesystem::path script = folder("dies-once");
        const std::filesystem::path mark = folder("died");
        std::ofstream(script) << "#!/bin/sh\nif [ ! -e '" << mark.string() << "' ]; then : > '" << mark.string()
                              << "'; exit 3; fi\nexec '" << NW_RUNNER << "' \"$@\"\n";
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
        LocalDevice::Settings settings = m_device->settings();
        settings.programs.runner = script;
        LocalDevice device(settings);
        const Together together = device.measureTogether(taskOf(kMatmul), {"", kPacked}, {}, "quick");
        QVERIFY(std::filesystem::exists(mark));
        QVERIFY(together.together);
        for (const Measurement& m : together.scripts) {
            QVERIFY2(m.outcome == Outcome::Ok && m.medianNs > 100, m.error.message.c_str());
        }
    }

    void aStopIsAStop()
    {
        const StopToken stop;
        stop.requestStop();
        QVERIFY(m_device->measure(taskOf(kMatmul), "", "quick", false, stop).outcome == Outcome::Stopped);
    }

    void measuresTheLibrary()
    {
        const Measurement m = m_device->measureLibrary(taskOf(kMatmul), oneDnn(kMatmul).at(0), "quick");
        if (m.outcome == Outcome::Refused) {
            QSKIP("oneDNN is not installed");
        }
        QVERIFY2(m.outcome == Outcome::Ok, m.error.message.c_str());
        QVERIFY(m.medianNs > 100 && m.shareOfPeak > 0);
        const char* const add = "definition add\ninput A f32 [8]\ninput B f32 [8]\noutput Y f32 [8]\n"
                                "stage add -> Y f32 [d0:8] =\n  A[d0] + B[d0]\n";
        QVERIFY(oneDnn(add).empty());
    }

    void runsAModelFile()
    {
        Planted planted;
        ModelRunRequest request;
        request.sharedObject = planted.source(
            "model", "void nw_model_run(void* const* in, void* const* out, void* const* constants, void* arena, const void* env) {\n"
                     "const float* a = in[0]; const float* c = constants[0]; float* y = out[0];\n"
                     "for (int i = 0; i < 5; ++i) y[i] = a[i] * c[i]; }\n");
        const std::vector<float> factors{1, 2, 3, 4, 5};
        request.inputs = {Tensor::of(DType::F32, {5}, std::vector<float>{1, 1, 2, 2, 3})};
        request.outputs = {{DType::F32, {5}, Tensor::of(DType::F32, {5}, std::vector<float>{1, 2, 6, 8, 15}), 0}};
        request.constants = {std::as_bytes(std::span(factors))};
        request.arenaBytes = 64;
        const ModelRunResult right = runModelFile(*m_device, request);
        QVERIFY2(right.outcome == Outcome::Ok, right.error.message.c_str());
        QCOMPARE(right.outputs.at(0).asDouble(4), 15.0);
        QVERIFY(right.run.medianNs > 0);
        request.outputs[0].expected = Tensor::of(DType::F32, {5}, std::vector<float>{1, 2, 6, 8, 15.1F});
        request.protocol = "none";
        const ModelRunResult wrong = runModelFile(*m_device, request);
        QVERIFY(wrong.outcome == Outcome::WrongResult);
        QCOMPARE(wrong.outputs.size(), std::size_t{1});
        request.outputs[0].tolerance = 0.01;
        QVERIFY(runModelFile(*m_device, request).outcome == Outcome::Ok);
    }
};

NW_TEST_MAIN(tst_device, TestDevice)
#include "tst_device.moc"
