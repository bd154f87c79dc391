#pragma once

#include <QColor>
#include <QIcon>
#include <QPainter>
#include <QRectF>
#include <QString>

namespace nw::views {

// resources/icons/NAME.svg: 16 px grid, 1.5 px stroke in currentColor. Drawn in any colour, at any scale.
void paintIcon(QPainter& painter, const QString& name, const QRectF& where, const QColor& color);
QIcon icon(const QString& name, const QColor& color);

} // namespace nw::views
