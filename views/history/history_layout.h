#pragma once

#include "engine/session/branches.h"

#include <QRectF>
#include <QSize>
#include <QString>

#include <vector>

namespace nw::views {

// Where other branches go their own way: a stub under the last station that they share with the text shown.
struct BranchStub {
    int station = 0;
    QRectF box;
    std::vector<int> branches; // indices into those given
};

// Where everything of the strip lies, in coordinates of its whole length.
struct HistoryLayout {
    double length = 0;              // of the whole strip
    double pitch = 0;               // from one station to the next
    QRectF curve;                   // what the sparkline may use
    std::vector<QRectF> boxes;
    std::vector<double> x;          // middle of each station
    bool logarithmic = false;
    double lowest = 0, highest = 0; // ns, at the curve's lower and upper edge; equal when there is nothing to draw
    std::vector<BranchStub> stubs;

    double y(double ns) const;
    int stationAt(const QPointF& point) const; // its box or the column above it; -1: none
    int stubAt(const QPointF& point) const;    // index into stubs; -1: none
};

struct HistorySizes {
    double boxWidth = 0, boxHeight = 0, noteHeight = 0, stubHeight = 0, margin = 12, gap = 8;
    static HistorySizes now(); // at the fonts of now
};

// `others`: the branches that are not shown; those that leave at no station of this strip get no stub.
HistoryLayout layOut(const std::vector<session::Station>& stations, double boundNs, const QSize& viewport, const HistorySizes& sizes,
                     const std::vector<session::Branch>& others = {});

// Where the bound's words stand so that they cover no point, whisker or segment. `from` to `to` is the part in view.
QRectF placeBoundLabel(const HistoryLayout& layout, const std::vector<session::Station>& stations, double boundNs, const QSizeF& label,
                       double from, double to);

} // namespace nw::views
