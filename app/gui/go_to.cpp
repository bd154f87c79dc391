#include "app/gui/go_to.h"

#include "engine/base/text.h"
#include "views/common/format.h"

#include <QAbstractItemView>
#include <QAction>
#include <QCompleter>
#include <QStandardItemModel>

namespace nw::app {
namespace {

constexpr int kKind = Qt::UserRole + 1;
constexpr int kValue = Qt::UserRole + 2;

} // namespace

GoTo::GoTo(QWidget* parent)
    : QLineEdit(parent)
    , m_model(new QStandardItemModel(this))
    , m_completer(new QCompleter(m_model, this))
{
    setObjectName(QStringLiteral("goTo"));
    setAccessibleName(tr("Go to operator, loop, step or command"));
    setPlaceholderText(tr("Go to operator, loop, command…   Ctrl+K"));
    setMinimumWidth(fontMetrics().horizontalAdvance(placeholderText()) + 40);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_completer->setFilterMode(Qt::MatchContains);
    m_completer->setMaxVisibleItems(12);
    setCompleter(m_completer);
    connect(m_completer, qOverload<const QModelIndex&>(&QCompleter::activated), this, &GoTo::go);
    // Enter without a row chosen takes the first.
    connect(this, &QLineEdit::returnPressed, this, [this] {
        if (m_completer->popup()->currentIndex().isValid()) {
            return;
        }
        m_completer->setCompletionPrefix(text());
        if (!text().isEmpty() && m_completer->completionCount() > 0) {
            m_completer->setCurrentRow(0);
            go(m_completer->currentIndex());
        }
    });
}

void GoTo::addRow(const QString& text, const QString& kind, const QString& value)
{
    auto* item = new QStandardItem(text);
    item->setData(kind, kKind);
    item->setData(value, kValue);
    item->setEditable(false);
    m_model->appendRow(item);
}

void GoTo::addCommands()
{
    for (int i = 0; i < m_commands.size(); ++i) {
        const QAction* action = m_commands[i];
        QString text = action->text().remove(QLatin1Char('&'));
        if (!action->shortcut().isEmpty()) {
            text += QStringLiteral("   ") + action->shortcut().toString(QKeySequence::NativeText);
        }
        addRow(text, QStringLiteral("command"), QString::number(i));
    }
}

void GoTo::setCommands(const QList<QAction*>& commands)
{
    m_commands = commands;
    m_model->clear();
    addCommands();
}

void GoTo::setPlaces(const OpenedProject& project, const session::Editing* editing)
{
    m_model->clear();
    for (const session::Operator& op : project.operators) {
        addRow(views::fromStd(op.name + "   " + join(op.nodeNames, " + ")), QStringLiteral("operator"), views::fromStd(op.name));
    }
    if (editing != nullptr) {
        for (const schedule::Loop* loop : editing->nest().allLoops()) {
            addRow(tr("loop %1").arg(views::fromStd(loop->name)), QStringLiteral("loop"), views::fromStd(loop->name));
        }
        for (std::size_t i = 1; i < editing->stations().size(); ++i) {
            addRow(tr("step %1: %2").arg(i).arg(views::fromStd(editing->stations()[i].text)), QStringLiteral("step"), QString::number(i));
        }
    }
    addCommands();
}

void GoTo::go(const QModelIndex& index)
{
    const QString kind = index.data(kKind).toString();
    const QString value = index.data(kValue).toString();
    if (kind == QLatin1String("operator")) {
        Q_EMIT operatorWished(value);
    } else if (kind == QLatin1String("loop")) {
        Q_EMIT loopWished(value);
    } else if (kind == QLatin1String("step")) {
        Q_EMIT stationWished(value.toInt());
    } else if (kind == QLatin1String("command")) {
        m_commands[value.toInt()]->trigger();
    }
    // The completer writes its text after this signal.
    QMetaObject::invokeMethod(this, &QLineEdit::clear, Qt::QueuedConnection);
}

} // namespace nw::app
