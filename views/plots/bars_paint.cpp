#include "views/plots/bars_paint.h"

#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/plots/figure_text.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace nw::views {
namespace {

constexpr double kGap = 12; // between columns, and between a bar and its words

double wordsWidth(const session::Figure& figure, const session::Comparison& comparison, const BarFonts& fonts)
{
    return std::max(QFontMetricsF(fonts.name).horizontalAdvance(figureTime(figure)),
                    QFontMetricsF(fonts.note).horizontalAdvance(figureNote(figure, comparison)));
}

QPen thin(const QColor& color, Qt::PenStyle style = Qt::SolidLine)
{
    QPen pen(color, 1, style);
    pen.setCosmetic(true);
    return pen;
}

void paintBar(QPainter& painter, const QRectF& bar, const session::Figure& figure, const BarScale& scale, const Theme& theme)
{
    const QColor colour = theme.series(fromStd(figure.name));
    if (!figure.measured) {
        painter.setPen(thin(theme.muted));
        painter.setBrush(QBrush(theme.muted, Qt::BDiagPattern));
    } else {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
    }
    painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    const double reach = figure.ns * figure.spread * scale.perNs;
    if (figure.measured && reach > 0) {
        // Never shorter than can be seen: that there is a spread is part of the figure.
        const double half = std::max(reach, 3.0);
        const double y = bar.center().y();
        painter.setPen(thin(theme.text));
        painter.drawLine(QPointF(bar.right() - half, y), QPointF(bar.right() + half, y));
        for (const double x : {bar.right() - half, bar.right() + half}) {
            painter.drawLine(QPointF(x, y - 3), QPointF(x, y + 3));
        }
    }
}

void paintMissing(QPainter& painter, const QRectF& bar, double right, const session::Figure& figure, const BarFonts& fonts,
                  const Theme& theme)
{
    painter.setPen(thin(theme.muted, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    double x = bar.right() + kGap;
    const QFontMetricsF metrics(fonts.note);
    if (hasFailed(figure)) {
        const double side = QFontMetricsF(fonts.content).height();
        paintIcon(painter, QStringLiteral("illegal"), QRectF(x - 4, bar.center().y() - side / 2, side, side), theme.illegal);
        x += side;
    }
    painter.setFont(fonts.note);
    painter.setPen(theme.muted);
    const QRectF place(x, bar.center().y() - metrics.height(), std::max(right - x, 0.0), 2 * metrics.height());
    const QString reason = figureReason(figure);
    // Two lines when one is too short, the rest stands in the tool tip.
    if (metrics.horizontalAdvance(reason) <= place.width()) {
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, reason);
    } else {
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap,
                         metrics.elidedText(reason, Qt::ElideRight, 1.7 * place.width()));
    }
}

} // namespace

BarFonts BarFonts::now()
{
    return {contentFont(), noteFont(), nameFont()};
}

double barRowHeight(const BarFonts& fonts)
{
    return std::ceil(QFontMetricsF(fonts.name).height() + QFontMetricsF(fonts.note).height()) + 2;
}

BarScale barScale(const session::Comparison& comparison, const BarFonts& fonts, double width, double buttonWidth)
{
    BarScale scale;
    scale.width = width;
    for (const session::Figure& figure : comparison.figures) {
        scale.label = std::max(scale.label, QFontMetricsF(fonts.content).horizontalAdvance(figureLabel(figure.name)));
    }
    scale.label = std::ceil(scale.label) + kGap;
    scale.right = std::max(QFontMetricsF(fonts.note).horizontalAdvance(QStringLiteral("28.9x")) + kGap, buttonWidth);
    double perNs = 0;
    for (const session::Figure& figure : comparison.figures) {
        if (hasTime(figure)) {
            const double room = width - scale.label - scale.right - kGap - wordsWidth(figure, comparison, fonts);
            const double fits = std::max(room, 24.0) / (figure.ns * (1 + figure.spread));
            perNs = perNs > 0 ? std::min(perNs, fits) : fits;
        }
    }
    scale.perNs = perNs;
    return scale;
}

void paintFigure(QPainter& painter, const QRectF& row, const session::Figure& figure, const session::Comparison& comparison,
                 const BarScale& scale, const BarFonts& fonts, const Theme& theme)
{
    const QFontMetricsF name(fonts.name);
    const QFontMetricsF note(fonts.note);
    painter.setFont(fonts.content);
    painter.setPen(theme.text);
    painter.drawText(QRectF(row.left(), row.top(), scale.label - kGap, row.height()), Qt::AlignRight | Qt::AlignVCenter,
                     figureLabel(figure.name));

    const double height = std::min(row.height() - 8, name.height() * 1.5);
    const double right = row.left() + scale.width - scale.right;
    const double left = row.left() + scale.label;
    const double y = row.center().y() - height / 2;
    if (!hasTime(figure)) {
        paintMissing(painter, QRectF(left, y, name.height() * 2.5, height), right - 8, figure, fonts, theme);
        return;
    }
    const QRectF bar(left, y, std::max(figure.ns * scale.perNs, 2.0), height);
    paintBar(painter, bar, figure, scale, theme);
    const double x = bar.right() + figure.ns * figure.spread * scale.perNs + kGap - 2;
    const double both = name.height() + note.height();
    const QRectF first(x, row.center().y() - both / 2, std::max(right - x, 0.0), name.height());
    painter.setFont(fonts.name);
    painter.setPen(theme.text);
    painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter, figureTime(figure));
    painter.setFont(fonts.note);
    painter.setPen(theme.muted);
    painter.drawText(QRectF(x, first.bottom(), first.width(), note.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     note.elidedText(figureNote(figure, comparison), Qt::ElideRight, first.width()));
    painter.drawText(QRectF(right, row.top(), scale.right, row.height()), Qt::AlignRight | Qt::AlignVCenter,
                     figureFactor(figure, comparison));
}

void paintComparison(QPainter& painter, const QRectF& where, const session::Comparison& comparison, const QString& title,
                     const BarFonts& fonts, const Theme& theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(where, theme.panel);
    const QFontMetricsF name(fonts.name);
    const QFontMetricsF note(fonts.note);
    const QRectF inside = where.adjusted(20, 14, -20, -14);
    painter.setFont(fonts.name);
    painter.setPen(theme.text);
    const QRectF heading(inside.left(), inside.top(), inside.width(), name.height());
    painter.drawText(heading, Qt::AlignLeft | Qt::AlignVCenter, name.elidedText(title, Qt::ElideRight, inside.width()));
    painter.setFont(fonts.note);
    painter.setPen(theme.muted);
    const QString device = QCoreApplication::translate("Comparison", "device %1, %2; shorter is faster")
                               .arg(fromStd(comparison.device), comparisonNote(comparison));
    const QRectF second(inside.left(), heading.bottom() + 2, inside.width(), note.height());
    painter.drawText(second, Qt::AlignLeft | Qt::AlignVCenter, note.elidedText(device, Qt::ElideRight, inside.width()));

    const double top = second.bottom() + 12;
    const double count = std::max<double>(static_cast<double>(comparison.figures.size()), 1);
    const double height = std::clamp((inside.bottom() - top) / count, barRowHeight(fonts), barRowHeight(fonts) * 1.8);
    const BarScale scale = barScale(comparison, fonts, inside.width(), 0);
    double y = top;
    for (const session::Figure& figure : comparison.figures) {
        paintFigure(painter, QRectF(inside.left(), y, inside.width(), height), figure, comparison, scale, fonts, theme);
        y += height;
    }
    painter.restore();
}

} // namespace nw::views
