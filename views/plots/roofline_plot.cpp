#include "views/plots/roofline_plot.h"

#include "views/common/fonts.h"

#include <QKeyEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace nw::views {
namespace {

constexpr double kReach = 12; // px around a point that still mean it

QCPScatterStyle::ScatterShape shapeOf(const QString& name)
{
    if (name == QLatin1String("default")) {
        return QCPScatterStyle::ssSquare;
    }
    if (name == QLatin1String("auto")) {
        return QCPScatterStyle::ssDiamond;
    }
    if (name == QLatin1String("library")) {
        return QCPScatterStyle::ssTriangle;
    }
    return name == QLatin1String("bound") ? QCPScatterStyle::ssPlusCircle : QCPScatterStyle::ssDisc;
}

} // namespace

RooflinePlot::RooflinePlot(QWidget* parent)
    : QCustomPlot(parent)
    , m_theme(Theme::light())
{
    setObjectName(QStringLiteral("rooflinePlot"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(this, &QCustomPlot::afterLayout, this, &RooflinePlot::fit);
}

void RooflinePlot::draw(const RooflineData& roofline, const Theme& theme, const QFont& content, const QFont& note)
{
    m_data = roofline;
    m_theme = theme;
    m_content = content;
    m_note = note;
    m_range = rangeOf(roofline);
    m_roofTexts.clear();
    m_names.clear();
    m_arrows.clear();
    m_peakText = nullptr;
    clearItems();
    clearPlottables();
    setBackground(theme.panel);
    drawAxes();
    drawRoofs();
    drawPath();
    for (const RooflinePoint& point : m_data.others) {
        drawPoint(point, m_theme.series(point.name), shapeOf(point.name));
    }
    replot();
}

void RooflinePlot::drawAxes()
{
    for (QCPAxis* const axis : {xAxis, yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        const auto ticker = QSharedPointer<QCPAxisTickerLog>::create();
        ticker->setSubTickCount(0);
        axis->setTicker(ticker);
        axis->setNumberFormat(QStringLiteral("g"));
        axis->setNumberPrecision(4);
        axis->setBasePen(QPen(m_theme.line, 1));
        axis->setTickPen(Qt::NoPen);
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(m_theme.muted);
        axis->setTickLabelFont(m_note);
        axis->setLabelColor(m_theme.muted);
        axis->setLabelFont(m_note);
        axis->setLabelPadding(2);
        axis->grid()->setPen(QPen(m_theme.line, 1));
        axis->grid()->setSubGridVisible(false);
    }
    xAxis->grid()->setVisible(false);
    xAxis->setRange(m_range.left, m_range.right);
    yAxis->setRange(m_range.bottom, m_range.top);
    xAxis->setLabel(tr("FLOPs per byte"));
    yAxis->setLabel(tr("GFLOP/s"));
    plotLayout()->setMargins(QMargins(2, 0, 8, 0));
}

void RooflinePlot::drawRoofs()
{
    const double peak = m_data.peak();
    double ridge = m_range.right;
    for (const measure::Roofs::Level& level : m_data.roofs.levels) {
        const double perByte = m_data.bandwidth(level);
        if (perByte <= 0) {
            continue;
        }
        const double end = peak > 0 ? std::min(peak / perByte, m_range.right) : m_range.right;
        ridge = std::min(ridge, end);
        const double start = std::max(m_range.left, m_range.bottom / perByte);
        QCPGraph* const line = addGraph();
        line->setLayer(QStringLiteral("grid"));
        line->setPen(QPen(m_theme.muted, 1));
        line->setData({start, end}, {start * perByte, end * perByte}, true);
        m_roofTexts.push_back({addText(levelLabel(m_data, level), m_theme.muted, "grid"), perByte});
    }
    if (peak > 0) {
        QCPGraph* const line = addGraph();
        line->setLayer(QStringLiteral("grid"));
        line->setPen(QPen(m_theme.text, 1.5));
        line->setData({m_data.roofs.levels.empty() ? m_range.left : ridge, m_range.right}, {peak, peak}, true);
        m_peakText = addText(peakLabel(m_data), m_theme.text, "grid");
        m_peakText->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
        m_peakText->setBrush(Qt::NoBrush);
        m_peakText->position->setCoords(m_range.right, peak);
    }
}

QCPItemText* RooflinePlot::addText(const QString& text, const QColor& colour, const char* layer)
{
    auto* const item = new QCPItemText(this);
    item->setLayer(QLatin1String(layer));
    item->setText(text);
    item->setFont(m_note);
    item->setColor(colour);
    item->setBrush(m_theme.panel);
    item->setPadding(QMargins(3, 1, 3, 1));
    return item;
}

void RooflinePlot::drawPath()
{
    const RooflinePoint* before = nullptr;
    for (const RooflinePoint& point : m_data.path) {
        if (!canBeDrawn(point)) {
            continue;
        }
        if (before != nullptr) {
            auto* const arrow = new QCPItemLine(this);
            arrow->setLayer(QStringLiteral("main"));
            arrow->setPen(QPen(m_theme.seriesHand, 1.5));
            arrow->start->setCoords(before->flopsPerByte, before->gflops);
            arrow->end->setCoords(point.flopsPerByte, point.gflops);
            m_arrows.push_back(arrow);
        }
        before = &point;
    }
    for (const RooflinePoint& point : m_data.path) {
        drawPoint(point, m_theme.seriesHand, QCPScatterStyle::ssDisc);
    }
}

void RooflinePlot::drawPoint(const RooflinePoint& point, const QColor& colour, QCPScatterStyle::ScatterShape shape)
{
    if (!canBeDrawn(point)) {
        return;
    }
    QCPGraph* const graph = addGraph();
    graph->setLayer(QStringLiteral("axes"));
    graph->setLineStyle(QCPGraph::lsNone);
    const double size = point.current ? 12 : shape == QCPScatterStyle::ssDisc ? 7 : 9;
    const QPen outline(colour, point.current ? 2.5 : 1.5);
    graph->setScatterStyle(QCPScatterStyle(shape == QCPScatterStyle::ssDisc ? QCPScatterStyle::ssCircle : shape, outline,
                                           point.hollow || shape == QCPScatterStyle::ssPlusCircle ? m_theme.panel : colour, size));
    graph->setData({point.flopsPerByte}, {point.gflops});
    if (point.current || point.station < 0) {
        QCPItemText* const item = addText(point.name, point.current ? m_theme.text : m_theme.muted, "axes");
        item->setBrush(Qt::NoBrush);
        m_names.push_back({item, point});
    }
}

QPointF RooflinePlot::pixelOf(const RooflinePoint& point) const
{
    return {xAxis->coordToPixel(point.flopsPerByte), yAxis->coordToPixel(point.gflops)};
}

void RooflinePlot::fit()
{
    const QRectF inside = axisRect()->rect();
    if (inside.width() < 2 || inside.height() < 2) {
        return;
    }
    const double perDecadeX = inside.width() / std::log10(m_range.right / m_range.left);
    const double perDecadeY = inside.height() / std::log10(m_range.top / m_range.bottom);
    const double slant = -std::atan2(perDecadeY, perDecadeX) * 180 / M_PI;
    const double peak = m_data.peak();
    std::vector<std::pair<QPointF, double>> written; // middle and width of the words that stand
    const double angle = std::atan2(perDecadeY, perDecadeX);
    std::size_t index = m_roofTexts.size();
    // The slowest first: it is the one that matters most where words would cover each other.
    for (auto roof = m_roofTexts.rbegin(); roof != m_roofTexts.rend(); ++roof) {
        --index;
        const double end = std::log10(peak > 0 ? std::min(peak / roof->perByte, m_range.right) : m_range.right);
        const double start = std::log10(std::max(m_range.left, m_range.bottom / roof->perByte));
        const double room = std::hypot((end - start) * perDecadeX, (end - start) * perDecadeY);
        const QSizeF size = QFontMetricsF(m_note).size(0, roof->item->text()) + QSizeF(10, 0);
        // Staggered, since neighbouring roofs can lie closer than a line of text is high.
        const double share = std::clamp(index % 2 == 0 ? 0.34 : 0.68, size.width() / 2 / std::max(room, 1.0), 1.0);
        const double at = std::pow(10, start + share * (end - start));
        const QPointF middle(xAxis->coordToPixel(at), yAxis->coordToPixel(at * roof->perByte));
        const bool covers = std::any_of(written.begin(), written.end(), [&](const auto& other) {
            const QPointF by = middle - other.first;
            const double along = std::abs(by.x() * std::cos(angle) - by.y() * std::sin(angle));
            const double across = std::abs(by.x() * std::sin(angle) + by.y() * std::cos(angle));
            return along < (size.width() + other.second) / 2 && across < size.height();
        });
        roof->item->setVisible(room > size.width() && !covers);
        roof->item->setRotation(slant);
        roof->item->position->setCoords(at, at * roof->perByte);
        if (roof->item->visible()) {
            written.emplace_back(middle, size.width());
        }
    }
    for (QCPItemLine* const arrow : m_arrows) {
        const QLineF line(arrow->start->pixelPosition(), arrow->end->pixelPosition());
        arrow->setHead(line.length() > 22 ? QCPLineEnding(QCPLineEnding::esSpikeArrow, 7, 8) : QCPLineEnding(QCPLineEnding::esNone));
    }

    std::vector<QRectF> taken;
    for (const auto* points : {&m_data.path, &m_data.others}) {
        for (const RooflinePoint& point : *points) {
            if (canBeDrawn(point)) {
                taken.push_back(QRectF(pixelOf(point) - QPointF(5, 5), QSizeF(10, 10)));
            }
        }
    }
    if (m_peakText != nullptr) {
        const QSizeF size = QFontMetricsF(m_note).size(0, m_peakText->text());
        taken.push_back(QRectF(inside.right() - size.width() - 6, yAxis->coordToPixel(peak) - size.height() - 2, size.width() + 6, size.height() + 2));
    }
    for (const NameText& name : m_names) {
        const QPointF at = pixelOf(name.point);
        const QSizeF size = QFontMetricsF(m_note).size(0, name.item->text()) + QSizeF(6, 2);
        const QPointF corners[] = {{at.x() + 7, at.y() - size.height() / 2}, {at.x() - 7 - size.width(), at.y() - size.height() / 2},
                                   {at.x() + 5, at.y() - size.height() - 4}, {at.x() + 5, at.y() + 4},
                                   {at.x() - 5 - size.width(), at.y() + 4}, {at.x() - 5 - size.width(), at.y() - size.height() - 4}};
        bool placed = false;
        for (const QPointF& corner : corners) {
            const QRectF box(corner, size);
            const bool free = std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); });
            if (free && inside.contains(box)) {
                name.item->position->setType(QCPItemPosition::ptAbsolute);
                name.item->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
                name.item->position->setPixelPosition(corner);
                taken.push_back(box);
                placed = true;
                break;
            }
        }
        name.item->setVisible(placed);
    }
}

