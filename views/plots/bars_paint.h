#pragma once

#include "engine/session/workbench.h"
#include "views/common/theme.h"

#include <QFont>
#include <QPainter>
#include <QRectF>

namespace nw::views {

struct BarFonts {
    QFont content, note, name;
    static BarFonts now(); // the application's
};

// The columns that all rows share: label, bar with its words, factor. Widths in the units of the painter.
struct BarScale {
    double label = 0;    // width of the labels
    double right = 0;    // width kept free at the right: factors, buttons
    double perNs = 0;    // length of a bar
    double width = 0;    // of a row
};
BarScale barScale(const session::Comparison& comparison, const BarFonts& fonts, double width, double buttonWidth);
double barRowHeight(const BarFonts& fonts);

// One row: default, hand, auto, library or bound; the bound hatched, a missing one an outline with its reason.
void paintFigure(QPainter& painter, const QRectF& row, const session::Figure& figure, const session::Comparison& comparison,
                 const BarScale& scale, const BarFonts& fonts, const Theme& theme);
// The whole picture with its heading, for files.
void paintComparison(QPainter& painter, const QRectF& where, const session::Comparison& comparison, const QString& title,
                     const BarFonts& fonts, const Theme& theme);

} // namespace nw::views
