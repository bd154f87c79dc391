// Values in, what is shown and wished out.
#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "tests/views/tuner/scene.h"
#include "views/common/theme.h"
#include "views/tuner/curve_plot.h"
#include "views/tuner/model_page.h"
#include "views/tuner/importance_bars.h"
#include "views/tuner/tuner_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTableWidget>
#include <QTabWidget>
#include <QToolButton>

using namespace nw;
using namespace nw::views;

namespace {

template <typename Widget>
Widget* child(TunerView& view, const char* name)
{
    return view.findChild<Widget*>(QString::fromLatin1(name));
}

bool isSeen(TunerView& view, const char* name)
{
    return child<QWidget>(view, name)->isVisible();
}

} // namespace

class TestTunerView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(QStringLiteral("Fusion")); }

    void theFormBeginsASession()
    {
        TunerView view;
        view.resize(760, 260);
        view.show();
        view.setStatus({});
        view.setOperator(QStringLiteral("conv.0"));
        view.setSelection({QStringLiteral("ow"), QStringLiteral("oh")});
        QVERIFY(isSeen(view, "tunerFormStart"));
        QVERIFY(!isSeen(view, "tunerPause") && !isSeen(view, "tunerNew"));
        QSignalSpy starts(&view, &TunerView::startWished);
        child<QSpinBox>(view, "tunerTrialsLimit")->setValue(300);
        child<QSpinBox>(view, "tunerMinutesLimit")->setValue(4);
        child<QSpinBox>(view, "tunerPlateauLimit")->setValue(80);
        child<QLineEdit>(view, "tunerSeed")->setText(QStringLiteral("7000000000000000001")); // beyond 32 bits
        child<QComboBox>(view, "tunerSearch")->setCurrentIndex(1);
        child<QComboBox>(view, "tunerFrom")->setCurrentIndex(1);
        QVERIFY(!isSeen(view, "tunerFix")); // only of one's own schedule
        view.chooseMine(true);
        QVERIFY(isSeen(view, "tunerFix"));
        QTest::mouseClick(child<QPushButton>(view, "tunerFormStart"), Qt::LeftButton);
        QCOMPARE(starts.size(), 1);
        const auto request = starts[0][0].value<TuneRequest>();
        QCOMPARE(request.groups, QStringList{QStringLiteral("conv.0")});
        QCOMPARE(request.trials, 300);
        QCOMPARE(request.minutes, 4.0);
        QCOMPARE(request.plateau, 80);
        QCOMPARE(request.seed, 7000000000000000001U);
        QCOMPARE(request.search, QStringLiteral("annealing"));
        QCOMPARE(request.from, QStringLiteral("mine"));
        QCOMPARE(request.fix, (QStringList{QStringLiteral("ow"), QStringLiteral("oh")}));
        child<QComboBox>(view, "tunerScope")->setCurrentIndex(1);
        QVERIFY(view.request().groups.isEmpty() && view.request().fix.isEmpty());
    }

    void theHeadFollowsTheSession()
    {
        TunerView view;
        Scene scene(400);
        scene.show(view, 1000, 300);
        QSignalSpy pauses(&view, &TunerView::pauseWished);
        QSignalSpy resumes(&view, &TunerView::resumeWished);
        QSignalSpy stops(&view, &TunerView::stopWished);
        QSignalSpy cancels(&view, &TunerView::cancelWished);
        QCOMPARE(child<QLabel>(view, "tunerState")->text(), QStringLiteral("Tuning conv.0"));
        QVERIFY(isSeen(view, "tunerPause") && isSeen(view, "tunerStop") && isSeen(view, "tunerCancel") && !isSeen(view, "tunerResume"));
        QTest::mouseClick(child<QPushButton>(view, "tunerPause"), Qt::LeftButton);
        view.toggle();
        QCOMPARE(pauses.size(), 2);

        scene.status.session->wish = record::TuneWish::Pause;
        view.setStatus(scene.status);
        QCOMPARE(child<QLabel>(view, "tunerState")->text(), QStringLiteral("Pausing…"));
        QVERIFY(!child<QPushButton>(view, "tunerPause")->isEnabled());
        view.toggle(); // it is on its way
        QCOMPARE(pauses.size() + resumes.size(), 2);

        scene.status.session->wish = record::TuneWish::Run;
        scene.status.alive = false;
        view.setStatus(scene.status);
        QVERIFY(child<QLabel>(view, "tunerState")->text().startsWith(QStringLiteral("Interrupted")));
        QVERIFY(isSeen(view, "tunerResume") && !isSeen(view, "tunerPause"));
        QTest::mouseClick(child<QPushButton>(view, "tunerResume"), Qt::LeftButton);
        QCOMPARE(resumes.size(), 1);
        QTest::mouseClick(child<QPushButton>(view, "tunerStop"), Qt::LeftButton);
        QTest::mouseClick(child<QPushButton>(view, "tunerCancel"), Qt::LeftButton);
        QCOMPARE(stops.size(), 1);
        QCOMPARE(cancels.size(), 1);

        // What was stopped may go on; another session is offered, too.
        scene.status.session->state = record::TuneState::Stopped;
        view.setStatus(scene.status);
        QVERIFY(isSeen(view, "tunerResume") && isSeen(view, "tunerNew") && !isSeen(view, "tunerStop"));
        QTest::mouseClick(child<QPushButton>(view, "tunerResume"), Qt::LeftButton);
        QCOMPARE(resumes.size(), 2);
        QVERIFY(!child<QPushButton>(view, "tunerResume")->toolTip().contains(QStringLiteral("Ctrl+T"))); // which begins another
        QSignalSpy starts(&view, &TunerView::startWished);
        view.toggle();
        QCOMPARE(starts.size(), 1);
        QTest::mouseClick(child<QPushButton>(view, "tunerNew"), Qt::LeftButton);
        QVERIFY(!isSeen(view, "tunerResume"));
        QTest::mouseClick(child<QPushButton>(view, "tunerBack"), Qt::LeftButton);

        scene.status.session->state = record::TuneState::Done;
        scene.status.session->message = "500 trials";
        view.setStatus(scene.status);
        QCOMPARE(child<QLabel>(view, "tunerState")->text(), QStringLiteral("Done: 500 trials"));
        QVERIFY(isSeen(view, "tunerNew") && isSeen(view, "tunerOpenBest") && !isSeen(view, "tunerStop"));
        QTest::mouseClick(child<QPushButton>(view, "tunerNew"), Qt::LeftButton);
        QVERIFY(isSeen(view, "tunerFormStart"));
        QCOMPARE(child<QSpinBox>(view, "tunerTrialsLimit")->value(), 1500); // as last time
        QTest::mouseClick(child<QPushButton>(view, "tunerBack"), Qt::LeftButton);
        QVERIFY(isSeen(view, "tunerCurve"));
    }

    void progressIsARange()
    {
        TunerView view;
        Scene scene(400);
        scene.show(view, 1000, 300);
        scene.status.session->activeSeconds = 120;
        scene.rows[0].trials = 600;
        view.setTasks(scene.rows, 0);
        view.setStatus(scene.status);
        const QString text = child<QWidget>(view, "tunerProgress")->toolTip();
        QVERIFY2(text.startsWith(QStringLiteral("720 of 1500 trials, ")) && text.endsWith(QStringLiteral(" left")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral(" to ")), qPrintable(text));
        QVERIFY(child<QLabel>(view, "tunerNotes")->toolTip().contains(QStringLiteral("conv.0: best ")));
        QVERIFY(child<QLabel>(view, "tunerNotes")->toolTip().contains(QStringLiteral("last gain ")));
    }

    void pointsAreChosen()
    {
        TunerView view;
        Scene scene(300);
        scene.show(view, 1100, 420);
        QApplication::processEvents();
        QSignalSpy chosen(&view, &TunerView::trialWished);
        QSignalSpy diffs(&view, &TunerView::diffWished);
        CurvePlot* curve = view.curve();
        curve->replot();
        const auto* detail = child<QPlainTextEdit>(view, "tunerTrialScript")->parentWidget();
        const auto* hint = child<QLabel>(view, "tunerTrialHint");
        QVERIFY(detail->isHidden() && !hint->isHidden()); // the table has all the room
        int first = 40;
        while (curve->isFailure(first) || curve->trialAt(curve->pixelOf(first)) != first) {
            ++first;
        }
        QTest::mouseClick(curve, Qt::LeftButton, {}, curve->pixelOf(first).toPoint());
        QCOMPARE(chosen.size(), 1);
        QVERIFY(std::abs(chosen[0][0].toInt() - first) <= 2);
        first = chosen[0][0].toInt();
        QCOMPARE(child<QTabWidget>(view, "tunerTabs")->currentWidget()->findChild<QPlainTextEdit*>()->objectName(), QStringLiteral("tunerTrialScript"));
        QVERIFY(!detail->isHidden() && hint->isHidden());
        view.setTrialScript(first, QStringLiteral("split a into b:_ c:4\n"), {});
        QCOMPARE(child<QPlainTextEdit>(view, "tunerTrialScript")->toPlainText(), QStringLiteral("split a into b:_ c:4\n"));
        view.setTrialScript(first + 50, QStringLiteral("late"), {}); // of one that is no longer chosen
        QCOMPARE(child<QPlainTextEdit>(view, "tunerTrialScript")->toPlainText(), QStringLiteral("split a into b:_ c:4\n"));

        int second = 200;
        while (curve->isFailure(second)) {
            ++second;
        }
        QTest::mouseClick(curve, Qt::LeftButton, Qt::ShiftModifier, curve->pixelOf(second).toPoint());
        QCOMPARE(diffs.size(), 1);
        QCOMPARE(diffs[0][0].toInt(), first);
        QVERIFY(std::abs(diffs[0][1].toInt() - second) <= 2);
        QTest::mouseClick(child<QPushButton>(view, "tunerDiffTrials"), Qt::LeftButton);
        QCOMPARE(diffs.size(), 2);

        // A failure, on the strip.
        int failure = 100;
        while (!curve->isFailure(failure)) {
            ++failure;
        }
        QTest::mouseClick(curve, Qt::LeftButton, {}, curve->pixelOf(failure).toPoint());
        QCOMPARE(chosen.size(), 2);
        QVERIFY(curve->isFailure(chosen[1][0].toInt()));
        QTest::keyClick(curve, Qt::Key_Right);
        QCOMPARE(chosen[2][0].toInt(), chosen[1][0].toInt() + 1);

        QSignalSpy opens(&view, &TunerView::openTrialWished);
        child<QTableView>(view, "tunerTrials")->setCurrentIndex(child<QTableView>(view, "tunerTrials")->model()->index(0, 0));
        QCOMPARE(chosen.last()[0].toInt(), 0);
        view.setTrialScript(0, QStringLiteral("unroll a\n"), {});
        QTest::mouseClick(child<QPushButton>(view, "tunerOpenTrial"), Qt::LeftButton);
        QCOMPARE(opens.size(), 1);
    }

    void axesAreToggled()
    {
        TunerView view;
        Scene scene(300);
        scene.show(view, 1100, 420);
        CurvePlot* curve = view.curve();
        curve->replot();
        const QPointF slow = curve->pixelOf(0); // the default: slowest of all
        const double last = curve->xAxis->range().upper;
        child<QToolButton>(view, "tunerSpeed")->setChecked(true);
        curve->replot();
        QVERIFY(curve->pixelOf(0).y() > slow.y()); // now at the bottom
        child<QToolButton>(view, "tunerWallTime")->setChecked(true);
        curve->replot();
        QVERIFY(curve->xAxis->range().upper < last / 4); // eight trials a second
    }

    void failuresAreGrouped()
    {
        TunerView view;
        Scene scene(600);
        scene.show(view, 1000, 300);
        auto* table = child<QTableWidget>(view, "tunerFailures");
        int counted = 0;
        for (int i = 1; i < table->rowCount() - 2; ++i) {
            QVERIFY(table->item(i, 0)->text().toInt() <= table->item(i - 1, 0)->text().toInt());
        }
        for (int i = 0; i < table->rowCount() - 2; ++i) {
            counted += table->item(i, 0)->text().toInt();
        }
        QCOMPARE(counted, view.series().failures());
        QVERIFY2(table->item(0, 1)->text().startsWith(QStringLiteral("illegal: vectorize.tail\nvectorize: the loop owi has ")),
                 qPrintable(table->item(0, 1)->text()));
        QVERIFY(table->item(table->rowCount() - 2, 1)->text().contains(QStringLiteral("before it cost a build")));
        auto* tabs = child<QTabWidget>(view, "tunerTabs");
        tabs->setCurrentWidget(table);
        QVERIFY(tabs->tabText(tabs->currentIndex()).contains(QString::number(counted)));
        QSignalSpy chosen(&view, &TunerView::trialWished);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualItemRect(table->item(0, 1)).center());
        QCOMPARE(chosen.size(), 1);
        QVERIFY(view.curve()->isFailure(chosen[0][0].toInt()));
        QCOMPARE(tabs->currentWidget(), table);
    }

    void theModelIsShown()
    {
        TunerView view;
        Scene scene(600);
        scene.show(view, 1000, 300);
        QVERIFY(child<QLabel>(view, "tunerModelWords")->text().contains(QStringLiteral("rank correlation")));
        QVERIFY(!view.model()->prediction()->empty());
        std::vector<record::TuneRound> rounds = scene.tasks[0].rounds;
        rounds.back().trusted = false;
        rounds.back().note = "the model does no better than chance: candidates are drawn at random";
        view.setRounds(rounds);
        QCOMPARE(child<QLabel>(view, "tunerModelWords")->text(), QString::fromStdString(rounds.back().note));
        auto* bars = view.findChild<ImportanceBars*>();
        QCOMPARE(bars->shares().size(), std::size_t{5});
        QVERIFY(bars->accessibleDescription().startsWith(QStringLiteral("tile: 41 %")));
    }

    void tasksAreChosen()
    {
        TunerView view;
        Scene scene(200);
        scene.show(view, 1000, 300);
        auto* table = child<QTableView>(view, "tunerTasks");
        const auto text = [table](int r, int column) { return table->model()->index(r, column).data().toString(); };
        QCOMPARE(text(1, 0), QStringLiteral("matmul.1 ×4"));
        QCOMPARE(text(1, 1), QStringLiteral("done"));
        QCOMPARE(text(1, 2), QStringLiteral("610 us ±1.1 %"));
        QCOMPARE(text(1, 3), QStringLiteral("35.08×"));
        QCOMPARE(text(1, 4), QStringLiteral("33.3 %"));
        QCOMPARE(text(2, 2), QStringLiteral("–"));
        QVERIFY(text(0, 2).startsWith(QLatin1Char('~'))); // by search alone
        QSignalSpy wished(&view, &TunerView::taskWished);
        table->selectRow(1);
        QCOMPARE(wished.size(), 1);
        QCOMPARE(wished[0][0].toLongLong(), 4);
        view.showTask(4);
        QCOMPARE(view.nextTrial(), 0);
        view.addTrials(scene.tasks[1].trials);
        QCOMPARE(view.nextTrial(), 120);
        view.setTasks(scene.rows, 0); // a poll: the choice stays
        QCOMPARE(table->currentIndex().row(), 1);
        QCOMPARE(wished.size(), 1);
    }

    // An update costs what is new, not what is there.
    void twentyThousandTrials()
    {
        TunerView view;
        Scene scene(20000);
        const std::vector<record::TuneTrial> all = std::move(scene.tasks[0].trials);
        scene.show(view, 1200, 500);
        view.addTrials({all.begin(), all.begin() + 19968});
        QCOMPARE(view.curve()->visited(), std::size_t{19968});
        view.addTrials({all.begin() + 19968, all.end()});
        QCOMPARE(view.curve()->visited(), std::size_t{20000});
        view.setStatus(scene.status);
        view.setTasks(scene.rows, 0);
        QCOMPARE(view.curve()->visited(), std::size_t{20000});
        QVERIFY2(view.curve()->drawnPoints() < 6000, qPrintable(QString::number(view.curve()->drawnPoints())));
        QVERIFY(view.curve()->drawnPoints() > 1000);
        QVERIFY2(view.model()->prediction()->drawnPoints() < 2500, qPrintable(QString::number(view.model()->prediction()->drawnPoints())));
        QCOMPARE(child<QTableView>(view, "tunerTrials")->model()->rowCount(), 20000);
    }

    void followsThePalette()
    {
        TunerView view;
        view.setPalette(Theme::light().palette());
        Scene(100).show(view, 900, 300);
        view.curve()->replot();
        QCOMPARE(view.curve()->grab().toImage().pixelColor(3, 3), Theme::light().panel);
        view.setPalette(Theme::dark().palette());
        view.curve()->replot();
        QCOMPARE(view.curve()->grab().toImage().pixelColor(3, 3), Theme::dark().panel);
    }

    void pictures()
    {
        if (!nw::views::test::keepsPictures()) {
            QSKIP("NW_PICTURES names no folder");
        }
        nw::views::test::everyFace([&](const Theme&, double scale, const QString& face) {
            Scene scene(1400);
            const auto keep = [&](TunerView& view, const char* name, int width, int height) {
                view.resize(static_cast<int>(width * scale), static_cast<int>(height * scale));
                QTest::qWait(60);
                nw::views::test::keepPicture(view, QStringLiteral("tuner_") + QString::fromLatin1(name) + QLatin1Char('_') + face);
            };
            TunerView form;
            form.show();
            form.setOperator(QStringLiteral("conv.0"));
            form.setSelection({QStringLiteral("owi")});
            form.chooseMine(true);
            keep(form, "form", 740, 250);
            TunerView view;
            scene.show(view, 740, 250);
            keep(view, "small", 740, 250);
            keep(view, "large", 1600, 480);
            auto* tabs = view.findChild<QTabWidget*>(QStringLiteral("tunerTabs"));
            for (const char* tab : {"tunerFailures", "tunerImportance"}) {
                tabs->setCurrentWidget(view.findChild<QWidget*>(QString::fromLatin1(tab)));
                keep(view, tab, 740, 250);
            }
            tabs->setCurrentWidget(view.model());
            keep(view, "model", 900, 300);
            view.setTrialScript(300, {}, {});
            Q_EMIT view.curve()->trialPressed(300, false);
            Q_EMIT view.curve()->trialPressed(700, true);
            view.setTrialScript(300, QStringLiteral("split oc into oco oci:8\nreorder oco oh\nunroll kh\n"), {});
            keep(view, "trial", 1100, 400);
            scene.status.session->state = record::TuneState::Done;
            scene.status.session->message = "the budget of 1500 trials is spent";
            view.setStatus(scene.status);
            keep(view, "done", 740, 250);
        });
    }
};

NW_TEST_MAIN(tst_tuner_view, TestTunerView)
#include "tst_tuner_view.moc"
