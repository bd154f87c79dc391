// Older lines of work: when an edit begins a branch, what the list of branches says, what the project keeps.
#include "engine/session/branches.h"
#include "engine/session/project.h"
#include "tests/engine/session/matmul.h"
#include "tests/support/test.h"

#include <QTemporaryDir>

using namespace nw;
using namespace nw::session;
using test::editing;

namespace {

record::Record timed(const std::string& script, double ns, const std::string& outcome = "ok")
{
    record::Record record;
    record.script = script;
    record.protocol = "confirm";
    record.medianNs = ns;
    record.outcome = outcome;
    return record;
}

} // namespace

class TestBranches : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knowsAMiddleStep_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<bool>("branches");
        QTest::newRow("first step") << QByteArray() << QByteArray("a\n") << false;
        QTest::newRow("added") << QByteArray("a\nb\n") << QByteArray("a\nb\nc\n") << false;
        QTest::newRow("comments") << QByteArray("a\n# x\nb\n") << QByteArray("a # y\nb\n") << false;
        QTest::newRow("constraint") << QByteArray("a\nb\n") << QByteArray("a\nrequire t <= 4\nb\nknob t = {4}\n") << false;
        QTest::newRow("last changed") << QByteArray("a\nb\nc\n") << QByteArray("a\nb\nd\n") << false;
        QTest::newRow("last removed") << QByteArray("a\nb\nc\n") << QByteArray("a\nb\n") << false;
        QTest::newRow("inserted before the last") << QByteArray("a\nb\nc\n") << QByteArray("a\nb\nx\nc\n") << true;
        QTest::newRow("middle changed") << QByteArray("a\nb\nc\n") << QByteArray("a\nx\nc\n") << true;
        QTest::newRow("middle removed") << QByteArray("a\nb\nc\n") << QByteArray("a\nc\n") << true;
        QTest::newRow("several removed") << QByteArray("a\nb\nc\n") << QByteArray("a\n") << true;
        QTest::newRow("started over") << QByteArray("a\nb\n") << QByteArray() << true;
    }
    void knowsAMiddleStep()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QFETCH(bool, branches);
        QCOMPARE(changesAMiddleStep(before.toStdString(), after.toStdString()), branches);
    }

    void listsBranchesWithTheirTimes()
    {
        const std::string one = "split n into no ni:8\n";
        const auto e = editing(one + "vectorize ni\nunroll k\n");
        e->setTimings({timed(one, 900), timed(one + "reorder m no k ni\n", 400), timed(one + "vectorize ni\n", 300, "wrong-result")});
        const std::vector<record::Revision> revisions = {
            {1, 0, "matmul.0", "main", one, 0},
            {2, 1, "matmul.0", "main", one + "reorder m  no k ni # another spacing\n", 0},
            {3, 2, "matmul.0", "main-2", one + "vectorize ni\n", 0},
            {4, 3, "matmul.0", "main-2", one + "vectorize ni\nunroll k\n", 0},
        };
        const std::vector<Branch> found = branchesOf(revisions, 4, *e);
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].name, std::string("main"));
        QCOMPARE(found[0].tip, std::int64_t{2});
        QCOMPARE(found[0].steps, 2);
        QCOMPARE(found[0].leaves, 1);
        QCOMPARE(found[0].bestNs, 400.0);
        QVERIFY(!found[0].current);
        QCOMPARE(found[1].tip, std::int64_t{4});
        QCOMPARE(found[1].leaves, 3);
        QCOMPARE(found[1].bestNs, 0.0); // a wrong result has no speed
        QVERIFY(found[1].current);
        QVERIFY(branchesOf({}, 0, *e).empty());
    }

    // The sample's own steps are kept as a branch by the first edit in their middle; half a word is not.
    void keepsTheOlderSteps()
    {
        QTemporaryDir folder;
        const std::filesystem::path root = folder.path().toStdString();
        const Folders folders{root / "data", root / "cache", root / "run"};
        Result<std::unique_ptr<Project>> project = Project::open(std::string(NW_SOURCE_DIR) + "/projects/matmul1024", {}, folders);
        VERIFY_OK(project);
        const Result<const Operator*> op = (*project)->find("matmul.0");
        VERIFY_OK(op);
        const Result<Project::Chosen> chosen = (*project)->script(**op);
        VERIFY_OK(chosen);
        QCOMPARE(chosen->from, std::string("sample"));
        std::vector<std::string> steps = stepLines(chosen->script);
        QVERIFY(steps.size() > 2);
        const auto edit = [&](std::int64_t parent, const std::string& text) { return *(*project)->edit(**op, parent, text); };

        const record::Revision first = edit(0, steps[0] + "\n" + steps[1] + "\n");
        QCOMPARE(first.branch, std::string("main-2"));
        std::vector<record::Revision> all = *(*project)->database()->revisions("matmul.0");
        QCOMPARE(all.size(), std::size_t{2});
        QCOMPARE(all[0].branch, std::string("main"));
        QCOMPARE(all[0].script, chosen->script);
        QCOMPARE(first.parent, all[0].id);
        // Steps that are added go on; so does the sample's branch, named by its own parent 0.
        QCOMPARE(edit(first.id, first.script + steps[2] + "\n").branch, std::string("main-2"));
        QCOMPARE(edit(0, chosen->script + "\n" + steps.back() + "\n").branch, std::string("main"));
        // Half a word, then its middle changed: nothing to go back to.
        const record::Revision half = edit(all[0].id, "spl\nx\ny\n");
        QCOMPARE(half.branch, std::string("main-3"));
        QCOMPARE(edit(half.id, "split\nx\ny\n").branch, std::string("main-3"));
    }
};

NW_TEST_MAIN(tst_branches, TestBranches)
#include "tst_branches.moc"
