#include "views/tuner/cell_delegate.h"

#include "views/common/theme.h"

#include <QPainter>

namespace nw::views {
namespace {

constexpr int kSpace = 8;

} // namespace

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const
{
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    const Theme theme = Theme::of(option.palette);
    painter->save();
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter->fillRect(option.rect, theme.selectedRow);
    }
    painter->setFont(option.font);
    painter->setPen(theme.text);
    const QRect room = option.rect.adjusted(kSpace, 0, -kSpace, 0);
    painter->drawText(room, static_cast<int>(option.displayAlignment), option.fontMetrics.elidedText(option.text, Qt::ElideRight, room.width()));
    painter->restore();
}

} // namespace nw::views
