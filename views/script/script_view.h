#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QWidget>

class QLabel;
class QTimer;

namespace nw::views {

class ScriptEditor;
class ScriptHighlighter;

// The script as text, to be typed in.
class ScriptView : public QWidget {
    Q_OBJECT
public:
    explicit ScriptView(QWidget* parent = nullptr);

    // From outside: no signal, and the cursor stays where it was in what did not change.
    void setScript(const QString& text);
    QString script() const;
    // Line and column from 1; column 0 marks the whole line.
    void setError(int line, int column, const QString& message);
    void clearError();
    void setCurrentStep(int line); // 0: none
    void setUnproven(const QList<int>& lines);
    void setPrimitiveNames(const QStringList& names);

Q_SIGNALS:
    void edited(const QString& text);
    void lineActivated(int line);

protected:
    void changeEvent(QEvent* event) override;

private:
    void textChanged();
    void cursorMoved();
    void recolour();

    ScriptEditor* m_editor;
    ScriptHighlighter* m_highlighter;
    QWidget* m_errorRow;
    QLabel* m_errorIcon;
    QLabel* m_error;
    QTimer* m_typing;
    QString m_known; // what the outside has seen last
    int m_line = 1, m_revision = 0;
    bool m_fromOutside = false;
};

} // namespace nw::views
