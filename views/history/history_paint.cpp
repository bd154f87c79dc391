#include "views/history/history_paint.h"

#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/history/station_text.h"

#include <QCoreApplication>
#include <QPainterPath>

#include <algorithm>

namespace nw::views {
namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("History", text);
}

QPen thin(const QColor& color, double width = 1, Qt::PenStyle style = Qt::SolidLine)
{
    QPen pen(color, width, style);
    pen.setCosmetic(true);
    return pen;
}

void paintPoint(QPainter& painter, const QPointF& at, const session::Timing& timing, const HistoryLayout& layout, const QColor& colour,
                const Theme& theme)
{
    painter.setPen(thin(colour, 1.2));
    const double top = layout.y(timing.ns * (1 + timing.spread));
    const double bottom = layout.y(timing.ns * (1 - timing.spread));
    // A whisker inside the disc would be a speck.
    if (bottom - top > 9) {
        painter.drawLine(QPointF(at.x(), top), QPointF(at.x(), bottom));
        painter.drawLine(QPointF(at.x() - 3, top), QPointF(at.x() + 3, top));
        painter.drawLine(QPointF(at.x() - 3, bottom), QPointF(at.x() + 3, bottom));
    }
    painter.setPen(thin(colour, 2));
    painter.setBrush(timing.protocol == "confirm" ? colour : theme.panel);
    painter.drawEllipse(at, 4, 4);
}

void paintBound(QPainter& painter, const HistoryLayout& layout, const std::vector<session::Station>& stations, const HistoryShown& shown,
                const Theme& theme)
{
    if (shown.boundNs <= 0) {
        return;
    }
    painter.setFont(noteFont());
    const QString text = words(QT_TRANSLATE_NOOP("History", "bound %1")).arg(formatTime(shown.boundNs));
    const QFontMetricsF metrics(noteFont());
    const QSizeF size(std::ceil(metrics.horizontalAdvance(text)) + 2, std::ceil(metrics.height()));
    const double y = layout.y(shown.boundNs);
    painter.setPen(thin(theme.muted, 1, Qt::DashLine));
    painter.drawLine(QPointF(shown.from + 8, y), QPointF(shown.to - 8, y));
    painter.setPen(theme.muted);
    painter.drawText(placeBoundLabel(layout, stations, shown.boundNs, size, shown.from, shown.to), Qt::AlignCenter, text);
}

struct Look {
    QColor fill, border, first, second;
    Qt::PenStyle edge = Qt::SolidLine;
};

Look lookOf(const session::Station& station, int index, const HistoryShown& shown, const Theme& theme)
{
    Look look{theme.raised, theme.line, theme.text, theme.muted, Qt::SolidLine};
    if (!station.reached) {
        look.fill = theme.panel;
        look.first = theme.muted;
        look.edge = Qt::DashLine;
    }
    if (index == shown.cursor) {
        look.fill = theme.selectedRow;
        look.border = theme.accent;
    } else if (index == shown.hovered) {
        look.border = theme.muted;
    }
    if (index == shown.dragged && shown.dragRemoves) {
        look.border = theme.illegal;
        look.edge = Qt::DashLine;
    }
    return look;
}

// The mark of a state that its words also tell; empty for an ordinary station.
struct Mark {
    QString name;
    QColor colour;
};
Mark markOf(const session::Station& station, const Theme& theme)
{
    const session::Timing* const timing = station.best();
    if (!station.reached || (timing != nullptr && !timing->ok())) {
        return {QStringLiteral("illegal"), theme.illegal};
    }
    if (isUnproven(station)) {
        return {QStringLiteral("unproven"), theme.unproven};
    }
    if (timing != nullptr && timing->noisy) {
        return {QStringLiteral("warning"), theme.unproven};
    }
    return {};
}

