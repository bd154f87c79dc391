#pragma once

#include "views/operators/operator_row.h"

#include <QAbstractTableModel>
#include <QList>
#include <QSortFilterProxyModel>

namespace nw::views {

class OperatorsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Title, Count, Share, Flops, Bytes, Default, Hand, Auto, Bound, Task, ColumnCount };
    enum Role {
        SortRole = Qt::UserRole, // a number, negative when there is none; or words
        NameRole,                // "conv.0"
        ShapeRole,
        ShareRole,  // 0 to 1, negative when unknown
        FilterRole, // every word that finds the row
        HoverRole   // is it the one under the pointer, here or in another view
    };

    using QAbstractTableModel::QAbstractTableModel;
    void setRows(const QList<OperatorRow>& rows);
    const QList<OperatorRow>& rows() const { return m_rows; }
    int rowOf(const QString& name) const; // -1: not there
    void setHovered(const QString& name);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    bool isEstimated() const;

    QList<OperatorRow> m_rows;
    QString m_hovered;
};

// Rows that hold every word of the filter; what has no number comes last in either direction.
class OperatorsProxy : public QSortFilterProxyModel {
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setWords(const QString& text);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QStringList m_words;
};

} // namespace nw::views
