#include "views/history/history_accessible.h"

#include "views/history/history_strip.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QHash>
#include <QPointer>

namespace nw::views {
namespace {

class StationAccessible : public QAccessibleInterface {
public:
    StationAccessible(HistoryStrip* strip, int station)
        : m_strip(strip)
        , m_station(station)
    {}

    bool isValid() const override { return m_strip != nullptr && m_station < static_cast<int>(m_strip->stations().size()); }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_strip); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    void setText(QAccessible::Text, const QString&) override {}
    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Name && isValid() ? m_strip->spoken(m_station) : QString();
    }
    QRect rect() const override
    {
        return isValid() ? m_strip->boxOf(m_station).translated(m_strip->viewport()->mapToGlobal(QPoint())) : QRect();
    }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.selectable = true;
        state.focusable = true;
        if (isValid()) {
            state.selected = m_strip->cursor() == m_station;
            state.focused = m_strip->hasFocus() && m_strip->focused() == m_station;
            state.disabled = !m_strip->stations()[static_cast<std::size_t>(m_station)].reached;
        } else {
            state.invalid = true;
        }
        return state;
    }

private:
    QPointer<HistoryStrip> m_strip;
    int m_station;
};

class StripAccessible : public QAccessibleWidget {
public:
    explicit StripAccessible(HistoryStrip* strip)
        : QAccessibleWidget(strip, QAccessible::List)
    {}
    ~StripAccessible() override
    {
        for (const QAccessible::Id id : std::as_const(m_ids)) {
            QAccessible::deleteAccessibleInterface(id);
        }
    }

    int childCount() const override { return static_cast<int>(strip()->stations().size()); }
    QAccessibleInterface* child(int index) const override
    {
        if (index < 0 || index >= childCount()) {
            return nullptr;
        }
        if (!m_ids.contains(index)) {
            m_ids[index] = QAccessible::registerAccessibleInterface(new StationAccessible(strip(), index));
        }
        return QAccessible::accessibleInterface(m_ids.value(index));
    }
    int indexOfChild(const QAccessibleInterface* wanted) const override
    {
        for (auto it = m_ids.constBegin(); it != m_ids.constEnd(); ++it) {
            if (QAccessible::accessibleInterface(it.value()) == wanted) {
                return it.key();
            }
        }
        return -1;
    }
    QAccessibleInterface* childAt(int x, int y) const override
    {
        return child(strip()->stationAt(strip()->viewport()->mapFromGlobal(QPoint(x, y))));
    }
    QAccessibleInterface* focusChild() const override { return strip()->hasFocus() ? child(strip()->focused()) : nullptr; }

private:
    HistoryStrip* strip() const { return static_cast<HistoryStrip*>(widget()); }
    mutable QHash<int, QAccessible::Id> m_ids;
};

QAccessibleInterface* make(const QString&, QObject* object)
{
    auto* const strip = qobject_cast<HistoryStrip*>(object);
    return strip != nullptr ? new StripAccessible(strip) : nullptr;
}

} // namespace

void installHistoryAccessible()
{
    static const bool once = (QAccessible::installFactory(&make), true);
    static_cast<void>(once);
}

} // namespace nw::views
