#pragma once

#include "engine/session/workbench.h"

#include <QAbstractTableModel>

namespace nw::views {

// The comparison as a table: figure, time, spread, n, of peak, of bound, factor.
class FigureModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Time, Spread, Count, OfPeak, OfBound, Factor, Columns };

    explicit FigureModel(QObject* parent = nullptr);
    void setComparison(const session::Comparison& comparison);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(const session::Figure& figure, int column) const;

    session::Comparison m_comparison;
};

} // namespace nw::views
