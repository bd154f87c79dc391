#include "tests/support/test.h"
#include "tests/views/loop_nest/shown_nest.h"
#include "views/common/empty_state.h"

#include <QAccessible>
#include <QPushButton>

using namespace nw;
using namespace nw::views;
using namespace nw::views::test;
using schedule::test::after;
using schedule::test::definitionText;
using schedule::test::nestOf;

class TestLoopNestView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { wearTheme(Theme::light(), 1); }

    void draggingALoopWritesAReorder()
    {
        Shown shown(matmul());
        shown.press(shown.in("k", 0.5));
        shown.move(shown.in("k", 0.1));
        shown.move(shown.in("n", 0.05));
        QVERIFY(shown.view.gesture().wouldApply());
        QCOMPARE(shown.last(shown.messages), QStringLiteral("reorder k n"));
        QCOMPARE(shown.last(shown.previews), QStringLiteral("reorder k n"));
        QCOMPARE(shown.steps.count(), 0);
        keepPicture(shown.view, QStringLiteral("drag_legal"));
        shown.release(shown.in("n", 0.05));
        QCOMPARE(shown.steps.count(), 1);
        QCOMPARE(shown.last(shown.steps), QStringLiteral("reorder k n"));
        QCOMPARE(shown.last(shown.previews), QString());
    }

    void aRefusedGapGivesItsReasonDuringTheDrag()
    {
        Shown shown(after(matmul(), "reorder k n\nvectorize n"));
        shown.press(shown.in("n", 0.5));
        shown.move(shown.in("k", 0.5));
        shown.move(shown.in("m", 0.95));
        QVERIFY(shown.view.gesture().active());
        QVERIFY(!shown.view.gesture().wouldApply());
        QCOMPARE(shown.view.gesture().text(), QStringLiteral("reorder: n is a vector loop and must stay innermost"));
        QCOMPARE(shown.last(shown.messages), shown.view.gesture().text());
        QCOMPARE(shown.messages.last().at(1).toBool(), true);
        keepPicture(shown.view, QStringLiteral("drag_refused"));
        shown.release(shown.in("m", 0.95));
        QCOMPARE(shown.steps.count(), 0);
    }

    void outsideOfTheChainTheReasonSaysWhatStandsBetween()
    {
        Shown shown(nestOf(definitionText("matmul_relu")));
        shown.press(shown.in("m", 0.5));
        shown.move(shown.in("relu.m", 0.2));
        shown.move(shown.in("relu.n", 0.5));
        QVERIFY(!shown.view.gesture().wouldApply());
        QVERIFY(shown.view.gesture().text().contains(QStringLiteral("not all nested")));
        QTest::keyClick(&shown.view, Qt::Key_Escape);
        QVERIFY(!shown.view.gesture().active());
        shown.release(shown.in("relu.n", 0.5));
        QCOMPARE(shown.steps.count(), 0);
    }

    void escapeCancelsADrag()
    {
        Shown shown(matmul());
        shown.press(shown.in("k", 0.5));
        shown.move(shown.in("n", 0.05));
        shown.move(shown.in("n", 0.04));
        QVERIFY(shown.view.gesture().wouldApply());
        QTest::keyClick(&shown.view, Qt::Key_Escape);
        QVERIFY(!shown.view.gesture().active());
        shown.release(shown.in("n", 0.05));
        QCOMPARE(shown.steps.count(), 0);
        QCOMPARE(shown.last(shown.previews), QString());
    }

    void droppingOnTheCentreFuses()
    {
        Shown shown(matmul());
        shown.press(shown.in("n", 0.5));
        shown.move(shown.in("n", 0.0));
        shown.move(shown.in("m", 0.5));
        shown.release(shown.in("m", 0.5));
        QCOMPARE(shown.last(shown.steps), QStringLiteral("fuse m n into m_n"));
    }

    void draggingTheExtentWalksTheDivisors()
    {
        Shown shown(matmul());
        const QPoint start = shown.view.extentRect(QStringLiteral("k")).center();
        QVERIFY(shown.view.extentRect(QStringLiteral("k")).width() >= 24);
        shown.press(start);
        shown.move(start + QPoint(11, 0));
        QCOMPARE(shown.last(shown.previews), QStringLiteral("split k into ko:_ ki:4"));
        shown.move(start + QPoint(24, 0));
        QCOMPARE(shown.last(shown.previews), QStringLiteral("split k into ko:_ ki:6"));
        shown.move(start + QPoint(400, 0));
        QCOMPARE(shown.last(shown.previews), QStringLiteral("split k into ko:_ ki:12"));
        shown.move(start - QPoint(400, 0));
        QCOMPARE(shown.last(shown.previews), QStringLiteral("split k into ko:_ ki:2"));
        // The preview stands in the rows while the drag goes on.
        const schedule::LoopNest preview = after(shown.nest, "split k into ko:_ ki:2");
        shown.view.setPreview(&preview, QStringLiteral("split k into ko:_ ki:2"));
        QCOMPARE(shown.view.rowText(2), QStringLiteral("loop ko, extent 12, reduction, changed"));
        keepPicture(shown.view, QStringLiteral("drag_extent"));
        shown.release(start - QPoint(400, 0));
        QCOMPARE(shown.last(shown.steps), QStringLiteral("split k into ko:_ ki:2"));
    }

    void aPrimeExtentHasNoDivisors()
    {
        Shown shown(after(matmul(), "split m into mo:_ mi:5"));
        const QPoint start = shown.view.extentRect(QStringLiteral("mi")).center();
        shown.press(start);
        shown.move(start + QPoint(40, 0));
        shown.release(start + QPoint(40, 0));
        QCOMPARE(shown.steps.count(), 0);
        QVERIFY(shown.last(shown.messages).startsWith(QStringLiteral("mi has no divisors")));
    }

    void draggingABlockMovesItsComputation()
    {
        Shown producer(nestOf(definitionText("chain")));
        producer.press(producer.in("add", 0.5));
        producer.move(producer.in("mul.d0", 0.2));
        producer.move(producer.in("mul.d0", 0.5));
        producer.release(producer.in("mul.d0", 0.5));
        QCOMPARE(producer.last(producer.steps), QStringLiteral("compute_at add at mul.d0"));

        Shown consumer(nestOf(definitionText("chain")));
        consumer.press(consumer.in("mul", 0.5));
        consumer.move(consumer.in("d0", 0.2));
        consumer.move(consumer.in("d0", 0.5));
        consumer.release(consumer.in("d0", 0.5));
        QCOMPARE(consumer.last(consumer.steps), QStringLiteral("reverse_compute_at mul at d0"));
    }

    void draggingABlockWithAltWritesACache()
    {
        Shown shown(matmul());
        shown.press(shown.in("matmul", 0.5), Qt::AltModifier);
        shown.move(shown.in("n", 0.2));
        shown.move(shown.in("n", 0.5));
        shown.release(shown.in("n", 0.5));
        QCOMPARE(shown.last(shown.steps), QStringLiteral("cache_write matmul at n in registers"));
    }

    void draggingAChipAsksForACacheThere()
    {
        Shown shown(tiled());
        const QRect chip = shown.view.chipRect(QStringLiteral("conv.reg"));
        QVERIFY(!chip.isNull());
        shown.press(chip.center());
        shown.move(chip.center() + QPoint(0, 20));
        shown.move(shown.in("oh", 0.5));
        QCOMPARE(shown.view.gesture().line, std::string("cache_write conv at oh in registers"));
        QVERIFY(!shown.last(shown.messages).isEmpty());
    }

    void keysMoveALoop()
    {
        Shown shown(matmul());
        shown.view.select({QStringLiteral("k")});
        QTest::keyClick(&shown.view, Qt::Key_Up, Qt::ShiftModifier);
        QCOMPARE(shown.last(shown.steps), QStringLiteral("reorder k n"));
        QTest::keyClick(&shown.view, Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(shown.steps.count(), 1);
        QCOMPARE(shown.messages.last().at(1).toBool(), true);
    }

    void enterGrabsAndDrops()
    {
        Shown shown(matmul());
        shown.view.select({QStringLiteral("k")});
        QTest::keyClick(&shown.view, Qt::Key_Return);
        QVERIFY(shown.view.gesture().active());
        QTest::keyClick(&shown.view, Qt::Key_Up);
        QCOMPARE(shown.last(shown.messages), QStringLiteral("reorder k n"));
        QTest::keyClick(&shown.view, Qt::Key_Up);
        QCOMPARE(shown.last(shown.messages), QStringLiteral("reorder k m n"));
        keepPicture(shown.view, QStringLiteral("grabbed"));
        QTest::keyClick(&shown.view, Qt::Key_Return);
        QCOMPARE(shown.last(shown.steps), QStringLiteral("reorder k m n"));

        QTest::keyClick(&shown.view, Qt::Key_Return);
        QTest::keyClick(&shown.view, Qt::Key_Up);
        QTest::keyClick(&shown.view, Qt::Key_Escape);
        QCOMPARE(shown.steps.count(), 1);
        QVERIFY(!shown.view.gesture().active());
    }

    void aGrabbedBlockChoosesALoop()
    {
        Shown shown(nestOf(definitionText("chain")));
        shown.view.select({QStringLiteral("add")});
        QTest::keyClick(&shown.view, Qt::Key_Return);
        QTest::keyClick(&shown.view, Qt::Key_Down);
        QTest::keyClick(&shown.view, Qt::Key_Return);
        QCOMPARE(shown.last(shown.steps), QStringLiteral("compute_at add at mul.d0"));
    }

    void singleKeys()
    {
        Shown shown(matmul());
        shown.view.select({QStringLiteral("n")});
        QVERIFY(!shown.view.testAttribute(Qt::WA_InputMethodEnabled));
        QSignalSpy primitives(&shown.view, &LoopNestView::primitiveWished);
        for (const int key : {Qt::Key_S, Qt::Key_T, Qt::Key_F, Qt::Key_R, Qt::Key_V, Qt::Key_U, Qt::Key_P, Qt::Key_A, Qt::Key_W,
                              Qt::Key_C, Qt::Key_I, Qt::Key_L}) {
            QTest::keyClick(&shown.view, static_cast<Qt::Key>(key));
        }
        QStringList wished;
        for (const QList<QVariant>& one : primitives) {
            wished << one.first().toString();
        }
        QCOMPARE(wished.join(QLatin1Char(' ')),
                 QStringLiteral("split tile fuse reorder vectorize unroll parallel compute_at cache_write cache_read compute_inline set_layout"));
        QSignalSpy measure(&shown.view, &LoopNestView::measureWished), repeat(&shown.view, &LoopNestView::repeatWished),
            previous(&shown.view, &LoopNestView::previousStepWished), next(&shown.view, &LoopNestView::nextStepWished),
            diff(&shown.view, &LoopNestView::diffWished), removed(&shown.view, &LoopNestView::removeLoopWished);
        QTest::keyClick(&shown.view, Qt::Key_M);
        QTest::keyClick(&shown.view, Qt::Key_Period);
        QTest::keyClick(&shown.view, Qt::Key_BracketLeft);
        QTest::keyClick(&shown.view, Qt::Key_BracketRight);
        QTest::keyClick(&shown.view, Qt::Key_D);
        QTest::keyClick(&shown.view, Qt::Key_Backspace);
        QCOMPARE(measure.count() + repeat.count() + previous.count() + next.count() + diff.count(), 5);
        QCOMPARE(shown.last(removed), QStringLiteral("n"));
        // With Ctrl it is the window's key.
        QTest::keyClick(&shown.view, Qt::Key_S, Qt::ControlModifier);
        QCOMPARE(primitives.count(), 12);
    }

    void selecting()
    {
        Shown shown(matmul());
        QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, Qt::NoModifier, shown.in("m", 0.5));
        QCOMPARE(shown.view.selection(), QStringList{QStringLiteral("m")});
        QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, Qt::ShiftModifier, shown.in("k", 0.5));
        QCOMPARE(shown.view.selection().join(QLatin1Char(' ')), QStringLiteral("m n k"));
        QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, Qt::ControlModifier, shown.in("n", 0.5));
        QCOMPARE(shown.view.selection().join(QLatin1Char(' ')), QStringLiteral("m k"));
        QTest::keyClick(&shown.view, Qt::Key_End);
        QCOMPARE(shown.view.selection().join(QLatin1Char(' ')), QStringLiteral("matmul"));
        QTest::keyClick(&shown.view, Qt::Key_Home);
        QTest::keyClick(&shown.view, Qt::Key_Down);
        QCOMPARE(shown.view.selection().join(QLatin1Char(' ')), QStringLiteral("n"));
        QCOMPARE(shown.selections.last().first().toStringList(), shown.view.selection());
        QTest::keyClick(&shown.view, Qt::Key_Escape);
        QVERIFY(shown.view.selection().isEmpty());
        const int told = shown.selections.count();
        shown.view.select({QStringLiteral("k"), QStringLiteral("gone")});
        QCOMPARE(shown.view.selection(), QStringList{QStringLiteral("k")});
        QCOMPARE(shown.selections.count(), told);
    }

    void theSelectionStaysWithANewNest()
    {
        Shown shown(matmul());
        shown.view.select({QStringLiteral("k")});
        shown.view.setNest(after(shown.nest, "split m into mo:_ mi:5"), &shown.nest);
        QCOMPARE(shown.view.selection(), QStringList{QStringLiteral("k")});
        QCOMPARE(shown.view.currentRow(), 3);
    }

    void hovering()
    {
        Shown shown(matmul());
        QSignalSpy hovered(&shown.view, &LoopNestView::hovered);
        shown.mouse(QEvent::MouseMove, shown.in("n", 0.5), Qt::NoButton);
        QCOMPARE(shown.last(hovered), QStringLiteral("n"));
    }

    void previewsReplaceTheRows()
    {
        Shown shown(matmul());
        const schedule::LoopNest preview = after(shown.nest, "split m into mo:_ mi:5");
        shown.view.setPreview(&preview, QStringLiteral("split m into mo:_ mi:5"));
        QCOMPARE(shown.view.rowCount(), 5);
        QCOMPARE(shown.view.rowText(1), QStringLiteral("loop mi, extent 5, serial, changed"));
        shown.view.setPreview(nullptr, {});
        QCOMPARE(shown.view.rowCount(), 4);
    }

    void rowsCanBeReadByAssistiveTools()
    {
        Shown shown(matmul());
        QAccessibleInterface* tree = QAccessible::queryAccessibleInterface(&shown.view);
        QVERIFY(tree != nullptr);
        QCOMPARE(tree->childCount(), 4);
        QCOMPARE(tree->child(0)->text(QAccessible::Name), QStringLiteral("loop m, extent 30, serial"));
        QCOMPARE(tree->child(3)->text(QAccessible::Name), QStringLiteral("block matmul, Y += A * B"));
        QCOMPARE(tree->child(0)->parent(), tree);
    }

    void emptyViewHasAnAction()
    {
        LoopNestView view;
        view.resize(500, 300);
        view.setEmptyText(QStringLiteral("No operator is open."), QStringLiteral("Open a model"));
        view.show();
        QSignalSpy actions(&view, &LoopNestView::actionWished);
        auto* button = view.findChild<QPushButton*>();
        QVERIFY(button != nullptr && button->isVisible());
        button->click();
        QCOMPARE(actions.count(), 1);
        view.setNest(matmul(), nullptr);
        QVERIFY(!button->isVisible());
        view.clear();
        QVERIFY(button->isVisible());
    }

    void pictures()
    {
        const schedule::LoopNest before = after(nestOf(definitionText("conv")),
                                                "split ow into owo:_ owi:4\nsplit oc into oco:_ oci:4\nreorder oco oh owo ic kh kw owi oci\n"
                                                "cache_write conv at owo in registers\nvectorize oci\nparallel oco");
        everyFace([&](const Theme&, double scale, const QString& face) {
            Shown shown(tiled(), &before);
            shown.view.resize(static_cast<int>(780 * scale), static_cast<int>(460 * scale));
            shown.view.setFootprints(schedule::footprintsOf(shown.nest), schedule::test::smallTarget());
            shown.view.setFacts(QStringLiteral("14/16 xmm"), QStringLiteral("0 spills"));
            shown.view.select({QStringLiteral("owi")});
            shown.view.setPlaces({QStringLiteral("kh")});
            shown.view.setHover(QStringLiteral("ic"));
            // Every row is painted, the innermost too, and its texts lie in the view.
            QVERIFY(shown.view.viewport()->rect().contains(shown.view.nameRect(QStringLiteral("oci"))));
            keepPicture(shown.view, QStringLiteral("nest_") + face);
        });
        wearTheme(Theme::light(), 1);
    }
};

NW_TEST_MAIN(tst_loop_nest_view, TestLoopNestView)
#include "tst_loop_nest_view.moc"
