#pragma once

#include "views/tuner/trial_series.h"

#include <QString>
#include <QTableWidget>

#include <utility>
#include <vector>

namespace nw::views {

// Failures grouped by cause, the most frequent first: the mark they have on the curve, how many, why, and the whole message
// of the first. Behind them what rules refused before it became a trial.
class FailuresTable : public QTableWidget {
    Q_OBJECT
public:
    explicit FailuresTable(QWidget* parent = nullptr);
    void setSeries(const TrialSeries* series);
    void takeNew();
    void setRefused(const std::vector<std::pair<QString, int>>& refused); // by rule

Q_SIGNALS:
    void trialWished(int number); // the first of a cause

protected:
    void changeEvent(QEvent* event) override;

private:
    void fill();

    const TrialSeries* m_series = nullptr;
    std::vector<std::pair<QString, int>> m_refused;
    int m_shown = -1; // failures in the table
};

} // namespace nw::views
