#include "views/operators/operators_model.h"

#include "views/common/format.h"
#include "views/operators/quantity.h"

#include <algorithm>

namespace nw::views {
namespace {

double timeOf(const OperatorRow& row, int column)
{
    switch (column) {
    case OperatorsModel::Default:
        return row.defaultNs;
    case OperatorsModel::Hand:
        return row.handNs;
    case OperatorsModel::Auto:
        return row.autoNs;
    default:
        return row.boundNs;
    }
}

QString none()
{
    return QStringLiteral("\u2013");
}

QString textOf(const OperatorRow& row, int column)
{
    switch (column) {
    case OperatorsModel::Title:
        return row.title;
    case OperatorsModel::Count:
        return QString::number(row.count);
    case OperatorsModel::Share:
        return row.share < 0 ? none() : formatTimeShare(row.share, row.shareEstimated);
    case OperatorsModel::Flops:
        return formatFlops(row.flops);
    case OperatorsModel::Bytes:
        return formatBytes(row.bytes);
    case OperatorsModel::Task:
        return row.taskId.left(8);
    default:
        return timeOf(row, column) > 0 ? formatTime(timeOf(row, column)) : none();
    }
}

QVariant sortKey(const OperatorRow& row, int column)
{
    switch (column) {
    case OperatorsModel::Title:
        return QString(row.title % QLatin1Char(' ') % row.name);
    case OperatorsModel::Count:
        return static_cast<double>(row.count);
    case OperatorsModel::Share:
        return row.share;
    case OperatorsModel::Flops:
        return row.flops;
    case OperatorsModel::Bytes:
        return row.bytes;
    case OperatorsModel::Task:
        return row.taskId;
    default:
        return timeOf(row, column) > 0 ? timeOf(row, column) : -1.0;
    }
}

} // namespace

void OperatorsModel::setRows(const QList<OperatorRow>& rows)
{
    beginResetModel();
    m_rows = rows;
    endResetModel();
    Q_EMIT headerDataChanged(Qt::Horizontal, Share, Share);
}

int OperatorsModel::rowOf(const QString& name) const
{
    const auto found = std::find_if(m_rows.begin(), m_rows.end(), [&](const OperatorRow& row) { return row.name == name; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

void OperatorsModel::setHovered(const QString& name)
{
    if (name == m_hovered) {
        return;
    }
    const int before = rowOf(m_hovered);
    m_hovered = name;
    for (const int row : {before, rowOf(name)}) {
        if (row >= 0) {
            Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1), {HoverRole});
        }
    }
}

int OperatorsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int OperatorsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QVariant OperatorsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows.size()) {
        return {};
    }
    const OperatorRow& row = m_rows.at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return textOf(row, index.column());
    case Qt::ToolTipRole:
        if (index.column() == Title) {
            return QStringLiteral("%1\n%2  %3\n%4").arg(row.name, row.title, row.shape, row.nodes.join(QStringLiteral(", "))).trimmed();
        }
        if (index.column() == Task) {
            return row.taskId;
        }
        if (index.column() == Share && row.share >= 0) {
            return row.shareEstimated ? tr("Estimated from its work and its bound, not measured") : tr("Measured in the model");
        }
        return textOf(row, index.column());
    case Qt::AccessibleTextRole:
        return QString(headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() % QStringLiteral(": ")
            % textOf(row, index.column()) % (index.column() == Title ? QStringLiteral(" %1, %2").arg(row.shape, row.name) : QString()));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue((index.column() == Title || index.column() == Task ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case SortRole:
        return sortKey(row, index.column());
    case NameRole:
        return row.name;
    case ShapeRole:
        return row.shape;
    case ShareRole:
        return row.share;
    case FilterRole:
        return QStringList{row.name, row.title, row.shape, row.taskId, row.nodes.join(QLatin1Char(' '))}.join(QLatin1Char(' '));
    case HoverRole:
        return !m_hovered.isEmpty() && row.name == m_hovered;
    default:
        return {};
    }
}

QVariant OperatorsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue((section == Title || section == Task ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role == Qt::DisplayRole) {
        const QString names[] = {tr("operator"), tr("count"), isEstimated() ? tr("~ share of time") : tr("share of time"), tr("work"),
            tr("bytes"), tr("default"), tr("hand"), tr("auto"), tr("bound"), tr("task")};
        return names[section];
    }
    if (role == Qt::ToolTipRole) {
        const QString words[] = {tr("What is computed, its shape and its name"), tr("How often the model holds it, with the same task"),
            isEstimated() ? tr("Share of the model's time, estimated (~) from work and bound. Measure it to know.")
                          : tr("Share of the model's time, measured in the model. The bar is on a square-root scale."),
            tr("Floating-point operations of one run"), tr("Bytes read and written at least once by one run"),
            tr("Median time of the default schedule"), tr("Median time of the schedule written by hand"),
            tr("Median time of the tuner's best schedule"), tr("Least time that the device allows; not measured"),
            tr("The task's id: the same task shares its records")};
        return words[section];
    }
    return {};
}

bool OperatorsModel::isEstimated() const
{
    return std::any_of(m_rows.begin(), m_rows.end(), [](const OperatorRow& row) { return row.share >= 0 && row.shareEstimated; });
}

void OperatorsProxy::setWords(const QString& text)
{
    m_words = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

bool OperatorsProxy::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const QString words = sourceModel()->index(row, 0, parent).data(OperatorsModel::FilterRole).toString();
    return std::all_of(m_words.begin(), m_words.end(), [&](const QString& word) { return words.contains(word, Qt::CaseInsensitive); });
}

bool OperatorsProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const QVariant a = left.data(OperatorsModel::SortRole);
    const QVariant b = right.data(OperatorsModel::SortRole);
    if (a.typeId() != QMetaType::Double) {
        return a.toString().compare(b.toString(), Qt::CaseInsensitive) < 0;
    }
    const bool isLeftMissing = a.toDouble() < 0;
    const bool isRightMissing = b.toDouble() < 0;
    if (isLeftMissing != isRightMissing) {
        return isRightMissing == (sortOrder() == Qt::AscendingOrder);
    }
    return a.toDouble() < b.toDouble();
}

} // namespace nw::views
