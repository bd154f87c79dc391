#include "views/history/history_layout.h"

#include "views/common/fonts.h"

#include <QFontMetricsF>
#include <QLineF>

#include <algorithm>
#include <cmath>

namespace nw::views {
namespace {

const session::Timing* timed(const session::Station& station)
{
    const session::Timing* const timing = station.reached ? station.best() : nullptr;
    return timing != nullptr && timing->ok() ? timing : nullptr;
}

void setRange(HistoryLayout& layout, const std::vector<session::Station>& stations, double boundNs)
{
    double low = boundNs > 0 ? boundNs : 0;
    double high = low;
    for (const session::Station& station : stations) {
        if (const session::Timing* const t = timed(station)) {
            const double least = t->ns * (1 - std::min(t->spread, 0.9));
            low = low > 0 ? std::min(low, least) : least;
            high = std::max(high, t->ns * (1 + t->spread));
        }
    }
    layout.logarithmic = low > 0 && high > 10 * low;
    layout.lowest = low;
    // A flat line lies in the middle, not on an edge.
    if (high <= low * 1.0001) {
        layout.lowest = low * 0.9;
        high = low * 1.1;
    }
    layout.highest = high;
}

// One a station, in the order of the stations.
std::vector<BranchStub> stubsOf(const std::vector<session::Branch>& others, std::size_t stations)
{
    std::vector<BranchStub> stubs;
    for (std::size_t i = 0; i < others.size(); ++i) {
        const int station = others[i].leaves;
        if (station < 0 || static_cast<std::size_t>(station) >= stations) {
            continue;
        }
        auto stub = std::find_if(stubs.begin(), stubs.end(), [&](const BranchStub& s) { return s.station >= station; });
        if (stub == stubs.end() || stub->station != station) {
            stub = stubs.insert(stub, {station, {}, {}});
        }
        stub->branches.push_back(static_cast<int>(i));
    }
    return stubs;
}

bool crosses(const QRectF& box, const QLineF& line)
{
    if (box.contains(line.p1()) || box.contains(line.p2())) {
        return true;
    }
    const QLineF sides[] = {{box.topLeft(), box.topRight()}, {box.topRight(), box.bottomRight()},
                            {box.bottomRight(), box.bottomLeft()}, {box.bottomLeft(), box.topLeft()}};
    return std::any_of(std::begin(sides), std::end(sides), [&](const QLineF& side) {
        return side.intersects(line, nullptr) == QLineF::BoundedIntersection;
    });
}

} // namespace

HistorySizes HistorySizes::now()
{
    const QFontMetricsF content(contentFont());
    const QFontMetricsF note(noteFont());
    HistorySizes sizes;
    sizes.boxWidth = std::ceil(note.horizontalAdvance(QStringLiteral("0.741 ms ±1.8 %")) + 2 * content.height());
    sizes.boxHeight = std::ceil(content.height() + note.height() + 8);
    sizes.noteHeight = std::ceil(note.height());
    sizes.stubHeight = std::max(sizes.noteHeight + 8, 24.0); // large enough to be hit
    return sizes;
}

double HistoryLayout::y(double ns) const
{
    if (highest <= lowest || ns <= 0) {
        return curve.center().y();
    }
    const double share = logarithmic ? std::log(ns / lowest) / std::log(highest / lowest) : (ns - lowest) / (highest - lowest);
    return curve.bottom() - std::clamp(share, 0.0, 1.0) * curve.height();
}

int HistoryLayout::stationAt(const QPointF& point) const
{
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (point.x() >= boxes[i].left() && point.x() <= boxes[i].right() && point.y() <= boxes[i].bottom()) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

int HistoryLayout::stubAt(const QPointF& point) const
{
    const auto found = std::find_if(stubs.begin(), stubs.end(), [&](const BranchStub& stub) { return stub.box.contains(point); });
    return found == stubs.end() ? -1 : static_cast<int>(found - stubs.begin());
}

HistoryLayout layOut(const std::vector<session::Station>& stations, double boundNs, const QSize& viewport, const HistorySizes& sizes,
                     const std::vector<session::Branch>& others)
{
    HistoryLayout layout;
    const double count = static_cast<double>(stations.size());
    const double room = viewport.width() - 2 * sizes.margin + sizes.gap;
    const double least = sizes.boxWidth + sizes.gap;
    layout.pitch = std::clamp(count > 0 ? room / count : room, least, least * 1.3);
    layout.length = 2 * sizes.margin - sizes.gap + layout.pitch * count;
    layout.stubs = stubsOf(others, stations.size());
    const double below = layout.stubs.empty() ? 8 : sizes.stubHeight + 4;
    const double top = std::max(viewport.height() - sizes.boxHeight - below, 0.0);
    // A row of notes is kept free under the lowest point: there the bound's words always fit.
    layout.curve = QRectF(sizes.margin, 10, std::max(layout.length - 2 * sizes.margin, 0.0),
                          std::max(top - 10 - sizes.noteHeight - 6, 1.0));
    for (std::size_t i = 0; i < stations.size(); ++i) {
        const QRectF box(sizes.margin + layout.pitch * static_cast<double>(i), top, layout.pitch - sizes.gap, sizes.boxHeight);
        layout.boxes.push_back(box);
        layout.x.push_back(box.center().x());
    }
    for (BranchStub& stub : layout.stubs) {
        const QRectF from = layout.boxes[static_cast<std::size_t>(stub.station)];
        stub.box = QRectF(from.left() + 12, from.bottom() + 1, from.width() - 12, sizes.stubHeight);
    }
    setRange(layout, stations, boundNs);
    return layout;
}

QRectF placeBoundLabel(const HistoryLayout& layout, const std::vector<session::Station>& stations, double boundNs, const QSizeF& label,
                       double from, double to)
{
    std::vector<QLineF> marks;
    QPointF last;
    for (std::size_t i = 0; i < stations.size(); ++i) {
        if (const session::Timing* const t = timed(stations[i])) {
            const QPointF here(layout.x[i], layout.y(t->ns));
            // The disc and its whisker as one upright mark.
            marks.emplace_back(here.x(), std::min(layout.y(t->ns * (1 + t->spread)), here.y() - 6), here.x(),
                               std::max(layout.y(t->ns * (1 - t->spread)), here.y() + 6));
            if (!last.isNull()) {
                marks.emplace_back(last, here);
            }
            last = here;
        }
    }
    const double line = layout.y(boundNs);
    const double right = to - label.width() - 8;
    const double left = from + 8;
    const QPointF candidates[] = {{right, line - label.height() - 1}, {left, line - label.height() - 1}, {right, line + 1}, {left, line + 1}};
    for (const QPointF& corner : candidates) {
        const QRectF box = QRectF(corner, label).adjusted(-6, 0, 6, 0);
        const bool inside = box.top() >= 0 && box.bottom() <= layout.curve.bottom() + label.height() + 4;
        if (inside && std::none_of(marks.begin(), marks.end(), [&](const QLineF& mark) { return crosses(box, mark); })) {
            return {corner, label};
        }
    }
    return {QPointF(right, layout.curve.bottom() + 7), label};
}

} // namespace nw::views
