#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "views/common/fonts.h"
#include "views/common/theme.h"
#include "views/operators/operators_model.h"
#include "views/operators/operators_view.h"

#include <QApplication>
#include <QDir>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>

using namespace nw::views;

namespace {

OperatorRow row(const char* name, const char* title, const char* shape, int count, double share, double ms)
{
    OperatorRow made;
    made.name = QString::fromLatin1(name);
    made.title = QString::fromLatin1(title);
    made.shape = QString::fromLatin1(shape);
    made.taskId = QStringLiteral("c41f") + made.name + QStringLiteral("77ab12");
    made.count = count;
    made.share = share;
    made.flops = share * 1.8e9;
    made.bytes = share * 2.1e7;
    made.defaultNs = ms * 1e6;
    made.boundNs = ms * 3e4;
    return made;
}

QList<OperatorRow> sample()
{
    QList<OperatorRow> rows{row("pool.0", "max pool 3x3", "64x56x56", 1, 0.004, 0.11), row("conv.1", "conv 1x1 + bn", "256x56x56", 2, 0.09, 9.8),
        row("conv.0", "conv 3x3 + bias + relu", "64x56x56", 3, 0.31, 21.4), row("conv.4", "conv 3x3 + bias + add + relu", "128x28x28", 4, 0.2, 20.9),
        row("gemm.0", "dense 2048 to 1000 + bias", "1x1000", 1, 0.02, 1.9)};
    rows[2].handNs = 741000;
    rows[2].autoNs = 607000;
    rows[1].autoNs = 305000;
    return rows;
}

} // namespace

class TestOperatorsView : public QObject {
    Q_OBJECT

    static QTableView* table(const OperatorsView& view) { return view.findChild<QTableView*>(QStringLiteral("operatorsTable")); }
    static QString nameAt(const OperatorsView& view, int at)
    {
        return table(view)->model()->index(at, 0).data(OperatorsModel::NameRole).toString();
    }

private Q_SLOTS:
    void heaviestComesFirst()
    {
        OperatorsView view;
        view.setRows(sample());
        QCOMPARE(nameAt(view, 0), QStringLiteral("conv.0"));
        QCOMPARE(nameAt(view, 4), QStringLiteral("pool.0"));
        QVERIFY(view.selected().isEmpty());
    }

