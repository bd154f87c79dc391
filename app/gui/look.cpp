#include "app/gui/look.h"

#include "views/common/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFont>
#include <QLabel>
#include <QStyleFactory>

namespace nw::app {
namespace {

constexpr double kPointsAtFullScale = 9.75; // 13 px

// Names come from models, projects and files: a label or a tip shows them letter by letter, never as HTML. Whoever wants
// rich text says so on the label.
class PlainLabels : public QObject {
public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Polish) {
            if (auto* label = qobject_cast<QLabel*>(watched); label != nullptr && label->textFormat() == Qt::AutoText) {
                label->setTextFormat(Qt::PlainText);
            }
        }
        return false;
    }
};

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
    static bool filtered = false;
    if (!filtered) {
        qApp->installEventFilter(new PlainLabels(qApp));
        filtered = true;
    }
}

} // namespace nw::app
