#include "views/loop_nest/loop_nest_view.h"

#include "views/common/empty_state.h"
#include "views/common/format.h"
#include "views/loop_nest/nest_accessible.h"
#include "views/loop_nest/row_text.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

namespace nw::views {

LoopNestView::LoopNestView(QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_empty(new EmptyState(viewport()))
{
    installNestAccessible();
    setObjectName(QStringLiteral("loopNest"));
    setAccessibleName(tr("Loop nest"));
    setFocusPolicy(Qt::StrongFocus);
    // Input methods would swallow the letters that are commands here.
    setAttribute(Qt::WA_InputMethodEnabled, false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    m_empty->setText(tr("No operator is open."));
    connect(m_empty, &EmptyState::actionWished, this, &LoopNestView::actionWished);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, viewport(), qOverload<>(&QWidget::update));
}

void LoopNestView::setNest(const schedule::LoopNest& nest, const schedule::LoopNest* before)
{
    if (m_gesture.kind != NestGesture::Kind::None) {
        endGesture(false);
    }
    m_nest = nest;
    m_rows = nestRows(nest, before);
    m_previewRows.clear();
    m_previewStep.clear();
    m_footprints.clear();
    m_places.clear();
    m_innermost = -1;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const bool holdsBlock = i + 1 < m_rows.size() && m_rows[i].isLoop() && !m_rows[i + 1].isLoop()
            && m_rows[i + 1].parent == static_cast<int>(i);
        if (holdsBlock && (m_innermost < 0 || m_rows[i].depth > m_rows[static_cast<std::size_t>(m_innermost)].depth)) {
            m_innermost = static_cast<int>(i);
        }
    }
    const int wasAt = m_current;
    select(m_selection);
    if (m_current < 0) {
        setCurrent(std::min(wasAt, rowCount() - 1));
    }
}

void LoopNestView::clear()
{
    endGesture(false);
    m_nest.reset();
    m_rows.clear();
    m_previewRows.clear();
    m_previewStep.clear();
    m_footprints.clear();
    m_selection.clear();
    m_places.clear();
    m_hover.clear();
    m_current = m_anchor = m_innermost = -1;
    layOut();
}

void LoopNestView::setEmptyText(const QString& sentence, const QString& action)
{
    m_empty->setText(sentence, action);
}

void LoopNestView::setPreview(const schedule::LoopNest* preview, const QString& step)
{
    m_previewStep = preview == nullptr ? QString() : step;
    m_previewRows = preview == nullptr || !m_nest ? std::vector<NestRow>() : nestRows(*preview, &*m_nest);
    layOut();
}

void LoopNestView::setJudge(Judge judge)
{
    m_judge = std::move(judge);
}

void LoopNestView::setFootprints(const std::vector<schedule::LoopFootprint>& footprints, const Target& target)
{
    m_footprints.clear();
    for (const schedule::LoopFootprint& each : footprints) {
        m_footprints.insert(fromStd(each.loop), {footprintText(each, target), footprintTip(each, target)});
    }
    viewport()->update();
}

void LoopNestView::setFacts(const QString& registers, const QString& spills)
{
    m_registers = registers;
    m_spills = spills;
    viewport()->update();
}

void LoopNestView::select(const QStringList& names)
{
    QStringList there;
    for (const QString& name : names) {
        if (rowOf(m_rows, toStd(name)) >= 0 && !there.contains(name)) {
            there << name;
        }
    }
    m_selection = there;
    m_current = m_selection.isEmpty() ? -1 : rowOf(m_rows, toStd(m_selection.first()));
    m_anchor = m_current;
    layOut();
    if (m_current >= 0) {
        setCurrent(m_current);
    }
}

void LoopNestView::setHover(const QString& name)
{
    if (m_hover != name) {
        m_hover = name;
        viewport()->update();
    }
}

void LoopNestView::setHoverBuffer(const QString& row, const QString& buffer)
{
    if (m_hoverRow != row || m_hoverBuffer != buffer) {
        m_hoverRow = row;
        m_hoverBuffer = buffer;
        viewport()->update();
    }
}

void LoopNestView::setPlaces(const QStringList& names)
{
    m_places = names;
    viewport()->update();
}

const std::vector<NestRow>& LoopNestView::shown() const
{
    // While a row is dragged the rows stay where they are: the places to drop it must not run away.
    const bool dragged = m_gesture.active() && m_gesture.kind != NestGesture::Kind::Extent;
    return m_previewRows.empty() || dragged ? m_rows : m_previewRows;
}

QString LoopNestView::rowName(int row) const
{
    return row < 0 || row >= rowCount() ? QString() : fromStd(shown()[static_cast<std::size_t>(row)].name);
}

QString LoopNestView::rowText(int row) const
{
    return row < 0 || row >= rowCount() ? QString() : spokenText(shown()[static_cast<std::size_t>(row)]);
}

// A preview has loops of the same names that touch something else.
QString LoopNestView::rowFootprint(int row) const
{
    return &shown() == &m_rows ? m_footprints.value(rowName(row)).text : QString();
}

QString LoopNestView::rowDetails(int row) const
{
    return &shown() == &m_rows ? m_footprints.value(rowName(row)).tip : QString();
}

NestGrid LoopNestView::grid() const
{
    return NestGrid::of(viewport()->width());
}

int LoopNestView::scrolled() const
{
    return verticalScrollBar()->value();
}

RowBoxes LoopNestView::boxes(int row) const
{
    return boxesOf(grid(), shown()[static_cast<std::size_t>(row)], row, scrolled());
}

QRect LoopNestView::rowRect(int row) const
{
    return row < 0 || row >= rowCount() ? QRect() : boxes(row).row;
}

QRect LoopNestView::nameRect(const QString& name) const
{
    const int row = rowOf(shown(), toStd(name));
    return row < 0 ? QRect() : boxes(row).name;
}

QRect LoopNestView::extentRect(const QString& loop) const
{
    const int row = rowOf(shown(), toStd(loop));
    return row < 0 ? QRect() : boxes(row).extent;
}

QRect LoopNestView::chipRect(const QString& buffer) const
{
    for (std::size_t i = 0; i < shown().size(); ++i) {
        const std::vector<NestBuffer>& buffers = shown()[i].buffers;
        for (std::size_t k = 0; k < buffers.size(); ++k) {
            if (fromStd(buffers[k].name) == buffer) {
                return boxes(static_cast<int>(i)).chips[k];
            }
        }
    }
    return {};
}

QRect LoopNestView::operandRect(const QString& block, const QString& buffer) const
{
    const int row = rowOf(shown(), toStd(block));
    const std::vector<NestOperand> operands = row < 0 ? std::vector<NestOperand>() : shown()[static_cast<std::size_t>(row)].operands;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (fromStd(operands[i].buffer) == buffer) {
            return boxes(row).operands[i];
        }
    }
    return {};
}

