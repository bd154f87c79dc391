#include "tests/support/test.h"
#include "tests/views/loop_nest/shown_nest.h"

#include <QAccessible>

using namespace nw;
using namespace nw::views;
using namespace nw::views::test;
using schedule::test::after;

class TestNestFootprints : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { wearTheme(Theme::light(), 1); }

    void footprintsNameTheSmallestCache()
    {
        Shown shown(matmul());
        Target target;
        target.l1Bytes = 1024;
        target.l2Bytes = 2100;
        target.l3Bytes = 7000;
        shown.view.setFootprints(schedule::footprintsOf(shown.nest), target);
        QCOMPARE(shown.view.rowFootprint(0), QStringLiteral("7.03 KiB (memory)"));
        QCOMPARE(shown.view.rowFootprint(1), QStringLiteral("2.05 KiB (L2)"));
        QCOMPARE(shown.view.rowFootprint(2), QStringLiteral("196 B (L1)"));
        QCOMPARE(shown.view.rowFootprint(3), QString()); // the block
        const QString tip = shown.view.rowDetails(1);
        QVERIFY2(tip.startsWith(QStringLiteral("One run of n touches 2.05 KiB: it would fit into L2 (2.05 KiB).\nY: 80 B\nA: 96 B\nB: 1.88 KiB\n")),
                 qPrintable(tip));
        QVERIFY(tip.contains(QStringLiteral("estimate")) && tip.contains(QStringLiteral("not measured")));
        QVERIFY(shown.view.rowDetails(0).contains(QStringLiteral("no cache holds it all")));
        QCOMPARE(QAccessible::queryAccessibleInterface(&shown.view)->child(1)->text(QAccessible::Description), tip);
        // Of the loops that are shown, not of others that have the same names.
        const schedule::LoopNest preview = after(shown.nest, "reorder k n");
        shown.view.setPreview(&preview, QStringLiteral("reorder k n"));
        QCOMPARE(shown.view.rowFootprint(0), QString());
        shown.view.setPreview(nullptr, {});
        QCOMPARE(shown.view.rowFootprint(2), QStringLiteral("196 B (L1)"));
        shown.view.setNest(preview, &shown.nest);
        QCOMPARE(shown.view.rowFootprint(2), QString());
    }

    void registersAreNoFootprint()
    {
        Shown shown(tiled());
        shown.view.setFootprints(schedule::footprintsOf(shown.nest), schedule::test::smallTarget());
        QString tips;
        for (int row = 0; row < shown.view.rowCount(); ++row) {
            tips += shown.view.rowDetails(row);
        }
        QVERIFY(tips.contains(QStringLiteral("conv.reg: 64 B in registers, not counted")));
    }
};

NW_TEST_MAIN(tst_nest_footprints, TestNestFootprints)
#include "tst_nest_footprints.moc"
