#pragma once

#include "engine/session/editing.h"

#include <QRectF>
#include <QSize>
#include <QString>

#include <vector>

namespace nw::views {

// Where everything of the strip lies, in coordinates of its whole length.
struct HistoryLayout {
    double length = 0;              // of the whole strip
    double pitch = 0;               // from one station to the next
    QRectF curve;                   // what the sparkline may use
    std::vector<QRectF> boxes;
    std::vector<double> x;          // middle of each station
    bool logarithmic = false;
    double lowest = 0, highest = 0; // ns, at the curve's lower and upper edge; equal when there is nothing to draw

    double y(double ns) const;
    int stationAt(const QPointF& point) const; // its box or the column above it; -1: none
};

struct HistorySizes {
    double boxWidth = 0, boxHeight = 0, noteHeight = 0, margin = 12, gap = 8;
    static HistorySizes now(); // at the fonts of now
};

HistoryLayout layOut(const std::vector<session::Station>& stations, double boundNs, const QSize& viewport, const HistorySizes& sizes);

// Where the bound's words stand so that they cover no point, whisker or segment. `from` to `to` is the part in view.
QRectF placeBoundLabel(const HistoryLayout& layout, const std::vector<session::Station>& stations, double boundNs, const QSizeF& label,
                       double from, double to);

} // namespace nw::views
