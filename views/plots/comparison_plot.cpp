#include "views/plots/comparison_plot.h"

#include "views/plots/bars_paint.h"

#include <QApplication>
#include <QPainter>

namespace nw::views {

QImage renderComparison(const session::Comparison& comparison, const QString& title, const Theme& theme, QSize size, double scale)
{
    QImage image(size * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(theme.panel);
    // A picture in a file has one size of text, whatever the screen's.
    BarFonts fonts{QApplication::font(), QApplication::font(), QApplication::font()};
    fonts.content.setPixelSize(13);
    fonts.note.setPixelSize(12);
    fonts.name.setPixelSize(14);
    fonts.name.setWeight(QFont::DemiBold);
    QPainter painter(&image);
    paintComparison(painter, QRectF(QPointF(), QSizeF(size)), comparison, title, fonts, theme);
    return image;
}

} // namespace nw::views
