#include "views/primitives/primitive_row.h"

#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/refusal_text.h"
#include "views/common/theme.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nw::views {

using schedule::Verdict;

LinkLabel::LinkLabel(QWidget* parent)
    : QLabel(parent)
{
    setWordWrap(true);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setMinimumHeight(24);
    restyle();
}

void LinkLabel::restyle()
{
    setFont(noteFont());
}

void LinkLabel::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())) {
        Q_EMIT activated();
    }
}

void LinkLabel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space) {
        Q_EMIT activated();
    } else {
        QLabel::keyPressEvent(event);
    }
}

bool LinkLabel::event(QEvent* event)
{
    const QEvent::Type type = event->type();
    if (type == QEvent::Enter || type == QEvent::FocusIn) {
        Q_EMIT pointed(true);
    } else if (type == QEvent::Leave || type == QEvent::FocusOut) {
        Q_EMIT pointed(false);
    }
    if (type == QEvent::MouseButtonPress) {
        setFocus(Qt::MouseFocusReason);
        return true; // not the row's
    }
    return QLabel::event(event);
}

void LinkLabel::paintEvent(QPaintEvent*)
{
    // In the colour of links whatever the style sheet says of labels.
    const Theme theme = Theme::of(palette());
    QPainter painter(this);
    QFont shown = font();
    shown.setUnderline(hasFocus() || underMouse());
    painter.setFont(shown);
    painter.setPen(theme.accent);
    painter.drawText(rect(), Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignVCenter, text());
}

PrimitiveRow::PrimitiveRow(const PrimitiveEntry& entry, QWidget* parent)
    : QFrame(parent)
    , m_entry(entry)
    , m_icon(new QLabel(this))
    , m_name(new QLabel(fromStd(entry.primitive->name), this))
    , m_key(new QLabel(entry.primitive->key == 0 ? QString() : QString(QLatin1Char(entry.primitive->key)), this))
    , m_text(new QLabel(secondLine(), this))
    , m_apply(new QPushButton(tr("Apply"), this))
{
    const QString name = fromStd(entry.primitive->name);
    setObjectName(QStringLiteral("primitive_") + name);
    setAccessibleName(tr("%1, %2: %3").arg(name, entry.offered ? verdictWord(entry.check.verdict) : tr("nothing proposed"), secondLine()));
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    m_text->setObjectName(QStringLiteral("primitiveText"));
    m_text->setWordWrap(entry.offered);
    setToolTip(entry.offered ? QString() : tr("%1: nothing is proposed for what is selected; the form takes any step").arg(secondLine()));
    m_text->setProperty("muted", true);
    m_name->setProperty("muted", !entry.offered || entry.check.verdict == Verdict::Illegal || entry.check.verdict == Verdict::Pointless);
    m_key->setVisible(!m_key->text().isEmpty());
    m_key->setAlignment(Qt::AlignCenter);
    m_apply->setObjectName(QStringLiteral("quickApply"));
    m_apply->setAccessibleName(tr("Apply %1").arg(name));
    m_apply->setToolTip(entry.lines.empty() ? QString() : tr("%1 (Ctrl+Enter)").arg(fromStd(entry.lines.front())));
    m_apply->setVisible(canApply());
    m_apply->setProperty("link", true);
    m_apply->setMinimumSize(24, 24);
    connect(m_apply, &QPushButton::clicked, this, &PrimitiveRow::quickApplied);

    auto* top = new QHBoxLayout;
    top->setSpacing(6);
    auto* column = new QVBoxLayout;
    column->setSpacing(2);
    column->addLayout(top);
    if (entry.offered) {
        top->addWidget(m_name, 1);
        column->addWidget(m_text);
    } else { // one line: what can be done here should not have to be searched for between what cannot
        m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // never wider than the panel
        top->addWidget(m_name);
        top->addWidget(m_text, 1);
    }
    top->addWidget(m_key);
    top->addWidget(m_apply);
    if (entry.check.verdict == Verdict::Illegal || entry.check.verdict == Verdict::Unproven) {
        for (const std::string& unlock : entry.check.why.unlocks) {
            const QString line = fromStd(unlock);
            auto* link = new LinkLabel(this);
            link->setObjectName(QStringLiteral("unlock%1").arg(m_links.size()));
            link->setText(tr("unlock: %1").arg(line));
            link->setAccessibleName(link->text());
            connect(link, &LinkLabel::activated, this, [this, line] { Q_EMIT unlockApplied(line); });
            connect(link, &LinkLabel::pointed, this, [this, line](bool on) { Q_EMIT unlockPointed(on ? line : QString()); });
            column->addWidget(link);
            m_links.push_back(link);
        }
    }
    auto* row = new QHBoxLayout(this);
    const int room = entry.offered ? 7 : 3;
    row->setContentsMargins(12, room, 10, room);
    row->setSpacing(10);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    row->addLayout(column, 1);
    restyle();
}

