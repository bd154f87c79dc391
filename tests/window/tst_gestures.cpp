// Each drag of the loop nest in the whole window, by the script line that it wrote.
#include "tests/support/test.h"
#include "tests/window/driver.h"

using namespace nw;
using test::Driver;

class TestGestures : public QObject {
    Q_OBJECT

    std::unique_ptr<Driver> m_driver;

    QWidget* nest() { return m_driver->views().nest->viewport(); }
    void press(const QPoint& at, Qt::KeyboardModifiers modifiers = {}) { QTest::mousePress(nest(), Qt::LeftButton, modifiers, at); }
    void move(const QPoint& at)
    {
        QMouseEvent event(QEvent::MouseMove, at, nest()->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(nest(), &event);
    }
    void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = {})
    {
        press(from, modifiers);
        for (int i = 1; i <= 10; ++i) {
            move(from + (to - from) * i / 10);
        }
        QTest::mouseRelease(nest(), Qt::LeftButton, modifiers, to);
    }
    QRect row(const QString& name)
    {
        views::LoopNestView& view = *m_driver->views().nest;
        for (int i = 0; i < view.rowCount(); ++i) {
            if (view.rowName(i) == name) {
                return view.rowRect(i);
            }
        }
        return {};
    }
    QPoint nameInStatement(const char* buffer)
    {
        return m_driver->views().nest->operandRect(QStringLiteral("matmul"), QLatin1String(buffer)).center();
    }
    std::string last() { return m_driver->editing().stations().back().text; }

private Q_SLOTS:
    void initTestCase()
    {
        m_driver = std::make_unique<Driver>();
        QVERIFY(m_driver->openSample(QStringLiteral("Matrix product")));
    }
    void cleanupTestCase() { m_driver.reset(); }
    void init()
    {
        m_driver->command(QStringLiteral("Start from the plain nest"));
        QTRY_COMPARE(m_driver->script(), std::string());
        m_driver->window().controller().stopMeasuring();
    }

    void aLoopIsDraggedBetweenOthers()
    {
        const QPoint from = m_driver->views().nest->nameRect(QStringLiteral("k")).center();
        const QPoint to(from.x(), row(QStringLiteral("m")).top());
        drag(from, to);
        QTRY_VERIFY2(last().starts_with("reorder"), last().c_str());
        const std::vector<const schedule::Loop*> loops = m_driver->editing().nest().allLoops();
        QCOMPARE(loops.front()->name, std::string("k"));
    }

    void withShiftAChainIsDragged()
    {
        const QPoint from = m_driver->views().nest->nameRect(QStringLiteral("n")).center();
        drag(from, QPoint(from.x(), row(QStringLiteral("m")).top()), Qt::ShiftModifier);
        QTRY_COMPARE(m_driver->script(), std::string("reorder n k m\n"));
        QCOMPARE(m_driver->editing().stations().size(), std::size_t{2});
    }

    void everyLoopTellsItsFootprint()
    {
        const views::LoopNestView& view = *m_driver->views().nest;
        QTRY_VERIFY2(view.rowFootprint(0).contains(QStringLiteral("iB (")), qPrintable(view.rowFootprint(0)));
        const QString whole = view.rowFootprint(0);
        const QString ofN = view.rowFootprint(1);
        const QPoint from = view.extentRect(QStringLiteral("n")).center();
        drag(from, from + QPoint(60, 0));
        QTRY_COMPARE(view.rowCount(), 5);
        QTRY_COMPARE(view.rowFootprint(0), whole); // they follow a turn after the nest
        QCOMPARE(view.rowFootprint(1), ofN);
        QVERIFY(!view.rowFootprint(2).isEmpty() && view.rowFootprint(2) != ofN);
    }

    void anExtentIsDraggedThroughItsDivisors()
    {
        const QPoint from = m_driver->views().nest->extentRect(QStringLiteral("n")).center();
        drag(from, from + QPoint(60, 0));
        QTRY_VERIFY2(last().starts_with("split n into"), last().c_str());
    }

    void aLoopIsDroppedOntoItsNeighbour()
    {
        const QPoint from = m_driver->views().nest->nameRect(QStringLiteral("n")).center();
        drag(from, QPoint(from.x(), row(QStringLiteral("m")).center().y()));
        QTRY_VERIFY2(last().starts_with("fuse m n"), last().c_str());
    }

    void anEscapedDragWritesNothing()
    {
        const QPoint from = m_driver->views().nest->nameRect(QStringLiteral("k")).center();
        press(from);
        move(QPoint(from.x(), row(QStringLiteral("m")).top()));
        QTest::keyClick(m_driver->views().nest, Qt::Key_Escape);
        QTest::mouseRelease(nest(), Qt::LeftButton, {}, from);
        QCOMPARE(m_driver->script(), std::string());
    }

    void aBufferThatIsReadIsDraggedOntoALoop()
    {
        const QPoint from = nameInStatement("A");
        drag(from, QPoint(from.x(), row(QStringLiteral("m")).center().y()));
        QTRY_COMPARE(m_driver->script(), std::string("cache_read A at m in stack\n"));
        const schedule::LoopNest& now = m_driver->editing().nest();
        QVERIFY(now.buffer("A.stack") != nullptr && now.buffer("A.stack")->atLoop == "m");
    }

    void aBufferThatIsWrittenIsDraggedOntoALoop()
    {
        const QPoint from = nameInStatement("Y");
        drag(from, QPoint(from.x(), row(QStringLiteral("n")).center().y()));
        QTRY_COMPARE(m_driver->script(), std::string("cache_write matmul at n in registers\n"));
    }

    // Over a loop that it cannot go to the reason stands beside the pointer and in the status line; letting go there, or Esc
    // anywhere, writes nothing.
    void aBufferIsRefusedWithItsReason()
    {
        const QPoint from = nameInStatement("Y");
        const QPoint refused(from.x(), row(QStringLiteral("k")).center().y());
        press(from);
        move(from + QPoint(0, -12));
        move(refused);
        QTRY_VERIFY2(m_driver->message().contains(QStringLiteral("adds to its result")), qPrintable(m_driver->message()));
        QVERIFY(!m_driver->views().nest->gesture().wouldApply());
        QTest::mouseRelease(nest(), Qt::LeftButton, {}, refused);
        press(from);
        move(from + QPoint(0, -12));
        move(QPoint(from.x(), row(QStringLiteral("n")).center().y()));
        QVERIFY(m_driver->views().nest->gesture().wouldApply());
        QTest::keyClick(m_driver->views().nest, Qt::Key_Escape);
        QTest::mouseRelease(nest(), Qt::LeftButton, {}, from);
        QCOMPARE(m_driver->script(), std::string());
    }

    void aStatementIsDraggedIntoRegisters()
    {
        const QPoint from = m_driver->views().nest->nameRect(QStringLiteral("matmul")).center();
        drag(from, QPoint(from.x(), row(QStringLiteral("n")).center().y()), Qt::AltModifier);
        QTRY_VERIFY2(last().starts_with("cache_write matmul"), last().c_str());
    }
};

NW_TEST_MAIN(tst_gestures, TestGestures)
#include "tst_gestures.moc"
