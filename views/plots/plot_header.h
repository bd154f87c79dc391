#pragma once

#include <QString>
#include <QWidget>

class QLabel;
class QPushButton;
class QToolButton;

namespace nw::views {

class ExportButton;

// The line above a plot: what it shows, what can be done about it, plot or table, export.
class PlotHeader : public QWidget {
    Q_OBJECT
public:
    // `name` begins the object names: "compareTable", "compareExport".
    explicit PlotHeader(const QString& name, QWidget* parent = nullptr);

    void setTitle(const QString& title, const QString& note);
    // With an icon that stays when there is no room for the words.
    void setCommand(const QString& text, const QString& iconName);
    void setCommandEnabled(bool enabled);
    void setBusy(const QString& what); // words and Cancel instead of title and command
    bool showsTable() const;

Q_SIGNALS:
    void commandWished();
    void cancelWished();
    void tableToggled(bool table);
    void exportWished(const QString& kind); // "copy", "png", "svg", "csv"

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void elide();
    void recolour();

    QLabel* m_label;
    QToolButton* m_command;
    QToolButton* m_cancel;
    QToolButton* m_table;
    ExportButton* m_export;
    QString m_title, m_note, m_busy, m_commandText, m_iconName;
};

} // namespace nw::views
