#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "tests/views/graph/shown_graph.h"

#include <QAccessible>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QWheelEvent>

using namespace nw::views;
using pictures::Shown;
using pictures::text;

class TestGraphView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::wearTheme(Theme::light(), 1); }

    void withoutAModelItSaysSo()
    {
        GraphView view;
        view.setEmptyText(text("Nothing here."), text("Open"));
        view.show();
        QCOMPARE(view.findChild<QLabel*>(text("emptySentence"))->text(), text("Nothing here."));
        QSignalSpy wished(&view, &GraphView::actionWished);
        for (QPushButton* button : view.findChildren<QPushButton*>()) {
            if (button->text() == text("Open")) {
                QTest::mouseClick(button, Qt::LeftButton);
            }
        }
        QCOMPARE(wished.count(), 1);
        QVERIFY(!view.findChild<GraphCanvas*>()->isVisible());
    }

    void aClickSelectsAndAnotherGroupIsTold()
    {
        Shown shown(pictures::diamond());
        QVERIFY(shown.ready);
        QSignalSpy changed(&shown.view, &GraphView::selectionChanged);
        QTest::mouseClick(shown.canvas, Qt::LeftButton, {}, shown.centre(text("conv.1")));
        QCOMPARE(shown.view.selected(), text("conv.1"));
        QCOMPARE(changed.takeFirst().at(0).toString(), text("conv.1"));
        // An input is no operator.
        QTest::mouseClick(shown.canvas, Qt::LeftButton, {}, shown.centre(text("input.x")));
        QCOMPARE(shown.view.selected(), QString());
        shown.key(Qt::Key_Escape);
        QCOMPARE(changed.takeLast().at(0).toString(), QString());
        // What the program selects is not told.
        changed.clear();
        shown.view.select(text("conv.0"), true);
        QCOMPARE(shown.view.selected(), text("conv.0"));
        QCOMPARE(changed.count(), 0);
    }

    void arrowKeysFollowTheEdges()
    {
        Shown shown(pictures::diamond());
        QVERIFY(shown.ready);
        shown.key(Qt::Key_Home);
        QCOMPARE(shown.canvas->selected(), text("input.x"));
        shown.key(Qt::Key_Down);
        QCOMPARE(shown.view.selected(), text("relu.0"));
        shown.key(Qt::Key_Down);
        const QString one = shown.view.selected();
        QVERIFY(one.startsWith(text("conv.")));
        const bool isLeft = shown.centre(one).x() < shown.centre(one == text("conv.0") ? text("conv.1") : text("conv.0")).x();
        shown.key(isLeft ? Qt::Key_Right : Qt::Key_Left);
        QVERIFY(shown.view.selected().startsWith(text("conv.")) && shown.view.selected() != one);
        shown.key(Qt::Key_Down);
        QCOMPARE(shown.view.selected(), text("add.0"));
        QSignalSpy activated(&shown.view, &GraphView::activated);
        shown.key(Qt::Key_Return);
        QCOMPARE(activated.takeFirst().at(0).toString(), text("add.0"));
        shown.key(Qt::Key_Up);
        QVERIFY(shown.view.selected().startsWith(text("conv.")));
    }

    void hoverIsToldAndNotScrolled()
    {
        Shown shown(pictures::diamond());
        QVERIFY(shown.ready);
        QSignalSpy hovered(&shown.view, &GraphView::hovered);
        QTest::mouseMove(shown.canvas, shown.centre(text("add.0")));
        QTRY_VERIFY(!hovered.isEmpty());
        QCOMPARE(hovered.takeLast().at(0).toString(), text("add.0"));
        const QRectF before = shown.canvas->visibleRect();
        shown.view.hover(text("relu.0"));
        QCOMPARE(shown.canvas->marks().hovered, shown.canvas->scene()->places.value(text("relu.0")));
        QCOMPARE(shown.canvas->visibleRect(), before);
    }

    void theWheelZoomsWhereItPoints()
    {
        Shown shown(pictures::chain(30));
        QVERIFY(shown.ready);
        const QPointF point(120, 90);
        const QPointF under = shown.canvas->toScene(point);
        const double zoom = shown.canvas->zoom();
        QWheelEvent wheel(point, shown.canvas->mapToGlobal(point), {}, QPoint(0, -120), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(shown.canvas, &wheel);
        QVERIFY(shown.canvas->zoom() < zoom);
        QVERIFY((shown.canvas->toScene(point) - under).manhattanLength() < 1e-6);
        shown.key(Qt::Key_Space);
        QVERIFY(shown.canvas->visibleRect().contains(shown.canvas->scene()->bounds));
        const double all = shown.canvas->zoom();
        shown.key(Qt::Key_Plus);
        QVERIFY(shown.canvas->zoom() > all);
    }

    void draggingPansAndTheOverviewFollows()
    {
        Shown shown(pictures::chain(30));
        QVERIFY(shown.ready);
        auto* overview = shown.view.findChild<QWidget*>(text("graphMinimap"));
        QVERIFY(overview->isVisible());
        const double before = shown.canvas->visibleRect().top();
        QTest::mousePress(shown.canvas, Qt::LeftButton, {}, QPoint(30, 400));
        QTest::mouseMove(shown.canvas, QPoint(30, 300));
        QMouseEvent move(QEvent::MouseMove, QPointF(30, 300), shown.canvas->mapToGlobal(QPointF(30, 300)), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(shown.canvas, &move);
        QTest::mouseRelease(shown.canvas, Qt::LeftButton, {}, QPoint(30, 300));
        QVERIFY(shown.canvas->visibleRect().top() > before + 50);
        QTest::mouseClick(overview, Qt::LeftButton, {}, QPoint(overview->width() / 2, overview->height() - 6));
        QVERIFY(shown.canvas->visibleRect().bottom() > shown.canvas->scene()->bounds.bottom() - 200);
        shown.view.fit();
        QVERIFY(!overview->isVisible());
    }

    void searchCountsStepsAndMarks()
    {
        Shown shown(pictures::chain(12));
        QVERIFY(shown.ready);
        auto* field = shown.view.findChild<QLineEdit*>(text("graphSearch"));
        auto* count = shown.view.findChild<QLabel*>(text("graphMatchCount"));
        QTest::keyClicks(field, text("conv 128x56"));
        QCOMPARE(count->text(), text("4 found"));
        QCOMPARE(shown.canvas->marks().matches.size(), 4);
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(count->text(), text("1 of 4"));
        QCOMPARE(shown.view.selected(), text("conv.1"));
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(count->text(), text("4 of 4"));
        QCOMPARE(shown.view.selected(), text("conv.10"));
        QVERIFY(shown.canvas->visibleRect().contains(shown.canvas->toScene(shown.centre(text("conv.10")))));
        QTest::keyClicks(field, text(" nonsense"));
        QCOMPARE(count->text(), text("no match"));
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!count->isVisible());
        QVERIFY(shown.canvas->marks().matches.isEmpty());
    }

    void blocksOpenAndCloseInPlace()
    {
        Shown shown(pictures::transformer(4));
        QVERIFY(shown.ready);
        QCOMPARE(shown.boxes(), 3 + 4 + 1); // more than sixty groups: closed
        QSignalSpy laidOut(&shown.view, &GraphView::layoutFinished);
        const QPointF where = shown.canvas->toScreen(shown.canvas->scene()->nodes[static_cast<std::size_t>(shown.canvas->scene()->places.value(text("block.1")))].box.topLeft());
        QTest::mouseDClick(shown.canvas, Qt::LeftButton, {}, shown.centre(text("block.1")));
        QVERIFY(laidOut.wait());
        QCOMPARE(shown.boxes(), 3 + 3 + 39 + 1);
        QCOMPARE(shown.canvas->scene()->frames.size(), std::size_t{1});
        const QString first = QString::fromStdString("mean.42");
        const int member = shown.canvas->scene()->places.value(first, -1);
        QVERIFY(member >= 0);
        QVERIFY((shown.canvas->toScreen(shown.canvas->scene()->nodes[static_cast<std::size_t>(member)].box.topLeft()) - where).manhattanLength() < 1);
        shown.view.select(first, true);
        shown.key(Qt::Key_Backspace);
        QVERIFY(laidOut.wait());
        QCOMPARE(shown.boxes(), 3 + 4 + 1);
        // The group is still pinned; its block stands for it.
        QCOMPARE(shown.view.selected(), first);
        QCOMPARE(shown.canvas->marks().selectedInside, first);
        QTest::mouseClick(shown.view.findChild<QToolButton*>(text("graphExpandAll")), Qt::LeftButton);
        QVERIFY(laidOut.wait());
        QCOMPARE(shown.boxes(), 4 + 4 * 39);
        QTest::mouseClick(shown.view.findChild<QToolButton*>(text("graphCollapseAll")), Qt::LeftButton);
        QVERIFY(laidOut.wait());
        QCOMPARE(shown.boxes(), 3 + 4 + 1);
    }

    void withoutGraphvizItIsLaidOutAllTheSame_data()
    {
        QTest::addColumn<QString>("program");
        QTest::newRow("missing") << QString();
        QTest::newRow("does not start") << text("/no/such/program");
        QTest::newRow("fails") << text("/bin/false");
        QTest::newRow("says nothing useful") << text("/bin/true");
    }
    void withoutGraphvizItIsLaidOutAllTheSame()
    {
        QFETCH(QString, program);
        GraphView view;
        view.setGraphviz(program);
        QSignalSpy laidOut(&view, &GraphView::layoutFinished);
        QSignalSpy busy(&view, &GraphView::busy);
        view.setPicture(pictures::diamond());
        QVERIFY(laidOut.count() > 0 || laidOut.wait());
        QCOMPARE(laidOut.first().at(0).toInt(), 5);
        QCOMPARE(busy.count(), 2);
        QCOMPARE(busy.last().at(0).toBool(), false);
    }

    void aSlowLayoutCanBeCancelled()
    {
        GraphView view;
        view.resize(400, 400);
        view.show();
        QTemporaryDir folder;
        QFile script(folder.filePath(text("slow")));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\nexec sleep 60\n");
        script.close();
        script.setPermissions(QFile::ReadOwner | QFile::ExeOwner | QFile::WriteOwner);
        view.setGraphviz(script.fileName());
        QSignalSpy laidOut(&view, &GraphView::layoutFinished);
        view.setPicture(pictures::diamond());
        auto* cancel = view.findChild<QPushButton*>(text("graphCancelLayout"));
        QTRY_VERIFY(cancel->isVisible());
        QVERIFY(laidOut.isEmpty());
        QTest::mouseClick(cancel, Qt::LeftButton);
        QTRY_COMPARE(laidOut.count(), 1);
        QVERIFY(!cancel->isVisible());
    }

    void boxesHaveWordsForAScreenReader()
    {
        Shown shown(pictures::chain(3));
        QVERIFY(shown.ready);
        shown.view.setNotes({{text("conv.1"), text("1.24 ms")}});
        shown.view.select(text("conv.1"), false);
        QAccessibleInterface* list = QAccessible::queryAccessibleInterface(shown.canvas);
        QVERIFY(list != nullptr);
        QCOMPARE(list->childCount(), 5 + 4); // the boxes, then the edges
        QAccessibleInterface* box = list->child(2);
        QCOMPARE(box->text(QAccessible::Name), QString::fromUtf8("conv 3×3 + relu, 128×56×56, NCHW16c, 1.24 ms, conv.1"));
        QVERIFY(box->state().selected);
        QCOMPARE(list->indexOfChild(box), 2);
        QAccessibleInterface* edge = list->child(5 + 1);
        QCOMPARE(edge->text(QAccessible::Name), QString::fromUtf8("v1: 1×128×1024, plain layout, from conv.0 to conv.1"));
        QVERIFY(!edge->state().selected);
        shown.canvas->selectEdge(1);
        QVERIFY(edge->state().selected);
        QVERIFY(!box->state().focused);
        QVERIFY(edge->rect().isValid());
    }
};

NW_TEST_MAIN(tst_graph_view, TestGraphView)
#include "tst_graph_view.moc"
