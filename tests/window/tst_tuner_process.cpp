// The tuner itself: started in the window, which is closed and opened again; stopped; its best opened and stepped back through.
#include "tests/support/test.h"
#include "tests/window/driver.h"

#include "engine/tune/tuning_lock.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QMessageBox>
#include <QSpinBox>
#include <QTimer>

using namespace nw;
using test::Driver;
using views::TunerPhase;

class TestTunerProcess : public QObject {
    Q_OBJECT

    std::unique_ptr<Driver> m_driver;

    views::TunerView& view() { return *m_driver->views().tuner; }
    int trials()
    {
        int sum = 0;
        for (const record::TuneTask& task : m_driver->window().tuner().tasks()) {
            sum += task.trials;
        }
        return sum;
    }

private Q_SLOTS:
    void init() { m_driver = std::make_unique<Driver>(); }
    void cleanup() { m_driver.reset(); }

    void itOutlivesTheWindow()
    {
        Driver& d = *m_driver;
        QVERIFY(d.openSample(QStringLiteral("A small convolutional network")));
        QVERIFY(d.waitIdle(120));
        const std::string before = d.script();
        d.window().setLayoutPreset(app::MainWindow::Layout::Tune);
        auto* from = d.window().findChild<QComboBox*>(QStringLiteral("tunerFrom"));
        from->setCurrentIndex(from->findData(QStringLiteral("sketch"))); // far more choices than are tried here
        d.window().findChild<QSpinBox*>(QStringLiteral("tunerTrialsLimit"))->setValue(0);
        d.window().findChild<QSpinBox*>(QStringLiteral("tunerMinutesLimit"))->setValue(0); // until it is told
        d.click(QStringLiteral("tunerFormStart"));
        QCOMPARE(view().phase(), TunerPhase::Starting);
        QTRY_COMPARE_WITH_TIMEOUT(view().phase(), TunerPhase::Running, 60000);
        QTRY_VERIFY_WITH_TIMEOUT(trials() > 0, 120000);
        QTRY_VERIFY_WITH_TIMEOUT(view().nextTrial() > 0, 10000);

        // Closed while it runs, which is asked; opened again it is seen to go on.
        const std::filesystem::path project = d.window().controller().project()->projectFile.toStdString();
        QTimer::singleShot(300, this, [] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(box != nullptr);
            QTest::keyClick(box, Qt::Key_Return); // what is proposed
        });
        QVERIFY(d.window().close());
        const int seen = trials();
        d.kill();
        QVERIFY(tune::TuningLock::isHeld(session::userFolders()->runtime, project));
        d.start();
        QVERIFY(d.openSample(QStringLiteral("A small convolutional network")));
        d.window().setLayoutPreset(app::MainWindow::Layout::Tune);
        QTRY_COMPARE_WITH_TIMEOUT(view().phase(), TunerPhase::Running, 20000);
        QTRY_VERIFY_WITH_TIMEOUT(trials() > seen, 120000);

        // Paused and resumed.
        QTest::keyClick(&d.window(), Qt::Key_T, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(view().phase(), TunerPhase::Paused, 120000);
        QTRY_VERIFY(!tune::TuningLock::isHeld(session::userFolders()->runtime, project));
        const int paused = trials();
        d.click(QStringLiteral("tunerResume"));
        QTRY_COMPARE_WITH_TIMEOUT(view().phase(), TunerPhase::Running, 60000);
        QTRY_VERIFY_WITH_TIMEOUT(trials() > paused, 120000);

        // Stopped, which measures the fastest again; the best is the automatic figure and becomes steps.
        d.click(QStringLiteral("tunerStop"));
        QTRY_COMPARE_WITH_TIMEOUT(view().phase(), TunerPhase::Stopped, 180000);
        QTRY_VERIFY_WITH_TIMEOUT(d.window().tuner().tasks().front().confirmedNs > 0, 10000);
        // (Unless an expert's template was faster than all that was found: then that is what is kept.)
        const auto database = record::Database::open(project, false);
        VERIFY_OK(database);
        const auto tuned = (*database)->best(d.editing().op().taskId, {record::Origin::Tune});
        VERIFY_OK(tuned);
        const auto hasAuto = [&d] {
            const QStringList rows = d.views().comparison->csv().split(QLatin1Char('\n'));
            return std::any_of(rows.begin(), rows.end(), [](const QString& row) {
                return row.startsWith(QStringLiteral("auto,")) && row.section(QLatin1Char(','), 1, 1).toDouble() > 0;
            });
        };
        QTRY_VERIFY2(hasAuto() == tuned->has_value(), qPrintable(d.views().comparison->csv()));
        QTRY_VERIFY_WITH_TIMEOUT(d.window().tuner().isCaughtUp(), 10000);
        d.click(QStringLiteral("tunerOpenBest"));
        QTRY_VERIFY(d.script() != before || d.message().contains(QStringLiteral("shown already")));
        QVERIFY2(!d.editing().error(), d.editing().error() ? d.editing().error()->message.c_str() : "");
        const int last = static_cast<int>(d.editing().stations().size()) - 1;
        QVERIFY(last >= 1);
        QVERIFY(d.editing().stations().back().confirmed && d.editing().stations().back().confirmed->ns > 0);
        for (int station = last - 1; station >= 0; --station) {
            d.key(Qt::Key_BracketLeft);
            QTRY_COMPARE(d.editing().cursor(), station);
            const auto& shown = d.editing().stations()[static_cast<std::size_t>(station)];
            QTRY_VERIFY_WITH_TIMEOUT(shown.best() != nullptr, 60000);
        }

        // What was stopped goes on, with all that it knows, and is discarded.
        const int stopped = trials();
        d.click(QStringLiteral("tunerResume"));
        QTRY_COMPARE_WITH_TIMEOUT(view().phase(), TunerPhase::Running, 60000);
        QTRY_VERIFY_WITH_TIMEOUT(trials() > stopped, 120000);
        d.click(QStringLiteral("tunerCancel"));
        QTRY_COMPARE_WITH_TIMEOUT(view().phase(), TunerPhase::Cancelled, 60000);
    }

    // One that cannot begin says why where the person looks.
    void whatCannotBeginSaysWhy()
    {
        Driver& d = *m_driver;
        QVERIFY(d.openSample(QStringLiteral("A small convolutional network"))); // nobody wrote a script for it
        d.window().setLayoutPreset(app::MainWindow::Layout::Tune);
        view().chooseMine(false);
        d.click(QStringLiteral("tunerFormStart"));
        QTRY_VERIFY_WITH_TIMEOUT(d.message().contains(QStringLiteral("no script of yours")), 60000);
        QCOMPARE(view().phase(), TunerPhase::None);
    }
};

NW_TEST_MAIN(tst_tuner_process, TestTunerProcess)
#include "tst_tuner_process.moc"
