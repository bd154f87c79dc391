#pragma once

#include "views/history/history_paint.h"

#include <QAbstractScrollArea>
#include <QPoint>

#include <functional>

class QMenu;

namespace nw::views {

// The painted strip: sparkline above, stations below, one stop for the keyboard.
class HistoryStrip : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit HistoryStrip(QWidget* parent = nullptr);

    void setStations(const std::vector<session::Station>& stations, int cursor, double boundNs);
    void setRunning(int station, const QString& what);
    // Those that are not shown: each has a stub where it leaves.
    void setOtherBranches(const std::vector<session::Branch>& others);

    const std::vector<session::Station>& stations() const { return m_stations; }
    int focused() const { return m_shown.focus; }
    int cursor() const { return m_shown.cursor; }
    QRect boxOf(int station) const; // in the viewport
    int stationAt(const QPoint& inViewport) const;
    QString spoken(int station) const;
    int stubCount() const { return static_cast<int>(m_layout.stubs.size()); }
    QRect stubRect(int stub) const; // in the viewport
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

Q_SIGNALS:
    void jumpWished(int station);
    void removeWished(int station);
    void editWished(int station);
    void revertWished(int station);
    void measureWished(int station);
    void branchWished(const QString& name);

protected:
    bool viewportEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    void place();
    void focusOn(int station);
    void goTo(int station);
    void showMenu(int station, const QPoint& global);
    void endDrag();
    int stubAt(const QPoint& inViewport) const;
    void openStub(int stub, const QPoint& global);
    void addBranches(QMenu& menu, const BranchStub& stub);
    int count() const { return static_cast<int>(m_stations.size()); }
    double offset() const;
    const session::Station& at(int station) const { return m_stations[static_cast<std::size_t>(station)]; }

    std::vector<session::Station> m_stations;
    std::vector<session::Branch> m_others;
    HistoryShown m_shown;
    HistoryLayout m_layout;
    int m_pressed = -1;
    int m_pressedStub = -1;
    QPoint m_pressedAt;
};

} // namespace nw::views
