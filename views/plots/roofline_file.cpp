#include "views/plots/roofline_file.h"

#include "views/common/picture_file.h"
#include "views/plots/roofline_plot.h"

namespace nw::views {
namespace {

PaintPicture painted(const RooflineData& data, const QString& title, const Theme& theme, QSize size)
{
    return [&data, title, theme, size](QCPPainter& painter) {
        const FileFonts fonts = FileFonts::make();
        RooflinePlot plot;
        plot.resize(size);
        plot.draw(data, theme, fonts.content, fonts.note);
        paintPlots(painter, size, title, theme, {&plot});
    };
}

} // namespace

QImage renderRoofline(const RooflineData& data, const QString& title, const Theme& theme, QSize size, double scale)
{
    return renderPicture(size, scale, theme, painted(data, title, theme, size));
}

bool saveRooflineSvg(const RooflineData& data, const QString& title, const Theme& theme, QSize size, const QString& path)
{
    return saveBytes(path, svgOf(size, title, theme, painted(data, title, theme, size)));
}

} // namespace nw::views
