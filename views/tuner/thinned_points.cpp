#include "views/tuner/thinned_points.h"

#include <algorithm>
#include <cmath>

namespace nw::views {
namespace {

constexpr double kFirstColumns = 800; // of a grid that begins: as many as a wide plot has points of ink side by side
constexpr double kFirstRow = 0.008;   // in decades
constexpr double kTallestRow = 0.032; // beyond, steps between the rows would show; columns go on growing

} // namespace

void ThinnedPoints::clear()
{
    m_kept.clear();
    m_cells.clear();
    m_cellX = m_cellY = 0;
    m_told = 0;
    m_anew = true;
}

std::uint64_t ThinnedPoints::cellOf(const Point& point) const
{
    const auto column = static_cast<std::int64_t>(std::floor(point.x / m_cellX));
    const auto row = m_flat ? 0 : static_cast<std::int64_t>(std::floor(std::log10(std::max(point.y, 1e-9)) / m_cellY));
    return (static_cast<std::uint64_t>(column) << 24U) ^ (static_cast<std::uint64_t>(row) & 0xffffffU);
}

void ThinnedPoints::add(double x, double y)
{
    const Point point{x, y};
    if (m_cellX > 0 && !m_cells.insert(cellOf(point)).second) {
        return;
    }
    m_kept.push_back(point);
    if (m_kept.size() > m_most) {
        thin();
    }
}

void ThinnedPoints::thin()
{
    const auto [first, last] = std::minmax_element(m_kept.begin(), m_kept.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
    const double span = std::max(last->x - first->x, 1e-9);
    const std::vector<Point> before = std::move(m_kept);
    // Until there is room for some time to come, whatever the points look like.
    do {
        m_cellX = m_cellX > 0 ? m_cellX * 2 : span / kFirstColumns;
        m_cellY = m_cellY > 0 ? std::min(m_cellY * 2, kTallestRow) : kFirstRow;
        m_kept.clear();
        m_cells.clear();
        for (const Point& point : before) {
            if (m_cells.insert(cellOf(point)).second) {
                m_kept.push_back(point);
            }
        }
    } while (m_kept.size() > m_most * 3 / 4 && m_cellX < span);
    m_anew = true;
}

std::vector<ThinnedPoints::Point> ThinnedPoints::news(bool& anew)
{
    anew = m_anew;
    const std::size_t from = m_anew ? 0 : m_told;
    m_anew = false;
    m_told = m_kept.size();
    return {m_kept.begin() + static_cast<std::ptrdiff_t>(from), m_kept.end()};
}

} // namespace nw::views
