#pragma once

#include "engine/record/tune_journal.h"

#include <QAbstractTableModel>

#include <vector>

namespace nw::views {

// The tasks of a session: how far each is, what came of it, and what it weighs in the model.
class TasksModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Group, State, Best, Gain, Share, Trials, ColumnCount };
    enum Role { IdRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;
    // `modelNs`: of the whole model, 0 when it is not known (then of all tasks together).
    void setTasks(const std::vector<record::TuneTask>& tasks, double modelNs);
    const std::vector<record::TuneTask>& tasks() const { return m_tasks; }
    int rowOf(std::int64_t task) const; // -1: not there
    const record::TuneTask* find(std::int64_t task) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString textOf(const record::TuneTask& task, int column) const;

    std::vector<record::TuneTask> m_tasks;
    double m_modelNs = 0;
};

} // namespace nw::views
