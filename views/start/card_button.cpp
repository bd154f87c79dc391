#include "views/start/card_button.h"

#include "views/common/fonts.h"
#include "views/common/theme.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

namespace nw::views {
namespace {

constexpr int kMargin = 12;

} // namespace

CardButton::CardButton(const QString& title, const QString& paragraph, QWidget* parent)
    : QAbstractButton(parent)
    , m_paragraph(paragraph)
{
    setText(title);
    setAccessibleName(title);
    setAccessibleDescription(paragraph);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setCursor(Qt::PointingHandCursor);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

QSize CardButton::sizeHint() const
{
    const int width = QFontMetrics(contentFont()).averageCharWidth() * 38;
    return {width, heightForWidth(width)};
}

int CardButton::titleHeight(int width) const
{
    return QFontMetrics(nameFont()).boundingRect(QRect(0, 0, width, 10000), Qt::TextWordWrap, text()).height();
}

int CardButton::heightForWidth(int width) const
{
    const QRect room(0, 0, std::max(40, width - 2 * kMargin), 10000);
    return 2 * kMargin + titleHeight(room.width()) + 4 + QFontMetrics(noteFont()).boundingRect(room, Qt::TextWordWrap, m_paragraph).height();
}

void CardButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = Theme::of(palette());
    const QRectF frame = QRectF(rect()).adjusted(1, 1, -1, -1);
    painter.setPen(QPen(hasFocus() ? theme.accent : underMouse() ? theme.muted : theme.line, hasFocus() ? 2 : 1));
    painter.setBrush(isDown() ? theme.selectedRow : theme.panel);
    painter.drawRoundedRect(frame, 5, 5);
    QRect room = rect().adjusted(kMargin, kMargin, -kMargin, -kMargin);
    painter.setFont(nameFont());
    painter.setPen(theme.text);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, text());
    room.setTop(room.top() + titleHeight(room.width()) + 4);
    painter.setFont(noteFont());
    painter.setPen(theme.muted);
    painter.drawText(room, Qt::TextWordWrap, m_paragraph);
}

void CardButton::resizeEvent(QResizeEvent* event)
{
    QAbstractButton::resizeEvent(event);
    // The stack around the cards does not ask for a height at this width.
    setMinimumHeight(heightForWidth(width()));
}

void CardButton::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        click();
        return;
    }
    QAbstractButton::keyPressEvent(event);
}

} // namespace nw::views