void paintBox(QPainter& painter, const QRectF& box, const std::vector<session::Station>& stations, int index, const HistoryShown& shown,
              const Theme& theme)
{
    const session::Station& station = stations[static_cast<std::size_t>(index)];
    const Look look = lookOf(station, index, shown, theme);
    const QRectF edge = box.adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(thin(look.border, index == shown.cursor ? 1.6 : 1, look.edge));
    painter.setBrush(look.fill);
    painter.drawRoundedRect(edge, 5, 5);
    if (shown.hasFocus && index == shown.focus) {
        painter.setPen(thin(theme.accent, 1, Qt::DotLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(edge.adjusted(2.5, 2.5, -2.5, -2.5), 3, 3);
    }

    const QFontMetricsF content(contentFont());
    const QFontMetricsF note(noteFont());
    const bool runs = index == shown.running;
    const bool removes = index == shown.dragged && shown.dragRemoves;
    const Mark mark = runs ? Mark{QStringLiteral("measure"), theme.accent} : markOf(station, theme);
    const double side = mark.name.isEmpty() ? 0 : content.height();
    const QRectF inner = box.adjusted(6 + side, 4, -6, -4);
    if (!mark.name.isEmpty()) {
        paintIcon(painter, mark.name, QRectF(box.left() + 5, box.center().y() - side / 2, side, side), mark.colour);
    }
    painter.setFont(contentFont());
    painter.setPen(look.first);
    const QRectF first(inner.left(), inner.top(), inner.width(), content.height());
    painter.drawText(first, Qt::AlignCenter, content.elidedText(shortStep(station), Qt::ElideRight, inner.width()));
    painter.setFont(noteFont());
    painter.setPen(look.second);
    const QString below = removes ? words(QT_TRANSLATE_NOOP("History", "let go to remove"))
                          : runs  ? shown.runningWhat
                                  : stationNote(stations, index);
    painter.drawText(QRectF(inner.left(), first.bottom(), inner.width(), note.height()), Qt::AlignCenter,
                     note.elidedText(below, Qt::ElideRight, inner.width()));
}

} // namespace

void paintCurve(QPainter& painter, const HistoryLayout& layout, const std::vector<session::Station>& stations, const HistoryShown& shown,
                const Theme& theme)
{
    paintBound(painter, layout, stations, shown, theme);
    int previous = -1;
    QPointF last(layout.curve.left(), layout.curve.center().y());
    std::vector<QPointF> crosses;
    for (std::size_t i = 0; i < stations.size(); ++i) {
        const session::Timing* const timing = stations[i].reached ? stations[i].best() : nullptr;
        if (timing == nullptr) {
            continue;
        }
        if (!timing->ok()) {
            crosses.emplace_back(layout.x[i], last.y());
            continue;
        }
        const QPointF here(layout.x[i], layout.y(timing->ns));
        if (previous >= 0) {
            const bool moved = session::differs(*stations[static_cast<std::size_t>(previous)].best(), *timing);
            painter.setPen(thin(moved ? theme.seriesHand : theme.seriesDefault, 2));
            painter.drawLine(last, here);
        }
        previous = static_cast<int>(i);
        last = here;
    }
    for (std::size_t i = 0; i < stations.size(); ++i) {
        const session::Timing* const timing = stations[i].reached ? stations[i].best() : nullptr;
        if (timing != nullptr && timing->ok()) {
            paintPoint(painter, QPointF(layout.x[i], layout.y(timing->ns)), *timing, layout, theme.seriesHand, theme);
        }
    }
    for (const QPointF& at : crosses) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.panel);
        painter.drawEllipse(at, 7, 7);
        paintIcon(painter, QStringLiteral("illegal"), QRectF(at.x() - 8, at.y() - 8, 16, 16), theme.illegal);
    }
}

void paintStations(QPainter& painter, const HistoryLayout& layout, const std::vector<session::Station>& stations,
                   const HistoryShown& shown, const Theme& theme)
{
    for (std::size_t i = 0; i < stations.size(); ++i) {
        if (static_cast<int>(i) != shown.dragged && layout.boxes[i].right() >= shown.from && layout.boxes[i].left() <= shown.to) {
            paintBox(painter, layout.boxes[i], stations, static_cast<int>(i), shown, theme);
        }
    }
    if (shown.dragged >= 0) {
        const QRectF home = layout.boxes[static_cast<std::size_t>(shown.dragged)];
        painter.setPen(thin(theme.line, 1, Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(home.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
        paintBox(painter, home.translated(shown.dragBy), stations, shown.dragged, shown, theme);
    }
}

void paintStubs(QPainter& painter, const HistoryLayout& layout, const std::vector<session::Branch>& others, const HistoryShown& shown,
                const Theme& theme)
{
    painter.setFont(noteFont());
    const QFontMetricsF metrics(noteFont());
    for (std::size_t i = 0; i < layout.stubs.size(); ++i) {
        const BranchStub& stub = layout.stubs[i];
        if (stub.box.right() < shown.from || stub.box.left() > shown.to) {
            continue;
        }
        const bool hovered = static_cast<int>(i) == shown.hoveredStub;
        const double middle = stub.box.center().y();
        const QPointF end(stub.box.left() + 16, middle);
        QPainterPath line(stub.box.topLeft());
        line.lineTo(stub.box.left(), middle - 6);
        line.quadTo(QPointF(stub.box.left(), middle), end);
        painter.setPen(thin(hovered ? theme.accent : theme.muted, 1.6));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(line);
        painter.setBrush(theme.panel);
        painter.drawEllipse(end, 3, 3);
        const QRectF words = stub.box.adjusted(24, 0, 0, 0);
        painter.setPen(hovered ? theme.accent : theme.text);
        painter.drawText(words, Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(stubText(stub, others), Qt::ElideRight, words.width()));
    }
}

} // namespace nw::views
