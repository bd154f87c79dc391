#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/theme.h"
#include "views/loop_nest/loop_nest_view.h"
#include "views/loop_nest/row_text.h"

#include <QPainter>
#include <QPaintEvent>
#include <QPixmapCache>

#include <algorithm>

namespace nw::views {

namespace {

QColor faint(QColor color, double alpha)
{
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

// A picture of an SVG costs more than all the text of its row.
void paintKept(QPainter& painter, const QString& name, const QRect& where, const QColor& color)
{
    const qreal ratio = painter.device()->devicePixelRatioF();
    const QString key = QStringLiteral("nest/") % name % QLatin1Char('/') % color.name() % QLatin1Char('/')
        % QString::number(where.width()) % QLatin1Char('/') % QString::number(ratio);
    QPixmap picture;
    if (!QPixmapCache::find(key, &picture)) {
        picture = QPixmap(where.size() * ratio);
        picture.setDevicePixelRatio(ratio);
        picture.fill(Qt::transparent);
        QPainter inner(&picture);
        paintIcon(inner, name, QRectF(QPointF(), where.size()), color);
        QPixmapCache::insert(key, picture);
    }
    painter.drawPixmap(where.topLeft(), picture);
}

void paintText(QPainter& painter, const QFont& font, const QColor& color, const QRect& box, const QString& text)
{
    painter.setFont(font);
    painter.setPen(color);
    painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                     QFontMetrics(font).elidedText(text, Qt::ElideRight, box.width()));
}

QColor kindColor(const Theme& theme, NestRow::Kind kind)
{
    switch (kind) {
    case NestRow::Kind::Parallel:
    case NestRow::Kind::Vector: return theme.accent;
    case NestRow::Kind::Reduction: return theme.unproven;
    case NestRow::Kind::Serial:
    case NestRow::Kind::Unrolled:
    case NestRow::Kind::Block: return theme.text;
    }
    return theme.text;
}

QColor verdictColor(const Theme& theme, schedule::Verdict verdict)
{
    switch (verdict) {
    case schedule::Verdict::Legal: return theme.legal;
    case schedule::Verdict::Pointless: return theme.muted;
    case schedule::Verdict::Unproven: return theme.unproven;
    case schedule::Verdict::Illegal: return theme.illegal;
    }
    return theme.text;
}

QString verdictIcon(schedule::Verdict verdict)
{
    switch (verdict) {
    case schedule::Verdict::Legal: return QStringLiteral("legal");
    case schedule::Verdict::Pointless: return QStringLiteral("pointless");
    case schedule::Verdict::Unproven: return QStringLiteral("unproven");
    case schedule::Verdict::Illegal: return QStringLiteral("illegal");
    }
    return {};
}

} // namespace

void LoopNestView::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = Theme::of(palette());
    painter.fillRect(event->rect(), theme.panel);
    if (m_rows.empty()) {
        return;
    }
    const NestGrid places = grid();
    for (int row = 0; row < rowCount(); ++row) {
        const int top = places.top(row, scrolled());
        if (top + places.rowHeight > event->rect().top() && top < event->rect().bottom() + 1) {
            paintRow(painter, theme, row);
        }
    }
    paintGesture(painter, theme);
    paintHeader(painter, theme);
    paintBubble(painter, theme);
}

void LoopNestView::paintHeader(QPainter& painter, const Theme& theme) const
{
    const NestGrid places = grid();
    const QRect bar(0, 0, places.width, places.header);
    painter.fillRect(bar, theme.panel);
    painter.setPen(QPen(theme.line, 0));
    painter.drawLine(QPointF(0, bar.height() - 0.5), QPointF(bar.width(), bar.height() - 0.5));
    const QRect loop(6 * places.unit, 0, places.access - 8 * places.unit, places.header);
    if (&shown() == &m_previewRows) {
        paintText(painter, noteFont(), theme.legal, loop, tr("preview of: %1").arg(m_previewStep));
    } else {
        paintText(painter, noteFont(), theme.muted, loop, tr("loop"));
    }
    paintText(painter, noteFont(), theme.muted, QRect(places.access, 0, places.registers - places.access, places.header),
              tr("footprint, access"));
    if (places.registers < places.width) {
        paintText(painter, noteFont(), theme.muted, QRect(places.registers, 0, places.width - places.registers, places.header),
                  tr("registers"));
    }
}

