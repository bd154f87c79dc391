#include "views/graph/graph_minimap.h"

#include "views/common/fonts.h"
#include "views/common/theme.h"

#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace nw::views {
namespace {

constexpr double kEdge = 4;

} // namespace

GraphMinimap::GraphMinimap(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(QStringLiteral("graphMinimap"));
    setAccessibleName(tr("Overview of the graph"));
    setToolTip(tr("Drag to move the part in sight"));
    setCursor(Qt::ArrowCursor);
}

void GraphMinimap::setScene(std::shared_ptr<const GraphScene> scene)
{
    m_scene = std::move(scene);
    m_picture = {};
    if (m_scene != nullptr && !m_scene->bounds.isEmpty()) {
        const double unit = QFontMetricsF(contentFont()).height() / 16;
        const QSizeF all = m_scene->bounds.size();
        const double scale = std::min(120 * unit / all.width(), 150 * unit / all.height());
        // A long thin model is drawn wider than it is, so that it can be hit.
        resize(qRound(std::max(44 * unit, all.width() * scale) + 2 * kEdge),
            qRound(std::max(44 * unit, all.height() * scale) + 2 * kEdge));
    }
    update();
}

void GraphMinimap::setSight(const QRectF& visible)
{
    m_visible = visible;
    update();
}

QPointF GraphMinimap::small(const QPointF& scenePoint) const
{
    const QRectF& all = m_scene->bounds;
    return {kEdge + (scenePoint.x() - all.left()) / all.width() * (width() - 2 * kEdge),
        kEdge + (scenePoint.y() - all.top()) / all.height() * (height() - 2 * kEdge)};
}

QRectF GraphMinimap::sight() const
{
    if (m_scene == nullptr || m_scene->bounds.isEmpty()) {
        return {};
    }
    QRectF sight = QRectF(small(m_visible.topLeft()), small(m_visible.bottomRight())) & QRectF(rect()).adjusted(1, 1, -1, -1);
    if (sight.height() < 4) {
        sight.setTop(std::clamp(sight.center().y() - 2, 1.0, height() - 5.0));
        sight.setHeight(4);
    }
    return sight;
}

void GraphMinimap::drawPicture()
{
    m_picture = QPixmap(size() * devicePixelRatioF());
    m_picture.setDevicePixelRatio(devicePixelRatioF());
    const Theme theme = Theme::of(palette());
    m_picture.fill(theme.raised);
    QPainter painter(&m_picture);
    painter.setPen(theme.line);
    painter.drawRect(QRectF(rect()).adjusted(0, 0, -1, -1));
    for (const GraphScene::Node& node : m_scene->nodes) {
        QRectF box(small(node.box.topLeft()), small(node.box.bottomRight()));
        box.setHeight(std::max(box.height(), 1.0));
        painter.fillRect(box, theme.seriesDefault);
    }
}

void GraphMinimap::paintEvent(QPaintEvent*)
{
    if (m_scene == nullptr || m_scene->bounds.isEmpty()) {
        return;
    }
    if (m_picture.isNull()) {
        drawPicture();
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_picture);
    const Theme theme = Theme::of(palette());
    QColor tint = theme.accent;
    tint.setAlphaF(0.12F);
    painter.fillRect(sight(), tint);
    painter.setPen(theme.accent);
    painter.drawRect(sight());
}

void GraphMinimap::wish(const QPointF& where)
{
    if (m_scene == nullptr || m_scene->bounds.isEmpty()) {
        return;
    }
    const QRectF& all = m_scene->bounds;
    const double x = std::clamp((where.x() - kEdge) / (width() - 2 * kEdge), 0.0, 1.0);
    const double y = std::clamp((where.y() - kEdge) / (height() - 2 * kEdge), 0.0, 1.0);
    Q_EMIT centreWished({all.left() + x * all.width(), all.top() + y * all.height()});
}

void GraphMinimap::mousePressEvent(QMouseEvent* event)
{
    wish(event->position());
}

void GraphMinimap::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & Qt::LeftButton) {
        wish(event->position());
    }
}

void GraphMinimap::resizeEvent(QResizeEvent*)
{
    m_picture = {};
}

void GraphMinimap::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) {
        m_picture = {};
        update();
    }
    QWidget::changeEvent(event);
}

} // namespace nw::views
