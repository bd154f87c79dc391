// CASES.md 41: every trial fails, and the tuner says so: the commonest cause, the counts, what the first one said.
#include "engine/base/text.h"
#include "engine/record/database.h"
#include "engine/tune/bench.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/tune/planted_tiles.h"
#include "tests/support/local_device.h"
#include "tests/support/test.h"

#include <QFile>

using namespace nw;
using namespace nw::test;
using namespace nw::tune;
using schedule::test::wideTarget;

namespace {

Settings givesUpAfter(int failures)
{
    Settings settings;
    settings.trials = 0;
    settings.failuresInRow = failures;
    return settings;
}

} // namespace

class TestCase41 : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    // Tunes a small task with real programs, one of which was exchanged.
    record::TuneTask tunedWith(const measure::LocalDevice::Settings& settings, int failures)
    {
        measure::LocalDevice device(settings);
        DeviceBench bench(device);
        TuneDesk desk(matmul(16, 16, 16), {{"default", ""}, {"tiles", "knob a = 1..12\nsplit m into mo:_ mi:?a\n"}}, device.native());
        const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, givesUpAfter(failures));
        TuneDesk::tune(*tuner, 1000);
        const std::vector<record::TuneTrial> trials = desk.trials();
        ENSURE(static_cast<int>(trials.size()) == failures, format("{} trials", trials.size()));
        for (const record::TuneTrial& trial : trials) {
            ENSURE(trial.ns == 0 && trial.outcome != "ok" && !trial.cause.empty() && !trial.message.empty(), "a trial without a cause");
        }
        ENSURE(!tuner->best(), "nothing ran");
        return desk.row();
    }

private Q_SLOTS:
    // A builder that says no to everything.
    void case_41_builder()
    {
        measure::LocalDevice::Settings settings = deviceIn(m_folder);
        settings.programs.builder = NW_PLANTED_WORKER;
        const record::TuneTask row = tunedWith(settings, 6);
        QCOMPARE(row.state, std::string("failing"));
        QCOMPARE(row.message, std::string("6 candidates failed one after the other: 6 x does-not-build; the first said: LLVM said no"));
    }

    // A runner that never answers.
    void case_41_runner()
    {
        const QString program = m_folder.filePath(QStringLiteral("sleeper"));
        QFile file(program);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\nexec sleep 100\n");
        file.close();
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        measure::LocalDevice::Settings settings = deviceIn(m_folder);
        // The roofs are probed by a runner that is well; from then on none answers.
        VERIFY_OK(measure::LocalDevice(settings).roofs(1));
        settings.programs.runner = program.toStdString();
        settings.runTimeoutMs = 150;
        const record::TuneTask row = tunedWith(settings, 4);
        QCOMPARE(row.state, std::string("failing"));
        QCOMPARE(row.message, std::string("4 candidates failed one after the other: 4 x hang; the first said: limit of 150 ms reached"));
    }

    // A program that is not there.
    void case_41_missing()
    {
        measure::LocalDevice::Settings settings = deviceIn(m_folder);
        settings.programs.builder = "/nowhere/builder";
        const record::TuneTask row = tunedWith(settings, 3);
        QCOMPARE(row.state, std::string("failing"));
        QVERIFY2(row.message.find("3 x device-unavailable") != std::string::npos && row.message.find("/nowhere/builder") != std::string::npos,
                 row.message.c_str());
    }

    // Every cause is counted, the commonest first.
    void case_41_causes()
    {
        int number = 0;
        PlantedBench bench([&](const std::string&) {
            ++number;
            return number == 1 ? failedRun(wire::Outcome::WrongResult, "element 3 is wrong")
                : number % 3 == 0 ? failedRun(wire::Outcome::Crash, "signal 11")
                                  : failedRun(wire::Outcome::Hang, "limit of 2 s reached");
        });
        TuneDesk desk(matmul(256), {{"tiles", kTiles}}, wideTarget());
        const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, givesUpAfter(50));
        TuneDesk::tune(*tuner, 1000);
        QCOMPARE(desk.row().state, std::string("failing"));
        QCOMPARE(desk.row().message, std::string("50 candidates failed one after the other: 33 x hang, 16 x crash, 1 x wrong-result; "
                                                 "the first said: element 3 is wrong"));
        QCOMPARE(bench.measured.size(), std::size_t{50});
        QCOMPARE(desk.row().trials, 50);
        QCOMPARE(desk.row().bestNs, 0.0);
        // Whoever resumes wants it tried again: as many once more, not one.
        record::TuneTask row = desk.row();
        row.state = "tuning";
        VERIFY_OK(desk.journal().updateTask(row));
        TuneDesk::tune(*desk.tuner(bench, givesUpAfter(50)), 1000);
        QCOMPARE(bench.measured.size(), std::size_t{100});
        QCOMPARE(desk.row().state, std::string("failing"));
    }

    // 149 failures and then one that runs: it is kept, confirmed, and the task's best.
    void case_41_one_success()
    {
        int number = 0;
        PlantedBench bench([&](const std::string&) { return ++number == 150 ? ran(777) : failedRun(wire::Outcome::DoesNotBuild, "ld said no"); });
        bench.confirmRule = [](const std::string&) { return ran(780); };
        TuneDesk desk(matmul(256), {{"tiles", kTiles}}, wideTarget());
        const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, givesUpAfter(150));
        TuneDesk::tune(*tuner, 150);
        QCOMPARE(tuner->row().state, std::string("tuning"));
        QCOMPARE(desk.row().bestNs, 777.0);
        QCOMPARE(desk.row().bestTrial, 149);
        Result<std::unique_ptr<record::Database>> project = record::Database::open(m_folder.filePath("project.nest").toStdString());
        VERIFY_OK(project);
        // Without a success there is nothing to apply, and no figure that could be mistaken for one.
        const Result<std::optional<record::Record>> untuned = (*project)->best(desk.row().task, {record::Origin::Tune});
        VERIFY_OK(untuned);
        QVERIFY(!untuned->has_value());
        VERIFY_OK(tuner->confirm([&](const std::string& script, record::Origin origin, const measure::Measurement& m) {
            record::Record kept;
            kept.task = desk.row().task;
            kept.script = script;
            kept.origin = origin;
            kept.protocol = "confirm";
            kept.medianNs = m.medianNs;
            kept.samplesNs = {m.medianNs};
            return (*project)->addRecord(kept);
        }, {}));
        const Result<std::optional<record::Record>> best = (*project)->best(desk.row().task, {record::Origin::Tune});
        VERIFY_OK(best);
        QVERIFY(best->has_value());
        QCOMPARE((*best)->script, bench.measured.back());
        QCOMPARE(desk.row().confirmedNs, 780.0);
    }
};

NW_TEST_MAIN(tst_case_41, TestCase41)
#include "tst_case_41.moc"
