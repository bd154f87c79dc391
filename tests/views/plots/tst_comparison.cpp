#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "views/common/theme.h"
#include "views/plots/comparison_plot.h"
#include "views/plots/comparison_view.h"
#include "views/plots/figure_model.h"
#include "views/plots/figure_row.h"
#include "views/plots/figure_text.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

using namespace nw;
using namespace nw::views;

namespace {

session::Figure figure(const std::string& name, double ms, double spread, double ofBound)
{
    session::Figure f;
    f.name = name;
    f.present = true;
    f.ns = ms * 1e6;
    f.spread = spread;
    f.n = 42;
    f.shareOfBound = ofBound;
    f.shareOfPeak = ofBound * 0.9;
    f.script = "parallel oco oh\n";
    return f;
}

session::Comparison full()
{
    session::Comparison c;
    c.device = "local";
    c.threads = 2;
    c.boundNs = 0.564e6;
    c.boundBy = "peak";
    c.figures = {figure("default", 21.4, 0.014, 0.026), figure("hand", 0.741, 0.018, 0.761), figure("auto", 0.607, 0.011, 0.929),
                 figure("library", 0.642, 0.012, 0.878), figure("bound", 0.564, 0, 0)};
    c.figures[1].noisy = true;
    c.figures[3].by = "oneDNN";
    c.figures[3].script.clear();
    c.figures[4].measured = false;
    c.figures[4].by = "peak";
    c.figures[4].script.clear();
    return c;
}

session::Comparison gaps()
{
    session::Comparison c = full();
    c.figures[1].outcome = "wrong-result";
    c.figures[1].message = "4 of 200704 values differ by more than 1e-4";
    c.figures[2] = {};
    c.figures[2].name = "auto";
    c.figures[2].missing = "none yet: nestw sweep";
    c.figures[3] = {};
    c.figures[3].name = "library";
    c.figures[3].missing = "oneDNN is not installed";
    return c;
}

} // namespace

