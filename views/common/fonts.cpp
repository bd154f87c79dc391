#include "views/common/fonts.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetrics>

namespace nw::views {
namespace {

QFont scaled(double factor)
{
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() * factor);
    return font;
}

} // namespace

QFont contentFont()
{
    return QApplication::font();
}

QFont noteFont()
{
    return scaled(0.88);
}

QFont nameFont()
{
    QFont font = QApplication::font();
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont codeFont()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(QApplication::font().pointSizeF());
    return font;
}

// The application's font is 13 px high text at 100 %, whose line is 16 px.
int editorRowHeight()
{
    return QFontMetrics(QApplication::font()).height() * 30 / 16;
}

int tableRowHeight()
{
    return QFontMetrics(QApplication::font()).height() * 25 / 16;
}

} // namespace nw::views
