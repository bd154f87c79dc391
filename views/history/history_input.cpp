// What the strip does with the keyboard and the mouse.

#include "views/common/format.h"
#include "views/history/history_strip.h"
#include "views/history/station_text.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <cmath>
#include <utility>

namespace nw::views {

void HistoryStrip::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_shown.dragged >= 0) {
        endDrag();
        return;
    }
    const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
    if (count() == 0 || !plain) {
        event->ignore();
        return;
    }
    const int here = m_shown.focus;
    switch (event->key()) {
    case Qt::Key_Left: goTo(here - 1); return;
    case Qt::Key_Right: goTo(here + 1); return;
    case Qt::Key_Home: goTo(0); return;
    case Qt::Key_End: goTo(count() - 1); return;
    case Qt::Key_Space: goTo(here); return;
    case Qt::Key_Delete:
        if (here > 0) {
            Q_EMIT removeWished(here);
        }
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (here > 0) {
            Q_EMIT editWished(here);
        }
        return;
    case Qt::Key_M:
        if (at(here).reached) {
            Q_EMIT measureWished(here);
        }
        return;
    default: event->ignore();
    }
}

void HistoryStrip::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->button() == Qt::LeftButton ? stationAt(event->pos()) : -1;
    m_pressedStub = event->button() == Qt::LeftButton ? stubAt(event->pos()) : -1;
    m_pressedAt = event->pos();
}

void HistoryStrip::mouseMoveEvent(QMouseEvent* event)
{
    if (m_pressed < 0) {
        const int station = stationAt(event->pos());
        const int stub = stubAt(event->pos());
        if (station != m_shown.hovered || stub != m_shown.hoveredStub) {
            m_shown.hovered = station;
            m_shown.hoveredStub = stub;
            viewport()->update();
        }
        return;
    }
    const QPoint by = event->pos() - m_pressedAt;
    // The plain nest is nobody's step: it stays.
    if (m_shown.dragged < 0 && m_pressed > 0 && by.manhattanLength() >= QApplication::startDragDistance()) {
        m_shown.dragged = m_pressed;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (m_shown.dragged >= 0) {
        m_shown.dragBy = by;
        m_shown.dragRemoves = std::abs(by.y()) > m_layout.boxes.front().height();
        viewport()->update();
    }
}

void HistoryStrip::mouseReleaseEvent(QMouseEvent* event)
{
    const int pressed = m_pressed;
    const int dragged = m_shown.dragged;
    const bool removes = m_shown.dragRemoves;
    const int stub = std::exchange(m_pressedStub, -1);
    endDrag();
    if (stub >= 0 && stub == stubAt(event->pos())) {
        openStub(stub, event->globalPosition().toPoint());
        return;
    }
    if (dragged >= 0) {
        if (removes) {
            Q_EMIT removeWished(dragged);
        }
    } else if (pressed >= 0 && stationAt(event->pos()) == pressed) {
        goTo(pressed);
    }
}

void HistoryStrip::mouseDoubleClickEvent(QMouseEvent* event)
{
    const int station = event->button() == Qt::LeftButton ? stationAt(event->pos()) : -1;
    if (station > 0) {
        Q_EMIT editWished(station);
    }
}

void HistoryStrip::endDrag()
{
    m_pressed = -1;
    m_shown.dragged = -1;
    m_shown.dragRemoves = false;
    viewport()->unsetCursor();
    viewport()->update();
}

void HistoryStrip::wheelEvent(QWheelEvent* event)
{
    // A strip has one direction: an ordinary wheel moves along it.
    const QPoint delta = event->angleDelta();
    const int by = delta.x() != 0 ? delta.x() : delta.y();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - by);
    event->setAccepted(horizontalScrollBar()->maximum() > 0);
}

void HistoryStrip::contextMenuEvent(QContextMenuEvent* event)
{
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const int station = byKey ? m_shown.focus : stationAt(viewport()->mapFromGlobal(event->globalPos()));
    if (station >= 0 && station < count()) {
        endDrag();
        focusOn(station);
        showMenu(station, byKey ? viewport()->mapToGlobal(boxOf(station).bottomLeft()) : event->globalPos());
    }
}

void HistoryStrip::showMenu(int station, const QPoint& global)
{
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("historyMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [menu](const QString& name, const QString& text, const QKeySequence& keys, bool enabled) {
        QAction* const action = menu->addAction(text);
        action->setObjectName(name);
        action->setShortcut(keys);
        action->setEnabled(enabled);
        return action;
    };
    const bool step = station > 0;
    const bool reached = at(station).reached;
    connect(add(QStringLiteral("revert"), tr("Revert to here"), {}, reached && station + 1 < count()), &QAction::triggered, this,
            [this, station] { Q_EMIT revertWished(station); });
    connect(add(QStringLiteral("edit"), tr("Edit arguments"), Qt::Key_Return, step), &QAction::triggered, this,
            [this, station] { Q_EMIT editWished(station); });
    connect(add(QStringLiteral("remove"), tr("Remove step"), Qt::Key_Delete, step), &QAction::triggered, this,
            [this, station] { Q_EMIT removeWished(station); });
    menu->addSeparator();
    connect(add(QStringLiteral("measure"), tr("Measure"), Qt::Key_M, reached), &QAction::triggered, this,
            [this, station] { Q_EMIT measureWished(station); });
    const QString line = fromStd(at(station).text);
    connect(add(QStringLiteral("copy"), tr("Copy step"), {}, step), &QAction::triggered, this,
            [line] { QApplication::clipboard()->setText(line); });
    for (const BranchStub& stub : m_layout.stubs) {
        if (stub.station == station) {
            menu->addSeparator();
            addBranches(*menu, stub);
        }
    }
    menu->popup(global);
}

void HistoryStrip::addBranches(QMenu& menu, const BranchStub& stub)
{
    for (const int index : stub.branches) {
        const session::Branch& branch = m_others[static_cast<std::size_t>(index)];
        QAction* const action = menu.addAction(tr("Open branch %1").arg(branchWords(branch)));
        action->setObjectName(QStringLiteral("branch_") % fromStd(branch.name));
        connect(action, &QAction::triggered, this, [this, name = fromStd(branch.name)] { Q_EMIT branchWished(name); });
    }
}

void HistoryStrip::openStub(int stub, const QPoint& global)
{
    const BranchStub& chosen = m_layout.stubs[static_cast<std::size_t>(stub)];
    if (chosen.branches.size() == 1) {
        Q_EMIT branchWished(fromStd(m_others[static_cast<std::size_t>(chosen.branches.front())].name));
        return;
    }
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("branchMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addBranches(*menu, chosen);
    menu->popup(global);
}

} // namespace nw::views
