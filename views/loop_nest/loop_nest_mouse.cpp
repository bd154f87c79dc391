// What the pointer does: selecting, and the drags that write script lines.

#include "views/common/format.h"
#include "views/common/refusal_text.h"
#include "views/loop_nest/loop_nest_view.h"
#include "views/loop_nest/nest_gestures.h"

#include <QApplication>
#include <QMouseEvent>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace nw::views {

using Kind = NestGesture::Kind;
using schedule::Verdict;

GestureVerdict LoopNestView::ask(const std::string& line)
{
    const auto found = m_gesture.asked.find(line);
    if (found != m_gesture.asked.end()) {
        return found->second;
    }
    GestureVerdict verdict;
    if (m_judge) {
        const session::Editing::Judged judged = m_judge(line);
        verdict.verdict = judged.error.empty() ? judged.check.verdict : Verdict::Illegal;
        const QString words = judged.error.empty() ? reasonText(judged.check.why) : fromStd(judged.error);
        verdict.words = verdict.verdict == Verdict::Unproven ? tr("not proved: %1").arg(words) : words;
        for (const std::string& place : judged.check.why.places) {
            verdict.places << fromStd(place);
        }
    }
    m_gesture.asked.emplace(line, verdict);
    return verdict;
}

NestGesture LoopNestView::gestureAt(const QPoint& at, Qt::KeyboardModifiers modifiers) const
{
    NestGesture found;
    const int row = rowAt(at);
    if (row < 0) {
        return found;
    }
    const NestRow& dragged = shown()[static_cast<std::size_t>(row)];
    const RowBoxes places = boxes(row);
    const bool tile = !dragged.isLoop() && modifiers.testFlag(Qt::AltModifier);
    found.name = dragged.name;
    for (std::size_t i = 0; i < places.chips.size(); ++i) {
        if (places.chips[i].contains(at)) {
            found.kind = Kind::Buffer;
            found.buffer = dragged.buffers[i].name;
            found.name = writerOf(*m_nest, found.buffer);
            found.writes = !found.name.empty();
            found.reads = true;
            return found;
        }
    }
    for (std::size_t i = 0; i < places.operands.size(); ++i) {
        const NestOperand& operand = dragged.operands[i];
        // A name of one letter is narrow: the space around it counts.
        const QRect name = places.operands[i].isNull() ? QRect() : places.operands[i].adjusted(-grid().unit, 0, grid().unit, 0);
        if (tile ? operand.written : name.contains(at)) {
            found.kind = Kind::Buffer;
            found.buffer = operand.buffer;
            found.writes = operand.written;
            found.reads = !operand.written;
            return found;
        }
    }
    found.kind = !dragged.isLoop() ? Kind::Block : places.extent.contains(at) ? Kind::Extent : Kind::Loop;
    return found;
}

void LoopNestView::beginGesture(Kind kind, const std::string& name, bool byKeyboard)
{
    m_gesture.kind = kind;
    m_gesture.name = name;
    m_gesture.pressed = false;
    m_gesture.byKeyboard = byKeyboard;
    m_places.clear();
    setHoverBuffer({}, {});
    if (kind == Kind::Loop) {
        m_gesture.chain = chainAround(*m_nest, name);
        m_gesture.moved = m_gesture.together ? chainedWith(*m_nest, name) : std::vector<std::string>{name};
        for (int gap = 0; gap <= static_cast<int>(m_gesture.chain.size()); ++gap) {
            const std::string line = reorderLine(*m_nest, m_gesture.moved, gap);
            m_gesture.gaps.push_back(line.empty() ? GestureVerdict() : ask(line));
        }
        if (m_gesture.together) {
            QStringList names;
            for (const std::string& loop : m_gesture.moved) {
                names << fromStd(loop);
            }
            choose(names); // what goes along
        }
    }
    if (kind != Kind::Extent) {
        layOut();
    }
    viewport()->setCursor(kind == Kind::Extent ? Qt::SizeHorCursor : Qt::ClosedHandCursor);
}

