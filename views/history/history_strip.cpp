#include "views/history/history_strip.h"

#include "views/history/history_accessible.h"
#include "views/history/station_text.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace nw::views {

HistoryStrip::HistoryStrip(QWidget* parent)
    : QAbstractScrollArea(parent)
{
    setObjectName(QStringLiteral("historyStrip"));
    setAccessibleName(tr("History"));
    setFocusPolicy(Qt::StrongFocus);
    // Single keys are commands here: an input method must not swallow them.
    setAttribute(Qt::WA_InputMethodEnabled, false);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    installHistoryAccessible();
}

void HistoryStrip::setStations(const std::vector<session::Station>& stations, int cursor, double boundNs)
{
    // A new figure on a station must not take the keyboard off a step that does not fit.
    const bool sameRow = stations.size() == m_stations.size() && cursor == m_shown.cursor;
    m_stations = stations;
    m_shown.cursor = cursor;
    m_shown.boundNs = boundNs;
    m_shown.hovered = -1;
    if (!sameRow) {
        endDrag();
        m_shown.focus = std::clamp(cursor, 0, std::max(count() - 1, 0));
    }
    place();
    if (!sameRow && count() > 0) {
        focusOn(m_shown.focus);
    }
}

void HistoryStrip::setRunning(int station, const QString& what)
{
    m_shown.running = station;
    m_shown.runningWhat = what;
    viewport()->update();
}

void HistoryStrip::setOtherBranches(const std::vector<session::Branch>& others)
{
    const bool hadStubs = stubCount() > 0;
    m_others = others;
    m_shown.hoveredStub = -1;
    m_pressedStub = -1;
    place();
    if (hadStubs != (stubCount() > 0)) {
        updateGeometry();
    }
}

QRect HistoryStrip::stubRect(int stub) const
{
    return stub < 0 || stub >= stubCount()
        ? QRect()
        : m_layout.stubs[static_cast<std::size_t>(stub)].box.translated(-offset(), 0).toAlignedRect();
}

int HistoryStrip::stubAt(const QPoint& inViewport) const
{
    return m_layout.stubAt(QPointF(inViewport) + QPointF(offset(), 0));
}

double HistoryStrip::offset() const
{
    return horizontalScrollBar()->value();
}

QRect HistoryStrip::boxOf(int station) const
{
    if (station < 0 || station >= count()) {
        return {};
    }
    return m_layout.boxes[static_cast<std::size_t>(station)].translated(-offset(), 0).toAlignedRect();
}

int HistoryStrip::stationAt(const QPoint& inViewport) const
{
    return m_layout.stationAt(QPointF(inViewport) + QPointF(offset(), 0));
}

QString HistoryStrip::spoken(int station) const
{
    if (station < 0 || station >= count()) {
        return {};
    }
    QString text = stationSpoken(m_stations, station, station == m_shown.cursor);
    if (station == m_shown.running) {
        text += QStringLiteral(", ") % m_shown.runningWhat;
    }
    for (const BranchStub& stub : m_layout.stubs) {
        if (stub.station == station) {
            text += QStringLiteral(", ") % tr("branches from here: %1").arg(stubText(stub, m_others));
        }
    }
    return text;
}

QSize HistoryStrip::minimumSizeHint() const
{
    const HistorySizes sizes = HistorySizes::now();
    return {static_cast<int>(sizes.boxWidth + 2 * sizes.margin), static_cast<int>(sizes.boxHeight + sizes.noteHeight + 60 + (stubCount() > 0 ? sizes.stubHeight : 0))};
}

QSize HistoryStrip::sizeHint() const
{
    const HistorySizes sizes = HistorySizes::now();
    return {static_cast<int>(5 * (sizes.boxWidth + sizes.gap)), static_cast<int>(sizes.boxHeight + sizes.noteHeight + 96 + (stubCount() > 0 ? sizes.stubHeight : 0))};
}

void HistoryStrip::place()
{
    m_layout = layOut(m_stations, m_shown.boundNs, viewport()->size(), HistorySizes::now(), m_others);
    const int extra = std::max(0, static_cast<int>(std::ceil(m_layout.length - 0.5)) - viewport()->width());
    horizontalScrollBar()->setRange(0, extra);
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(static_cast<int>(m_layout.pitch / 3));
    viewport()->update();
}

void HistoryStrip::focusOn(int station)
{
    m_shown.focus = station;
    const QRectF box = m_layout.boxes[static_cast<std::size_t>(station)];
    const double shownTo = offset() + viewport()->width();
    if (box.left() < offset() + 4) {
        horizontalScrollBar()->setValue(static_cast<int>(box.left() - 12));
    } else if (box.right() > shownTo - 4) {
        horizontalScrollBar()->setValue(static_cast<int>(std::ceil(box.right() + 12 - viewport()->width())));
    }
    viewport()->update();
    if (hasFocus()) {
        QAccessibleEvent told(this, QAccessible::Focus);
        told.setChild(station);
        QAccessible::updateAccessibility(&told);
    }
}

// A step that does not fit can be edited or removed, but there is no nest to jump to.
void HistoryStrip::goTo(int station)
{
    const int target = std::clamp(station, 0, count() - 1);
    focusOn(target);
    if (at(target).reached && target != m_shown.cursor) {
        Q_EMIT jumpWished(target);
    }
}

void HistoryStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    const Theme theme = Theme::of(palette());
    painter.fillRect(viewport()->rect(), theme.panel);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(-offset(), 0);
    HistoryShown shown = m_shown;
    shown.hasFocus = hasFocus();
    shown.from = offset();
    shown.to = offset() + viewport()->width();
    paintCurve(painter, m_layout, m_stations, shown, theme);
    paintStations(painter, m_layout, m_stations, shown, theme);
    paintStubs(painter, m_layout, m_others, shown, theme);
}

void HistoryStrip::resizeEvent(QResizeEvent*)
{
    place();
    if (m_shown.focus >= 0 && m_shown.focus < count()) {
        focusOn(m_shown.focus); // it stays in view
    }
}

void HistoryStrip::scrollContentsBy(int, int)
{
    // The bound's words stay in view, so that the old picture is of no use.
    viewport()->update();
}

void HistoryStrip::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange || event->type() == QEvent::StyleChange) {
        updateGeometry();
        place();
    } else if (event->type() == QEvent::PaletteChange) {
        viewport()->update();
    }
    QAbstractScrollArea::changeEvent(event);
}

void HistoryStrip::focusInEvent(QFocusEvent* event)
{
    viewport()->update();
    QAbstractScrollArea::focusInEvent(event);
}

void HistoryStrip::focusOutEvent(QFocusEvent* event)
{
    viewport()->update();
    QAbstractScrollArea::focusOutEvent(event);
}

bool HistoryStrip::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int station = stationAt(help->pos());
        const int stub = stubAt(help->pos());
        if (stub >= 0) {
            QToolTip::showText(help->globalPos(), stubToolTip(m_layout.stubs[static_cast<std::size_t>(stub)], m_others), viewport());
        } else if (station >= 0) {
            QToolTip::showText(help->globalPos(), stationToolTip(m_stations, station), viewport());
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    if (event->type() == QEvent::Leave && (m_shown.hovered >= 0 || m_shown.hoveredStub >= 0)) {
        m_shown.hovered = m_shown.hoveredStub = -1;
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace nw::views
