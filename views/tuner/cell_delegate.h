#pragma once

#include <QStyledItemDelegate>

namespace nw::views {

// One line of text in a cell, as far from its edges as the header's words are.
class CellDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace nw::views
