#include "engine/record/database.h"
#include "tests/support/test.h"

#include <QTemporaryDir>

#include <limits>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace nw;
using namespace nw::record;

namespace {

Record sample(const std::string& task, double ns, Origin origin = Origin::Edit)
{
    Record r;
    r.task = task;
    r.anchor = "anchor";
    r.group = "conv.0";
    r.script = "vectorize oci\n";
    r.origin = origin;
    r.protocol = "confirm";
    r.samplesNs = {ns, ns * 1.01, ns * 0.99};
    r.clean = 3;
    r.medianNs = ns;
    r.spread = 0.01;
    r.deviceState = "{}";
    return r;
}

} // namespace

class TestDatabase : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path file(const char* name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

private Q_SLOTS:
    void keepsRecordsWhole()
    {
        auto opened = Database::open(file("records.nest"));
        VERIFY_OK(opened);
        Record given = sample("t1", 1234.5, Origin::Sweep);
        given.noisy = true;
        given.message = "it's \"quoted\"";
        given.cold = true;
        const auto id = (*opened)->addRecord(given);
        VERIFY_OK(id);
        const auto back = (*opened)->records("t1");
        VERIFY_OK(back);
        QCOMPARE(back->size(), std::size_t{1});
        const Record& r = back->front();
        QCOMPARE(r.id, *id);
        QCOMPARE(r.samplesNs, given.samplesNs);
        QCOMPARE(r.origin, Origin::Sweep);
        QCOMPARE(r.message, given.message);
        QVERIFY(r.noisy && r.cold && !r.unproven);
        QCOMPARE(r.medianNs, 1234.5);
        QCOMPARE((*opened)->recordsByAnchor("anchor")->size(), std::size_t{1});
        QVERIFY((*opened)->records("t2")->empty());
    }

    // Samples of which none was clean have no spread; the measurement is kept all the same.
    void keepsWhatHasNoFigure()
    {
        auto opened = Database::open(file("nofigure.nest"));
        VERIFY_OK(opened);
        Record given = sample("t1", 10);
        given.spread = std::numeric_limits<double>::quiet_NaN();
        given.shareOfPeak = std::numeric_limits<double>::infinity();
        VERIFY_OK((*opened)->addRecord(given));
        const auto back = (*opened)->records("t1");
        VERIFY_OK(back);
        QCOMPARE(back->front().spread, 0.0);
        QCOMPARE(back->front().shareOfPeak, 0.0);
    }

    // A script that was refused, or whose code did not build, has no samples at all.
    void keepsWhatWasNotTimed()
    {
        auto opened = Database::open(file("nottimed.nest"));
        VERIFY_OK(opened);
        Record given = sample("t1", 0);
        given.samplesNs.clear();
        given.outcome = "refused";
        given.message = "the tile is too large";
        VERIFY_OK((*opened)->addRecord(given));
        const auto back = (*opened)->records("t1");
        VERIFY_OK(back);
        QVERIFY(back->front().samplesNs.empty());
        QCOMPARE(back->front().message, given.message);
    }

    void bestIsConfirmedCorrectAndProven()
    {
        auto opened = Database::open(file("best.nest"));
        VERIFY_OK(opened);
        Record quick = sample("t", 10);
        quick.protocol = "quick";
        Record wrong = sample("t", 20);
        wrong.outcome = "wrong-result";
        Record unproven = sample("t", 30);
        unproven.unproven = true;
        Record cold = sample("t", 35);
        cold.cold = true;
        for (const Record& r : {quick, wrong, unproven, cold, sample("t", 50), sample("t", 40), sample("t", 5, Origin::Tune)}) {
            VERIFY_OK((*opened)->addRecord(r));
        }
        const auto hand = (*opened)->best("t", {Origin::Edit});
        VERIFY_OK(hand);
        QVERIFY(hand->has_value());
        QCOMPARE((*hand)->medianNs, 40.0);
        QCOMPARE((**(*opened)->best("t", {Origin::Edit, Origin::Tune})).medianNs, 5.0);
        QVERIFY(!(*opened)->best("other", {Origin::Edit})->has_value());
    }

    void staleEditBecomesABranch()
    {
        auto one = Database::open(file("edit.nest"));
        auto two = Database::open(file("edit.nest"));
        VERIFY_OK(one);
        VERIFY_OK(two);
        const auto first = (*one)->addRevision("conv.0", 0, "a\n");
        VERIFY_OK(first);
        QCOMPARE(first->branch, std::string("main"));
        const auto second = (*one)->addRevision("conv.0", first->id, "a\nb\n");
        VERIFY_OK(second);
        QCOMPARE(second->branch, std::string("main"));
        const auto stale = (*two)->addRevision("conv.0", first->id, "a\nc\n");
        VERIFY_OK(stale);
        QCOMPARE(stale->branch, std::string("main-2"));
        QCOMPARE((*(*one)->head("conv.0"))->id, stale->id);
        QCOMPARE((*one)->revisions("conv.0")->size(), std::size_t{3});
        VERIFY_OK((*one)->moveHead("conv.0", first->id));
        QCOMPARE((*(*two)->head("conv.0"))->script, std::string("a\n"));
        VERIFY_OK((*one)->moveHead("conv.0", 0));
        QVERIFY(!(*two)->head("conv.0")->has_value());
        QVERIFY(!(*one)->addRevision("conv.0", 999, "x\n"));
        QVERIFY(!(*one)->moveHead("other", first->id));
    }

    // A branch of its own when asked for; the older one goes on where it was.
    void aBranchIsAsked()
    {
        auto opened = Database::open(file("branch.nest"));
        VERIFY_OK(opened);
        const auto first = (*opened)->addRevision("conv.0", 0, "a\nb\n");
        VERIFY_OK(first);
        const auto other = (*opened)->addRevision("conv.0", first->id, "x\nb\n", true);
        VERIFY_OK(other);
        QCOMPARE(other->branch, std::string("main-2"));
        QCOMPARE(other->parent, first->id);
        QCOMPARE((*opened)->addRevision("conv.0", first->id, "a\nb\nc\n")->branch, std::string("main"));
        QCOMPARE((*opened)->addRevision("conv.0", other->id, "x\nb\nc\n")->branch, std::string("main-2"));
        QCOMPARE((*opened)->addRevision("conv.0", first->id, "a\nb\nd\n")->branch, std::string("main-3"));
    }

    void valuesAndCopies()
    {
        auto opened = Database::open(file("values.nest"));
        VERIFY_OK(opened);
        VERIFY_OK((*opened)->setText("choices", "threads 1\n"));
        VERIFY_OK((*opened)->setText("choices", "threads 2\n"));
        const std::vector<std::byte> bytes(100000, std::byte{7});
        VERIFY_OK((*opened)->setBlob("model", bytes));
        VERIFY_OK((*opened)->saveAs(file("copy.nest")));
        auto copy = Database::open(file("copy.nest"), false);
        VERIFY_OK(copy);
        QCOMPARE(**(*copy)->text("choices"), std::string("threads 2\n"));
        QVERIFY(**(*copy)->blob("model") == bytes);
        QVERIFY(!(*copy)->text("absent")->has_value());
    }

    void refusesWhatIsNoProject()
    {
        std::ofstream(file("noise.nest")) << std::string(5000, 'x');
        const auto noise = Database::open(file("noise.nest"));
        QVERIFY(!noise);
        QVERIFY2(noise.error().message.find("is not a project file") != std::string::npos, noise.error().message.c_str());
        QVERIFY(!Database::open(file("missing.nest"), false));
        QVERIFY(!Database::open(file("no/such/folder/a.nest")));
    }

    void killedAtAnyMomentLosesAtMostOneRecord()
    {
        const std::filesystem::path path = file("kill.nest");
        VERIFY_OK(Database::open(path));
        std::srand(7);
        std::int64_t before = 0;
        for (int round = 0; round < 200; ++round) {
            int pipeEnds[2];
            QCOMPARE(pipe(pipeEnds), 0);
            const pid_t child = fork();
            if (child == 0) {
                auto opened = Database::open(path);
                for (std::uint8_t i = 0; opened && i < 250; ++i) {
                    const auto id = (*opened)->addRecord(sample("k", 1.0 + i));
                    const std::int64_t told = id ? *id : -1;
                    if (write(pipeEnds[1], &told, sizeof told) != sizeof told) {
                        break;
                    }
                }
                _exit(0);
            }
            close(pipeEnds[1]);
            usleep(static_cast<useconds_t>(2000 + std::rand() % 15000));
            kill(child, SIGKILL);
            int status = 0;
            waitpid(child, &status, 0);
            std::int64_t last = before;
            std::int64_t told = 0;
            while (read(pipeEnds[0], &told, sizeof told) == sizeof told) {
                last = told;
            }
            close(pipeEnds[0]);
            auto opened = Database::open(path);
            VERIFY_OK(opened);
            const auto all = (*opened)->records("k");
            VERIFY_OK(all);
            const std::int64_t kept = all->empty() ? 0 : all->back().id;
            QVERIFY2(kept >= last && kept <= last + 1, "a record that was reported as kept is gone");
            before = kept;
        }
    }
};

NW_TEST_MAIN(tst_database, TestDatabase)
#include "tst_database.moc"
