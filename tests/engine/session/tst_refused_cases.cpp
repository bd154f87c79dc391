// Kept cases whose last step is refused, by the rule that the file is called after (up to a '-'): for rules that only a nest with some
// history comes to.

#include "engine/base/files.h"
#include "engine/session/fuzz/case.h"
#include "tests/support/test.h"

#include <filesystem>

using namespace nw;
using namespace nw::session::fuzz;

class TestRefusedCases : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refused_data()
    {
        QTest::addColumn<std::string>("path");
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(NW_SOURCE_DIR) / "tests/expected/refusals")) {
            QTest::newRow(entry.path().stem().c_str()) << entry.path().string();
        }
    }

    void refused()
    {
        QFETCH(std::string, path);
        const Result<std::string> text = readFile(path);
        VERIFY_OK(text);
        const Result<Case> one = parseCase(*text);
        VERIFY_OK(one);
        const Result<schedule::Task> task = one->task();
        VERIFY_OK(task);
        const Result<schedule::LoopNest> initial = schedule::initialNest(*task);
        VERIFY_OK(initial);
        const schedule::Context context{&task->target};
        const Result<schedule::Script> script = schedule::parseScript(one->script, schedule::allPrimitives(), context);
        VERIFY_OK(script);
        const Result<schedule::Replay> replayed = schedule::replay(*initial, *script, {}, context);
        QVERIFY2(!replayed, "accepted");
        QVERIFY(replayed.error().refusal != nullptr);
        const std::string stem = std::filesystem::path(path).stem().string();
        QCOMPARE(replayed.error().refusal->rule, stem.substr(0, stem.find('-')));
        QCOMPARE(replayed.error().line, static_cast<int>(script->steps.size()));
    }
};

NW_TEST_MAIN(tst_refused_cases, TestRefusedCases)
#include "tst_refused_cases.moc"