void LoopNestView::propose(const std::string& line, const GestureVerdict& verdict)
{
    if (line == m_gesture.line && verdict.words == m_gesture.verdict.words && verdict.verdict == m_gesture.verdict.verdict) {
        return;
    }
    const bool hadPreview = m_gesture.wouldApply();
    m_gesture.line = line;
    m_gesture.verdict = verdict;
    const bool refused = !verdict.allowed();
    Q_EMIT message(m_gesture.text(), refused);
    if (m_gesture.wouldApply()) {
        m_lastLine = fromStd(line);
        Q_EMIT previewWished(m_lastLine);
    } else if (hadPreview) {
        Q_EMIT previewWished({});
    }
}

void LoopNestView::dragExtent(const QPoint& at)
{
    const std::vector<std::int64_t> factors = splitFactors(*m_nest, m_gesture.name);
    if (factors.empty()) {
        propose({}, {Verdict::Illegal, tr("%1 has no divisors between 1 and its extent; S splits it with a tail").arg(fromStd(m_gesture.name)),
                     {fromStd(m_gesture.name)}});
        return;
    }
    // From the middle of the divisors, one for every six units: right is larger.
    const int last = static_cast<int>(factors.size()) - 1;
    const double steps = static_cast<double>(at.x() - m_gesture.start.x()) / (6 * grid().unit);
    const int index = std::clamp(last / 2 + static_cast<int>(std::lround(steps)), 0, last);
    m_gesture.factor = factors[static_cast<std::size_t>(index)];
    const std::string line = splitLine(*m_nest, m_gesture.name, m_gesture.factor);
    propose(line, ask(line));
}

// When all loops of the chain go together there is no place for them.
bool LoopNestView::proposedNothing()
{
    const std::vector<std::string>& chain = m_gesture.chain;
    if (chain.size() < 2 || m_gesture.moved.size() < chain.size()) {
        return false;
    }
    propose({}, {Verdict::Illegal,
                 tr("%1 to %2 are all the loops that hold one another: there is none to change places with")
                     .arg(fromStd(chain.front()), fromStd(chain.back())),
                 {}});
    return true;
}

void LoopNestView::dragLoop(const QPoint& at)
{
    const NestGrid places = grid();
    const std::vector<std::string>& chain = m_gesture.chain;
    const int first = rowOf(m_rows, chain.front());
    const int own = rowOf(m_rows, m_gesture.name);
    const double y = static_cast<double>(at.y() - places.top(0, scrolled())) / places.rowHeight;
    const int row = std::clamp(static_cast<int>(std::floor(y)), 0, static_cast<int>(m_rows.size()) - 1);
    const NestRow& under = m_rows[static_cast<std::size_t>(row)];
    m_gesture.gap = m_gesture.target = -1;

    if (proposedNothing()) {
        return;
    }
    if (row != own && m_gesture.moved.size() == 1 && under.isLoop() && std::abs(y - row - 0.5) < 0.2) {
        const std::string line = fuseLine(*m_nest, m_gesture.name, under.name);
        if (!line.empty()) {
            m_gesture.target = row;
            propose(line, ask(line));
            return;
        }
    }
    const int gap = static_cast<int>(std::lround(y)) - first;
    if (gap >= 0 && gap <= static_cast<int>(chain.size())) {
        m_gesture.gap = gap;
        const std::string line = reorderLine(*m_nest, m_gesture.moved, gap);
        propose(line, line.empty() ? GestureVerdict() : m_gesture.gaps[static_cast<std::size_t>(gap)]);
        return;
    }
    m_gesture.target = row;
    GestureVerdict verdict{Verdict::Illegal,
                           tr("%1 changes places only with loops that hold it, or that it holds, and nothing else").arg(fromStd(m_gesture.name)),
                           {under.isLoop() ? fromStd(under.name) : QString()}};
    if (under.isLoop() && row != own) {
        const std::string& moved = m_gesture.name;
        const GestureVerdict asked = ask(row < own ? "reorder " + moved + " " + under.name : "reorder " + under.name + " " + moved);
        verdict = asked.allowed() ? verdict : asked;
    }
    propose({}, verdict);
}

