// Single keys act while the view has the focus; they go by the code of the key.

#include "engine/base/text.h"
#include "engine/schedule/primitive.h"
#include "views/common/format.h"
#include "views/loop_nest/loop_nest_view.h"
#include "views/loop_nest/nest_gestures.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>

#include <algorithm>
#include <array>

namespace nw::views {

namespace {

constexpr std::array<int, 8> kOthers{Qt::Key_M, Qt::Key_Period, Qt::Key_BracketLeft, Qt::Key_BracketRight, Qt::Key_D,
                                     Qt::Key_Backspace, Qt::Key_Escape, Qt::Key_Return};

// Letters have the codes of their characters.
const schedule::Primitive* primitiveOf(int key)
{
    for (const schedule::Primitive* primitive : schedule::allPrimitives()) {
        if (primitive->key != 0 && primitive->key == key) {
            return primitive;
        }
    }
    return nullptr;
}

bool isPlain(const QKeyEvent& event)
{
    return (event.modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
}

} // namespace

bool LoopNestView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool ours = primitiveOf(key->key()) != nullptr
            || std::find(kOthers.begin(), kOthers.end(), key->key()) != kOthers.end();
        if (ours && isPlain(*key)) {
            event->accept();
            return true;
        }
    }
    return QAbstractScrollArea::event(event);
}

bool LoopNestView::singleKey(int key)
{
    if (const schedule::Primitive* primitive = primitiveOf(key)) {
        Q_EMIT primitiveWished(fromStd(primitive->name));
        return true;
    }
    const QString current = m_current >= 0 && m_current < static_cast<int>(m_rows.size())
        ? fromStd(m_rows[static_cast<std::size_t>(m_current)].name)
        : QString();
    switch (key) {
    case Qt::Key_M: Q_EMIT measureWished(); return true;
    case Qt::Key_Period: Q_EMIT repeatWished(); return true;
    case Qt::Key_BracketLeft: Q_EMIT previousStepWished(); return true;
    case Qt::Key_BracketRight: Q_EMIT nextStepWished(); return true;
    case Qt::Key_D: Q_EMIT diffWished(); return true;
    case Qt::Key_Backspace:
        if (!current.isEmpty()) {
            Q_EMIT removeLoopWished(current);
        }
        return true;
    case Qt::Key_Escape:
        setPlaces({});
        choose(QStringList());
        return true;
    case Qt::Key_Space:
        if (!current.isEmpty()) {
            choose(m_current, Qt::ControlModifier);
        }
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: grab(false); return true;
    default: return false;
    }
}

bool LoopNestView::moveKey(QKeyEvent* event)
{
    const int last = static_cast<int>(m_rows.size()) - 1;
    const int page = std::max(1, (viewport()->height() - grid().header) / grid().rowHeight - 1);
    int row = m_current;
    switch (event->key()) {
    case Qt::Key_Up: row -= 1; break;
    case Qt::Key_Down: row += 1; break;
    case Qt::Key_PageUp: row -= page; break;
    case Qt::Key_PageDown: row += page; break;
    case Qt::Key_Home: row = 0; break;
    case Qt::Key_End: row = last; break;
    default: return false;
    }
    const bool arrow = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
    if (arrow && event->modifiers().testFlag(Qt::ShiftModifier)) {
        moveLoop(event->key() == Qt::Key_Up ? -1 : 1);
        return true;
    }
    row = std::clamp(row, 0, last);
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        setCurrent(row); // Space then adds it to the selection
    } else {
        choose(row, Qt::NoModifier);
    }
    return true;
}

void LoopNestView::moveLoop(int by)
{
    if (!m_nest || m_current < 0 || !m_rows[static_cast<std::size_t>(m_current)].isLoop()) {
        return;
    }
    const std::string name = m_rows[static_cast<std::size_t>(m_current)].name;
    const std::vector<std::string> chain = chainAround(*m_nest, name);
    const int from = static_cast<int>(std::find(chain.begin(), chain.end(), name) - chain.begin());
    const std::string line = reorderLine(*m_nest, {name}, by < 0 ? from - 1 : from + 2);
    if (line.empty()) {
        Q_EMIT message(by < 0 ? tr("%1 is the outermost of the loops it can change places with").arg(fromStd(name))
                              : tr("%1 is the innermost of the loops it can change places with").arg(fromStd(name)),
                       true);
        return;
    }
    m_gesture.asked.clear();
    const GestureVerdict verdict = ask(line);
    m_gesture.asked.clear();
    if (!verdict.allowed()) {
        setPlaces(verdict.places);
        Q_EMIT message(verdict.words, true);
        return;
    }
    m_lastLine = fromStd(line);
    Q_EMIT message(m_lastLine, false);
    Q_EMIT stepWished(m_lastLine);
}

