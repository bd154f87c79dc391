#pragma once

#include <QStyledItemDelegate>

namespace nw::views {

// Cells of the table: the operator's name with its shape, and the share of time as a bar on a square-root scale, so that
// one heavy operator does not flatten the rest.
class OperatorsDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    // Length of the bar of `share` when a whole one is `full` pixels long.
    static int barLength(double share, int full);
};

} // namespace nw::views
