#include "views/graph/at.h"
#include "views/graph/graph_accessible.h"
#include "views/graph/graph_canvas.h"

#include <QAccessible>
#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nw::views {
namespace {

constexpr double kStep = 1.25;
constexpr double kNearEdge = 6; // px

} // namespace

void GraphCanvas::wheelEvent(QWheelEvent* event)
{
    const double notches = event->angleDelta().y() / 120.0;
    if (notches != 0) {
        zoomBy(std::pow(kStep, notches), event->position());
    }
    event->accept();
}

void GraphCanvas::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) {
        event->ignore();
        return;
    }
    m_pressed = event->pos();
    m_pressedTopLeft = m_topLeft;
    m_dragging = false;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event)
{
    if (m_scene == nullptr) {
        return;
    }
    if (event->buttons() & Qt::LeftButton) {
        const QPoint moved = event->pos() - m_pressed;
        if (m_dragging || moved.manhattanLength() >= QApplication::startDragDistance()) {
            m_dragging = true;
            m_untouched = false;
            setCursor(Qt::ClosedHandCursor);
            setView(m_zoom, m_pressedTopLeft - QPointF(moved) / m_zoom);
        }
        return;
    }
    const QPointF point = toScene(event->position());
    const int node = m_scene->nodeAt(point);
    const bool canClick = node >= 0 || m_scene->frameHandleAt(point) != nullptr || edgeAt(point) >= 0;
    setCursor(canClick ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (node != m_marks.hovered) {
        m_marks.hovered = node;
        update();
        Q_EMIT hovered(node < 0 ? QString() : m_scene->nodes[at(node)].id);
    }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) {
        return;
    }
    setCursor(Qt::ArrowCursor);
    if (m_dragging || m_scene == nullptr) {
        m_dragging = false;
        return;
    }
    click(toScene(event->position()));
}

bool GraphCanvas::click(const QPointF& point)
{
    for (const GraphScene::Node& node : m_scene->nodes) {
        if (node.kind == GraphNode::Kind::Block && node.fold.contains(point)) {
            Q_EMIT openWished(node.block, true);
            return true;
        }
        for (const GraphScene::Stub& stub : node.stubs) {
            if (stub.place.contains(point)) {
                // To where the value comes from.
                const QString id = m_scene->nodes[at(stub.from)].id;
                Q_EMIT selectionWished(id);
                reveal(id);
                return true;
            }
        }
    }
    const int node = m_scene->nodeAt(point);
    if (node >= 0) {
        Q_EMIT selectionWished(m_scene->nodes[at(node)].id);
        return true;
    }
    if (const GraphScene::Frame* frame = m_scene->frameHandleAt(point)) {
        Q_EMIT openWished(frame->block, false);
        return true;
    }
    const int edge = edgeAt(point);
    if (edge >= 0) {
        selectEdge(edge);
        return true;
    }
    return false;
}

// Far away the lines stand too close to mean one of them.
int GraphCanvas::edgeAt(const QPointF& scenePoint) const
{
    return m_zoom < GraphPainter::kPlain ? -1 : m_scene->edgeAt(scenePoint, kNearEdge / m_zoom);
}

// From one edge of the selected box to the next; of all edges when none is selected.
void GraphCanvas::stepEdge(int by)
{
    std::vector<int> edges;
    if (m_marks.selected >= 0) {
        const GraphScene::Node& node = m_scene->nodes[at(m_marks.selected)];
        edges = node.out;
        edges.insert(edges.end(), node.in.begin(), node.in.end());
    } else {
        edges.resize(m_scene->edges.size());
        std::iota(edges.begin(), edges.end(), 0);
    }
    if (edges.empty()) {
        return;
    }
    const int count = static_cast<int>(edges.size());
    const auto found = std::find(edges.begin(), edges.end(), m_marks.edge);
    const int from = found == edges.end() ? (by > 0 ? -1 : count) : static_cast<int>(found - edges.begin());
    const int edge = edges[at((from + by + count) % count)];
    selectEdge(edge);
    if (!visibleRect().contains(m_scene->edges[at(edge)].bounds)) {
        panTo(m_scene->edges[at(edge)].bounds.center());
    }
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    const int node = m_scene == nullptr ? -1 : m_scene->nodeAt(toScene(event->position()));
    m_dragging = true; // its release is not another click
    if (event->button() == Qt::LeftButton && node >= 0) {
        Q_EMIT activated(node);
    }
}