// `together`: with the loops that belong to it.
void LoopNestView::grab(bool together)
{
    if (!m_nest || m_current < 0) {
        return;
    }
    const NestRow& row = m_rows[static_cast<std::size_t>(m_current)];
    const std::string name = row.name;
    m_gesture = {};
    m_gesture.together = together && row.isLoop();
    beginGesture(row.isLoop() ? NestGesture::Kind::Loop : NestGesture::Kind::Block, name, true);
    m_gesture.gap = m_gesture.ownGap();
    m_gesture.target = -1;
    Q_EMIT message(row.isLoop() ? tr("%1 grabbed: Up and Down move it, Enter drops it, Esc cancels").arg(fromStd(join(m_gesture.moved, " ")))
                                : tr("%1 grabbed: Up and Down choose a loop, Enter moves it there, Esc cancels").arg(fromStd(name)),
                   false);
    viewport()->update();
}

void LoopNestView::moveGrabbed(int by)
{
    const int own = rowOf(m_rows, m_gesture.name);
    if (m_gesture.kind == NestGesture::Kind::Block) {
        int row = (m_gesture.target < 0 ? own : m_gesture.target) + by;
        while (row >= 0 && row < static_cast<int>(m_rows.size()) && !m_rows[static_cast<std::size_t>(row)].isLoop()) {
            row += by;
        }
        if (row >= 0 && row < static_cast<int>(m_rows.size())) {
            aimAtLoop(row);
        }
    } else {
        if (proposedNothing()) {
            viewport()->update();
            return;
        }
        // The gaps above, in and below what is moved are one place: where it is.
        const int size = static_cast<int>(m_gesture.moved.size());
        const int last = static_cast<int>(m_gesture.chain.size()) - size;
        const int from = m_gesture.ownGap();
        const int place = std::clamp((m_gesture.gap > from ? m_gesture.gap - size : m_gesture.gap) + by, 0, last);
        m_gesture.gap = place > from ? place + size : place;
        const std::string line = reorderLine(*m_nest, m_gesture.moved, m_gesture.gap);
        propose(line, line.empty() ? GestureVerdict() : m_gesture.gaps[static_cast<std::size_t>(m_gesture.gap)]);
    }
    viewport()->update();
}

bool LoopNestView::grabKey(int key)
{
    switch (key) {
    case Qt::Key_Up: moveGrabbed(-1); return true;
    case Qt::Key_Down: moveGrabbed(1); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: endGesture(true); return true;
    case Qt::Key_Escape: endGesture(false); return true;
    default: return true; // nothing else while a row is in the hand
    }
}

void LoopNestView::copyLine() const
{
    const QString text = m_lastLine.isEmpty() ? rowText(m_current) : m_lastLine;
    if (!text.isEmpty()) {
        QGuiApplication::clipboard()->setText(text);
    }
}

void LoopNestView::keyPressEvent(QKeyEvent* event)
{
    if (m_gesture.kind != NestGesture::Kind::None) {
        if (m_gesture.byKeyboard) {
            grabKey(event->key());
        } else if (event->key() == Qt::Key_Escape) {
            endGesture(false);
        }
        return;
    }
    if (m_rows.empty()) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    if (event->matches(QKeySequence::Undo)) {
        Q_EMIT undoWished();
    } else if (event->matches(QKeySequence::Copy)) {
        copyLine();
    } else if (event->key() == Qt::Key_Space && event->modifiers().testFlag(Qt::ControlModifier)) {
        singleKey(Qt::Key_Space);
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && event->modifiers().testFlag(Qt::ShiftModifier)) {
        grab(true);
    } else if (!moveKey(event) && !(isPlain(*event) && singleKey(event->key()))) {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

} // namespace nw::views