    void keysSelectAndActivate()
    {
        OperatorsView view;
        view.resize(900, 300);
        view.setRows(sample());
        view.show();
        QSignalSpy chosen(&view, &OperatorsView::selectionChanged);
        QSignalSpy activated(&view, &OperatorsView::activated);
        view.select(QStringLiteral("conv.0"));
        QCOMPARE(chosen.count(), 0);
        QTest::keyClick(table(view), Qt::Key_Down);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.at(0).at(0).toString(), QStringLiteral("conv.4"));
        QCOMPARE(view.selected(), QStringLiteral("conv.4"));
        QTest::keyClick(table(view), Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.at(0).at(0).toString(), QStringLiteral("conv.4"));
    }

    void newRowsKeepTheSelection()
    {
        OperatorsView view;
        QSignalSpy chosen(&view, &OperatorsView::selectionChanged);
        view.setRows(sample());
        view.select(QStringLiteral("gemm.0"));
        QList<OperatorRow> next = sample();
        next[4].share = 0.9;
        view.setRows(next);
        QCOMPARE(view.selected(), QStringLiteral("gemm.0"));
        QCOMPARE(table(view)->currentIndex().row(), 0);
        view.setRows({next[0]});
        QVERIFY(view.selected().isEmpty());
        QCOMPARE(chosen.count(), 0);
    }

    void filterHidesButDoesNotChoose()
    {
        OperatorsView view;
        view.setRows(sample());
        view.select(QStringLiteral("conv.0"));
        QSignalSpy chosen(&view, &OperatorsView::selectionChanged);
        auto* filter = view.findChild<QLineEdit*>(QStringLiteral("operatorsFilter"));
        QTest::keyClicks(filter, QStringLiteral("pool"));
        QCOMPARE(table(view)->model()->rowCount(), 1);
        QCOMPARE(view.findChild<QLabel*>(QStringLiteral("operatorsFound"))->text(), QStringLiteral("1 of 5"));
        QCOMPARE(view.selected(), QStringLiteral("conv.0"));
        QCOMPARE(chosen.count(), 0);
        view.select(QStringLiteral("gemm.0"));
        QVERIFY(filter->text().isEmpty());
        QCOMPARE(view.selected(), QStringLiteral("gemm.0"));
        QTest::keyClicks(filter, QStringLiteral("x"));
        QTest::keyClick(filter, Qt::Key_Escape);
        QVERIFY(filter->text().isEmpty());
    }

    void pointerHovers()
    {
        OperatorsView view;
        view.resize(900, 300);
        view.setRows(sample());
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QSignalSpy hovered(&view, &OperatorsView::hovered);
        QTest::mouseMove(table(view)->viewport(), table(view)->visualRect(table(view)->model()->index(1, 0)).center());
        QTRY_VERIFY(!hovered.isEmpty());
        QCOMPARE(hovered.last().at(0).toString(), QStringLiteral("conv.4"));
        view.hover(QStringLiteral("gemm.0"));
        const QModelIndex gemm = table(view)->model()->index(3, 0);
        QCOMPARE(gemm.data(OperatorsModel::NameRole).toString(), QStringLiteral("gemm.0"));
        QVERIFY(gemm.data(OperatorsModel::HoverRole).toBool());
    }

    void busyOffersCancel()
    {
        OperatorsView view;
        view.setRows(sample());
        QSignalSpy profile(&view, &OperatorsView::profileWished);
        QSignalSpy cancel(&view, &OperatorsView::cancelWished);
        auto* measure = view.findChild<QPushButton*>(QStringLiteral("operatorsProfile"));
        auto* stop = view.findChild<QPushButton*>(QStringLiteral("operatorsCancel"));
        QVERIFY(stop->isHidden());
        measure->click();
        QCOMPARE(profile.count(), 1);
        view.setBusy(QStringLiteral("Measuring the model, run 3 of 20"));
        QVERIFY(measure->isHidden());
        stop->click();
        QCOMPARE(cancel.count(), 1);
        view.setBusy({});
        QVERIFY(stop->isHidden());
    }

    void emptySaysWhatFillsIt()
    {
        OperatorsView view;
        QSignalSpy action(&view, &OperatorsView::actionWished);
        view.clear(QStringLiteral("No model is open."), QStringLiteral("Open model..."));
        QCOMPARE(view.findChild<QLabel*>(QStringLiteral("emptySentence"))->text(), QStringLiteral("No model is open."));
        for (QPushButton* button : view.findChildren<QPushButton*>()) {
            if (button->text() == QLatin1String("Open model...")) {
                button->click();
            }
        }
        QCOMPARE(action.count(), 1);
    }

    void namesAreWhole()
    {
        OperatorsView view;
        view.resize(1200, 300);
        view.setRows(sample());
        const QFontMetrics metrics(nameFont());
        for (const OperatorRow& each : sample()) {
            QVERIFY(table(view)->columnWidth(OperatorsModel::Title) > metrics.horizontalAdvance(each.title));
        }
        QVERIFY(table(view)->rowHeight(0) >= 24);
    }

    // Pictures to look at, when NW_PICTURES names a folder.
    void pictures()
    {
        if (!nw::views::test::keepsPictures()) {
            QSKIP("NW_PICTURES names no folder");
        }
        nw::views::test::everyFace([&](const Theme&, double, const QString& face) {
            OperatorsView view;
            view.resize(880, 260);
            view.setRows(sample());
            view.select(QStringLiteral("conv.0"));
            view.hover(QStringLiteral("conv.1"));
            view.show();
            nw::views::test::keepPicture(view, QStringLiteral("operators_") + face);
        });
    }
};

NW_TEST_MAIN(tst_operators_view, TestOperatorsView)
#include "tst_operators_view.moc"
