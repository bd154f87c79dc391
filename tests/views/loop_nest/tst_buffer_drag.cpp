// A buffer's name is taken out of a statement and dropped on a loop.

#include "tests/support/test.h"
#include "tests/views/loop_nest/shown_nest.h"

using namespace nw;
using namespace nw::views;
using namespace nw::views::test;
using schedule::test::after;
using schedule::test::definitionText;
using schedule::test::nestOf;

namespace {

QPoint nameIn(const Shown& shown, const char* block, const char* buffer)
{
    return shown.view.operandRect(QLatin1String(block), QLatin1String(buffer)).center();
}

} // namespace

class TestBufferDrag : public QObject {
    Q_OBJECT

    static void take(Shown& shown, const char* block, const char* buffer)
    {
        const QPoint from = nameIn(shown, block, buffer);
        QVERIFY2(!shown.view.operandRect(QLatin1String(block), QLatin1String(buffer)).isNull(), buffer);
        shown.press(from);
        shown.move(from + QPoint(0, -20));
    }

private Q_SLOTS:
    void initTestCase() { wearTheme(Theme::light(), 1); }

    void whatIsReadIsCopied()
    {
        Shown shown(matmul());
        take(shown, "matmul", "A");
        shown.move(shown.in("m", 0.5));
        QCOMPARE(shown.view.gesture().line, std::string("cache_read A at m in stack"));
        QVERIFY(shown.view.gesture().wouldApply());
        QCOMPARE(shown.last(shown.previews), QStringLiteral("cache_read A at m in stack"));
        keepPicture(shown.view, QStringLiteral("drag_buffer"));
        shown.release(shown.in("m", 0.5));
        QCOMPARE(shown.last(shown.steps), QStringLiteral("cache_read A at m in stack"));
        QCOMPARE(shown.steps.count(), 1);
    }

    void whatIsWrittenGetsATile()
    {
        Shown shown(matmul());
        take(shown, "matmul", "Y");
        shown.move(shown.in("n", 0.5));
        QCOMPARE(shown.view.gesture().line, std::string("cache_write matmul at n in registers"));
        shown.release(shown.in("n", 0.5));
        QCOMPARE(shown.last(shown.steps), QStringLiteral("cache_write matmul at n in registers"));
    }

    // Too much for the stack goes to the heap, too much for the registers onto the stack.
    void thePlaceFollowsTheSize()
    {
        Shown shown(nestOf(definitionText("wide")));
        take(shown, "sum", "X");
        shown.move(shown.in("a", 0.5));
        QCOMPARE(shown.view.gesture().line, std::string("cache_read X at a in heap"));
        shown.release(nameIn(shown, "sum", "X"));
        Shown split(after(matmul(), "split m into mo mi:10"));
        take(split, "matmul", "Y");
        split.move(split.in("mo", 0.5));
        QCOMPARE(split.view.gesture().line, std::string("cache_write matmul at mo in stack"));
    }

    void aRefusalGivesItsReason()
    {
        Shown shown(matmul());
        take(shown, "matmul", "Y");
        shown.move(shown.in("k", 0.5));
        QVERIFY(!shown.view.gesture().wouldApply());
        QVERIFY2(shown.view.gesture().text().startsWith(QStringLiteral("cache_write: matmul adds to its result")),
                 qPrintable(shown.view.gesture().text()));
        QVERIFY(shown.messages.last().at(1).toBool());
        keepPicture(shown.view, QStringLiteral("drag_buffer_refused"));
        shown.release(shown.in("k", 0.5));
        QCOMPARE(shown.steps.count(), 0);
    }

    void elsewhereNothingHappens()
    {
        Shown shown(matmul());
        take(shown, "matmul", "A");
        shown.move(shown.in("m", 0.5));
        shown.move(shown.in("matmul", 0.5));
        QVERIFY(!shown.view.gesture().wouldApply());
        QCOMPARE(shown.last(shown.previews), QString());
        shown.release(shown.in("matmul", 0.5));
        QCOMPARE(shown.steps.count(), 0);
    }

    void escapeLetsItGo()
    {
        Shown shown(matmul());
        take(shown, "matmul", "B");
        shown.move(shown.in("n", 0.5));
        QVERIFY(shown.view.gesture().wouldApply());
        QTest::keyClick(&shown.view, Qt::Key_Escape);
        QVERIFY(!shown.view.gesture().active());
        QCOMPARE(shown.last(shown.previews), QString());
        shown.release(shown.in("n", 0.5));
        QCOMPARE(shown.steps.count(), 0);
    }

    // A tile's name at its loop can go to a loop further in: what reads it gets a copy.
    void aNameAtItsLoopIsTakenToo()
    {
        Shown shown(after(matmul(), "cache_read A at m in stack"));
        const QRect chip = shown.view.chipRect(QStringLiteral("A.stack"));
        QVERIFY(!chip.isNull());
        shown.press(chip.center());
        shown.move(chip.center() + QPoint(0, 20));
        shown.move(shown.in("k", 0.5));
        QCOMPARE(shown.view.gesture().line, std::string("cache_read A.stack at k in stack"));
    }

    void theRestOfTheStatementMovesTheBlock()
    {
        Shown shown(matmul());
        shown.press(shown.in("matmul", 0.5));
        shown.move(shown.in("matmul", 0.5) + QPoint(0, -20));
        QVERIFY(shown.view.gesture().kind == NestGesture::Kind::Block);
        QTest::keyClick(&shown.view, Qt::Key_Escape);
    }

    void theNameUnderThePointerTellsWhatItDoes()
    {
        Shown shown(matmul());
        shown.mouse(QEvent::MouseMove, nameIn(shown, "matmul", "A"), Qt::NoButton);
        QCOMPARE(shown.view.viewport()->cursor().shape(), Qt::OpenHandCursor);
        shown.mouse(QEvent::MouseMove, shown.in("m", 0.5), Qt::NoButton);
        QCOMPARE(shown.view.viewport()->cursor().shape(), Qt::ArrowCursor);
    }
};

NW_TEST_MAIN(tst_buffer_drag, TestBufferDrag)
#include "tst_buffer_drag.moc"