QString PrimitiveRow::secondLine() const
{
    if (!m_entry.offered) {
        const bool ofBlock = !m_entry.primitive->params.empty()
            && (m_entry.primitive->params.front().kind == schedule::ParamKind::Block
                || m_entry.primitive->params.front().kind == schedule::ParamKind::Buffer);
        return ofBlock ? tr("select a block")
                       : tr("no proposal here");
    }
    const QString reason = reasonText(m_entry.check.why);
    if (m_entry.check.verdict == Verdict::Legal || reason.isEmpty()) {
        return effectText(m_entry);
    }
    return m_entry.check.verdict == Verdict::Unproven ? tr("not proved: %1").arg(reason) : reason;
}

bool PrimitiveRow::canApply() const
{
    return m_entry.offered && (m_entry.check.verdict == Verdict::Legal || m_entry.check.verdict == Verdict::Pointless);
}

void PrimitiveRow::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())) {
        Q_EMIT opened();
    }
}

void PrimitiveRow::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (event->modifiers().testFlag(Qt::ControlModifier)) {
            Q_EMIT quickApplied();
        } else {
            Q_EMIT opened();
        }
        return;
    case Qt::Key_Up: Q_EMIT stepWished(-1); return;
    case Qt::Key_Down: Q_EMIT stepWished(1); return;
    case Qt::Key_Home: Q_EMIT stepWished(-10000); return;
    case Qt::Key_End: Q_EMIT stepWished(10000); return;
    default: QFrame::keyPressEvent(event);
    }
}

bool PrimitiveRow::event(QEvent* event)
{
    const QEvent::Type type = event->type();
    if (type == QEvent::Enter || type == QEvent::FocusIn) {
        QStringList places;
        for (const std::string& place : m_entry.check.why.places) {
            places << fromStd(place);
        }
        if (m_entry.offered && m_entry.check.verdict != Verdict::Legal) {
            Q_EMIT placesHovered(places);
        }
        update();
    } else if (type == QEvent::Leave || type == QEvent::FocusOut) {
        if (m_entry.offered && m_entry.check.verdict != Verdict::Legal) {
            Q_EMIT placesHovered({});
        }
        update();
    }
    return QFrame::event(event);
}

void PrimitiveRow::paintEvent(QPaintEvent*)
{
    const Theme theme = Theme::of(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse()) {
        QColor tint = theme.accent;
        tint.setAlphaF(0.06F);
        painter.fillRect(rect(), tint);
    }
    painter.setPen(QPen(theme.line, 0));
    painter.drawLine(QPointF(0, height() - 0.5), QPointF(width(), height() - 0.5));
    if (!m_key->text().isEmpty()) {
        painter.setBrush(theme.raised);
        painter.drawRoundedRect(QRectF(m_key->geometry()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.accent, 1.5));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -2.5), 4, 4);
    }
}

void PrimitiveRow::restyle()
{
    const Theme theme = Theme::of(palette());
    const Verdict verdict = m_entry.check.verdict;
    const QColor color = verdict == Verdict::Legal ? theme.legal
        : verdict == Verdict::Pointless            ? theme.muted
        : verdict == Verdict::Unproven             ? theme.unproven
                                                   : theme.illegal;
    const int side = fontMetrics().height();
    m_icon->setPixmap(m_entry.offered ? icon(verdictIcon(verdict), color).pixmap(side, side)
                                      : icon(QStringLiteral("minus"), theme.muted).pixmap(side, side));
    m_icon->setFixedHeight(std::max(24, QFontMetrics(noteFont()).height() * 3 / 2)); // as the line of the name
    m_name->setFont(nameFont());
    m_text->setFont(noteFont());
    m_key->setFont(noteFont());
    m_key->setFixedSize(QFontMetrics(noteFont()).height() * 3 / 2, QFontMetrics(noteFont()).height() * 3 / 2);
    m_apply->setFont(noteFont());
    for (LinkLabel* link : m_links) {
        link->restyle();
    }
}

// Where the panel is narrow, a word that would be cut off stands in the tool tip alone.
void PrimitiveRow::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    if (!m_entry.offered) {
        const int taken = m_name->sizeHint().width() + (m_key->isHidden() ? 0 : m_key->width() + 6) + m_icon->sizeHint().width() + 22 + 10 + 6;
        m_text->setVisible(width() - taken >= m_text->sizeHint().width());
    }
}

void PrimitiveRow::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        restyle();
    }
    QFrame::changeEvent(event);
}

} // namespace nw::views