void LoopNestView::aimAtLoop(int row)
{
    m_gesture.target = -1;
    if (row < 0 || !m_rows[static_cast<std::size_t>(row)].isLoop()) {
        propose({}, {});
        return;
    }
    m_gesture.target = row;
    const std::string& loop = m_rows[static_cast<std::size_t>(row)].name;
    std::vector<std::string> lines = m_gesture.kind == Kind::Block ? computeAtLines(*m_nest, m_gesture.name, loop)
        : m_gesture.writes                                        ? cacheWriteLines(*m_nest, m_gesture.name, loop)
                                                                  : std::vector<std::string>();
    const std::vector<std::string> copies
        = m_gesture.reads ? cacheReadLines(*m_nest, m_gesture.buffer, loop) : std::vector<std::string>();
    lines.insert(lines.end(), copies.begin(), copies.end());
    if (lines.empty()) {
        propose({}, {});
        return;
    }
    std::string best = lines.front();
    for (const std::string& line : lines) {
        // Verdicts stand in the order of their worth.
        if (ask(line).verdict < ask(best).verdict) {
            best = line;
        }
    }
    propose(best, ask(best));
}

void LoopNestView::updateGesture(const QPoint& at)
{
    m_gesture.at = at;
    switch (m_gesture.kind) {
    case Kind::None: break;
    case Kind::Loop: dragLoop(at); break;
    case Kind::Extent: dragExtent(at); break;
    case Kind::Block:
    case Kind::Buffer: aimAtLoop(rowAt(at)); break;
    }
    viewport()->update();
}

void LoopNestView::endGesture(bool drop)
{
    const NestGesture ended = std::exchange(m_gesture, {});
    viewport()->unsetCursor();
    if (ended.wouldApply()) {
        Q_EMIT previewWished({});
    }
    if (ended.active()) {
        const bool refused = drop && !ended.verdict.allowed();
        if (drop && ended.wouldApply()) {
            m_lastLine = fromStd(ended.line);
            Q_EMIT message(m_lastLine, false);
            Q_EMIT stepWished(m_lastLine);
        } else if (refused) {
            m_places = ended.verdict.places;
            Q_EMIT message(ended.text(), true);
        } else {
            Q_EMIT message({}, false);
        }
    }
    layOut();
}

void LoopNestView::scrollWith(const QPoint& at)
{
    const NestGrid places = grid();
    if (at.y() < places.header + places.rowHeight / 2) {
        verticalScrollBar()->setValue(scrolled() - places.rowHeight / 2);
    } else if (at.y() > viewport()->height() - places.rowHeight / 2) {
        verticalScrollBar()->setValue(scrolled() + places.rowHeight / 2);
    }
}

void LoopNestView::mousePressEvent(QMouseEvent* event)
{
    const QPoint at = event->position().toPoint();
    const QString name = rowName(rowAt(at));
    const int row = rowOf(m_rows, toStd(name));
    if (!m_nest || name.isEmpty() || row < 0 || event->button() != Qt::LeftButton) {
        return;
    }
    if (m_gesture.kind != Kind::None) {
        endGesture(false);
    }
    const NestGesture begun = gestureAt(at, event->modifiers());
    choose(row, event->modifiers());
    m_gesture = begun;
    m_gesture.pressed = true;
    m_gesture.together = begun.kind == Kind::Loop && event->modifiers().testFlag(Qt::ShiftModifier);
    m_gesture.start = m_gesture.at = at;
}

void LoopNestView::mouseMoveEvent(QMouseEvent* event)
{
    const QPoint at = event->position().toPoint();
    if (m_gesture.kind != Kind::None && !m_gesture.byKeyboard) {
        if (m_gesture.pressed && (at - m_gesture.start).manhattanLength() >= QApplication::startDragDistance()) {
            beginGesture(m_gesture.kind, m_gesture.name, false);
        }
        if (m_gesture.active()) {
            scrollWith(at);
            updateGesture(at);
        }
        return;
    }
    const QString name = rowName(rowAt(at));
    const NestGesture under = m_nest && m_gesture.kind == Kind::None ? gestureAt(at, event->modifiers()) : NestGesture();
    viewport()->setCursor(under.kind == Kind::Extent       ? Qt::SizeHorCursor
                              : under.kind == Kind::Buffer ? Qt::OpenHandCursor
                                                           : Qt::ArrowCursor);
    setHoverBuffer(under.kind == Kind::Buffer ? name : QString(), fromStd(under.buffer));
    if (name != m_hover) {
        setHover(name);
        Q_EMIT hovered(name);
    }
}

void LoopNestView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && m_gesture.kind != Kind::None && !m_gesture.byKeyboard) {
        endGesture(m_gesture.active());
    }
}

} // namespace nw::views
