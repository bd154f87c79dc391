#pragma once

#include "views/tuner/outcome_marks.h"
#include "views/tuner/plot_zoom.h"
#include "views/tuner/thinned_points.h"
#include "views/tuner/trial_series.h"

#include <QFont>

#include <array>
#include <vector>

namespace nw::views {

// What a task's trials brought: the best so far as steps, every trial as a point, failures on a strip below, the figures to
// compare with as lines. Only what is new is gone through when trials come in, and only as many points are drawn as can be
// told apart.
class CurvePlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit CurvePlot(QWidget* parent = nullptr);
    void setLook(const Theme& theme, const QFont& note);
    void setSeries(const TrialSeries* series); // another task, or nullptr; it outlives the plot or is replaced
    void setAxes(bool wallTime, bool speed);
    void setTask(const record::TuneTask& task); // lines, and FLOPs for the speed
    void takeNew();                             // trials that the series got since
    PlotZoom* zoom() const { return m_zoom; }
    // The same at another place: for files.
    void copyTo(CurvePlot& other) const;
    void select(int first, int second);         // trial numbers; negative: none
    int trialAt(const QPointF& position) const; // -1: none near
    QPointF pixelOf(int trial) const;
    bool isFailure(int trial) const;
    // How much was drawn and gone through, for who watches the cost.
    std::size_t drawnPoints() const;
    std::size_t visited() const { return m_visited; }

Q_SIGNALS:
    void trialPressed(int number, bool second); // pressed and let go there; with Shift: the other of two
    void stepWished(int by);                    // keys: to the next or the previous trial

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    QSize minimumSizeHint() const override { return {200, 90}; }
    QSize sizeHint() const override { return {480, 260}; }

private:
    struct Line {
        QCPItemLine* line;
        QCPItemText* text;
        double ns;
    };
    double xOf(const record::TuneTrial& trial) const;
    double yOf(double ns) const; // as the axis has it
    bool isInSight(double x) const;
    bool showsSpeed() const { return m_speed && m_task.nominalFlops > 0; }
    void drawAnew();
    void drawBest();
    void drawMarks();
    void setLines();
    void setRanges();
    void placeWords();

    const TrialSeries* m_series = nullptr;
    record::TuneTask m_task;
    bool m_wallTime = false, m_speed = false;
    bool m_hasTimes = false; // there is a trial that ran, or a line
    Theme m_theme;
    QFont m_note;
    QCPAxisRect* m_strip;
    PlotZoom* m_zoom;
    QCPGraph *m_good, *m_noisy, *m_best, *m_marks;
    std::array<QCPGraph*, kFailureKinds> m_failures;
    ThinnedPoints m_goodPoints, m_noisyPoints;
    std::array<ThinnedPoints, kFailureKinds> m_failurePoints;
    std::size_t m_taken = 0, m_visited = 0;
    std::vector<Line> m_lines;
    int m_first = -1, m_second = -1;
    QCPItemText *m_firstText, *m_secondText;
};

} // namespace nw::views