const RooflinePoint* RooflinePlot::pointAt(const QPointF& position) const
{
    const RooflinePoint* best = nullptr;
    double nearest = kReach;
    for (const auto* points : {&m_data.path, &m_data.others}) {
        for (const RooflinePoint& point : *points) {
            const double distance = canBeDrawn(point) ? QLineF(position, pixelOf(point)).length() : kReach;
            if (distance < nearest) {
                nearest = distance;
                best = &point;
            }
        }
    }
    return best;
}

void RooflinePlot::paintEvent(QPaintEvent* event)
{
    QCustomPlot::paintEvent(event);
    if (hasFocus()) {
        QPainter painter(this);
        painter.setPen(QPen(m_theme.accent, 1));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void RooflinePlot::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        Q_EMIT stepWished(event->key() == Qt::Key_Left ? -1 : 1);
        return;
    }
    event->ignore();
}

void RooflinePlot::mousePressEvent(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    if (event->button() == Qt::LeftButton) {
        Q_EMIT pressedAt(event->position());
    }
}

void RooflinePlot::mouseMoveEvent(QMouseEvent* event)
{
    const RooflinePoint* const point = pointAt(event->position());
    setToolTip(point != nullptr ? pointSpoken(*point) : QString());
    setCursor(point != nullptr && point->station >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void RooflinePlot::focusInEvent(QFocusEvent* event)
{
    QCustomPlot::focusInEvent(event);
    update();
}

void RooflinePlot::focusOutEvent(QFocusEvent* event)
{
    QCustomPlot::focusOutEvent(event);
    update();
}

} // namespace nw::views
