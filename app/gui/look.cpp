#include "app/gui/look.h"

#include "views/common/theme.h"

#include <QApplication>
#include <QFont>
#include <QStyleFactory>

namespace nw::app {
namespace {

constexpr double kPointsAtFullScale = 9.75; // 13 px

// The palette before ours: what the desktop wants. Qt 6.4 has no other way to ask.
const QPalette& desktopPalette()
{
    static const QPalette palette = QApplication::palette();
    return palette;
}

} // namespace

bool isDark()
{
    const Settings::Scheme scheme = Settings().scheme();
    return scheme == Settings::Scheme::Dark ||
        (scheme == Settings::Scheme::System && desktopPalette().color(QPalette::Window).lightness() < 128);
}

void applyLook()
{
    const bool dark = isDark();
    const views::Theme theme = dark ? views::Theme::dark() : views::Theme::light();
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QFont font(QStringList{QStringLiteral("Inter"), QStringLiteral("DejaVu Sans"), QStringLiteral("Noto Sans CJK SC"),
                           QStringLiteral("Source Han Sans SC"), QStringLiteral("WenQuanYi Micro Hei")});
    font.setPointSizeF(kPointsAtFullScale * Settings().scale() / 100);
    QApplication::setFont(font);
    QApplication::setPalette(theme.palette());
    qApp->setStyleSheet(theme.styleSheet());
}

} // namespace nw::app
