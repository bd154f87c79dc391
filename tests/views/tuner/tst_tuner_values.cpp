// What the tuner's panel makes of the journal: states, gains, causes, the time that is left, points that are drawn.
#include "tests/support/planted_tuning.h"
#include "tests/support/test.h"
#include "views/tuner/remaining_time.h"
#include "views/tuner/thinned_points.h"
#include "views/tuner/trial_series.h"
#include "views/tuner/tuner_text.h"

#include <set>

using namespace nw;
using namespace nw::views;
using record::TuneState;
using record::TuneWish;

namespace {

record::TuneTrial trial(int number, double ns, const char* outcome = "ok", const char* cause = "", const char* message = "")
{
    record::TuneTrial made;
    made.number = number;
    made.ns = ns;
    made.outcome = outcome;
    made.cause = cause;
    made.message = message;
    return made;
}

} // namespace

class TestTunerValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void phases_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<int>("wish");
        QTest::addColumn<bool>("alive");
        QTest::addColumn<int>("phase");
        const auto row = [](const char* name, TuneState state, TuneWish wish, bool alive, TunerPhase phase) {
            QTest::newRow(name) << static_cast<int>(state) << static_cast<int>(wish) << alive << static_cast<int>(phase);
        };
        row("running", TuneState::Running, TuneWish::Run, true, TunerPhase::Running);
        row("killed", TuneState::Running, TuneWish::Run, false, TunerPhase::Interrupted);
        row("killed while pausing", TuneState::Running, TuneWish::Pause, false, TunerPhase::Interrupted);
        row("pausing", TuneState::Running, TuneWish::Pause, true, TunerPhase::Pausing);
        row("stopping", TuneState::Running, TuneWish::Stop, true, TunerPhase::Stopping);
        row("cancelling", TuneState::Running, TuneWish::Cancel, true, TunerPhase::Cancelling);
        row("paused", TuneState::Paused, TuneWish::Pause, false, TunerPhase::Paused);
        row("done", TuneState::Done, TuneWish::Run, false, TunerPhase::Done);
        row("stopped", TuneState::Stopped, TuneWish::Stop, false, TunerPhase::Stopped);
        row("cancelled", TuneState::Cancelled, TuneWish::Cancel, false, TunerPhase::Cancelled);
        row("failed", TuneState::Failed, TuneWish::Run, false, TunerPhase::Failed);
    }

    void phases()
    {
        QFETCH(int, state);
        QFETCH(int, wish);
        QFETCH(bool, alive);
        QFETCH(int, phase);
        TunerStatus status;
        status.session = record::TuneSession{};
        status.session->state = static_cast<TuneState>(state);
        status.session->wish = static_cast<TuneWish>(wish);
        status.alive = alive;
        QCOMPARE(static_cast<int>(phaseOf(status)), phase);
        QVERIFY(!phaseText(phaseOf(status), status, {}).isEmpty());
        status.starting = true;
        QCOMPARE(phaseOf(status), TunerPhase::Starting);
        QCOMPARE(phaseOf({}), TunerPhase::None);
    }

    void aSeriesGrows()
    {
        TrialSeries series;
        QCOMPARE(series.append({trial(0, 4e6), trial(1, 2e6), trial(2, 0, "illegal", "tail", "first words"), trial(3, 3e6)}), std::size_t{4});
        QCOMPARE(series.append({trial(2, 1), trial(3, 1)}), std::size_t{0}); // known already
        QCOMPARE(series.append({trial(5, 1)}), std::size_t{0});              // one is missing before it
        QCOMPARE(series.append({trial(4, 0, "illegal", "tail", "other words"), trial(5, 0, "hang", "timeout", "2 s")}), std::size_t{2});
        QCOMPARE(series.next(), 6);
        QCOMPARE(series.gains().size(), std::size_t{2});
        QCOMPARE(series.gains()[1].number, 1);
        QCOMPARE(series.gains()[1].share, 0.5);
        QCOMPARE(series.sinceGain(), 4);
        QCOMPARE(series.bestNs(), 2e6);
        QCOMPARE(series.slowestNs(), 4e6);
        QCOMPARE(series.failures(), 3);
        QCOMPARE(series.causes().size(), std::size_t{2});
        QCOMPARE(series.causes()[0].count, 2);
        QCOMPARE(series.causes()[0].message, std::string("first words"));
        QCOMPARE(series.causes()[0].first, 2);
        QCOMPARE(causeText(series.causes()[1]), QStringLiteral("hang: timeout"));
        QCOMPARE(gainText(series), QStringLiteral("best 2.00 ms · last gain 4 trials ago, +100 %"));
        QVERIFY(stopAdvice(series, 0).isEmpty());
        std::vector<record::TuneTrial> more;
        for (int i = 6; i < 160; ++i) {
            more.push_back(trial(i, 2.5e6));
        }
        series.append(more);
        QVERIFY(!stopAdvice(series, 0).isEmpty());
        QVERIFY(stopAdvice(series, 1000).isEmpty()); // the person's plateau is far longer
    }

    void timeIsLeft()
    {
        RemainingTime remaining;
        QVERIFY(!remaining.left({1000, 0, 0, {}, {}}, -1));
        remaining.note(1, 2);
        QVERIFY(!remaining.left({1000, 0, 0, {}, {}}, -1)); // too early to say
        remaining.note(10, 100);  // ten a second
        remaining.note(30, 200);  // five a second
        remaining.note(30, 200);
        const auto left = remaining.left({400, 0, 0, {}, {}}, -1);
        QVERIFY(left);
        QVERIFY2(left->low > 12 && left->low < 26, qPrintable(QString::number(left->low)));
        QVERIFY2(left->high > 40 && left->high < 50, qPrintable(QString::number(left->high)));
        const auto byTime = remaining.left({100000, 42, 0, {}, {}}, -1);
        QCOMPARE(byTime->high, 12.0);
        QVERIFY(remaining.left({400, 0, 0, {}, {}}, 10)->low < 2); // a plateau may come first
        remaining.note(2, 10); // another session
        QVERIFY(remaining.left({20, 0, 0, {}, {}}, -1)->high < 3);
    }

    void rangesInWords()
    {
        QCOMPARE(rangeText({240, 420}), QStringLiteral("4 to 7 min"));
        QCOMPARE(rangeText({20, 80}), QStringLiteral("20 to 80 s"));
        QCOMPARE(rangeText({80, 240}), QStringLiteral("80 s to 4 min"));
        QCOMPARE(rangeText({30, 30}), QStringLiteral("about 30 s"));
        QCOMPARE(rangeText({5000, 9000}), QStringLiteral("83 min to 2 h 30 min"));
    }

    // 20,000 points are drawn as a few thousand, the ends among them, and what is new is told once.
    void pointsAreThinned()
    {
        ThinnedPoints points(3000);
        bool anew = false;
        for (int i = 0; i < 1000; ++i) {
            points.add(i, 1e6 + i);
        }
        QCOMPARE(points.news(anew).size(), std::size_t{1000});
        QVERIFY(anew);
        points.add(1000, 5e5);
        QCOMPARE(points.news(anew).size(), std::size_t{1});
        QVERIFY(!anew);
        std::uint64_t x = 1;
        for (int i = 1001; i < 20000; ++i) {
            x = x * 6364136223846793005U + 1442695040888963407U;
            points.add(i, 1e6 * (1 + static_cast<double>(x >> 40U) / 2e6));
        }
        QVERIFY2(points.kept().size() <= 3000 && points.kept().size() > 1000, qPrintable(QString::number(points.kept().size())));
        QVERIFY(points.kept().front().x == 0 && points.kept().back().x > 19000);
        QCOMPARE(points.news(anew).size(), points.kept().size());
        QVERIFY(anew);
        ThinnedPoints marks(100, true);
        for (int i = 0; i < 20000; ++i) {
            marks.add(i, 0.5);
        }
        QVERIFY(marks.kept().size() <= 100 && marks.kept().size() > 30);
    }

    void theModelIsWatched()
    {
        std::vector<record::TuneRound> rounds;
        for (int i = 0; i < 8; ++i) {
            record::TuneRound round;
            round.round = i;
            round.trained = 32 * i;
            round.correlation = i < 5 ? 0.8 : 0.4;
            round.trusted = true;
            round.importance = i == 6 ? "tile=0.5 line3.4=0.25" : "";
            round.refused = i == 6 ? "a.b=3 c.d=12" : "";
            rounds.push_back(round);
        }
        QVERIFY2(modelWarning(rounds).contains(QStringLiteral("0.80")) && modelWarning(rounds).contains(QStringLiteral("0.40")),
                 qPrintable(modelWarning(rounds)));
        QVERIFY(modelWarning({rounds.begin(), rounds.begin() + 5}).isEmpty());
        rounds.back().note = "drawn at random";
        QCOMPARE(modelWarning(rounds), QStringLiteral("drawn at random"));
        QCOMPARE(importanceOf(rounds).size(), std::size_t{2});
        QCOMPARE(importanceOf(rounds)[1].first, QStringLiteral("line3.4"));
        QCOMPARE(importanceOf(rounds)[1].second, 0.25);
        QCOMPARE(refusedOf(rounds)[0].first, QStringLiteral("c.d"));
        QCOMPARE(refusedOf(rounds)[0].second, 12);
    }
};

NW_TEST_MAIN(tst_tuner_values, TestTunerValues)
#include "tst_tuner_values.moc"
