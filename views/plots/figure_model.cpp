#include "views/plots/figure_model.h"

#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/plots/figure_text.h"

namespace nw::views {

FigureModel::FigureModel(QObject* parent)
    : QAbstractTableModel(parent)
{}

void FigureModel::setComparison(const session::Comparison& comparison)
{
    beginResetModel();
    m_comparison = comparison;
    endResetModel();
}

int FigureModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_comparison.figures.size());
}

int FigureModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int{Columns};
}

QString FigureModel::text(const session::Figure& figure, int column) const
{
    const bool time = hasTime(figure);
    const bool measured = time && figure.measured;
    switch (column) {
    case Name: return figureLabel(figure.name);
    case Time: return time ? figureTime(figure) : figureReason(figure);
    case Spread: {
        const QString spread = measured ? QStringLiteral("±") % formatShare(figure.spread) : QString();
        return measured && figure.noisy ? tr("%1, noisy").arg(spread) : spread;
    }
    case Count: return measured ? QString::number(figure.n) : QString();
    case OfPeak: return measured ? formatShare(figure.shareOfPeak) : QString();
    case OfBound: return measured && figure.shareOfBound > 0 ? formatShare(figure.shareOfBound) : QString();
    case Factor: return figureFactor(figure, m_comparison);
    default: return {};
    }
}

QVariant FigureModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const session::Figure& figure = m_comparison.figures[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return text(figure, index.column());
    case Qt::ToolTipRole: return figureSpoken(figure, m_comparison);
    case Qt::AccessibleTextRole: return index.column() == Name ? figureSpoken(figure, m_comparison) : text(figure, index.column());
    case Qt::FontRole: return index.column() == Name && !figure.script.empty() ? QVariant(nameFont()) : QVariant();
    case Qt::TextAlignmentRole: {
        // Reasons are sentences, figures are numbers.
        const bool number = index.column() != Name && (index.column() != Time || hasTime(figure));
        return QVariant(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    }
    default: return {};
    }
}

QVariant FigureModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant(Qt::AlignVCenter | (section == Name ? Qt::AlignLeft : Qt::AlignRight));
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    const QString names[] = {tr("figure"), tr("time"), tr("spread"), tr("n"), tr("of peak"), tr("of bound"), tr("factor")};
    return section >= 0 && section < Columns ? QVariant(names[section]) : QVariant();
}

} // namespace nw::views
