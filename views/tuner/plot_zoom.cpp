#include "views/tuner/plot_zoom.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace nw::views {
namespace {

constexpr double kStep = 0.8;     // of a notch of the wheel
constexpr double kClosest = 1e-3; // of all
constexpr double kClosestRatio = 1.03; // on a logarithmic axis: labels have three digits
constexpr double kAlong = 0.2;    // of what is seen, by a key

bool isLogarithmic(const QCPAxis& axis)
{
    return axis.scaleType() == QCPAxis::stLogarithmic;
}

// On a logarithmic axis all is done with exponents, so that a factor is a distance.
QCPRange straight(const QCPAxis& axis, const QCPRange& range)
{
    return isLogarithmic(axis) ? QCPRange(std::log(range.lower), std::log(range.upper)) : range;
}

QCPRange back(const QCPAxis& axis, const QCPRange& range)
{
    return isLogarithmic(axis) ? QCPRange(std::exp(range.lower), std::exp(range.upper)) : range;
}

QCPRange moved(const QCPRange& range, double by)
{
    return {range.lower + by, range.upper + by};
}

// As large as it is, where there is room for it in `all`.
QCPRange inside(const QCPRange& range, const QCPRange& all)
{
    if (range.size() >= all.size()) {
        return all;
    }
    return moved(range, std::max(0.0, all.lower - range.lower) - std::max(0.0, range.upper - all.upper));
}

QCPRange scaled(const QCPAxis& axis, const QCPRange& all, double factor, double pixel)
{
    const QCPRange whole = straight(axis, all);
    const QCPRange now = straight(axis, axis.range());
    const double coordinate = axis.pixelToCoord(pixel);
    const double fixed = isLogarithmic(axis) ? std::log(coordinate) : coordinate;
    const double least = isLogarithmic(axis) ? std::log(kClosestRatio) : whole.size() * kClosest;
    const double by = std::max(factor, least / std::max(now.size(), least));
    return back(axis, inside({fixed + (now.lower - fixed) * by, fixed + (now.upper - fixed) * by}, whole));
}

QCPRange dragged(const QCPAxis& axis, const QCPRange& all, double from, double to)
{
    const double a = axis.pixelToCoord(from);
    const double b = axis.pixelToCoord(to);
    const double by = isLogarithmic(axis) ? std::log(a / b) : a - b;
    return back(axis, inside(moved(straight(axis, axis.range()), by), straight(axis, all)));
}

} // namespace

PlotZoom::PlotZoom(QCustomPlot* plot, std::vector<QCPAxis*> across, std::vector<QCPAxis*> up)
    : QObject(plot)
    , m_plot(plot)
    , m_across(std::move(across))
    , m_up(std::move(up))
{
    plot->installEventFilter(this);
}

void PlotZoom::setAll(const QCPRange& across, const QCPRange& up)
{
    m_allAcross = across;
    m_allUp = up;
    if (!m_closer) {
        apply(across, up);
    }
}

void PlotZoom::showAll()
{
    if (m_closer) {
        m_closer = false;
        apply(m_allAcross, m_allUp);
        tell();
    }
}

void PlotZoom::apply(const QCPRange& across, const QCPRange& up)
{
    for (QCPAxis* const axis : m_across) {
        axis->setRange(across);
    }
    for (QCPAxis* const axis : m_up) {
        axis->setRange(up);
    }
}

void PlotZoom::tell()
{
    Q_EMIT changed(m_closer);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void PlotZoom::zoom(double factor, const QPointF& at)
{
    if (!QCPRange::validRange(m_allAcross) || !QCPRange::validRange(m_allUp)) {
        return; // nothing was drawn yet
    }
    const QCPRange across = scaled(*m_across.front(), m_allAcross, factor, at.x());
    const QCPRange up = scaled(*m_up.front(), m_allUp, factor, at.y());
    m_closer = across.size() < m_allAcross.size() * 0.999 || up.size() < m_allUp.size() * 0.999;
    apply(across, up);
    tell();
}

void PlotZoom::copyTo(PlotZoom& other) const
{
    if (m_closer) {
        other.m_closer = true;
        other.apply(m_across.front()->range(), m_up.front()->range());
        other.tell();
    }
}

bool PlotZoom::wheel(const QWheelEvent& event)
{
    const int turned = event.angleDelta().y();
    if (turned != 0) {
        zoom(std::pow(kStep, turned / 120.0), event.position());
    }
    return true;
}

bool PlotZoom::key(const QKeyEvent& event)
{
    const QRect seen = m_across.front()->axisRect()->rect();
    if (event.modifiers().testFlag(Qt::ShiftModifier) && m_closer) {
        const std::map<int, QPointF> along{{Qt::Key_Left, {seen.width() * kAlong, 0}}, {Qt::Key_Right, {seen.width() * -kAlong, 0}},
                                           {Qt::Key_Up, {0, seen.height() * kAlong}}, {Qt::Key_Down, {0, seen.height() * -kAlong}}};
        if (const auto found = along.find(event.key()); found != along.end()) {
            pan(found->second);
            return true;
        }
    }
    switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: // the same key without Shift
        zoom(kStep, seen.center());
        return true;
    case Qt::Key_Minus:
        zoom(1 / kStep, seen.center());
        return true;
    case Qt::Key_Space:
        showAll();
        return true;
    default:
        return false;
    }
}

void PlotZoom::pan(const QPointF& by)
{
    apply(dragged(*m_across.front(), m_allAcross, 0, by.x()), dragged(*m_up.front(), m_allUp, 0, by.y()));
    tell();
}

void PlotZoom::reveal(double x, double y)
{
    const QRectF seen = m_across.front()->axisRect()->rect();
    const QPointF at(m_across.front()->coordToPixel(x), m_up.front()->coordToPixel(y));
    if (m_closer && !seen.contains(at)) {
        pan(seen.center() - at);
    }
}

bool PlotZoom::drag(const QMouseEvent& event)
{
    if (!m_closer || (!m_dragged && (event.position() - m_held).manhattanLength() < QApplication::startDragDistance())) {
        return false;
    }
    m_dragged = true;
    const QPointF from = std::exchange(m_held, event.position());
    pan(m_held - from);
    return true;
}

bool PlotZoom::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::Wheel:
        return wheel(*static_cast<const QWheelEvent*>(event));
    case QEvent::KeyPress:
        return key(*static_cast<const QKeyEvent*>(event));
    case QEvent::MouseButtonPress:
        m_held = static_cast<const QMouseEvent*>(event)->position();
        m_dragged = false;
        return false;
    case QEvent::MouseButtonRelease:
        return std::exchange(m_dragged, false);
    case QEvent::MouseMove: {
        const auto& moved = *static_cast<const QMouseEvent*>(event);
        return moved.buttons().testFlag(Qt::LeftButton) && drag(moved);
    }
    case QEvent::MouseButtonDblClick:
        showAll();
        return false;
    default:
        return QObject::eventFilter(watched, event);
    }
}

} // namespace nw::views
