#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "views/common/theme.h"
#include "views/plots/roofline_file.h"
#include "views/plots/roofline_plot.h"
#include "views/plots/roofline_view.h"

#include <QApplication>
#include <QDir>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QToolButton>

using namespace nw;
using namespace nw::views;

namespace {

measure::Roofs roofs()
{
    measure::Roofs r;
    r.peakGflopsPerThread = 205;
    r.levels = {{"L1", 32 << 10, 210}, {"L2", 1 << 20, 95}, {"L3", 32 << 20, 48}, {"memory", 0, 31}};
    return r;
}

std::vector<RooflineView::Point> path()
{
    const double gflops[] = {10.8, 11.5, 33.5, 64, 65, 236, 312};
    std::vector<RooflineView::Point> points;
    for (int i = 0; i < 7; ++i) {
        points.push_back({i == 0 ? QStringLiteral("plain nest") : QStringLiteral("step %1").arg(i), 150.0 + 4 * i, gflops[i], i == 6, i == 6, i});
    }
    return points;
}

std::vector<RooflineView::Point> others()
{
    return {{QStringLiteral("default"), 160, 10.9, false, false, -1}, {QStringLiteral("auto"), 160, 381, false, false, -1},
            {QStringLiteral("library"), 160, 360, false, false, -1}, {QStringLiteral("bound"), 160, 410, false, false, -1}};
}

} // namespace

class TestRoofline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(QStringLiteral("Fusion")); }

    void rangeHoldsEverything()
    {
        const RooflineData data{roofs(), 2, path(), others()};
        const RooflineRange range = rangeOf(data);
        QVERIFY(range.left < 410.0 / 420 && range.right > 174);
        QVERIFY(range.bottom < 10.8 && range.top > 410);
        QCOMPARE(peakLabel(data), QStringLiteral("FMA peak 410 GFLOP/s"));
        QCOMPARE(levelLabel(data, data.roofs.levels[1]), QStringLiteral("L2 190 GB/s"));
    }

    void aPointIsPressed()
    {
        RooflineView view;
        prepare(view);
        auto* plot = view.findChild<RooflinePlot*>();
        QSignalSpy stations(&view, &RooflineView::stationWished);
        QTest::mouseClick(plot, Qt::LeftButton, {}, plot->pixelOf(path()[2]).toPoint());
        QCOMPARE(stations.size(), 1);
        QCOMPARE(stations[0][0].toInt(), 2);
        QTest::mouseClick(plot, Qt::LeftButton, {}, QPoint(plot->width() / 2, plot->height() - 40)); // nothing there
        QCOMPARE(stations.size(), 1);
    }

    void keysStep()
    {
        RooflineView view;
        prepare(view);
        auto* plot = view.findChild<RooflinePlot*>();
        QSignalSpy stations(&view, &RooflineView::stationWished);
        QTest::keyClick(plot, Qt::Key_Right); // already at the last
        QTest::keyClick(plot, Qt::Key_Left);
        QCOMPARE(stations.size(), 1);
        QCOMPARE(stations[0][0].toInt(), 5);
    }

    void table()
    {
        RooflineView view;
        prepare(view);
        auto* table = view.findChild<QTableWidget*>(QStringLiteral("rooflineFigures"));
        QTest::mouseClick(view.findChild<QToolButton*>(QStringLiteral("rooflineTable")), Qt::LeftButton);
        QVERIFY(table->isVisible());
        QCOMPARE(table->rowCount(), 11);
        QCOMPARE(table->item(2, 1)->text(), QStringLiteral("33.5"));
        QCOMPARE(table->item(10, 3)->text(), QStringLiteral("100.0 %"));
        QSignalSpy stations(&view, &RooflineView::stationWished);
        table->setCurrentCell(3, 0);
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(stations.size(), 1);
        QCOMPARE(stations[0][0].toInt(), 3);
    }

    void followsThePalette()
    {
        RooflineView view;
        view.setPalette(Theme::light().palette());
        prepare(view);
        auto* plot = view.findChild<RooflinePlot*>();
        QCOMPARE(plot->grab().toImage().pixelColor(3, 3), Theme::light().panel);
        view.setPalette(Theme::dark().palette());
        QCOMPARE(plot->grab().toImage().pixelColor(3, 3), Theme::dark().panel);
    }

    void withoutRoofsOrPoints()
    {
        RooflineView view;
        view.resize(360, 200);
        view.setRoofs({}, 1);
        view.setPoints({}, {});
        view.setPoints({{QStringLiteral("failed"), 3, 0, true, false, 1}}, {});
        view.show();
        QVERIFY(!view.grab().isNull());
    }

    void files()
    {
        RooflineView view;
        prepare(view);
        const QTemporaryDir folder;
        QVERIFY(view.savePng(folder.filePath(QStringLiteral("r.png"))));
        QVERIFY(view.saveSvg(folder.filePath(QStringLiteral("r.svg"))));
        QFile svg(folder.filePath(QStringLiteral("r.svg")));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QVERIFY(svg.readAll().contains("FMA peak 410 GFLOP/s"));
        QVERIFY(view.csv().contains(QStringLiteral("roof,L1,,,420,")));
        QVERIFY(view.csv().contains(QStringLiteral("step,\"step 6\",174,312,,1")));
    }

    void pictures()
    {
        if (!nw::views::test::keepsPictures()) {
            QSKIP("NW_PICTURES names no folder");
        }
        nw::views::test::everyFace([&](const Theme& theme, double scale, const QString& face) {
            RooflineView view;
            prepare(view);
            view.resize(static_cast<int>(440 * scale), static_cast<int>(250 * scale));
            nw::views::test::keepPicture(view, QStringLiteral("roofline_") + face);
            view.resize(static_cast<int>(360 * scale), static_cast<int>(200 * scale));
            nw::views::test::keepPicture(view, QStringLiteral("roofline_small_") + face);
            view.findChild<QToolButton*>(QStringLiteral("rooflineTable"))->setChecked(true);
            nw::views::test::keepPicture(view, QStringLiteral("roofline_table_") + face);
            const QImage file = renderRoofline({roofs(), 2, path(), others()}, QStringLiteral("conv2d 64×56×56 3×3"), theme, QSize(900, 520), scale);
            QVERIFY(file.save(qEnvironmentVariable("NW_PICTURES") + QStringLiteral("/roofline_file_%1.png").arg(face)));
        });
    }

private:
    static void prepare(RooflineView& view)
    {
        view.resize(500, 300);
        view.setRoofs(roofs(), 2);
        view.setPoints(path(), others());
        view.show();
    }
};

NW_TEST_MAIN(tst_roofline, TestRoofline)
#include "tst_roofline.moc"
