#include "views/loop_nest/nest_accessible.h"

#include "views/loop_nest/loop_nest_view.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>

#include <map>

namespace nw::views {
namespace {

class RowInterface : public QAccessibleInterface {
public:
    RowInterface(LoopNestView* view, int row)
        : m_view(view)
        , m_row(row)
    {}
    bool isValid() const override { return m_view != nullptr && m_row < m_view->rowCount(); }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_view.data()); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QString text(QAccessible::Text kind) const override
    {
        return !isValid() ? QString()
            : kind == QAccessible::Name        ? m_view->rowText(m_row)
            : kind == QAccessible::Description ? m_view->rowDetails(m_row)
                                               : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override
    {
        if (!isValid()) {
            return {};
        }
        const QRect row = m_view->rowRect(m_row);
        return {m_view->viewport()->mapToGlobal(row.topLeft()), row.size()};
    }
    QAccessible::Role role() const override { return QAccessible::TreeItem; }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.focusable = true;
        state.selectable = true;
        if (isValid()) {
            state.selected = m_view->selection().contains(m_view->rowName(m_row));
            state.focused = m_view->hasFocus() && m_view->currentRow() == m_row;
        }
        return state;
    }

private:
    QPointer<LoopNestView> m_view;
    int m_row;
};

class ViewInterface : public QAccessibleWidget {
public:
    explicit ViewInterface(LoopNestView* view)
        : QAccessibleWidget(view, QAccessible::Tree, view->accessibleName())
        , m_view(view)
    {}
    ~ViewInterface() override
    {
        for (const auto& [row, id] : m_rows) {
            QAccessible::deleteAccessibleInterface(id);
        }
    }
    int childCount() const override { return m_view->rowCount(); }
    QAccessibleInterface* child(int row) const override
    {
        if (row < 0 || row >= childCount()) {
            return nullptr;
        }
        auto found = m_rows.find(row);
        if (found == m_rows.end()) {
            found = m_rows.emplace(row, QAccessible::registerAccessibleInterface(new RowInterface(m_view, row))).first;
        }
        return QAccessible::accessibleInterface(found->second);
    }
    int indexOfChild(const QAccessibleInterface* wanted) const override
    {
        for (const auto& [row, id] : m_rows) {
            if (QAccessible::accessibleInterface(id) == wanted) {
                return row;
            }
        }
        return -1;
    }

private:
    LoopNestView* m_view;
    mutable std::map<int, QAccessible::Id> m_rows;
};

QAccessibleInterface* make(const QString&, QObject* object)
{
    auto* view = qobject_cast<LoopNestView*>(object);
    return view == nullptr ? nullptr : new ViewInterface(view);
}

} // namespace

void installNestAccessible()
{
    static const bool installed = [] {
        QAccessible::installFactory(&make);
        return true;
    }();
    Q_UNUSED(installed);
}

} // namespace nw::views
