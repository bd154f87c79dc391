#include "tests/screens/tuner_face.h"

#include "engine/tune/settings.h"
#include "tests/support/planted_tuning.h"
#include "views/tuner/curve_plot.h"

#include <QTest>

#include <cstdio>

namespace nw::screens {
namespace {

constexpr int kTrials = 900;
const char* const kScript = "split      oc   into oco oci:8\nsplit      ow   into owo:_ owi:?tile\nreorder    oco oh owo ic kh kw owi oci\n"
                            "cache_write conv at owo in registers\nvectorize  oci\nunroll     owi\n"
                            "knob tile = {2, 4, 7, 8, 14} default 7\n";

record::TuneTask row(const std::string& task, const char* group, const char* state, double defaultNs, int count)
{
    record::TuneTask made;
    made.task = task;
    made.group = group;
    made.state = state;
    made.choices = "at most 120000";
    made.count = count;
    made.defaultNs = defaultNs;
    made.boundNs = defaultNs / 38;
    made.nominalFlops = 2.3e8;
    made.inModelNs = defaultNs * count;
    return made;
}

Status plantOnce(app::MainWindow& window)
{
    const session::Operator& op = window.controller().editing()->op();
    Result<std::unique_ptr<record::Database>> database =
        record::Database::open(window.controller().project()->projectFile.toStdString(), false);
    if (!database) {
        return database.error();
    }
    record::TuneJournal journal(**database);
    const Result<std::vector<record::TuneSession>> sessions = journal.sessions();
    if (!sessions || !sessions->empty()) {
        return sessions ? Status(Done{}) : Status(sessions.error());
    }
    tune::Settings settings;
    settings.trials = 1500;
    test::PlantedSession planted;
    planted.session.settings = settings.toText();
    planted.session.activeSeconds = 96;
    record::TuneTask first = row(op.taskId, op.name.c_str(), "tuning", 21.4e6, 3);
    first.templateNs = 0.92e6;
    first.handNs = 0.741e6;
    planted.tasks.push_back(test::plantedTask(first, kScript, {"tile=2", "tile=4", "tile=7", "tile=8", "tile=14"}, kTrials, 3));
    planted.tasks.push_back(test::plantedTask(row("b", "conv.1", "done", 9.8e6, 2), kScript, {"tile=4"}, 60, 4));
    planted.tasks.back().row.confirmedNs = 0.305e6;
    planted.tasks.back().row.confirmedSpread = 0.011;
    planted.tasks.push_back(test::plantedTask(row("c", "gemm.0", "none valid", 1.9e6, 1), kScript, {}, 0, 5));
    planted.tasks.push_back(test::plantedTask(row("d", "softmax.0", "waiting", 0.2e6, 1), kScript, {}, 0, 6));
    return test::plant(journal, planted);
}

} // namespace

std::unique_ptr<tune::TuningLock> tunerAtWork(app::MainWindow& window)
{
    if (const Status done = plantOnce(window); !done) {
        std::printf("the journal could not be planted: %s\n", done.error().message.c_str());
    }
    auto lock = tune::TuningLock::acquire(session::userFolders()->runtime, window.controller().project()->projectFile.toStdString());
    (void)QTest::qWaitFor([&window] { return window.tuner().isTuning() && window.tuner().isCaughtUp(); }, 20000);
    return lock ? *std::move(lock) : nullptr;
}

void chooseTrials(app::MainWindow& window)
{
    views::TunerView& view = *window.views().tuner;
    Q_EMIT view.curve()->trialPressed(240, false);
    view.curve()->select(240, 610);
}

} // namespace nw::screens
