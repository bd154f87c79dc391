#pragma once

#include "tests/support/test.h"
#include "tests/views/loop_nest/judging.h"
#include "views/loop_nest/loop_nest_view.h"

#include <QSignalSpy>

namespace nw::views::test {

// A view with a nest, as large as in the window, and what it said.
struct Shown {
    explicit Shown(schedule::LoopNest made, const schedule::LoopNest* before = nullptr)
        : nest(std::move(made))
    {
        view.resize(780, 420);
        view.setJudge(judgeOf(nest));
        view.setNest(nest, before);
        view.show();
        QVERIFY2(QTest::qWaitForWindowExposed(&view), "no window");
        view.setFocus();
    }
    QString last(const QSignalSpy& spy) const { return spy.isEmpty() ? QString() : spy.last().first().toString(); }
    void press(const QPoint& at, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::mousePress(view.viewport(), Qt::LeftButton, modifiers, at);
    }
    void move(const QPoint& at) { mouse(QEvent::MouseMove, at, Qt::LeftButton); }
    void release(const QPoint& at) { QTest::mouseRelease(view.viewport(), Qt::LeftButton, Qt::NoModifier, at); }
    void mouse(QEvent::Type type, const QPoint& at, Qt::MouseButtons buttons)
    {
        QMouseEvent event(type, at, view.viewport()->mapToGlobal(at), Qt::NoButton, buttons, Qt::NoModifier);
        QApplication::sendEvent(view.viewport(), &event);
    }
    // From one row's name to a height in another row: 0 its upper edge, 0.5 its middle.
    QPoint in(const char* name, double height) const
    {
        const QRect box = view.nameRect(QLatin1String(name));
        return {box.left() + 4, box.top() + static_cast<int>(height * box.height())};
    }

    schedule::LoopNest nest;
    LoopNestView view;
    QSignalSpy steps{&view, &LoopNestView::stepWished};
    QSignalSpy previews{&view, &LoopNestView::previewWished};
    QSignalSpy messages{&view, &LoopNestView::message};
    QSignalSpy selections{&view, &LoopNestView::selectionChanged};
};

inline schedule::LoopNest matmul()
{
    return schedule::test::nestOf(schedule::test::definitionText("matmul"));
}

inline schedule::LoopNest tiled()
{
    const schedule::LoopNest plain = schedule::test::nestOf(schedule::test::definitionText("conv"));
    return schedule::test::after(plain,
                                 "split ow into owo:_ owi:4\nsplit oc into oco:_ oci:4\nreorder oco oh owo ic kh kw owi oci\n"
                                 "cache_write conv at owo in registers\nvectorize oci\nunroll owi\nparallel oco");
}

} // namespace nw::views::test
