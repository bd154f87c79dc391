#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace nw::views {

// Of many points as many as a person could tell apart: all while they are few, then one a cell of a grid whose cells grow
// whenever more than `most` are kept. Nothing is gone through again but what is kept.
class ThinnedPoints {
public:
    struct Point {
        double x = 0, y = 0;
    };
    // `flat`: only x counts (marks along a strip).
    explicit ThinnedPoints(std::size_t most, bool flat = false)
        : m_most(most)
        , m_flat(flat)
    {}
    void clear();
    // y is measured in its logarithm.
    void add(double x, double y);
    const std::vector<Point>& kept() const { return m_kept; }
    // Points kept since this was asked last; all of them when the grid grew in between, and then `anew` is set.
    std::vector<Point> news(bool& anew);

private:
    std::uint64_t cellOf(const Point& point) const;
    void thin();

    std::size_t m_most;
    bool m_flat;
    std::vector<Point> m_kept;
    std::unordered_set<std::uint64_t> m_cells;
    double m_cellX = 0, m_cellY = 0; // 0: every point is kept
    std::size_t m_told = 0;
    bool m_anew = true;
};

} // namespace nw::views