class TestComparison : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(QStringLiteral("Fusion")); }

    void words()
    {
        const session::Comparison c = full();
        QCOMPARE(figureTime(c.figures[0]), QStringLiteral("21.4 ms"));
        QCOMPARE(figureNote(c.figures[1], c), QStringLiteral("±1.8 %, noisy, 76.1 % of bound"));
        QCOMPARE(figureNote(c.figures[4], c), QStringLiteral("peak, 2 threads"));
        QCOMPARE(figureFactor(c.figures[0], c), QStringLiteral("1x"));
        QCOMPARE(figureFactor(c.figures[1], c), QStringLiteral("28.9x"));
        const session::Comparison g = gaps();
        QCOMPARE(figureTime(g.figures[1]), QString()); // a wrong result has no speed
        QCOMPARE(figureFactor(g.figures[1], g), QString());
        QCOMPARE(figureReason(g.figures[1]), QStringLiteral("wrong result: 4 of 200704 values differ by more than 1e-4"));
        QCOMPARE(figureReason(g.figures[2]), QStringLiteral("none yet: nestw sweep"));
        QVERIFY(comparisonText(g).contains(QStringLiteral("library\toneDNN is not installed")));
        QVERIFY(comparisonCsv(c).contains(QStringLiteral("hand,741000,0.018,42,1,1,")));
    }

    void aGhostIsFilledByItsButton()
    {
        ComparisonView view;
        view.resize(480, 260);
        view.setComparison(gaps(), QStringLiteral("conv"));
        view.show();
        QSignalSpy fills(&view, &ComparisonView::fillWished);
        auto* button = view.findChild<QPushButton*>(QStringLiteral("fill_auto"));
        QVERIFY(button != nullptr && button->isVisible());
        QVERIFY(button->height() >= 24);
        QVERIFY(button->width() >= button->sizeHint().width());
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(fills.size(), 1);
        QCOMPARE(fills[0][0].toString(), QStringLiteral("auto"));
        QVERIFY(!view.findChild<QPushButton*>(QStringLiteral("fill_default"))->isVisible());
        view.setBusy(QStringLiteral("measuring default..."));
        QVERIFY(!button->isEnabled());
    }

    void aBarOpensItsScript()
    {
        ComparisonView view;
        view.resize(480, 260);
        view.setComparison(full(), QStringLiteral("conv"));
        view.show();
        QSignalSpy scripts(&view, &ComparisonView::scriptWished);
        QTest::mouseClick(view.findChild<FigureRow*>(QStringLiteral("figure_hand")), Qt::LeftButton);
        QTest::keyClick(view.findChild<FigureRow*>(QStringLiteral("figure_auto")), Qt::Key_Space);
        QTest::mouseClick(view.findChild<FigureRow*>(QStringLiteral("figure_bound")), Qt::LeftButton); // has none
        QCOMPARE(scripts.size(), 2);
        QCOMPARE(scripts[0][0].toString(), QStringLiteral("hand"));
        QCOMPARE(scripts[1][0].toString(), QStringLiteral("auto"));
        QCOMPARE(view.findChild<FigureRow*>(QStringLiteral("figure_hand"))->accessibleName(),
                 QStringLiteral("hand, 741 us, ±1.8 %, noisy, 76.1 % of bound, 68.5 % of peak, n 42, 28.9x the speed of default"));
    }

    void busyCanBeCancelled()
    {
        ComparisonView view;
        view.resize(480, 260);
        view.setComparison(full(), QStringLiteral("conv"));
        view.show();
        QSignalSpy again(&view, &ComparisonView::measureAllWished);
        QSignalSpy cancels(&view, &ComparisonView::cancelWished);
        auto* command = view.findChild<QToolButton*>(QStringLiteral("compareCommand"));
        auto* cancel = view.findChild<QToolButton*>(QStringLiteral("compareCancel"));
        QVERIFY(command->isVisible() && !cancel->isVisible());
        QTest::mouseClick(command, Qt::LeftButton);
        QCOMPARE(again.size(), 1);
        view.setBusy(QStringLiteral("measuring default..."));
        QVERIFY(!command->isVisible() && cancel->isVisible());
        QVERIFY(view.findChild<QLabel*>(QStringLiteral("compareTitle"))->text().contains(QStringLiteral("measuring default")));
        QTest::mouseClick(cancel, Qt::LeftButton);
        QCOMPARE(cancels.size(), 1);
        view.setBusy({});
        QVERIFY(command->isVisible() && !cancel->isVisible());
    }

    void table()
    {
        FigureModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setComparison(gaps());
        QCOMPARE(model.index(0, FigureModel::Time).data().toString(), QStringLiteral("21.4 ms"));
        QCOMPARE(model.index(1, FigureModel::Factor).data().toString(), QString());
        QCOMPARE(model.index(4, FigureModel::Spread).data().toString(), QString());
        QVERIFY(model.index(1, FigureModel::Name).data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("wrong result")));

        ComparisonView view;
        view.setComparison(full(), QStringLiteral("conv"));
        view.show();
        auto* table = view.findChild<QTableView*>(QStringLiteral("compareFigures"));
        QVERIFY(!table->isVisible());
        QTest::mouseClick(view.findChild<QToolButton*>(QStringLiteral("compareTable")), Qt::LeftButton);
        QVERIFY(table->isVisible());
        QSignalSpy scripts(&view, &ComparisonView::scriptWished);
        table->setCurrentIndex(table->model()->index(1, 0));
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(scripts.size(), 1);
    }

    void exports()
    {
        ComparisonView view;
        view.setComparison(full(), QStringLiteral("conv"));
        const QTemporaryDir folder;
        QVERIFY(view.savePng(folder.filePath(QStringLiteral("a.png"))));
        QVERIFY(!QImage(folder.filePath(QStringLiteral("a.png"))).isNull());
        QVERIFY(view.saveSvg(folder.filePath(QStringLiteral("a.svg"))));
        QFile svg(folder.filePath(QStringLiteral("a.svg")));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QVERIFY(svg.readAll().contains("28.9x"));
        QVERIFY(!view.saveSvg(folder.filePath(QStringLiteral("no/such/a.svg"))));
        QSignalSpy exports(&view, &ComparisonView::exportWished);
        view.findChild<QAction*>(QStringLiteral("compare_csv"))->trigger();
        view.findChild<QAction*>(QStringLiteral("compare_copy"))->trigger();
        QCOMPARE(exports.size(), 1);
        QCOMPARE(exports[0][0].toString(), QStringLiteral("csv"));
        QCOMPARE(QApplication::clipboard()->text(), view.tableText());
    }

    void rowsFitASmallDock()
    {
        ComparisonView view;
        view.resize(360, 200);
        view.setComparison(gaps(), QStringLiteral("conv2d 64×56×56 3×3"));
        view.show();
        const auto rows = view.findChildren<FigureRow*>();
        QCOMPARE(rows.size(), 5);
        for (const FigureRow* row : rows) {
            QVERIFY(row->mapTo(&view, row->rect().bottomRight()).x() <= view.width());
            QVERIFY(row->height() >= 24);
        }
    }

    void aPictureForTheCommandLine()
    {
        const QImage image = renderComparison(gaps(), QStringLiteral("conv"), Theme::light(), QSize(800, 360), 1.5);
        QCOMPARE(image.size(), QSize(1200, 540));
        bool bar = false;
        for (int x = 0; x < image.width() && !bar; ++x) {
            for (int y = 0; y < image.height() && !bar; ++y) {
                bar = image.pixelColor(x, y) == Theme::light().seriesDefault;
            }
        }
        QVERIFY(bar);
    }

    void pictures()
    {
        if (!nw::views::test::keepsPictures()) {
            QSKIP("NW_PICTURES names no folder");
        }
        nw::views::test::everyFace([&](const Theme& theme, double scale, const QString& face) {
            ComparisonView view;
            view.resize(static_cast<int>(560 * scale), static_cast<int>(240 * scale));
            view.setComparison(full(), QStringLiteral("conv2d 64×56×56 3×3"));
            view.show();
            nw::views::test::keepPicture(view, QStringLiteral("compare_") + face);
            view.findChild<QToolButton*>(QStringLiteral("compareTable"))->setChecked(true);
            nw::views::test::keepPicture(view, QStringLiteral("compare_table_") + face);
            view.findChild<QToolButton*>(QStringLiteral("compareTable"))->setChecked(false);
            view.resize(static_cast<int>(360 * scale), static_cast<int>(200 * scale));
            view.setComparison(gaps(), QStringLiteral("conv2d 64×56×56 3×3"));
            nw::views::test::keepPicture(view, QStringLiteral("compare_gaps_") + face);
            view.setBusy(QStringLiteral("measuring default..."));
            nw::views::test::keepPicture(view, QStringLiteral("compare_busy_") + face);
            const QImage file = renderComparison(full(), QStringLiteral("conv2d 64×56×56 3×3"), theme, QSize(900, 420), scale);
            QVERIFY(file.save(qEnvironmentVariable("NW_PICTURES") + QStringLiteral("/compare_file_%1.png").arg(face)));
        });
    }
};

NW_TEST_MAIN(tst_comparison, TestComparison)
#include "tst_comparison.moc"
