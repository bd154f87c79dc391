#pragma once

#include <QHash>
#include <QRectF>

#include <cmath>
#include <vector>

namespace nw::views {

// Rectangles by the cells they lie in, to ask quickly whether a place is free.
class PlaceGrid {
public:
    void insert(const QRectF& rect)
    {
        eachCell(rect, [&](quint64 cell) {
            m_cells[cell].push_back(rect);
            return false;
        });
    }
    bool touches(const QRectF& rect) const
    {
        return eachCell(rect, [&](quint64 cell) {
            const auto found = m_cells.constFind(cell);
            if (found == m_cells.constEnd()) {
                return false;
            }
            for (const QRectF& other : *found) {
                if (other.intersects(rect)) {
                    return true;
                }
            }
            return false;
        });
    }

private:
    static constexpr double kCell = 160;
    QHash<quint64, std::vector<QRectF>> m_cells;

    template <typename Visit>
    static bool eachCell(const QRectF& rect, Visit visit)
    {
        const auto cell = [](double at) { return static_cast<qint32>(std::floor(at / kCell)); };
        for (qint32 x = cell(rect.left()); x <= cell(rect.right()); ++x) {
            for (qint32 y = cell(rect.top()); y <= cell(rect.bottom()); ++y) {
                if (visit((static_cast<quint64>(static_cast<quint32>(x)) << 32U) | static_cast<quint32>(y))) {
                    return true;
                }
            }
        }
        return false;
    }
};

} // namespace nw::views
