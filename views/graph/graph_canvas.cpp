#include "views/graph/graph_canvas.h"

#include "views/common/theme.h"
#include "views/graph/graph_accessible.h"
#include "views/graph/graph_minimap.h"

#include <QElapsedTimer>
#include <QPainter>

#include <algorithm>

namespace nw::views {
namespace {

constexpr double kMargin = 16; // around the scene when all of it is shown
constexpr double kReadable = 0.6;
constexpr double kNearest = 2.5;
constexpr double kFarthest = 0.2; // or as far as it takes to see everything

} // namespace

GraphCanvas::GraphCanvas(QWidget* parent)
    : QWidget(parent)
    , m_minimap(new GraphMinimap(this))
{
    setObjectName(QStringLiteral("graphCanvas"));
    setAccessibleName(tr("Graph"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_minimap->hide();
    connect(m_minimap, &GraphMinimap::centreWished, this, &GraphCanvas::panTo);
    installGraphAccessibility();
}

void GraphCanvas::setScene(std::shared_ptr<const GraphScene> scene, const QString& anchor)
{
    const auto placeOf = [](const GraphScene* in, const QString& id) -> const GraphScene::Node* {
        const auto found = in == nullptr ? QHash<QString, int>::const_iterator() : in->places.constFind(id);
        return in == nullptr || found == in->places.constEnd() ? nullptr : &in->nodes[static_cast<std::size_t>(*found)];
    };
    const GraphScene::Node* before = placeOf(m_scene.get(), anchor);
    const GraphScene::Node* after = placeOf(scene.get(), anchor);
    const bool isFirst = m_scene == nullptr;
    QPointF topLeft = m_topLeft;
    if (before != nullptr && after != nullptr) {
        topLeft += after->box.topLeft() - before->box.topLeft();
    }
    m_scene = std::move(scene);
    m_marks.hovered = m_marks.edge = -1;
    m_marks.matches.clear();
    m_minimap->setScene(m_scene);
    markSelected();
    markEdge();
    forgetAccessibleNodes(this);
    if (m_scene == nullptr) {
        m_untouched = true;
        m_minimap->hide();
        update();
        return;
    }
    if (isFirst) {
        m_untouched = true;
        open();
    } else {
        setView(m_zoom, topLeft);
    }
}

void GraphCanvas::setNotes(const QHash<QString, QString>& notes)
{
    m_marks.notes = notes;
    update();
}

void GraphCanvas::setHeat(const QHash<QString, double>& heat)
{
    m_marks.heat = heat;
    update();
}

void GraphCanvas::setMatches(const QSet<int>& matches)
{
    m_marks.matches = matches;
    update();
}

void GraphCanvas::setSelected(const QString& id)
{
    m_selected = id;
    markSelected();
    selectEdge(-1);
    tellFocus();
    update();
}

void GraphCanvas::selectEdge(int edge)
{
    if (m_scene == nullptr || edge == m_marks.edge) {
        return;
    }
    m_marks.edge = edge;
    const GraphScene::Edge none{};
    const GraphScene::Edge& chosen = edge < 0 ? none : m_scene->edges[static_cast<std::size_t>(edge)];
    m_edgeFrom = edge < 0 ? QString() : m_scene->nodes[static_cast<std::size_t>(chosen.from)].id;
    m_edgeTo = edge < 0 ? QString() : m_scene->nodes[static_cast<std::size_t>(chosen.to)].id;
    m_edgeTensor = chosen.tensor;
    tellFocus();
    update();
    Q_EMIT edgeSelected(chosen.sentence);
}

// The same edge in another scene, while both its ends are boxes there.
void GraphCanvas::markEdge()
{
    m_marks.edge = -1;
    for (std::size_t i = 0; m_scene != nullptr && !m_edgeFrom.isEmpty() && i < m_scene->edges.size(); ++i) {
        const GraphScene::Edge& edge = m_scene->edges[i];
        if (m_scene->nodes[static_cast<std::size_t>(edge.from)].id == m_edgeFrom &&
            m_scene->nodes[static_cast<std::size_t>(edge.to)].id == m_edgeTo && edge.tensor == m_edgeTensor) {
            m_marks.edge = static_cast<int>(i);
            return;
        }
    }
    if (!m_edgeFrom.isEmpty()) {
        m_edgeFrom.clear();
        Q_EMIT edgeSelected({});
    }
}

void GraphCanvas::markSelected()
{
    m_marks.selected = m_scene == nullptr ? -1 : m_scene->places.value(m_selected, -1);
    m_marks.selectedInside.clear();
    if (m_marks.selected >= 0 && m_scene->nodes[static_cast<std::size_t>(m_marks.selected)].id != m_selected) {
        m_marks.selectedInside = m_selected;
    }
}

void GraphCanvas::setHovered(const QString& id)
{
    const int hovered = m_scene == nullptr ? -1 : m_scene->places.value(id, -1);
    if (hovered != m_marks.hovered) {
        m_marks.hovered = hovered;
        update();
    }
}

QRectF GraphCanvas::visibleRect() const
{
    return {m_topLeft, QSizeF(size()) / m_zoom};
}

double GraphCanvas::fitZoom() const
{
    const QSizeF all = m_scene->bounds.size();
    const double across = (width() - 2 * kMargin) / std::max(1.0, all.width());
    const double down = (height() - 2 * kMargin) / std::max(1.0, all.height());
    return std::max(1e-4, std::min({across, down, 1.0}));
}

void GraphCanvas::fit()
{
    if (m_scene == nullptr) {
        return;
    }
    const double zoom = fitZoom();
    m_untouched = false;
    setView(zoom, m_scene->bounds.center() - QPointF(width(), height()) / 2 / zoom);
}

void GraphCanvas::open()
{
    if (m_scene == nullptr || width() < 40 || height() < 40) {
        return;
    }
    fit();
    m_untouched = true;
    if (m_zoom >= kReadable || m_scene->nodes.empty()) {
        return;
    }
    const double across = (width() - 2 * kMargin) / std::max(1.0, m_scene->bounds.width());
    const double zoom = std::clamp(across, kReadable, 1.0);
    const QRectF first = m_scene->nodes.front().box;
    const double left = m_scene->bounds.width() * zoom <= width() ? m_scene->bounds.center().x() : first.center().x();
    setView(zoom, {left - width() / 2 / zoom, m_scene->bounds.top() - kMargin / zoom});
}

void GraphCanvas::zoomBy(double factor, const QPointF& where)
{
    if (m_scene == nullptr) {
        return;
    }
    const double zoom = std::clamp(m_zoom * factor, std::min(kFarthest, fitZoom()), kNearest);
    m_untouched = false;
    setView(zoom, toScene(where) - where / zoom);
}

void GraphCanvas::panTo(const QPointF& sceneCentre)
{
    m_untouched = false;
    setView(m_zoom, sceneCentre - QPointF(width(), height()) / 2 / m_zoom);
}

// Something of the scene always stays in sight.
void GraphCanvas::setView(double zoom, const QPointF& topLeft)
{
    m_zoom = zoom;
    m_topLeft = topLeft;
    if (m_scene != nullptr) {
        const QRectF all = m_scene->bounds;
        const QPointF half = QPointF(width(), height()) / 2 / m_zoom;
        const QPointF centre = m_topLeft + half;
        const QPointF kept(std::clamp(centre.x(), all.left(), all.right()), std::clamp(centre.y(), all.top(), all.bottom()));
        m_topLeft = kept - half;
    }
    placeMinimap();
    update();
    Q_EMIT viewMoved();
}

void GraphCanvas::reveal(const QString& id)
{
    if (m_scene == nullptr || !m_scene->places.contains(id)) {
        return;
    }
    const QRectF box = m_scene->nodes[static_cast<std::size_t>(m_scene->places.value(id))].box;
    if (m_zoom < GraphPainter::kNoText) {
        m_zoom = std::min(1.0, std::max(GraphPainter::kNoText, kReadable)); // to be read, not only seen
    } else if (visibleRect().contains(box)) {
        return;
    }
    panTo(box.center());
}

void GraphCanvas::placeMinimap()
{
    const bool fits = m_scene == nullptr || visibleRect().contains(m_scene->bounds);
    const bool roomy = width() > 2 * m_minimap->width() && height() > 2 * m_minimap->height();
    m_minimap->setVisible(!fits && roomy);
    m_minimap->move(width() - m_minimap->width() - 8, height() - m_minimap->height() - 8);
    m_minimap->setSight(visibleRect());
}

void GraphCanvas::paintEvent(QPaintEvent*)
{
    QElapsedTimer clock;
    clock.start();
    QPainter painter(this);
    const Theme theme = Theme::of(palette());
    painter.fillRect(rect(), theme.panel);
    if (m_scene != nullptr) {
        painter.scale(m_zoom, m_zoom);
        painter.translate(-m_topLeft);
        m_marks.focused = hasFocus();
        GraphPainter(painter, theme, *m_scene, m_marks, m_zoom).paint(visibleRect());
    }
    if (hasFocus() && m_marks.selected < 0) {
        painter.resetTransform();
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(theme.accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
    m_lastPaintMs = static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

void GraphCanvas::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (m_untouched) {
        open();
    } else {
        setView(m_zoom, m_topLeft);
    }
}

int GraphCanvas::spokenCount() const
{
    return m_scene == nullptr ? 0 : static_cast<int>(m_scene->nodes.size() + m_scene->edges.size());
}

QRectF GraphCanvas::spokenPlace(int index) const
{
    const std::size_t place = static_cast<std::size_t>(index), boxes = m_scene->nodes.size();
    return place < boxes ? m_scene->nodes[place].box : m_scene->edges[place - boxes].bounds;
}

bool GraphCanvas::isSpokenSelected(int index) const
{
    const int edge = index - static_cast<int>(m_scene->nodes.size());
    return edge < 0 ? index == m_marks.selected : edge == m_marks.edge;
}

int GraphCanvas::spokenAt(const QPointF& scenePoint) const
{
    const int node = m_scene == nullptr ? -1 : m_scene->nodeAt(scenePoint);
    const int edge = m_scene == nullptr || node >= 0 ? -1 : edgeAt(scenePoint);
    return edge < 0 ? node : edge + static_cast<int>(m_scene->nodes.size());
}

QString GraphCanvas::spoken(int index) const
{
    if (index >= static_cast<int>(m_scene->nodes.size())) {
        return m_scene->edges[static_cast<std::size_t>(index) - m_scene->nodes.size()].sentence;
    }
    const GraphScene::Node& node = m_scene->nodes[static_cast<std::size_t>(index)];
    QStringList parts{node.kind == GraphNode::Kind::Input ? tr("input %1").arg(node.title)
            : node.kind == GraphNode::Kind::Output        ? tr("output %1").arg(node.title)
                                                          : node.title};
    parts << node.second;
    parts << node.badges;
    parts << m_marks.notes.value(node.id, node.note);
    if (node.kind == GraphNode::Kind::Group || node.kind == GraphNode::Kind::Conversion) {
        parts << node.id;
    }
    for (const GraphScene::Stub& stub : node.stubs) {
        parts << tr("reads %1").arg(stub.name);
    }
    parts.removeAll(QString());
    return parts.join(QStringLiteral(", "));
}

} // namespace nw::views
