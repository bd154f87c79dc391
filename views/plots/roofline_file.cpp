#include "views/plots/roofline_file.h"

#include "views/plots/roofline_plot.h"

#include <QApplication>
#include <QFile>
#include <QSvgGenerator>

namespace nw::views {
namespace {

QFont sized(int pixels)
{
    QFont font = QApplication::font();
    font.setPixelSize(pixels);
    return font;
}

} // namespace

QImage renderRoofline(const RooflineData& data, const QString& title, const Theme& theme, QSize size, double scale)
{
    RooflinePlot plot;
    QFont strong = sized(14);
    strong.setWeight(QFont::DemiBold);
    plot.plotLayout()->insertRow(0);
    auto* heading = new QCPTextElement(&plot, title, strong);
    heading->setTextColor(theme.text);
    plot.plotLayout()->addElement(0, 0, heading);
    plot.resize(size);
    plot.draw(data, theme, sized(13), sized(12));
    plot.plotLayout()->setMargins(QMargins(12, 12, 16, 8));
    return plot.toPixmap(size.width(), size.height(), scale).toImage();
}

bool saveRooflineSvg(const RooflineData& data, const Theme& theme, QSize size, const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        return false;
    }
    RooflinePlot plot;
    plot.resize(size);
    plot.draw(data, theme, sized(13), sized(12));
    QSvgGenerator generator;
    generator.setOutputDevice(&file);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    QCPPainter painter;
    if (!painter.begin(&generator)) {
        return false;
    }
    painter.setMode(QCPPainter::pmVectorized);
    plot.toPainter(&painter, size.width(), size.height());
    return painter.end() && file.error() == QFileDevice::NoError;
}

} // namespace nw::views
