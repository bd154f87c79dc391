#include "views/plots/comparison_plot.h"

#include "views/plots/bars_paint.h"

#include <QApplication>
#include <QFile>
#include <QPainter>
#include <QSvgGenerator>

namespace nw::views {

namespace {

// A picture in a file has one size of text, whatever the screen's.
BarFonts fileFonts()
{
    BarFonts fonts{QApplication::font(), QApplication::font(), QApplication::font()};
    fonts.content.setPixelSize(13);
    fonts.note.setPixelSize(12);
    fonts.name.setPixelSize(14);
    fonts.name.setWeight(QFont::DemiBold);
    return fonts;
}

} // namespace

QImage renderComparison(const session::Comparison& comparison, const QString& title, const Theme& theme, QSize size, double scale)
{
    QImage image(size * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(theme.panel);
    QPainter painter(&image);
    paintComparison(painter, QRectF(QPointF(), QSizeF(size)), comparison, title, fileFonts(), theme);
    return image;
}

bool saveComparisonSvg(const session::Comparison& comparison, const QString& title, const Theme& theme, QSize size,
                       const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        return false;
    }
    QSvgGenerator generator;
    generator.setOutputDevice(&file);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setTitle(title);
    QPainter painter(&generator);
    paintComparison(painter, QRectF(QPointF(), QSizeF(size)), comparison, title, fileFonts(), theme);
    return painter.end() && file.error() == QFileDevice::NoError;
}

} // namespace nw::views
