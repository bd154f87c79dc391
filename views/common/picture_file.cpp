#include "views/common/picture_file.h"

#include "views/common/custom_plot.h"

#include <QApplication>
#include <QBuffer>
#include <QSaveFile>
#include <QSvgGenerator>

namespace nw::views {
namespace {

constexpr int kEdge = 12; // px around a picture

QFont sized(int pixels, QFont::Weight weight = QFont::Normal)
{
    QFont font = QApplication::font();
    font.setPixelSize(pixels);
    font.setWeight(weight);
    return font;
}

} // namespace

FileFonts FileFonts::make()
{
    return {sized(13), sized(12), sized(14, QFont::DemiBold)};
}

QImage renderPicture(QSize size, double scale, const Theme& theme, const PaintPicture& paint)
{
    QImage image(size * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(theme.panel);
    QCPPainter painter(&image);
    paint(painter);
    return image;
}

QByteArray svgOf(QSize size, const QString& title, const Theme& theme, const PaintPicture& paint)
{
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setTitle(title);
    QCPPainter painter;
    if (!painter.begin(&generator)) {
        return {};
    }
    painter.setMode(QCPPainter::pmVectorized);
    painter.fillRect(QRect(QPoint(), size), theme.panel);
    paint(painter);
    painter.end();
    return buffer.data();
}

bool saveBytes(const QString& path, const QByteArray& bytes)
{
    QSaveFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
}

int paintTitle(QCPPainter& painter, QSize size, const QString& title, const Theme& theme)
{
    const QFont font = FileFonts::make().title;
    const int height = QFontMetrics(font).height() + kEdge;
    painter.setFont(font);
    painter.setPen(theme.text);
    painter.drawText(QRect(kEdge, 0, size.width() - 2 * kEdge, height), Qt::AlignCenter, title);
    return height;
}

void paintPlots(QCPPainter& painter, QSize size, const QString& title, const Theme& theme, const std::vector<QCustomPlot*>& plots)
{
    const int top = paintTitle(painter, size, title, theme);
    const int width = (size.width() - 2 * kEdge) / std::max(1, static_cast<int>(plots.size()));
    for (std::size_t i = 0; i < plots.size(); ++i) {
        painter.save();
        painter.translate(kEdge + static_cast<int>(i) * width, top);
        plots[i]->toPainter(&painter, width, size.height() - top - kEdge / 2);
        painter.restore();
    }
}

} // namespace nw::views