void GraphCanvas::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    if (m_marks.hovered >= 0) {
        m_marks.hovered = -1;
        update();
        Q_EMIT hovered({});
    }
}

// Where an arrow key leads from the selection: down and up along the edges, sideways to the box standing nearest.
int GraphCanvas::neighbour(int key) const
{
    const int from = m_marks.selected;
    const std::vector<GraphScene::Node>& nodes = m_scene->nodes;
    const QPointF centre = nodes[at(from)].box.center();
    int best = -1;
    double nearest = 1e300;
    const auto consider = [&](int node, double distance) {
        if (distance < nearest) {
            nearest = distance;
            best = node;
        }
    };
    if (key == Qt::Key_Down || key == Qt::Key_Up) {
        for (const int edge : key == Qt::Key_Down ? nodes[at(from)].out : nodes[at(from)].in) {
            const int node = key == Qt::Key_Down ? m_scene->edges[at(edge)].to : m_scene->edges[at(edge)].from;
            const QPointF away = nodes[at(node)].box.center() - centre;
            consider(node, std::abs(away.x()) + std::abs(away.y()));
        }
        return best;
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const QPointF away = nodes[i].box.center() - centre;
        const bool thatSide = key == Qt::Key_Right ? away.x() > 0 : away.x() < 0;
        if (thatSide && std::abs(away.y()) < nodes[at(from)].box.height()) {
            consider(static_cast<int>(i), std::abs(away.x()) + 4 * std::abs(away.y()));
        }
    }
    return best;
}

void GraphCanvas::moveSelection(int key)
{
    if (m_scene->nodes.empty()) {
        return;
    }
    int node = 0;
    if (m_marks.edge >= 0 && (key == Qt::Key_Up || key == Qt::Key_Down)) {
        const GraphScene::Edge& edge = m_scene->edges[at(m_marks.edge)];
        node = key == Qt::Key_Up ? edge.from : edge.to;
    } else if (key == Qt::Key_End) {
        node = static_cast<int>(m_scene->nodes.size()) - 1;
    } else if (key != Qt::Key_Home && m_marks.selected >= 0) {
        node = neighbour(key);
    }
    if (node >= 0) {
        const QString id = m_scene->nodes[at(node)].id;
        Q_EMIT selectionWished(id);
        reveal(id);
    }
}

void GraphCanvas::keyPressEvent(QKeyEvent* event)
{
    if (m_scene == nullptr) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Home:
    case Qt::Key_End:
        moveSelection(event->key());
        return;
    case Qt::Key_E:
        if (event->modifiers() & ~Qt::ShiftModifier) {
            break;
        }
        stepEdge(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
        return;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomBy(kStep);
        return;
    case Qt::Key_Minus:
        zoomBy(1 / kStep);
        return;
    case Qt::Key_Space:
        fit();
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_marks.selected >= 0) {
            Q_EMIT activated(m_marks.selected);
        }
        return;
    case Qt::Key_Backspace:
        // Closes the block around the selection.
        if (m_marks.selected >= 0 && m_scene->nodes[at(m_marks.selected)].block >= 0 &&
            m_scene->nodes[at(m_marks.selected)].kind != GraphNode::Kind::Block) {
            Q_EMIT openWished(m_scene->nodes[at(m_marks.selected)].block, false);
        }
        return;
    case Qt::Key_Escape:
        if (m_marks.edge >= 0) {
            selectEdge(-1);
            return;
        }
        if (!m_selected.isEmpty()) {
            Q_EMIT selectionWished({});
            return;
        }
        break;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

void GraphCanvas::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    tellFocus();
    update();
}

void GraphCanvas::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

void GraphCanvas::tellFocus()
{
    const int chosen = m_marks.edge < 0 ? m_marks.selected : m_marks.edge + static_cast<int>(m_scene->nodes.size());
    if (hasFocus() && chosen >= 0) {
        QAccessibleEvent event(this, QAccessible::Focus);
        event.setChild(chosen);
        QAccessible::updateAccessibility(&event);
    }
}

void GraphCanvas::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        update();
    }
    QWidget::changeEvent(event);
}

bool GraphCanvas::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && m_scene != nullptr) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QPointF point = toScene(help->pos());
        const int node = m_scene->nodeAt(point);
        const int edge = node < 0 ? edgeAt(point) : -1;
        if (node >= 0 || edge >= 0) {
            QToolTip::showText(help->globalPos(), node >= 0 ? m_scene->nodes[at(node)].toolTip : m_scene->edges[at(edge)].toolTip, this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(event);
}

} // namespace nw::views
