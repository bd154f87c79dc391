// What the view shows, kept as pictures when NW_PICTURES names a folder, and how long it takes, printed.

#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "tests/views/graph/pictures.h"
#include "views/common/format.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_view.h"

#include <QElapsedTimer>
#include <QLineEdit>
#include <QSignalSpy>

using namespace nw::views;

namespace {

double msOf(const QElapsedTimer& clock)
{
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

} // namespace

class TestLargeGraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void looks_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<double>("scale");
        QTest::newRow("light") << false << 1.0;
        QTest::newRow("dark") << true << 1.0;
        QTest::newRow("light-150") << false << 1.5;
    }
    void looks()
    {
        QFETCH(bool, dark);
        QFETCH(double, scale);
        test::wearTheme(dark ? Theme::dark() : Theme::light(), scale);
        const QString tag = QString::fromLatin1(QTest::currentDataTag());
        GraphView view;
        view.resize(460, 720);
        view.show();
        QSignalSpy laidOut(&view, &GraphView::layoutFinished);
        const auto show = [&](std::shared_ptr<const GraphPicture> picture) {
            laidOut.clear();
            view.setPicture(std::move(picture));
            return laidOut.count() > 0 || laidOut.wait(20000);
        };
        QVERIFY(show(pictures::resnet18()));
        QHash<QString, QString> notes;
        QHash<QString, double> heat;
        for (int i = 0; i < 20; ++i) {
            const QString id = QStringLiteral("conv.") + QString::number(i);
            notes[id] = QString::number(0.3 + 0.11 * i, 'f', 2) + QStringLiteral(" ms");
            heat[id] = 0.01 * (i + 1);
        }
        view.setNotes(notes);
        view.setHeat(heat);
        view.select(QStringLiteral("conv.3"), false);
        test::keepPicture(view, QStringLiteral("resnet-") + tag);
        view.collapseAll();
        QVERIFY(laidOut.wait(20000));
        view.findChild<QLineEdit*>(QStringLiteral("graphSearch"))->setText(QStringLiteral("3x3 256"));
        test::keepPicture(view, QStringLiteral("resnet-closed-") + tag);
        QVERIFY(show(pictures::transformer(12)));
        laidOut.clear();
        view.openBlock(QStringLiteral("block.1"), true);
        QVERIFY(laidOut.wait(20000));
        test::keepPicture(view, QStringLiteral("transformer-open-") + tag);
        view.fit();
        test::keepPicture(view, QStringLiteral("transformer-fit-") + tag);
        QCOMPARE(laidOut.first().at(0).toInt(), 3 + 11 + 39 + 1);
    }

    void fiveThousandBoxes()
    {
        test::wearTheme(Theme::light(), 1);
        QElapsedTimer clock;
        clock.start();
        const auto picture = pictures::transformer(128);
        qInfo("%zu boxes, repetition found: %.0f ms", picture->nodes.size(), msOf(clock));
        GraphView view;
        view.resize(1200, 900);
        view.show();
        QSignalSpy laidOut(&view, &GraphView::layoutFinished);
        clock.start();
        view.setPicture(picture);
        qInfo("picture set: %.0f ms of the GUI thread", msOf(clock));
        QVERIFY(laidOut.wait(30000));
        qInfo("closed in sight: %.0f ms", msOf(clock));
        QCOMPARE(laidOut.takeFirst().at(0).toInt(), 3 + 128 + 1);

        auto* field = view.findChild<QLineEdit*>(QStringLiteral("graphSearch"));
        clock.start();
        field->setText(QStringLiteral("matmul bias 1024"));
        qInfo("a keystroke of the search: %.1f ms", msOf(clock));
        QVERIFY(view.findChild<GraphCanvas*>()->marks().matches.size() >= 128);
        field->clear();

        clock.start();
        view.openBlock(QStringLiteral("block.3"), true);
        QVERIFY(laidOut.wait(30000));
        qInfo("one block opened: %.0f ms", msOf(clock));

        clock.start();
        view.expandAll();
        QVERIFY(laidOut.wait(60000));
        qInfo("all opened: %.0f ms, of them layout %.0f ms", msOf(clock), laidOut.last().at(1).toDouble());
        QCOMPARE(laidOut.last().at(0).toInt(), static_cast<int>(picture->nodes.size()));
        view.fit();
        view.grab();
        qInfo("painted whole: %.1f ms", view.lastPaintMs());
        auto* canvas = view.findChild<GraphCanvas*>();
        view.select(fromStd(picture->nodes[2500].id), true);
        for (const double zoom : {0.26, 0.5, 1.0}) {
            view.zoomBy(zoom / canvas->zoom());
            view.grab();
            qInfo("painted at %.2f: %.1f ms", canvas->zoom(), view.lastPaintMs());
        }
        test::keepPicture(view, QStringLiteral("large-linear"));
        clock.start();
        view.collapseAll();
        QVERIFY(laidOut.wait(30000));
        qInfo("all closed: %.0f ms", msOf(clock));
    }
};

NW_TEST_MAIN(tst_large_graph, TestLargeGraph)
#include "tst_large_graph.moc"
