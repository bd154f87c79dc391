#include "views/plots/plot_header.h"

#include "views/common/export_button.h"
#include "views/common/fonts.h"
#include "views/common/icons.h"
#include "views/common/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace nw::views {

PlotHeader::PlotHeader(const QString& name, QWidget* parent)
    : QWidget(parent)
    , m_label(new QLabel(this))
    , m_command(new QToolButton(this))
    , m_cancel(new QToolButton(this))
    , m_table(new QToolButton(this))
    , m_export(new ExportButton(name, this))
{
    m_label->setObjectName(name % QStringLiteral("Title"));
    m_label->setTextFormat(Qt::RichText);
    m_label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_command->setObjectName(name % QStringLiteral("Command"));
    m_command->hide();
    m_cancel->setObjectName(name % QStringLiteral("Cancel"));
    m_cancel->setText(tr("Cancel"));
    m_cancel->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_cancel->hide();
    m_table->setObjectName(name % QStringLiteral("Table"));
    m_table->setCheckable(true);
    m_table->setToolTip(tr("Show as a table"));
    m_table->setAccessibleName(tr("Table"));
    for (QToolButton* const button : {m_command, m_cancel, m_table}) {
        button->setFocusPolicy(Qt::StrongFocus);
    }

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 5, 8, 3);
    layout->setSpacing(4);
    layout->addWidget(m_label, 1);
    layout->addWidget(m_command);
    layout->addWidget(m_cancel);
    layout->addWidget(m_table);
    layout->addWidget(m_export);

    connect(m_command, &QToolButton::clicked, this, &PlotHeader::commandWished);
    connect(m_cancel, &QToolButton::clicked, this, &PlotHeader::cancelWished);
    connect(m_table, &QToolButton::toggled, this, &PlotHeader::tableToggled);
    connect(m_export, &ExportButton::exportWished, this, &PlotHeader::exportWished);
    recolour();
}

void PlotHeader::setTitle(const QString& title, const QString& note)
{
    m_title = title;
    m_note = note;
    elide();
}

void PlotHeader::setCommand(const QString& text, const QString& iconName)
{
    m_commandText = text;
    m_iconName = iconName;
    m_command->setText(text);
    m_command->setAccessibleName(text);
    m_command->setToolTip(text);
    m_command->show();
    recolour();
}

void PlotHeader::setCommandEnabled(bool enabled)
{
    m_command->setEnabled(enabled);
}

void PlotHeader::setBusy(const QString& what)
{
    m_busy = what;
    m_cancel->setVisible(!what.isEmpty());
    m_command->setVisible(what.isEmpty() && !m_commandText.isEmpty());
    elide();
}

bool PlotHeader::showsTable() const
{
    return m_table->isChecked();
}

void PlotHeader::elide()
{
    const bool narrow = width() < QFontMetrics(contentFont()).averageCharWidth() * 58;
    m_command->setToolButtonStyle(narrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    layout()->activate();
    const QFontMetrics name(nameFont());
    const QFontMetrics small(noteFont());
    if (!m_busy.isEmpty()) {
        m_label->setText(small.elidedText(m_busy, Qt::ElideRight, m_label->width()).toHtmlEscaped());
        return;
    }
    const QString title = name.elidedText(m_title, Qt::ElideRight, m_label->width());
    const int left = m_label->width() - name.horizontalAdvance(title) - 12;
    const QString note = left > 40 ? small.elidedText(m_note, Qt::ElideRight, left) : QString();
    m_label->setText(QStringLiteral("<span style=\"font-weight:600\">%1</span>&nbsp;&nbsp;<span style=\"color:%2; font-size:%3pt\">%4</span>")
                         .arg(title.toHtmlEscaped(), Theme::of(palette()).muted.name())
                         .arg(noteFont().pointSizeF())
                         .arg(note.toHtmlEscaped()));
    m_label->setToolTip(m_note.isEmpty() ? m_title : m_title % QLatin1Char('\n') % m_note);
}

void PlotHeader::recolour()
{
    const QColor colour = Theme::of(palette()).text;
    const int side = QFontMetrics(contentFont()).height();
    m_label->setFont(contentFont());
    m_table->setIcon(icon(QStringLiteral("table"), colour));
    m_cancel->setIcon(icon(QStringLiteral("stop"), colour));
    if (!m_iconName.isEmpty()) {
        m_command->setIcon(icon(m_iconName, colour));
    }
    for (QToolButton* const button : {m_command, m_cancel, m_table}) {
        button->setIconSize(QSize(side, side));
    }
    elide();
}

void PlotHeader::resizeEvent(QResizeEvent*)
{
    elide();
}

void PlotHeader::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        recolour();
    }
}

} // namespace nw::views
