#pragma once

#include "views/common/theme.h"
#include "views/history/history_layout.h"

#include <QPainter>

namespace nw::views {

// What the strip shows besides the stations themselves.
struct HistoryShown {
    int cursor = 0;      // the station shown in the other views
    int focus = 0;       // where the keyboard is
    bool hasFocus = false;
    int hovered = -1;
    int hoveredStub = -1;
    int running = -1;
    QString runningWhat;
    int dragged = -1;
    QPointF dragBy;
    bool dragRemoves = false; // letting go now removes the step
    double boundNs = 0;
    double from = 0, to = 0;  // the part in view
};

void paintCurve(QPainter& painter, const HistoryLayout& layout, const std::vector<session::Station>& stations, const HistoryShown& shown,
                const Theme& theme);
void paintStations(QPainter& painter, const HistoryLayout& layout, const std::vector<session::Station>& stations,
                   const HistoryShown& shown, const Theme& theme);

void paintStubs(QPainter& painter, const HistoryLayout& layout, const std::vector<session::Branch>& others, const HistoryShown& shown,
                const Theme& theme);

} // namespace nw::views
