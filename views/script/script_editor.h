#pragma once

#include <QList>
#include <QPlainTextEdit>
#include <QStringList>

class QCompleter;
class QStringListModel;

namespace nw::views {

// The text with its gutter: line numbers, a "?" beside steps that are not proved, the place of an error underlined.
class ScriptEditor : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit ScriptEditor(QWidget* parent = nullptr);

    // Only the part that differs is replaced, so that the cursor stays on its word.
    void replaceText(const QString& text);
    void setError(int line, int column, const QString& message); // line 0: none
    void setCurrentStep(int line);
    void setUnproven(const QList<int>& lines);
    void setPrimitiveNames(const QStringList& names);

    QString underlined() const; // the words that are underlined
    int gutterWidth() const;
    void paintGutter(QPaintEvent* event);
    QString gutterToolTip(int y) const;

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    bool complete(bool always);
    void insertCompletion(const QString& name);
    void mark();
    void place();
    QTextCursor errorRange() const;

    QWidget* m_gutter = nullptr;
    QCompleter* m_completer;
    QStringListModel* m_names;
    QList<int> m_unproven;
    QString m_message;
    int m_errorLine = 0, m_errorColumn = 0, m_step = 0;
};

} // namespace nw::views
