#include "views/graph/graph_accessible.h"

#include "views/graph/graph_canvas.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QHash>
#include <QPointer>

namespace nw::views {
namespace {

// A box or an edge. It outlives its scene, so it asks the canvas each time.
class AccessibleBox : public QAccessibleInterface {
public:
    AccessibleBox(GraphCanvas* canvas, int index)
        : m_canvas(canvas)
        , m_index(index)
    {}
    bool isValid() const override
    {
        return m_canvas != nullptr && m_index < m_canvas->spokenCount();
    }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_canvas); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Name && isValid() ? m_canvas->spoken(m_index) : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override
    {
        if (!isValid()) {
            return {};
        }
        const QRectF box = m_canvas->spokenPlace(m_index);
        const QRectF shown(m_canvas->toScreen(box.topLeft()), m_canvas->toScreen(box.bottomRight()));
        return shown.toAlignedRect().translated(m_canvas->mapToGlobal(QPoint()));
    }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.selectable = true;
        state.focusable = true;
        state.selected = isValid() && m_canvas->isSpokenSelected(m_index);
        state.focused = state.selected && m_canvas->hasFocus() && (m_canvas->selectedEdge() < 0 || isEdge());
        return state;
    }

private:
    QPointer<GraphCanvas> m_canvas;
    int m_index;

    bool isEdge() const { return m_index >= static_cast<int>(m_canvas->scene()->nodes.size()); }
};

class AccessibleCanvas : public QAccessibleWidget {
public:
    explicit AccessibleCanvas(GraphCanvas* canvas)
        : QAccessibleWidget(canvas, QAccessible::List)
    {}
    ~AccessibleCanvas() override { forget(); }
    int childCount() const override { return canvas()->spokenCount(); }
    QAccessibleInterface* child(int index) const override
    {
        if (index < 0 || index >= childCount()) {
            return nullptr;
        }
        const auto found = m_ids.constFind(index);
        if (found != m_ids.constEnd()) {
            return QAccessible::accessibleInterface(*found);
        }
        auto* box = new AccessibleBox(canvas(), index);
        m_ids.insert(index, QAccessible::registerAccessibleInterface(box));
        return box;
    }
    int indexOfChild(const QAccessibleInterface* box) const override
    {
        for (auto it = m_ids.constBegin(); it != m_ids.constEnd(); ++it) {
            if (QAccessible::accessibleInterface(it.value()) == box) {
                return it.key();
            }
        }
        return -1;
    }
    QAccessibleInterface* childAt(int x, int y) const override
    {
        const QPoint point = canvas()->mapFromGlobal(QPoint(x, y));
        return child(canvas()->spokenAt(canvas()->toScene(point)));
    }
    void forget()
    {
        for (const QAccessible::Id id : std::as_const(m_ids)) {
            QAccessible::deleteAccessibleInterface(id);
        }
        m_ids.clear();
    }

private:
    mutable QHash<int, QAccessible::Id> m_ids;

    GraphCanvas* canvas() const { return static_cast<GraphCanvas*>(widget()); }
};

QAccessibleInterface* make(const QString&, QObject* object)
{
    auto* canvas = qobject_cast<GraphCanvas*>(object);
    return canvas == nullptr ? nullptr : new AccessibleCanvas(canvas);
}

} // namespace

void installGraphAccessibility()
{
    static const bool installed = [] {
        QAccessible::installFactory(&make);
        return true;
    }();
    static_cast<void>(installed);
}

void forgetAccessibleNodes(QWidget* canvas)
{
    if (!QAccessible::isActive()) {
        return;
    }
    if (auto* list = dynamic_cast<AccessibleCanvas*>(QAccessible::queryAccessibleInterface(canvas))) {
        list->forget();
    }
}

} // namespace nw::views
