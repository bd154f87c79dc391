#include "tests/support/test.h"
#include "tests/views/loop_nest/shown_nest.h"

#include <QTranslator>

using namespace nw;
using namespace nw::views;
using namespace nw::views::test;
using schedule::test::after;

class TestChainDrag : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { wearTheme(Theme::light(), 1); }

    void withShiftTheChainIsDragged()
    {
        Shown shown(after(matmul(), "split m into mo:_ mi:5"));
        shown.press(shown.in("mo", 0.5), Qt::ShiftModifier);
        shown.move(shown.in("mo", 0.9));
        QCOMPARE(shown.view.selection().join(QLatin1Char(' ')), QStringLiteral("mo mi"));
        // Between its own loops it stays where it is.
        shown.move(shown.in("mi", 0.05));
        QVERIFY(!shown.view.gesture().wouldApply());
        QVERIFY(shown.view.gesture().text().isEmpty());
        shown.move(shown.in("k", 0.05));
        QVERIFY(shown.view.gesture().wouldApply());
        QCOMPARE(shown.last(shown.previews), QStringLiteral("reorder n mo mi"));
        keepPicture(shown.view, QStringLiteral("drag_chain"));
        // Onto a neighbour it is no fusion: only one loop could be fused.
        shown.move(shown.in("n", 0.5));
        QVERIFY(!shown.view.gesture().line.starts_with("fuse"));
        shown.move(shown.in("k", 0.05));
        shown.release(shown.in("k", 0.05));
        QCOMPARE(shown.steps.count(), 1);
        QCOMPARE(shown.last(shown.steps), QStringLiteral("reorder n mo mi"));
    }

    void aRefusedChainGivesItsReason()
    {
        Shown shown(after(matmul(), "split n into no:_ ni:4\nreorder k no ni\nvectorize ni"));
        shown.press(shown.in("no", 0.5), Qt::ShiftModifier);
        shown.move(shown.in("no", 0.1));
        shown.move(shown.in("m", 0.05));
        QVERIFY(!shown.view.gesture().wouldApply());
        QCOMPARE(shown.view.gesture().text(), QStringLiteral("reorder: ni is a vector loop and must stay innermost"));
        QVERIFY(shown.view.gesture().gaps.front().verdict == schedule::Verdict::Illegal);
        shown.release(shown.in("m", 0.05));
        QCOMPARE(shown.steps.count(), 0);
    }

    void theWholeChainHasNoPlace()
    {
        Shown shown(matmul());
        shown.press(shown.in("m", 0.5), Qt::ShiftModifier);
        shown.move(shown.in("m", 0.9));
        shown.move(shown.in("k", 0.9));
        QVERIFY(!shown.view.gesture().wouldApply());
        QVERIFY(shown.view.gesture().text().startsWith(QStringLiteral("m to k are all the loops")));
        shown.release(shown.in("k", 0.9));
        QCOMPARE(shown.steps.count(), 0);
    }

    void shiftEnterGrabsTheChain()
    {
        Shown shown(after(matmul(), "split m into mo:_ mi:5"));
        shown.view.select({QStringLiteral("mo")});
        QTest::keyClick(&shown.view, Qt::Key_Return, Qt::ShiftModifier);
        QVERIFY(shown.last(shown.messages).startsWith(QStringLiteral("mo mi grabbed")));
        QTest::keyClick(&shown.view, Qt::Key_Down);
        QCOMPARE(shown.last(shown.messages), QStringLiteral("reorder n mo mi"));
        QTest::keyClick(&shown.view, Qt::Key_Down);
        QCOMPARE(shown.last(shown.messages), QStringLiteral("reorder n k mo mi"));
        QTest::keyClick(&shown.view, Qt::Key_Up);
        QTest::keyClick(&shown.view, Qt::Key_Up);
        QVERIFY(!shown.view.gesture().wouldApply());
        QTest::keyClick(&shown.view, Qt::Key_Down);
        QTest::keyClick(&shown.view, Qt::Key_Return);
        QCOMPARE(shown.last(shown.steps), QStringLiteral("reorder n mo mi"));
    }

    void reasonsAreInTheLanguageOfTheWindow()
    {
        // What a file of translations would do for the words of one rule.
        struct Dictionary : QTranslator {
            bool isEmpty() const override { return false; }
            QString translate(const char* context, const char* text, const char*, int) const override
            {
                const bool known = qstrcmp(context, "Primitives") == 0
                    && qstrcmp(text, "reorder: {0} is a vector loop and must stay innermost") == 0;
                return known ? QStringLiteral("reorder: {0} est une boucle vectorielle") : QString();
            }
        } dictionary;
        QVERIFY(QCoreApplication::installTranslator(&dictionary));
        Shown shown(after(matmul(), "reorder k n\nvectorize n"));
        shown.press(shown.in("n", 0.5));
        shown.move(shown.in("k", 0.5));
        shown.move(shown.in("m", 0.95));
        QCOMPARE(shown.view.gesture().text(), QStringLiteral("reorder: n est une boucle vectorielle"));
        QTest::keyClick(&shown.view, Qt::Key_Escape);
        QCoreApplication::removeTranslator(&dictionary);
    }
};

NW_TEST_MAIN(tst_chain_drag, TestChainDrag)
#include "tst_chain_drag.moc"
