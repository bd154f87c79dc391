#pragma once

#include "views/common/theme.h"

#include <QByteArray>
#include <QFont>
#include <QImage>
#include <QSize>
#include <QString>

#include <functional>
#include <vector>

class QCPPainter;
class QCustomPlot;

namespace nw::views {

// A picture in a file has one size of text, whatever the screen's: pixels at scale 1.
struct FileFonts {
    QFont content, note, title; // 13, 12, 14 (half bold)
    static FileFonts make();
};

// What is painted has the size that was asked for, in pixels at scale 1, on the ground of the theme's panels.
using PaintPicture = std::function<void(QCPPainter& painter)>;
QImage renderPicture(QSize size, double scale, const Theme& theme, const PaintPicture& paint);
QByteArray svgOf(QSize size, const QString& title, const Theme& theme, const PaintPicture& paint);
// False when the file cannot be written: then it is as it was.
bool saveBytes(const QString& path, const QByteArray& bytes);

// The title's line at the top of a picture; where what is below it begins.
int paintTitle(QCPPainter& painter, QSize size, const QString& title, const Theme& theme);
// Plots side by side below a title, each as wide as the others. They are drawn at this size, whatever theirs is.
void paintPlots(QCPPainter& painter, QSize size, const QString& title, const Theme& theme, const std::vector<QCustomPlot*>& plots);

} // namespace nw::views
