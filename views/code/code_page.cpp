#include "views/code/code_page.h"

#include "views/common/empty_state.h"
#include "views/common/fonts.h"

#include <QEvent>
#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace nw::views {

namespace {

constexpr qsizetype kMostLinked = 2000000;

} // namespace

CodePage::CodePage(CodeLanguage language, QWidget* parent)
    : QWidget(parent)
    , m_language(language)
    , m_pages(new QStackedWidget(this))
    , m_empty(new EmptyState(this))
    , m_editor(new CodeEditor(language, this))
    , m_note(new QLabel(this))
{
    m_note->setObjectName(QStringLiteral("codeNote"));
    m_note->setProperty("muted", true);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(12, 4, 12, 6);
    m_note->setFont(noteFont());
    auto* page = new QWidget(this);
    auto* inside = new QVBoxLayout(page);
    inside->setContentsMargins(0, 0, 0, 0);
    inside->setSpacing(0);
    inside->addWidget(m_editor, 1);
    inside->addWidget(m_note);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_pages);
    connect(m_empty, &EmptyState::actionWished, this, &CodePage::actionWished);
}

void CodePage::setContent(const QString& text, Linker linker)
{
    m_text = text;
    m_linker = std::move(linker);
    m_isDue = true;
    m_pages->setCurrentIndex(1);
    if (isVisible()) {
        look();
    }
}

void CodePage::setEmpty(const QString& sentence, const QString& action)
{
    m_text.clear();
    m_linker = {};
    m_isDue = true;
    m_empty->setText(sentence, action);
    m_pages->setCurrentIndex(0);
    look();
}

void CodePage::highlightLoops(const QStringList& loops)
{
    m_loops = loops;
    if (!m_isDue) {
        m_editor->highlightLoops(loops);
        if (isVisible()) {
            m_editor->scrollToHighlight();
        }
        say();
    }
}

void CodePage::look()
{
    if (!m_isDue) {
        return;
    }
    m_isDue = false;
    // A text that long is not read along with the nest: linking it would hold up the window.
    LineLinks links = m_linker && m_text.size() < kMostLinked ? m_linker() : LineLinks{};
    m_isLinked = std::any_of(links.begin(), links.end(), [](const LineLink& link) { return !link.loops.empty(); });
    m_editor->setCode(m_text, std::move(links));
    m_editor->highlightLoops(m_loops);
    say();
}

void CodePage::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) {
        m_note->setFont(noteFont());
    }
    QWidget::changeEvent(event);
}

void CodePage::say()
{
    const bool isCompiled = m_language == CodeLanguage::Llvm || m_language == CodeLanguage::Assembly;
    QString words;
    if (isCompiled && !m_text.isEmpty()) {
        if (!m_isLinked) {
            words = tr("These lines are not linked to loops: the compiled code has no loop that can be told apart.");
        } else {
            QStringList missing;
            for (const QString& loop : m_loops) {
                bool isThere = false;
                for (const LineLink& link : m_editor->links()) {
                    isThere = isThere || std::find(link.loops.begin(), link.loops.end(), loop.toStdString()) != link.loops.end();
                }
                if (!isThere) {
                    missing << loop;
                }
            }
            words = missing.isEmpty() ? tr("Linked by the shape of the loops. Vector and unrolled loops have no lines of their own here.")
                                      : tr("%1 has no lines of its own here: it is unrolled, a vector, or was compiled away.").arg(missing.join(QStringLiteral(", ")));
        }
    }
    m_note->setText(words);
    m_note->setVisible(!words.isEmpty());
}

} // namespace nw::views
