#include "views/plots/comparison_plot.h"

#include "views/common/custom_plot.h"
#include "views/common/picture_file.h"
#include "views/plots/bars_paint.h"

namespace nw::views {
namespace {

PaintPicture painted(const session::Comparison& comparison, const QString& title, const Theme& theme, QSize size)
{
    return [&comparison, title, theme, size](QCPPainter& painter) {
        const FileFonts fonts = FileFonts::make();
        paintComparison(painter, QRectF(QPointF(), QSizeF(size)), comparison, title, {fonts.content, fonts.note, fonts.title}, theme);
    };
}

} // namespace

QImage renderComparison(const session::Comparison& comparison, const QString& title, const Theme& theme, QSize size, double scale)
{
    return renderPicture(size, scale, theme, painted(comparison, title, theme, size));
}

bool saveComparisonSvg(const session::Comparison& comparison, const QString& title, const Theme& theme, QSize size,
                       const QString& path)
{
    return saveBytes(path, svgOf(size, title, theme, painted(comparison, title, theme, size)));
}

} // namespace nw::views
