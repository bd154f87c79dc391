#include "views/common/export_button.h"

#include "views/common/fonts.h"
#include "views/common/icons.h"
#include "views/common/theme.h"

#include <QAction>
#include <QEvent>
#include <QMenu>

namespace nw::views {

ExportButton::ExportButton(const QString& name, QWidget* parent)
    : QToolButton(parent)
    , m_name(name)
{
    setObjectName(name % QStringLiteral("Export"));
    setToolTip(tr("Export"));
    setAccessibleName(tr("Export"));
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::StrongFocus);
    setMenu(new QMenu(this));
    fill(menu(), name, {}, true);
    dress();
}

void ExportButton::fill(QMenu* menu, const QString& name, const QString& thing, bool hasPictures)
{
    const struct {
        QString id, text;
        bool isPicture;
    } kinds[] = {{QStringLiteral("copy"), tr("Copy"), false},
                 {QStringLiteral("png"), tr("Save as PNG..."), true},
                 {QStringLiteral("svg"), tr("Save as SVG..."), true},
                 {QStringLiteral("csv"), tr("Save as CSV..."), false}};
    for (const auto& kind : kinds) {
        if (hasPictures || !kind.isPicture) {
            QAction* const action = menu->addAction(kind.text);
            action->setObjectName(name % QLatin1Char('_') % kind.id);
            connect(action, &QAction::triggered, this, [this, id = kind.id, thing] { Q_EMIT exportWished(id, thing); });
        }
    }
}

void ExportButton::addThing(const QString& thing, const QString& title, bool hasPictures)
{
    if (!m_hasThings) {
        menu()->clear();
        m_hasThings = true;
    }
    fill(menu()->addMenu(title), m_name % QLatin1Char('_') % thing, thing, hasPictures);
}

void ExportButton::dress()
{
    const int side = QFontMetrics(contentFont()).height();
    setIcon(views::icon(QStringLiteral("export"), Theme::of(palette()).text));
    setIconSize(QSize(side, side));
}

void ExportButton::changeEvent(QEvent* event)
{
    QToolButton::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        dress();
    }
}

} // namespace nw::views
