// A plot looked at closer, what leaves the panel as tables and pictures, and a form that keeps Start in sight.
#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "tests/views/tuner/scene.h"
#include "views/common/export_button.h"
#include "views/common/theme.h"
#include "views/tuner/curve_plot.h"
#include "views/tuner/importance_bars.h"
#include "views/tuner/model_page.h"
#include "views/tuner/tuner_view.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QWheelEvent>

using namespace nw;
using namespace nw::views;

namespace {

void turn(QWidget& widget, const QPointF& at, int notches)
{
    QWheelEvent event(at, widget.mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

QStringList lines(const QString& text)
{
    return text.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
}

// Columns of a line; quoted cells are one.
int cells(const QString& line)
{
    int count = 1;
    bool quoted = false;
    for (const QChar c : line) {
        quoted = quoted != (c == QLatin1Char('"'));
        count += c == QLatin1Char(',') && !quoted ? 1 : 0;
    }
    return count;
}

bool isNear(double a, double b)
{
    return std::abs(a - b) < 1e-6 * std::max(std::abs(a), std::abs(b));
}

} // namespace

class TestTunerExport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(QStringLiteral("Fusion")); }

    void theWheelLooksCloser()
    {
        TunerView view;
        Scene scene(600);
        scene.show(view, 1000, 400);
        CurvePlot& curve = *view.curve();
        curve.replot();
        auto* showAll = view.findChild<QToolButton*>(QStringLiteral("tunerShowAll"));
        QVERIFY(!showAll->isVisible());
        const QCPRange across = curve.xAxis->range();
        const QCPRange up = curve.yAxis->range();
        // What is below the pointer stays there.
        const QPointF at = curve.axisRect()->rect().center() + QPoint(40, 10);
        const double x = curve.xAxis->pixelToCoord(at.x());
        const double y = curve.yAxis->pixelToCoord(at.y());
        turn(curve, at, 3);
        QVERIFY(curve.zoom()->isCloser() && showAll->isVisible());
        QVERIFY(curve.xAxis->range().size() < across.size() * 0.6);
        QVERIFY(std::log(curve.yAxis->range().upper / curve.yAxis->range().lower) < std::log(up.upper / up.lower) * 0.6);
        QVERIFY(isNear(curve.xAxis->pixelToCoord(at.x()), x));
        QVERIFY(isNear(curve.yAxis->pixelToCoord(at.y()), y));
        // New trials do not move it, and the strip of failures stays with the curve.
        const QCPRange closer = curve.xAxis->range();
        view.addTrials(nw::test::plantedTask(row(3, "conv.0", "tuning"), "unroll a\n", {"tile=4 wide=2"}, 700, 5).trials);
        QCOMPARE(curve.xAxis->range(), closer);
        QCOMPARE(curve.axisRects().at(1)->axis(QCPAxis::atBottom)->range(), closer);
        // Dragged to the right: earlier trials come, whatever lay below the pointer.
        QSignalSpy pressed(&curve, &CurvePlot::trialPressed);
        QTest::mousePress(&curve, Qt::LeftButton, {}, at.toPoint());
        QMouseEvent move(QEvent::MouseMove, at + QPointF(30, 0), curve.mapToGlobal(at + QPointF(30, 0)), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(&curve, &move);
        QTest::mouseRelease(&curve, Qt::LeftButton, {}, at.toPoint() + QPoint(30, 0));
        QVERIFY(curve.xAxis->range().lower < closer.lower);
        QVERIFY(isNear(curve.xAxis->range().size(), closer.size()));
        QCOMPARE(pressed.count(), 0); // a drag chooses nothing
        // Never beyond all.
        for (int i = 0; i < 40; ++i) {
            QMouseEvent further(QEvent::MouseMove, at + QPointF(100 * i, 0), curve.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
            QApplication::sendEvent(&curve, &further);
        }
        QVERIFY(curve.xAxis->range().lower > -20);
        turn(curve, at, -12);
        QVERIFY(!curve.zoom()->isCloser() && !showAll->isVisible());
        QVERIFY(curve.xAxis->range().upper >= 700);
        // Keys, and as close as it gets.
        curve.setFocus();
        QTest::keyClick(&curve, Qt::Key_Plus);
        QVERIFY(curve.zoom()->isCloser());
        turn(curve, at, 200);
        QVERIFY(curve.xAxis->range().size() > 0.5);
        QTest::keyClick(&curve, Qt::Key_Space);
        QVERIFY(!curve.zoom()->isCloser());
        turn(curve, at, 2);
        QTest::mouseClick(showAll, Qt::LeftButton);
        QVERIFY(!curve.zoom()->isCloser());
        turn(curve, at, 2);
        view.showTask(4); // another task is seen whole
        QVERIFY(!curve.zoom()->isCloser());
    }

    // What is out of sight cannot be hit; what is chosen elsewhere comes into sight.
    void aPartHasItsOwnTrials()
    {
        TunerView view;
        Scene scene(20000);
        scene.show(view, 1000, 400);
        CurvePlot& curve = *view.curve();
        curve.replot();
        const std::size_t all = curve.drawnPoints();
        turn(curve, curve.axisRect()->rect().center(), 25);
        curve.replot();
        const QCPRange across = curve.xAxis->range();
        const QCPRange up = curve.yAxis->range();
        QVERIFY(across.size() < 500);
        // Every trial in sight is drawn, though of all of them only some were.
        int inSight = 0;
        for (const record::TuneTrial& trial : scene.tasks[0].trials) {
            inSight += trial.number >= across.lower && trial.number <= across.upper ? 1 : 0;
        }
        QVERIFY2(static_cast<int>(curve.drawnPoints()) >= inSight, qPrintable(QStringLiteral("%1 of %2").arg(curve.drawnPoints()).arg(inSight)));
        QVERIFY(curve.drawnPoints() < all);
        CurvePlot file; // as it is drawn for a file
        file.resize(curve.size());
        curve.copyTo(file);
        QCOMPARE(file.drawnPoints(), curve.drawnPoints());
        QCOMPARE(file.xAxis->range(), across);
        file.setSeries(nullptr);
        const QRect strip = curve.axisRects().at(1)->rect();
        for (int x = strip.left(); x < strip.right(); x += 3) {
            const int trial = curve.trialAt(QPointF(x, strip.center().y()));
            QVERIFY(trial < 0 || curve.isFailure(trial));
        }
        for (int y = curve.axisRect()->top(); y < curve.axisRect()->bottom(); y += 3) {
            const int trial = curve.trialAt(QPointF(curve.axisRect()->center().x(), y));
            QVERIFY(trial < 0 || (scene.tasks[0].trials[static_cast<std::size_t>(trial)].ns >= up.lower && trial >= across.lower && trial <= across.upper));
        }
        int chosen = 40;
        while (curve.isFailure(chosen)) {
            ++chosen;
        }
        curve.select(chosen, -1);
        QVERIFY(curve.zoom()->isCloser() && curve.xAxis->range().contains(chosen));
        QVERIFY(curve.axisRect()->rect().contains(curve.pixelOf(chosen).toPoint()));
        QVERIFY(isNear(curve.xAxis->range().size(), across.size()));
        const double left = curve.xAxis->range().lower;
        QTest::keyClick(&curve, Qt::Key_Right, Qt::ShiftModifier);
        QVERIFY(curve.xAxis->range().lower > left);
        QTest::keyClick(&curve, Qt::Key_Space);
        QCOMPARE(curve.drawnPoints(), all);
    }

    // While all fails there is no time to look at; the first one is seen.
    void theFirstTimeIsSeen()
    {
        TunerView view;
        Scene scene(0);
        scene.rows[0].defaultNs = scene.rows[0].templateNs = scene.rows[0].handNs = scene.rows[0].boundNs = 0;
        scene.show(view, 1000, 400);
        CurvePlot& curve = *view.curve();
        curve.replot();
        turn(curve, curve.axisRect()->rect().center(), 6);
        record::TuneTrial trial;
        trial.task = 3;
        trial.outcome = "ok";
        trial.ns = 1e6;
        view.addTrials({trial});
        QVERIFY(curve.yAxis->range().contains(1e6));
    }

    void theModelsPlotToo()
    {
        TunerView view;
        Scene scene(600);
        scene.show(view, 1000, 400);
        PredictionPlot& plot = *view.model()->prediction();
        plot.resize(300, 300);
        plot.replot();
        const QCPRange across = plot.xAxis->range();
        turn(plot, plot.axisRect()->rect().center(), 3);
        QVERIFY(plot.zoom()->isCloser() && plot.xAxis->range().size() < across.size() * 0.6);
        QTest::mouseDClick(&plot, Qt::LeftButton, {}, plot.axisRect()->rect().center());
        QVERIFY(!plot.zoom()->isCloser());
        QCOMPARE(plot.xAxis->range(), across);
    }

    void tables()
    {
        TunerView view;
        Scene scene(300);
        scene.show(view, 1000, 400);
        const QStringList trials = lines(view.csv(QStringLiteral("trials")));
        QCOMPARE(trials.size(), 301);
        const QStringList tasks = lines(view.csv(QStringLiteral("operators")));
        QCOMPARE(tasks.size(), 4);
        QVERIFY(tasks[2].startsWith(QStringLiteral("\"matmul.1\",4,")) && tasks[2].contains(QStringLiteral(",610000,0.011,0,")));
        const QStringList rounds = lines(view.csv(QStringLiteral("model")));
        QCOMPARE(rounds.size(), static_cast<qsizetype>(scene.tasks[0].rounds.size()) + 1);
        const QStringList causes = lines(view.csv(QStringLiteral("failures")));
        QCOMPARE(causes.size(), static_cast<qsizetype>(view.series().causes().size()) + 1);
        QVERIFY(causes.size() > 2);
        const QStringList knobs = lines(view.csv(QStringLiteral("knobs")));
        QVERIFY(knobs.size() > 1);
        for (const QStringList& table : {trials, tasks, rounds, causes, knobs}) {
            for (const QString& line : table) {
                QVERIFY2(cells(line) == cells(table[0]), qPrintable(line));
            }
        }
        // A failure has no time, a trial that ran has one and what the model said of it.
        int failed = 0;
        for (std::size_t i = 0; i < scene.tasks[0].trials.size(); ++i) {
            const bool ok = scene.tasks[0].trials[i].outcome == "ok";
            failed += ok ? 0 : 1;
            QCOMPARE(trials[static_cast<qsizetype>(i) + 1].contains(QStringLiteral("\"ok\",,")), false);
            QCOMPARE(trials[static_cast<qsizetype>(i) + 1].contains(QStringLiteral("\"ok\",")), ok);
        }
        QVERIFY(failed > 0);
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("thing");
        for (const char* thing : {"trials", "model", "knobs"}) {
            QTest::newRow(thing) << QString::fromLatin1(thing);
        }
    }
    void pictures()
    {
        QFETCH(QString, thing);
        for (const Theme& theme : {Theme::light(), Theme::dark()}) {
            TunerView view;
            view.setPalette(theme.palette());
            Scene scene(300);
            TunerView empty;
            empty.setPalette(theme.palette());
            scene.show(view, 1000, 400);
            const QString name = theme.window.lightness() < 128 ? QStringLiteral("dark") : QStringLiteral("light");
            const QImage image = view.picture(thing);
            QCOMPARE(image.width(), 1800);
            QVERIFY(image.height() >= 200 && image.height() <= 920);
            QCOMPARE(image.pixelColor(2, 2), theme.panel);
            const QImage none = empty.picture(thing); // nothing yet is a picture too
            QVERIFY(!none.isNull() && none != image);
            const QByteArray text = view.drawing(thing);
            QVERIFY(text.contains("<text") && text.contains("conv.0"));
            if (nw::views::test::keepsPictures()) {
                const QDir kept(qEnvironmentVariable("NW_PICTURES"));
                image.save(kept.filePath(QString(QStringLiteral("file_") % thing % QLatin1Char('_') % name % QStringLiteral(".png"))));
                saveBytes(kept.filePath(QString(QStringLiteral("file_") % thing % QLatin1Char('_') % name % QStringLiteral(".svg"))), text);
            }
            QVERIFY2(!text.contains("<image"), "drawn, not a picture of pixels");
        }
    }

    void theMenuHasAll()
    {
        TunerView view;
        Scene scene(100);
        scene.show(view, 1000, 400);
        auto* button = view.findChild<ExportButton*>(QStringLiteral("tunerExport"));
        QVERIFY(button != nullptr && button->isVisible());
        QSignalSpy wished(&view, &TunerView::exportWished);
        for (const char* thing : {"trials", "model", "knobs", "operators", "failures"}) {
            const QString name = QStringLiteral("tuner_") + QLatin1String(thing);
            const bool hasPictures = qstrcmp(thing, "operators") != 0 && qstrcmp(thing, "failures") != 0;
            QCOMPARE(button->menu()->findChild<QAction*>(name + QStringLiteral("_svg")) != nullptr, hasPictures);
            button->menu()->findChild<QAction*>(name + QStringLiteral("_csv"))->trigger();
            QCOMPARE(wished.takeLast(), (QVariantList{QStringLiteral("csv"), QString::fromLatin1(thing)}));
            button->menu()->findChild<QAction*>(name + QStringLiteral("_copy"))->trigger();
            QCOMPARE(QApplication::clipboard()->text(), view.csv(QString::fromLatin1(thing)));
        }
        QVERIFY(wished.isEmpty());
    }

    void startStaysInSight()
    {
        TunerView view;
        view.setStatus({});
        view.setOperator(QStringLiteral("conv.0"));
        auto* start = view.findChild<QPushButton*>(QStringLiteral("tunerFormStart"));
        for (const QSize size : {QSize(760, 420), QSize(760, 170), QSize(420, 200), QSize(300, 160)}) {
            view.resize(size);
            view.show();
            QTRY_VERIFY(view.rect().contains(QRect(start->mapTo(&view, QPoint()), start->size())));
            QVERIFY(!start->visibleRegion().isEmpty());
        }
        // With room it follows the fields, and nothing scrolls.
        view.resize(760, 420);
        auto* last = view.findChild<QWidget*>(QStringLiteral("tunerPlateauLimit"));
        const auto gap = [&] { return start->mapTo(&view, QPoint()).y() - last->mapTo(&view, QPoint(0, last->height())).y(); };
        QTRY_VERIFY(gap() >= 0 && gap() < 40);
        // A seed that 64 bits do not hold is the largest there is.
        auto* seed = view.findChild<QLineEdit*>(QStringLiteral("tunerSeed"));
        seed->setFocus();
        seed->selectAll();
        QTest::keyClicks(seed, QStringLiteral("99999999999999999999"));
        QTest::keyClick(seed, Qt::Key_Return);
        QCOMPARE(seed->text(), QStringLiteral("18446744073709551615"));
        QCOMPARE(view.request().seed, std::numeric_limits<quint64>::max());
    }
};

NW_TEST_MAIN(tst_tuner_export, TestTunerExport)
#include "tst_tuner_export.moc"
