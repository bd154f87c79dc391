#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nw::views {

// Boxes and arrows from top to bottom, without any drawing: sizes and edges in, places and lines out.
struct LayoutPoint {
    double x = 0;
    double y = 0;
};
struct LayoutBox {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
};
struct LayoutLine {
    std::vector<LayoutPoint> points;
    bool curved = false; // points are a start and then triples of a cubic Bezier curve
};
struct LayoutRequest {
    std::vector<std::pair<double, double>> sizes; // width and height of each box
    std::vector<std::pair<int, int>> edges; // from a smaller index to a greater one
    std::vector<std::vector<int>> frames; // boxes to be kept together
    double layerGap = 40;
    double nodeGap = 20;
    double frameTop = 24; // for the title of a frame
};
struct LayoutResult {
    std::vector<LayoutBox> boxes; // parallel to sizes
    std::vector<LayoutLine> lines; // parallel to edges
    double width = 0;
    double height = 0;
};

// In a time linear in boxes and edges: longest-path layers, a few barycentre sweeps. Nothing when cancelled.
std::optional<LayoutResult> layeredLayout(const LayoutRequest& request, const std::atomic<bool>& cancelled);

// The same by Graphviz: what `dot -Tplain` reads, and what it answers. Nothing when the answer is not whole.
std::string dotText(const LayoutRequest& request);
std::optional<LayoutResult> parsePlain(std::string_view plain, const LayoutRequest& request);

} // namespace nw::views