void LoopNestView::paintTint(QPainter& painter, const Theme& theme, const NestRow& row, const RowBoxes& places, bool current) const
{
    const QString name = fromStd(row.name);
    const bool preview = &shown() == &m_previewRows;
    const bool refused = m_places.contains(name) || (m_gesture.active() && !m_gesture.verdict.allowed() && m_gesture.verdict.places.contains(name));
    if (m_selection.contains(name)) {
        painter.fillRect(places.row, theme.selectedRow);
    } else if (row.changed) {
        painter.fillRect(places.row, faint(theme.legal, preview ? 0.16 : 0.09));
    }
    if (refused) {
        painter.fillRect(places.row, faint(theme.illegal, 0.12));
        painter.fillRect(QRect(0, places.row.top(), 3, places.row.height()), theme.illegal);
        paintKept(painter, QStringLiteral("illegal"), places.grip, theme.illegal);
    } else if (name == m_hover) {
        painter.fillRect(places.row, faint(theme.accent, 0.06));
        paintKept(painter, QStringLiteral("grip"), places.grip, theme.muted);
    } else if (row.changed) {
        painter.fillRect(QRect(0, places.row.top(), 3, places.row.height()), theme.legal);
    }
    painter.setPen(QPen(theme.line, 0));
    painter.drawLine(QPointF(0, places.row.bottom() + 0.5), QPointF(places.row.right(), places.row.bottom() + 0.5));
    if (current && hasFocus()) {
        painter.setPen(QPen(theme.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(places.row).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4);
    }
}

void LoopNestView::paintLoopColumn(QPainter& painter, const Theme& theme, const NestRow& row, const RowBoxes& places) const
{
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(QRectF(places.icon).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const int inset = places.icon.width() / 6;
    paintKept(painter, kindIcon(row.kind), places.icon.adjusted(inset, inset, -inset, -inset), kindColor(theme, row.kind));
    paintText(painter, nameFont(), theme.text, places.name, fromStd(row.name));
    if (row.isLoop()) {
        paintText(painter, codeFont(), theme.muted, places.extent, extentText(row));
    }
    paintOperands(painter, theme, row, places);
    if (!places.note.isNull()) {
        paintText(painter, noteFont(), theme.muted, places.note, noteText(row));
    }
    for (std::size_t i = 0; i < places.chips.size(); ++i) {
        const QRect& chip = places.chips[i];
        if (chip.isNull()) {
            continue;
        }
        painter.setPen(QPen(theme.line, 1));
        painter.setBrush(theme.selectedRow);
        painter.drawRoundedRect(QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), chip.height() / 2.0, chip.height() / 2.0);
        paintText(painter, noteFont(), theme.text, chip.adjusted(chip.height() / 3, 0, -chip.height() / 4, 0), bufferText(row.buffers[i]));
    }
}

// The names that can be taken show it when the pointer is over them, and the one in the hand keeps showing it.
void LoopNestView::paintOperands(QPainter& painter, const Theme& theme, const NestRow& row, const RowBoxes& places) const
{
    const bool inHand = m_gesture.active() && m_gesture.kind == NestGesture::Kind::Buffer && m_gesture.name == row.name;
    for (std::size_t i = 0; i < places.operands.size(); ++i) {
        const NestOperand& operand = row.operands[i];
        const bool taken = inHand && m_gesture.buffer == operand.buffer && m_gesture.writes == operand.written;
        const bool under = m_gesture.kind == NestGesture::Kind::None && m_hoverRow == fromStd(row.name) && m_hoverBuffer == fromStd(operand.buffer);
        if (places.operands[i].isNull() || (!taken && !under)) {
            continue;
        }
        const int unit = grid().unit;
        // The space between the words is narrow: the mark stays clear of the next sign.
        const QRectF pill = QRectF(places.operands[i]).adjusted(-unit / 2.0, unit * 1.25, unit / 2.0, -unit * 1.25);
        painter.setPen(Qt::NoPen);
        painter.setBrush(faint(theme.accent, taken ? 0.35 : 0.2));
        painter.drawRoundedRect(pill, 3, 3);
    }
}

void LoopNestView::paintFacts(QPainter& painter, const Theme& theme, int row, const RowBoxes& places) const
{
    const NestRow& told = shown()[static_cast<std::size_t>(row)];
    QStringList access{rowFootprint(row), accessText(told)};
    access.removeAll(QString());
    paintText(painter, noteFont(), theme.muted, places.access, access.join(QStringLiteral(" · ")));
    if (&shown() == &m_rows && m_innermost >= 0) {
        const QString text = row == m_innermost ? m_registers : row == m_innermost + 1 ? m_spills : QString();
        paintText(painter, noteFont(), theme.muted, places.registers, text);
    }
}

void LoopNestView::paintRow(QPainter& painter, const Theme& theme, int row) const
{
    const NestRow& told = shown()[static_cast<std::size_t>(row)];
    const RowBoxes places = boxes(row);
    const bool inHand = m_gesture.active() && m_gesture.holds(told.name);
    paintTint(painter, theme, told, places, rowName(row) == (m_current < 0 || m_current >= static_cast<int>(m_rows.size())
                                                                  ? QString()
                                                                  : fromStd(m_rows[static_cast<std::size_t>(m_current)].name)));
    const bool wholeRow = m_gesture.kind == NestGesture::Kind::Loop || m_gesture.kind == NestGesture::Kind::Block;
    painter.setOpacity(inHand && wholeRow ? 0.55 : 1);
    paintLoopColumn(painter, theme, told, places);
    paintFacts(painter, theme, row, places);
    painter.setOpacity(1);
}

void LoopNestView::paintGesture(QPainter& painter, const Theme& theme) const
{
    if (!m_gesture.active() || m_gesture.kind == NestGesture::Kind::Extent) {
        return;
    }
    const NestGrid places = grid();
    if (m_gesture.kind == NestGesture::Kind::Loop) {
        const int first = rowOf(m_rows, m_gesture.chain.front());
        for (int gap = 0; gap < static_cast<int>(m_gesture.gaps.size()); ++gap) {
            const bool aimed = gap == m_gesture.gap && m_gesture.target < 0;
            const bool stays = m_gesture.staysAt(gap);
            if (stays && !aimed) {
                continue;
            }
            const QColor color = stays ? theme.muted : verdictColor(theme, m_gesture.gaps[static_cast<std::size_t>(gap)].verdict);
            const double y = places.top(first + gap, scrolled());
            painter.setPen(QPen(color, aimed ? 3 : 1.5, aimed ? Qt::SolidLine : Qt::DotLine));
            painter.drawLine(QPointF(5 * places.unit, y), QPointF(places.width - places.unit, y));
        }
    }
    if (m_gesture.target >= 0) {
        painter.setPen(QPen(verdictColor(theme, m_gesture.verdict.verdict), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(boxes(m_gesture.target).row).adjusted(2, 1, -2, -1), 4, 4);
    }
}

void LoopNestView::paintBubble(QPainter& painter, const Theme& theme) const
{
    const QString text = m_gesture.active() ? m_gesture.text() : QString();
    if (text.isEmpty()) {
        return;
    }
    const NestGrid places = grid();
    QPoint at = m_gesture.at;
    if (m_gesture.byKeyboard) {
        const int first = m_gesture.chain.empty() ? 0 : rowOf(m_rows, m_gesture.chain.front());
        const int row = m_gesture.target >= 0 ? m_gesture.target : first + m_gesture.gap;
        at = QPoint(places.width / 3, places.top(row, scrolled()));
    }
    const QFont font = m_gesture.verdict.allowed() ? codeFont() : contentFont();
    const QFontMetrics metrics(font);
    const int icon = 4 * places.unit, pad = 2 * places.unit;
    const int widest = std::max(20 * places.unit, std::min(places.width - 4 * places.unit, 100 * places.unit) - icon - 3 * pad);
    QRect words = metrics.boundingRect(QRect(0, 0, widest, 10000), Qt::TextWordWrap, text);
    QRect bubble(0, 0, words.width() + icon + 3 * pad + 2, words.height() + 2 * pad);
    bubble.moveTopLeft(at + QPoint(4 * places.unit, 4 * places.unit));
    bubble.moveRight(std::min(bubble.right(), places.width - places.unit));
    if (bubble.bottom() > viewport()->height() - places.unit) {
        bubble.moveBottom(std::max(at.y() - 3 * places.unit, bubble.height()));
    }
    const QColor color = verdictColor(theme, m_gesture.verdict.verdict);
    painter.setPen(QPen(color, 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(QRectF(bubble).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    paintKept(painter, verdictIcon(m_gesture.verdict.verdict), QRect(bubble.left() + pad, bubble.top() + pad, icon, icon), color);
    painter.setFont(font);
    painter.setPen(theme.text);
    painter.drawText(bubble.adjusted(icon + 2 * pad, pad, -pad + 2, -pad), Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignTop, text);
}

} // namespace nw::views