int LoopNestView::rowAt(const QPoint& at) const
{
    const NestGrid places = grid();
    if (at.y() < places.header) {
        return -1;
    }
    const int row = (at.y() - places.top(0, scrolled())) / places.rowHeight;
    return row >= 0 && row < rowCount() ? row : -1;
}

void LoopNestView::layOut()
{
    const NestGrid places = grid();
    const int space = viewport()->height() - places.header;
    verticalScrollBar()->setRange(0, std::max(0, rowCount() * places.rowHeight - space));
    verticalScrollBar()->setPageStep(std::max(1, space));
    verticalScrollBar()->setSingleStep(places.rowHeight);
    m_empty->setGeometry(viewport()->rect());
    m_empty->setVisible(m_rows.empty());
    viewport()->update();
}

void LoopNestView::setCurrent(int row)
{
    m_current = row;
    if (row >= 0) {
        const NestGrid places = grid();
        const int top = row * places.rowHeight;
        const int space = viewport()->height() - places.header;
        if (top < scrolled()) {
            verticalScrollBar()->setValue(top);
        } else if (space > places.rowHeight && top + places.rowHeight > scrolled() + space) {
            verticalScrollBar()->setValue(top + places.rowHeight - space);
        }
        if (QAccessible::isActive() && hasFocus()) {
            QAccessibleEvent moved(this, QAccessible::Focus);
            moved.setChild(row);
            QAccessible::updateAccessibility(&moved);
        }
    }
    viewport()->update();
}

void LoopNestView::choose(const QStringList& names)
{
    if (names != m_selection) {
        m_selection = names;
        Q_EMIT selectionChanged(m_selection);
    }
    viewport()->update();
}

void LoopNestView::choose(int row, Qt::KeyboardModifiers modifiers)
{
    const QString name = fromStd(m_rows[static_cast<std::size_t>(row)].name);
    QStringList names = m_selection;
    if (modifiers.testFlag(Qt::ShiftModifier) && m_anchor >= 0 && m_anchor < static_cast<int>(m_rows.size())) {
        names.clear();
        for (int i = std::min(m_anchor, row); i <= std::max(m_anchor, row); ++i) {
            names << fromStd(m_rows[static_cast<std::size_t>(i)].name);
        }
    } else if (modifiers.testFlag(Qt::ControlModifier)) {
        names.contains(name) ? static_cast<void>(names.removeAll(name)) : static_cast<void>(names << name);
        m_anchor = row;
    } else {
        names = QStringList{name};
        m_anchor = row;
    }
    setCurrent(row);
    choose(names);
}

bool LoopNestView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int row = rowAt(help->pos());
        QStringList lines{rowText(row), rowDetails(row)};
        const NestGesture taken = m_nest ? gestureAt(help->pos(), Qt::NoModifier) : NestGesture();
        if (taken.reads) {
            lines << tr("Drag %1 onto a loop: a copy of it, made when a step of the loop begins").arg(fromStd(taken.buffer));
        }
        if (taken.writes) {
            lines << tr("Drag %1 onto a loop: a tile of it, written back when a step of the loop ends").arg(fromStd(taken.buffer));
        }
        lines.removeAll(QString());
        QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')), viewport());
        return true;
    }
    if (event->type() == QEvent::Leave && m_gesture.kind == NestGesture::Kind::None && !m_hover.isEmpty()) {
        setHover({});
        setHoverBuffer({}, {});
        Q_EMIT hovered({});
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void LoopNestView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        layOut();
    }
    QAbstractScrollArea::changeEvent(event);
}

void LoopNestView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

void LoopNestView::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    if (m_current < 0 && !m_rows.empty()) {
        m_current = m_anchor = 0;
    }
    viewport()->update();
}

void LoopNestView::focusOutEvent(QFocusEvent* event)
{
    if (m_gesture.byKeyboard) {
        endGesture(false);
    }
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace nw::views
