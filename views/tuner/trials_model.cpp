#include "views/tuner/trials_model.h"

#include "views/common/format.h"
#include "views/tuner/tuner_text.h"

namespace nw::views {
namespace {

QString textOf(const record::TuneTrial& trial, int column)
{
    switch (column) {
    case TrialsModel::Number:
        return QString::number(trial.number);
    case TrialsModel::Time:
        return trial.outcome == "ok" ? formatTime(trial.ns) % QStringLiteral(" ±") % formatShare(trial.spread) : outcomeText(trial.outcome);
    case TrialsModel::From:
        return fromText(trial.from);
    case TrialsModel::Values:
        return fromStd(trial.values);
    default:
        return trial.score ? QString::number(*trial.score, 'f', 2) : QStringLiteral("\u2013");
    }
}

bool isLeft(int column)
{
    return column == TrialsModel::From || column == TrialsModel::Values;
}

} // namespace

void TrialsModel::setSeries(const TrialSeries* series)
{
    beginResetModel();
    m_series = series;
    m_rows = series == nullptr ? 0 : series->next();
    endResetModel();
}

void TrialsModel::takeNew()
{
    const int now = m_series == nullptr ? 0 : m_series->next();
    if (now > m_rows) {
        beginInsertRows({}, m_rows, now - 1);
        m_rows = now;
        endInsertRows();
    }
}

int TrialsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int TrialsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QVariant TrialsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows) {
        return {};
    }
    const record::TuneTrial& trial = trialAt(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return textOf(trial, index.column());
    case Qt::ToolTipRole:
        return QString(trialText(trial) % (trial.message.empty() ? QString() : QString(QLatin1Char('\n') % fromStd(trial.message))));
    case Qt::AccessibleTextRole:
        return QString(headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() % QStringLiteral(": ") % textOf(trial, index.column()));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue((isLeft(index.column()) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default:
        return {};
    }
}

QVariant TrialsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue((isLeft(section) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Number:
        return tr("trial");
    case Time:
        return tr("measured");
    case From:
        return tr("from");
    case Values:
        return tr("knobs");
    default:
        return tr("predicted");
    }
}

} // namespace nw::views
