#pragma once

#include "engine/measure/device.h"

#include <QString>

#include <vector>

namespace nw::views {

struct RooflinePoint {
    QString name;
    double flopsPerByte = 0, gflops = 0;
    bool current = false, hollow = false;
    int station = -1;
};

struct RooflineData {
    measure::Roofs roofs;
    int threads = 1;
    std::vector<RooflinePoint> path;   // stations of the history, in order
    std::vector<RooflinePoint> others; // default, auto, library, bound

    double peak() const; // GFLOP/s of all threads
    double bandwidth(const measure::Roofs::Level& level) const;
};

// What the axes cover: every point, and the ridges where bandwidth gives way to the peak.
struct RooflineRange {
    double left = 0.1, right = 100, bottom = 1, top = 1000;
};
RooflineRange rangeOf(const RooflineData& data);

// A point with both coordinates; others cannot stand on logarithmic axes.
bool canBeDrawn(const RooflinePoint& point);
QString threeDigits(double value);
QString levelLabel(const RooflineData& data, const measure::Roofs::Level& level); // "L2 210 GB/s"
QString peakLabel(const RooflineData& data);                                      // "FMA peak 410 GFLOP/s"
QString pointSpoken(const RooflinePoint& point);
QString rooflineCsv(const RooflineData& data);

} // namespace nw::views
