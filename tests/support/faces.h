#pragma once

#include "views/common/theme.h"

#include <QApplication>
#include <QDir>
#include <QFont>
#include <QPixmap>
#include <QStyleFactory>
#include <QWidget>

#include <functional>

// Pictures of views for people to look at, where NW_PICTURES names a folder.
namespace nw::views::test {

inline bool keepsPictures()
{
    return !qEnvironmentVariableIsEmpty("NW_PICTURES");
}

inline void keepPicture(QWidget& widget, const QString& name)
{
    if (keepsPictures()) {
        const QString folder = qEnvironmentVariable("NW_PICTURES");
        QDir().mkpath(folder);
        QApplication::processEvents();
        widget.grab().save(QDir(folder).filePath(name + QStringLiteral(".png")));
    }
}

// The look of the window at a scale of its font.
inline void wearTheme(const Theme& theme, double scale)
{
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QFont font(QStringLiteral("DejaVu Sans"));
    font.setPointSizeF(9.75 * scale);
    QApplication::setFont(font);
    QApplication::setPalette(theme.palette());
    qApp->setStyleSheet(theme.styleSheet());
}

// Light and dark at 100 and 150 %, each worn while `draw` runs; `face` ends the names of its pictures: "dark_150".
inline void everyFace(const std::function<void(const Theme& theme, double scale, const QString& face)>& draw)
{
    const QFont before = QApplication::font();
    for (const bool dark : {false, true}) {
        for (const double scale : {1.0, 1.5}) {
            const Theme theme = dark ? Theme::dark() : Theme::light();
            wearTheme(theme, scale);
            draw(theme, scale, QStringLiteral("%1_%2").arg(dark ? QStringLiteral("dark") : QStringLiteral("light")).arg(scale * 100));
        }
    }
    qApp->setStyleSheet({});
    QApplication::setFont(before);
}

} // namespace nw::views::test
