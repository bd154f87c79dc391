#include "app/gui/panel_title.h"

#include "views/common/fonts.h"
#include "views/common/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace nw::app {

PanelTitle::PanelTitle(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_title(new QLabel(title, this))
    , m_note(new QLabel(this))
{
    m_note->setProperty("muted", true);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 7, 12, 7);
    layout->setSpacing(10);
    layout->addWidget(m_title);
    layout->addWidget(m_note, 1);
    applyFonts();
}

void PanelTitle::setNote(const QString& note)
{
    m_full = note;
    m_note->setToolTip(note);
    elide();
}

// Cut with an ellipsis; the whole of it is the tool tip.
void PanelTitle::elide()
{
    m_note->setText(m_note->fontMetrics().elidedText(m_full, Qt::ElideRight, m_note->width()));
}

void PanelTitle::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layout()->activate();
    elide();
}

void PanelTitle::applyFonts()
{
    m_title->setFont(views::nameFont());
    m_note->setFont(views::noteFont());
    // A long note must not widen its panel.
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void PanelTitle::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) {
        applyFonts();
        elide();
    }
    QWidget::changeEvent(event);
}

void PanelTitle::paintEvent(QPaintEvent*)
{
    const views::Theme theme = views::Theme::of(palette());
    QPainter painter(this);
    painter.fillRect(rect(), theme.panel);
    painter.setPen(QPen(theme.line, 0));
    painter.drawLine(0, height() - 1, width(), height() - 1);
    painter.drawLine(0, 0, width(), 0);
    painter.drawLine(0, 0, 0, height());
    painter.drawLine(width() - 1, 0, width() - 1, height());
}

} // namespace nw::app
