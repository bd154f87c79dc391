#pragma once

#include "views/tuner/trial_series.h"

#include <QAbstractTableModel>

namespace nw::views {

// The trials as a table: what the curve shows, for keys, for readers of the screen and for copying. Grows at its end.
class TrialsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Number, Time, From, Values, Predicted, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setSeries(const TrialSeries* series);
    void takeNew();
    const record::TuneTrial& trialAt(int row) const { return m_series->trials()[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const TrialSeries* m_series = nullptr;
    int m_rows = 0;
};

} // namespace nw::views
