#pragma once

#include "engine/session/workbench.h"
#include "views/common/theme.h"

#include <QImage>
#include <QSize>
#include <QString>

namespace nw::views {

// Bars of default, hand, auto, library and bound, shorter is faster, with the spread of each measured one. The bound is
// hatched, for it was not measured; a missing figure is an outline that says what would fill it.
QImage renderComparison(const session::Comparison& comparison, const QString& title, const Theme& theme, QSize size,
                        double scale);
// The same picture as a drawing.
bool saveComparisonSvg(const session::Comparison& comparison, const QString& title, const Theme& theme, QSize size,
                       const QString& path);

} // namespace nw::views
