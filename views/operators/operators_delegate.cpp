#include "views/operators/operators_delegate.h"

#include "views/common/fonts.h"
#include "views/common/theme.h"
#include "views/operators/operators_model.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace nw::views {
namespace {

constexpr int kMargin = 8;
constexpr int kRight = 16; // as the header's words, which leave room for an arrow

int barWidth()
{
    return QFontMetrics(contentFont()).averageCharWidth() * 8;
}

QColor between(const QColor& a, const QColor& b)
{
    return QColor((a.red() + b.red()) / 2, (a.green() + b.green()) / 2, (a.blue() + b.blue()) / 2);
}

int width(const QFont& font, const QString& text)
{
    return QFontMetrics(font).horizontalAdvance(text);
}

void paintTitle(QPainter& painter, const QRect& cell, const QModelIndex& index, const Theme& theme)
{
    const QString parts[] = {index.data().toString(), index.data(OperatorsModel::ShapeRole).toString(),
        index.data(OperatorsModel::NameRole).toString()};
    int x = cell.left();
    for (int i = 0; i < 3; ++i) {
        const QFont font = i == 0 ? nameFont() : noteFont();
        const int room = cell.right() - x;
        if (room < 12 || parts[i].isEmpty()) {
            continue;
        }
        painter.setFont(font);
        painter.setPen(i == 0 ? theme.text : theme.muted);
        const QString shown = QFontMetrics(font).elidedText(parts[i], Qt::ElideRight, room);
        painter.drawText(QRect(x, cell.top(), room, cell.height()), Qt::AlignLeft | Qt::AlignVCenter, shown);
        x += width(font, shown) + 10;
    }
}

void paintShare(QPainter& painter, QRect cell, const QModelIndex& index, const Theme& theme)
{
    const double share = index.data(OperatorsModel::ShareRole).toDouble();
    painter.setFont(contentFont());
    painter.setPen(share < 0 ? theme.muted : theme.text);
    painter.drawText(cell, Qt::AlignRight | Qt::AlignVCenter, index.data().toString());
    if (share < 0) {
        return;
    }
    const int height = std::max(5, cell.height() / 5);
    const QRect whole(cell.left(), cell.center().y() - height / 2, barWidth(), height);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(whole, height / 2.0, height / 2.0);
    const int length = OperatorsDelegate::barLength(share, whole.width());
    painter.setBrush(theme.accent);
    painter.drawRoundedRect(QRect(whole.topLeft(), QSize(length, height)), height / 2.0, height / 2.0);
}

} // namespace

int OperatorsDelegate::barLength(double share, int full)
{
    return share <= 0 ? 0 : std::max(2, static_cast<int>(std::lround(std::sqrt(std::min(share, 1.0)) * full)));
}

void OperatorsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme theme = Theme::of(option.palette);
    painter->save();
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter->fillRect(option.rect, theme.selectedRow);
        if (index.column() == OperatorsModel::Title) {
            painter->fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height())), theme.accent);
        }
    } else if (index.data(OperatorsModel::HoverRole).toBool()) {
        painter->fillRect(option.rect, between(theme.selectedRow, theme.panel));
    }
    painter->setPen(QPen(theme.line, 0));
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    const QRect cell = option.rect.adjusted(kMargin, 0, -kRight, 0);
    if (index.column() == OperatorsModel::Title) {
        paintTitle(*painter, cell.adjusted(4, 0, 0, 0), index, theme);
    } else if (index.column() == OperatorsModel::Share) {
        paintShare(*painter, cell, index, theme);
    } else {
        const QFont font = index.column() == OperatorsModel::Task ? noteFont() : contentFont();
        const QVariant key = index.data(OperatorsModel::SortRole);
        const bool isMissing = key.typeId() == QMetaType::Double && key.toDouble() < 0;
        painter->setFont(font);
        painter->setPen(isMissing || index.column() == OperatorsModel::Task || index.column() == OperatorsModel::Bound ? theme.muted : theme.text);
        painter->drawText(cell, index.data(Qt::TextAlignmentRole).toInt(),
            QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideRight, cell.width()));
    }
    painter->restore();
}

QSize OperatorsDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const
{
    int wide = kMargin + kRight + 2;
    if (index.column() == OperatorsModel::Title) {
        wide += 4 + 20 + width(nameFont(), index.data().toString()) + width(noteFont(), index.data(OperatorsModel::ShapeRole).toString())
            + width(noteFont(), index.data(OperatorsModel::NameRole).toString());
    } else {
        wide += width(index.column() == OperatorsModel::Task ? noteFont() : contentFont(), index.data().toString());
        wide += index.column() == OperatorsModel::Share ? barWidth() + 12 : 0;
    }
    return {wide, tableRowHeight()};
}

} // namespace nw::views
