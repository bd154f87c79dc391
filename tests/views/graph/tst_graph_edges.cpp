#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "tests/views/graph/shown_graph.h"

#include <QImage>

#include <cstdlib>

using namespace nw::views;
using pictures::Shown;
using pictures::text;

namespace {

// The diamond with all that is known of its values.
std::shared_ptr<const GraphPicture> described()
{
    auto picture = std::make_shared<GraphPicture>(*pictures::diamond());
    for (GraphEdge& edge : picture->edges) {
        edge.shape = "1×128×1024";
        edge.type = "f32";
        edge.layout = "NCHW16c";
        edge.bytes = 128 * 1024 * 4;
    }
    return picture;
}

} // namespace

class TestGraphEdges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::wearTheme(Theme::light(), 1); }

    void aClickOnAnEdgeTellsWhatGoesAlong()
    {
        Shown shown(described());
        QVERIFY(shown.ready);
        QSignalSpy told(&shown.view, &GraphView::edgeSelected);
        QSignalSpy changed(&shown.view, &GraphView::selectionChanged);
        const int edge = shown.edge("relu.0", "conv.1");
        QVERIFY(edge >= 0);
        const GraphScene::Edge& drawn = shown.canvas->scene()->edges[static_cast<std::size_t>(edge)];
        const QPoint on = shown.canvas->toScreen(drawn.path.pointAtPercent(0.5)).toPoint();
        QTest::mouseClick(shown.canvas, Qt::LeftButton, {}, on + QPoint(3, 0));
        QCOMPARE(shown.canvas->selectedEdge(), edge);
        QCOMPARE(told.count(), 1);
        QCOMPARE(told.takeFirst().at(0).toString(), QString::fromUtf8("v1: 1×128×1024 f32, NCHW16c, 512 KiB, from relu.0 to conv.1"));
        QCOMPARE(drawn.toolTip, QString::fromUtf8("v1: 1×128×1024 f32, NCHW16c, 512 KiB\nfrom relu.0 to conv.1"));
        QCOMPARE(changed.count(), 0); // no operator
        // Elsewhere is no edge.
        QCOMPARE(shown.canvas->scene()->edgeAt(drawn.bounds.topLeft() - QPointF(100, 100), 6), -1);
        // Another box instead, and the edge is left.
        QTest::mouseClick(shown.canvas, Qt::LeftButton, {}, shown.centre(text("conv.0")));
        QCOMPARE(shown.canvas->selectedEdge(), -1);
        QCOMPARE(told.takeLast().at(0).toString(), QString());
        QCOMPARE(shown.view.selected(), text("conv.0"));
    }

    void aSelectedEdgeIsLitWithBothItsEnds()
    {
        Shown shown(described());
        QVERIFY(shown.ready);
        const int edge = shown.edge("conv.0", "add.0");
        // The colour of the accent where a box has its left border, and on the line.
        const auto isLit = [&](const QPointF& point) {
            const QImage drawn = shown.canvas->grab().toImage();
            const QPoint centre = shown.canvas->toScreen(point).toPoint();
            for (int dx = -2; dx <= 2; ++dx) {
                const QColor colour = drawn.pixelColor(centre + QPoint(dx, 0));
                if (std::abs(colour.hue() - Theme::light().accent.hue()) < 8 && colour.saturation() > 120) {
                    return true;
                }
            }
            return false;
        };
        const auto border = [&](const char* id) {
            const int node = shown.canvas->scene()->places.value(text(id));
            const QRectF box = shown.canvas->scene()->nodes[static_cast<std::size_t>(node)].box;
            return QPointF(box.left(), box.center().y());
        };
        const QPointF middle = shown.canvas->scene()->edges[static_cast<std::size_t>(edge)].path.pointAtPercent(0.5);
        QVERIFY(!isLit(border("conv.0")) && !isLit(border("add.0")) && !isLit(middle));
        shown.canvas->selectEdge(edge);
        QVERIFY(isLit(border("conv.0")) && isLit(border("add.0")) && isLit(middle));
        QVERIFY(!isLit(border("conv.1")) && !isLit(border("relu.0")));
        test::keepPicture(shown.view, text("graph_edge"));
        shown.key(Qt::Key_Escape);
        QCOMPARE(shown.canvas->selectedEdge(), -1);
        QVERIFY(!isLit(border("conv.0")) && !isLit(middle));
    }

    void keysReachTheEdges()
    {
        Shown shown(described());
        QVERIFY(shown.ready);
        shown.view.select(text("conv.1"), false);
        QSignalSpy told(&shown.view, &GraphView::edgeSelected);
        shown.key(Qt::Key_E);
        QCOMPARE(shown.canvas->selectedEdge(), shown.edge("conv.1", "add.0"));
        shown.key(Qt::Key_E);
        QCOMPARE(shown.canvas->selectedEdge(), shown.edge("relu.0", "conv.1"));
        shown.key(Qt::Key_E);
        QCOMPARE(shown.canvas->selectedEdge(), shown.edge("conv.1", "add.0"));
        QTest::keyClick(shown.canvas, Qt::Key_E, Qt::ShiftModifier);
        QCOMPARE(shown.canvas->selectedEdge(), shown.edge("relu.0", "conv.1"));
        QCOMPARE(told.count(), 4);
        // To where it comes from.
        shown.key(Qt::Key_Up);
        QCOMPARE(shown.view.selected(), text("relu.0"));
        QCOMPARE(shown.canvas->selectedEdge(), -1);
    }

    void aSelectedEdgeOutlivesALayout()
    {
        Shown shown(pictures::transformer(4));
        QVERIFY(shown.ready);
        QSignalSpy laidOut(&shown.view, &GraphView::layoutFinished);
        const int edge = shown.edge("input.x", "gather.2");
        QVERIFY(edge >= 0);
        shown.canvas->selectEdge(edge);
        shown.view.openBlock(text("block.1"), true);
        QVERIFY(laidOut.wait());
        QCOMPARE(shown.canvas->selectedEdge(), shown.edge("input.x", "gather.2"));
        QVERIFY(shown.canvas->selectedEdge() >= 0);
        QSignalSpy told(&shown.view, &GraphView::edgeSelected);
        shown.view.setPicture(pictures::diamond());
        QVERIFY(laidOut.count() > 1 || laidOut.wait());
        QCOMPARE(shown.canvas->selectedEdge(), -1);
        QCOMPARE(told.takeLast().at(0).toString(), QString());
    }
};

NW_TEST_MAIN(tst_graph_edges, TestGraphEdges)
#include "tst_graph_edges.moc"
