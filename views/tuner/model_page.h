#pragma once

#include "views/tuner/outcome_marks.h"
#include "views/tuner/plot_zoom.h"
#include "views/tuner/thinned_points.h"
#include "views/tuner/trial_series.h"

#include <QFont>
#include <QWidget>

#include <deque>
#include <vector>

class QLabel;

namespace nw::views {

// What the model predicted of a trial against what was measured: the newest rounds in colours of their own, all that was
// before in grey.
class PredictionPlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit PredictionPlot(QWidget* parent = nullptr);
    void setLook(const Theme& theme, const QFont& note);
    void setSeries(const TrialSeries* series);
    void takeNew();
    bool empty() const { return m_count == 0; }
    PlotZoom* zoom() const { return m_zoom; }
    void copyTo(PredictionPlot& other) const; // for files
    std::size_t drawnPoints() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    QSize minimumSizeHint() const override { return {120, 80}; }
    QSize sizeHint() const override { return {260, 200}; }

private:
    struct Round {
        int number = 0;
        QCPGraph* graph = nullptr;
        std::vector<ThinnedPoints::Point> points;
    };
    void colour();

    const TrialSeries* m_series = nullptr;
    Theme m_theme;
    std::deque<Round> m_rounds; // the newest, oldest of them first
    PlotZoom* m_zoom;
    QCPGraph* m_older;
    ThinnedPoints m_olderPoints;
    std::size_t m_taken = 0, m_count = 0;
    double m_lowScore = 0, m_highScore = 0, m_fast = 0, m_slow = 0;
};

// How well the model ordered each round: rank correlation, and how many of the ten fastest it had among its ten best.
class QualityPlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit QualityPlot(QWidget* parent = nullptr);
    void setLook(const Theme& theme, const QFont& note);
    void setRounds(const std::vector<record::TuneRound>& rounds);

protected:
    QSize minimumSizeHint() const override { return {120, 80}; }
    QSize sizeHint() const override { return {260, 200}; }

private:
    QCPGraph *m_correlation, *m_recall;
};

// The cost model under watch: both plots, and a warning when it does badly.
class ModelPage : public QWidget {
    Q_OBJECT
public:
    explicit ModelPage(QWidget* parent = nullptr);
    void setSeries(const TrialSeries* series);
    void takeNew();
    void setRounds(const std::vector<record::TuneRound>& rounds);
    const std::vector<record::TuneRound>& rounds() const { return m_rounds; }
    PredictionPlot* prediction() const { return m_prediction; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void dress();
    void say();

    PredictionPlot* m_prediction;
    QualityPlot* m_quality;
    QLabel* m_icon;
    QLabel* m_words;
    std::vector<record::TuneRound> m_rounds;
};

} // namespace nw::views
