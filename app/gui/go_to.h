#pragma once

#include "app/gui/values.h"

#include <QLineEdit>

#include <functional>

class QCompleter;
class QStandardItemModel;
class QAction;

namespace nw::app {

// Ctrl+K: go to an operator, a loop, a step, or do a command, by a part of its name.
class GoTo : public QLineEdit {
    Q_OBJECT
public:
    explicit GoTo(QWidget* parent = nullptr);
    void setPlaces(const OpenedProject& project, const session::Editing* editing);
    void setCommands(const QList<QAction*>& commands);

Q_SIGNALS:
    void operatorWished(const QString& name);
    void loopWished(const QString& name);
    void stationWished(int station);

private:
    QStandardItemModel* m_model;
    QCompleter* m_completer;
    QList<QAction*> m_commands;
    void addRow(const QString& text, const QString& kind, const QString& value);
    void go(const QModelIndex& index);
    void addCommands();
};

} // namespace nw::app
