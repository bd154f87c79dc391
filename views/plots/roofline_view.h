#pragma once

#include "engine/measure/device.h"
#include "views/plots/roofline_text.h"

#include <QString>
#include <QWidget>

#include <vector>

class QStackedLayout;
class QTableWidget;

namespace nw::views {

class EmptyState;
class PlotHeader;
class RooflinePlot;

// Where the schedule stands under the roofs of this device: one point a step, joined in order; hollow was measured quickly.
class RooflineView : public QWidget {
    Q_OBJECT
public:
    using Point = RooflinePoint; // name, flopsPerByte, gflops, current, hollow, station

    explicit RooflineView(QWidget* parent = nullptr);

    void setRoofs(const measure::Roofs& roofs, int threads);
    void setPoints(const std::vector<Point>& path, const std::vector<Point>& others);
    void clear(const QString& sentence, const QString& action);

    bool savePng(const QString& path) const;
    bool saveSvg(const QString& path) const;
    QString csv() const;
    QSize minimumSizeHint() const override { return {240, 120}; }

Q_SIGNALS:
    void stationWished(int station);
    void actionWished();
    void exportWished(const QString& kind); // "png", "svg", "csv"; Copy is done here

protected:
    void changeEvent(QEvent* event) override;

private:
    void redraw();
    void fillTable();
    void step(int by);

    RooflineData m_data;
    PlotHeader* m_header;
    RooflinePlot* m_plot;
    QTableWidget* m_table;
    EmptyState* m_empty;
    QWidget* m_content;
    QStackedLayout* m_pages;
    QStackedLayout* m_stack;
};

} // namespace nw::views
