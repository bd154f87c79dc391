#include "views/tuner/tasks_model.h"

#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/tuner/tuner_text.h"

#include <algorithm>

namespace nw::views {
namespace {

QString none()
{
    return QStringLiteral("\u2013");
}

double bestOf(const record::TuneTask& task)
{
    return task.confirmedNs > 0 ? task.confirmedNs : task.bestNs;
}

} // namespace

void TasksModel::setTasks(const std::vector<record::TuneTask>& tasks, double modelNs)
{
    const auto alike = [](const record::TuneTask& a, const record::TuneTask& b) { return a.id == b.id; };
    const bool same = std::equal(tasks.begin(), tasks.end(), m_tasks.begin(), m_tasks.end(), alike);
    if (!same) {
        beginResetModel();
    }
    m_tasks = tasks;
    m_modelNs = modelNs;
    if (m_modelNs <= 0) {
        for (const record::TuneTask& task : tasks) {
            m_modelNs += task.inModelNs;
        }
    }
    if (!same) {
        endResetModel();
    } else if (!tasks.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

int TasksModel::rowOf(std::int64_t task) const
{
    const auto found = std::find_if(m_tasks.begin(), m_tasks.end(), [task](const record::TuneTask& t) { return t.id == task; });
    return found == m_tasks.end() ? -1 : static_cast<int>(found - m_tasks.begin());
}

const record::TuneTask* TasksModel::find(std::int64_t task) const
{
    const int row = rowOf(task);
    return row < 0 ? nullptr : &m_tasks[static_cast<std::size_t>(row)];
}

int TasksModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_tasks.size());
}

int TasksModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QString TasksModel::textOf(const record::TuneTask& task, int column) const
{
    switch (column) {
    case Group:
        return task.count == 1 ? fromStd(task.group) : QStringLiteral("%1 ×%2").arg(fromStd(task.group)).arg(task.count);
    case State:
        return taskStateText(task.state);
    case Best:
        if (task.confirmedNs > 0) {
            return QString(formatTime(task.confirmedNs) % QStringLiteral(" ±") % formatShare(task.confirmedSpread)
                % (task.confirmedNoisy ? tr(" noisy") : QString()));
        }
        return task.bestNs > 0 ? QString(QLatin1Char('~') % formatTime(task.bestNs)) : none(); // by search alone
    case Gain:
        return task.defaultNs > 0 && bestOf(task) > 0 ? QString::number(task.defaultNs / bestOf(task), 'f', 2) % QStringLiteral("×") : none();
    case Share:
        return m_modelNs > 0 && task.inModelNs > 0 ? formatShare(task.inModelNs / m_modelNs) : none();
    default:
        return QString::number(task.trials);
    }
}

QVariant TasksModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const record::TuneTask& task = m_tasks[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return textOf(task, index.column());
    case Qt::FontRole:
        return index.column() == Group ? nameFont() : contentFont();
    case Qt::ToolTipRole: {
        QStringList lines{textOf(task, index.column())};
        if (index.column() == Best && task.confirmedNs <= 0 && task.bestNs > 0) {
            lines.append(tr("Measured briefly while searching; the fastest are measured again alternately at the end"));
        }
        lines.append(tr("%1 choices").arg(fromStd(task.choices)));
        if (!task.message.empty()) {
            lines.append(fromStd(task.message));
        }
        return lines.join(QLatin1Char('\n'));
    }
    case Qt::AccessibleTextRole:
        return QString(headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() % QStringLiteral(": ") % textOf(task, index.column()));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue((index.column() <= State ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case IdRole:
        return QVariant::fromValue<qlonglong>(task.id);
    default:
        return {};
    }
}

QVariant TasksModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue((section <= State ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole) {
        return section == Gain ? tr("How many times faster than the default schedule")
            : section == Share ? tr("Of the time of the whole model, before tuning")
                               : QString();
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Group:
        return tr("operator");
    case State:
        return tr("state");
    case Best:
        return tr("best");
    case Gain:
        return tr("gain");
    case Share:
        return tr("share");
    default:
        return tr("trials");
    }
}

} // namespace nw::views
