// A tuner's journal in the project: the panel shows it, its buttons write what is wished, the best becomes steps.
#include "tests/support/test.h"
#include "tests/window/tuner_scene.h"

#include "views/tuner/curve_plot.h"

#include <QApplication>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>

using namespace nw;
using record::TuneState;
using record::TuneWish;
using test::Driver;
using test::PlantedSession;
using test::TunerScene;

class TestTuner : public QObject {
    Q_OBJECT

    std::unique_ptr<Driver> m_driver;
    std::unique_ptr<TunerScene> m_scene;

    views::TunerView& view() { return *m_driver->views().tuner; }
    QString state() { return view().findChild<QLabel*>(QStringLiteral("tunerState"))->text(); }
    TuneWish wishOf(std::int64_t session) { return (*m_scene->journal().session(session))->wish; }
    void press(const char* name) { m_driver->click(QString::fromLatin1(name)); }
    bool caughtUp(int trials)
    {
        return QTest::qWaitFor([&] { return view().nextTrial() == trials && m_driver->window().tuner().isCaughtUp(); }, 20000);
    }

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<Driver>();
        QVERIFY(m_driver->openSample(QStringLiteral("A small convolutional network")));
        m_driver->window().setLayoutPreset(app::MainWindow::Layout::Tune);
        m_scene = std::make_unique<TunerScene>(*m_driver);
    }
    void cleanup()
    {
        m_scene.reset();
        m_driver.reset();
    }

    void aSessionIsWatchedAndTold()
    {
        Driver& d = *m_driver;
        QCOMPARE(view().phase(), views::TunerPhase::None);
        PlantedSession planted = m_scene->session(200);
        VERIFY_OK(test::plant(m_scene->journal(), planted));
        const std::int64_t id = planted.session.id;
        // Nobody holds the lock: it was killed.
        QTRY_COMPARE_WITH_TIMEOUT(view().phase(), views::TunerPhase::Interrupted, 10000);
        QVERIFY(caughtUp(200));
        QVERIFY(d.find(QStringLiteral("tunerResume")) != nullptr && d.find(QStringLiteral("tunerPause")) == nullptr);
        {
            const auto lock = m_scene->lock();
            QTRY_COMPARE_WITH_TIMEOUT(view().phase(), views::TunerPhase::Running, 10000);
            QVERIFY(d.window().tuner().isTuning());
            record::TuneTrial next = planted.tasks[0].trials.back();
            next.number = 200;
            VERIFY_OK(m_scene->journal().addTrial(next));
            QVERIFY(caughtUp(201));

            QTest::keyClick(&d.window(), Qt::Key_T, Qt::ControlModifier);
            QTRY_COMPARE(wishOf(id), TuneWish::Pause);
            QCOMPARE(view().phase(), views::TunerPhase::Pausing);
            VERIFY_OK(m_scene->journal().setWish(id, TuneWish::Run));
            QTRY_COMPARE_WITH_TIMEOUT(view().phase(), views::TunerPhase::Running, 10000);
            press("tunerStop");
            QTRY_COMPARE(wishOf(id), TuneWish::Stop);
            VERIFY_OK(m_scene->journal().setWish(id, TuneWish::Run));
            QTRY_COMPARE_WITH_TIMEOUT(view().phase(), views::TunerPhase::Running, 10000);
            press("tunerCancel");
            QTRY_COMPARE(wishOf(id), TuneWish::Cancel);
        }
        // With nobody at work a session is cancelled at once.
        VERIFY_OK(m_scene->journal().setState(id, TuneState::Paused, {}));
        QTRY_COMPARE_WITH_TIMEOUT(view().phase(), views::TunerPhase::Paused, 10000);
        press("tunerCancel");
        QTRY_COMPARE_WITH_TIMEOUT(view().phase(), views::TunerPhase::Cancelled, 10000);
        QCOMPARE((*m_scene->journal().session(id))->state, TuneState::Cancelled);
    }

    void aTrialIsShown()
    {
        Driver& d = *m_driver;
        PlantedSession planted = m_scene->session(200);
        VERIFY_OK(test::plant(m_scene->journal(), planted));
        QVERIFY(caughtUp(200));
        int trial = 50;
        while (planted.tasks[0].trials[static_cast<std::size_t>(trial)].values != "rows=8 wide=4") {
            ++trial;
        }
        Q_EMIT view().curve()->trialPressed(trial, false);
        auto* script = view().findChild<QPlainTextEdit*>(QStringLiteral("tunerTrialScript"));
        QTRY_COMPARE(script->toPlainText().trimmed().toStdString() + "\n", m_scene->scriptOf(8, 4));
        int other = trial + 1;
        while (planted.tasks[0].trials[static_cast<std::size_t>(other)].values != "rows=2 wide=4") {
            ++other;
        }
        Q_EMIT view().curve()->trialPressed(other, true);
        QTRY_VERIFY(d.find(QStringLiteral("diffScript")) != nullptr);
        const QStringList lines = d.window().findChild<QPlainTextEdit*>(QStringLiteral("diffScript"))->toPlainText().split(QLatin1Char('\n'));
        QVERIFY2(lines.contains(QStringLiteral("- split oc into oco:_ oci:8")) && lines.contains(QStringLiteral("+ split oc into oco:_ oci:2")),
                 qPrintable(lines.join(QLatin1Char('|'))));
        QVERIFY(lines.contains(QStringLiteral("  split ow into owo:_ owi:4")));
    }

    // The curve as a file: the menu, the dialog with a name made from the operator, Enter.
    void theCurveIsSaved()
    {
        Driver& d = *m_driver;
        QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        PlantedSession planted = m_scene->session(200);
        VERIFY_OK(test::plant(m_scene->journal(), planted));
        QVERIFY(caughtUp(200));
        auto* button = view().findChild<QToolButton*>(QStringLiteral("tunerExport"));
        QVERIFY(button != nullptr && button->isVisible());
        const auto asks = [&d] { return d.window().findChild<QFileDialog*>(QStringLiteral("plotFileDialog")); };
        const QString base = d.data() + QStringLiteral("/curve");
        for (const char* kind : {"png", "svg", "csv"}) {
            button->menu()->findChild<QAction*>(QStringLiteral("tuner_trials_") + QLatin1String(kind))->trigger();
            QTRY_VERIFY(asks() != nullptr && asks()->isVisible());
            QCOMPARE(QFileInfo(asks()->selectedFiles().value(0)).fileName(), view().taskName() + QStringLiteral("-trials.") + QLatin1String(kind));
            auto* name = asks()->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
            QVERIFY2(name != nullptr, "not Qt's own dialog");
            name->setText(base);
            QTest::keyClick(name, Qt::Key_Return);
            QTRY_VERIFY(asks() == nullptr);
            QVERIFY(QFileInfo(base + QLatin1Char('.') + QLatin1String(kind)).size() > 1000);
            QVERIFY2(d.message().contains(base), qPrintable(d.message()));
        }
        QFile table(base + QStringLiteral(".csv"));
        QVERIFY(table.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(table.readAll()), view().csv(QStringLiteral("trials")));
    }

    void theBestBecomesSteps()
    {
        Driver& d = *m_driver;
        const std::string before = d.script();
        const std::string best = m_scene->scriptOf(8, 16);
        record::Record record;
        record.task = d.editing().op().taskId;
        record.group = d.editing().op().name;
        record.script = best;
        record.origin = record::Origin::Tune;
        record.protocol = "confirm";
        record.samplesNs = {0.61e6, 0.62e6, 0.63e6};
        record.clean = 3;
        record.medianNs = 0.62e6;
        record.spread = 0.012;
        const Result<std::int64_t> kept = m_scene->database().addRecord(record);
        VERIFY_OK(kept);
        PlantedSession planted = m_scene->session(120);
        planted.session.state = TuneState::Done;
        planted.session.message = "the budget is spent";
        planted.tasks[0].row.state = "done";
        planted.tasks[0].row.confirmedNs = 0.62e6;
        planted.tasks[0].row.confirmedSpread = 0.012;
        planted.tasks[0].row.confirmedRecord = *kept;
        planted.tasks[0].finals = {{0, 7, 0.6e6, 0.62e6, 0.012, false, "ok", "", best}, {0, 9, 0.59e6, 0.7e6, 0.01, false, "ok", "", "unroll oc\n"}};
        VERIFY_OK(test::plant(m_scene->journal(), planted));
        QVERIFY(caughtUp(120));
        QCOMPARE(state(), QStringLiteral("Done: the budget is spent"));
        // The tuner's figure is the automatic one.
        QTRY_VERIFY2(d.views().comparison->csv().contains(QStringLiteral("auto,620000")), qPrintable(d.views().comparison->csv()));

        const std::string name = d.editing().op().scriptName();
        const auto revisions = [&] { return *m_scene->database().revisions(name); };
        QVERIFY(revisions().empty());
        press("tunerOpenBest");
        QTRY_COMPARE(d.script(), best);
        QTRY_COMPARE(revisions().size(), std::size_t{1});
        QCOMPARE(revisions()[0].script, best);
        // With the latency that was confirmed; earlier steps measure themselves when one steps back.
        QCOMPARE(d.editing().stations().size(), std::size_t{4});
        QVERIFY(d.editing().stations()[3].confirmed);
        QCOMPARE(d.editing().stations()[3].confirmed->ns, 0.62e6);
        d.key(Qt::Key_BracketLeft);
        QTRY_COMPARE(d.editing().cursor(), 2);
        QTRY_VERIFY_WITH_TIMEOUT(d.editing().stations()[2].best() != nullptr, 60000);
        QVERIFY2(d.editing().stations()[2].best()->ns > 0, d.editing().stations()[2].best()->message.c_str());
        QTest::keyClick(&d.window(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(d.script(), before);
        press("tunerOpenBest");
        QTRY_COMPARE(d.script(), best);
    }

    // Nothing of the window's thread grows with what was tried already.
    void twentyThousandTrials()
    {
        constexpr int kTrials = 20000;
        PlantedSession planted = m_scene->session(kTrials);
        const auto lock = m_scene->lock();
        VERIFY_OK(test::plant(m_scene->journal(), planted));
        QVERIFY(m_driver->waitIdle(120));
        QTest::qWait(300);
        m_driver->window().heartbeat().reset();
        QVERIFY(QTest::qWaitFor([&] { return view().nextTrial() == kTrials && m_driver->window().tuner().isCaughtUp(); }, 60000));
        QTest::qWait(700); // another look, with the last picture drawn
        const std::size_t visited = view().curve()->visited();
        QVERIFY2(visited <= kTrials + 5000, qPrintable(QString::number(visited)));
        for (int i = 0; i < 5; ++i) {
            record::TuneTrial next = planted.tasks[0].trials.back();
            next.number = kTrials + i;
            VERIFY_OK(m_scene->journal().addTrial(next));
        }
        QVERIFY(caughtUp(kTrials + 5));
        QCOMPARE(view().curve()->visited(), visited + 5);
        QVERIFY2(view().curve()->drawnPoints() < 6000, qPrintable(QString::number(view().curve()->drawnPoints())));
        qInfo("longest time without an answer: %lld ms", static_cast<long long>(m_driver->window().heartbeat().worstMs()));
        QVERIFY2(m_driver->window().heartbeat().worstMs() < 100, qPrintable(QString::number(m_driver->window().heartbeat().worstMs())));
    }

    void closingAsks_data()
    {
        QTest::addColumn<QString>("button");
        QTest::addColumn<bool>("closes");
        QTest::addColumn<int>("wish");
        QTest::newRow("keep running") << QStringLiteral("Keep it running") << true << static_cast<int>(TuneWish::Run);
        QTest::newRow("pause") << QStringLiteral("Pause it") << true << static_cast<int>(TuneWish::Pause);
        QTest::newRow("stop") << QStringLiteral("Stop it, keep the best") << true << static_cast<int>(TuneWish::Stop);
        QTest::newRow("stay") << QStringLiteral("Do not close") << false << static_cast<int>(TuneWish::Run);
    }

    void closingAsks()
    {
        QFETCH(QString, button);
        QFETCH(bool, closes);
        QFETCH(int, wish);
        PlantedSession planted = m_scene->session(50);
        VERIFY_OK(test::plant(m_scene->journal(), planted));
        const auto lock = m_scene->lock();
        QTRY_COMPARE_WITH_TIMEOUT(view().phase(), views::TunerPhase::Running, 10000);
        QString byDefault;
        QTimer::singleShot(200, this, [&] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(box != nullptr);
            byDefault = box->defaultButton()->text();
            for (QAbstractButton* each : box->buttons()) {
                if (each->text() == button) {
                    each->click();
                }
            }
        });
        QCOMPARE(m_driver->window().close(), closes);
        QCOMPARE(byDefault, QStringLiteral("Keep it running"));
        m_driver->kill();
        QCOMPARE(static_cast<int>(wishOf(planted.session.id)), wish);
    }
};

NW_TEST_MAIN(tst_tuner, TestTuner)
#include "tst_tuner.moc"
