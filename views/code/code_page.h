#pragma once

#include "views/code/code_editor.h"

#include <QWidget>

#include <functional>

class QLabel;
class QStackedWidget;

namespace nw::views {

class EmptyState;

// One tab: the text, a sentence under it about its links, or why there is no text yet. Text is only laid out and linked
// once the tab is looked at.
class CodePage : public QWidget {
    Q_OBJECT
public:
    using Linker = std::function<LineLinks()>;
    CodePage(CodeLanguage language, QWidget* parent);

    void setContent(const QString& text, Linker linker);
    void setEmpty(const QString& sentence, const QString& action);
    void highlightLoops(const QStringList& loops);
    void look(); // it is shown: make what was put off
    bool hasText() const { return !m_text.isEmpty(); }
    const QString& text() const { return m_text; }
    CodeEditor* editor() const { return m_editor; }

Q_SIGNALS:
    void actionWished();

protected:
    void changeEvent(QEvent* event) override;

private:
    void say();

    CodeLanguage m_language;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    CodeEditor* m_editor;
    QLabel* m_note;
    QString m_text;
    Linker m_linker;
    QStringList m_loops;
    bool m_isDue = false;
    bool m_isLinked = false;
};

} // namespace nw::views
