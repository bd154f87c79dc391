#pragma once

#include "views/common/theme.h"
#include "views/plots/roofline_text.h"

#include <QImage>
#include <QSize>
#include <QString>

namespace nw::views {

// For the command line and for files.
QImage renderRoofline(const RooflineData& data, const QString& title, const Theme& theme, QSize size, double scale);
bool saveRooflineSvg(const RooflineData& data, const QString& title, const Theme& theme, QSize size, const QString& path);

} // namespace nw::views
