#pragma once

#include "views/common/custom_plot.h"

#include <QObject>
#include <QPointF>

#include <vector>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace nw::views {

// A part of a plot looked at closer: the wheel zooms where the pointer is, the left button drags, + and - zoom in the middle,
// Shift and arrows go along, Space or a double click show all again. Nothing beyond "all" is ever shown. What is new in a plot
// that is looked at closer does not move it. It filters the plot's events and belongs to it: after a drag the plot gets no
// release.
class PlotZoom : public QObject {
    Q_OBJECT
public:
    // Axes that move together; the first of each is asked for its place.
    PlotZoom(QCustomPlot* plot, std::vector<QCPAxis*> across, std::vector<QCPAxis*> up);
    void setAll(const QCPRange& across, const QCPRange& up);
    void showAll();
    bool isCloser() const { return m_closer; }
    const QCPRange& allUp() const { return m_allUp; } // not valid before setAll()
    void reveal(double x, double y); // of a part: what is there comes into sight
    void zoom(double factor, const QPointF& at); // below 1: closer
    void copyTo(PlotZoom& other) const;

Q_SIGNALS:
    void changed(bool closer);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool wheel(const QWheelEvent& event);
    bool key(const QKeyEvent& event);
    bool drag(const QMouseEvent& event);
    void pan(const QPointF& by); // px
    void apply(const QCPRange& across, const QCPRange& up);
    void tell();

    QCustomPlot* m_plot;
    std::vector<QCPAxis*> m_across, m_up;
    QCPRange m_allAcross, m_allUp;
    QPointF m_held;
    bool m_closer = false, m_dragged = false;
};

} // namespace nw::views
