#include "views/script/script_view.h"

#include "views/common/fonts.h"
#include "views/common/icons.h"
#include "views/script/script_editor.h"
#include "views/script/script_highlighter.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QTimer>
#include <QVBoxLayout>

namespace nw::views {

ScriptView::ScriptView(QWidget* parent)
    : QWidget(parent)
    , m_editor(new ScriptEditor(this))
    , m_highlighter(new ScriptHighlighter(m_editor->document()))
    , m_errorRow(new QWidget(this))
    , m_errorIcon(new QLabel(m_errorRow))
    , m_error(new QLabel(m_errorRow))
    , m_typing(new QTimer(this))
{
    setObjectName(QStringLiteral("scriptView"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_error->setObjectName(QStringLiteral("scriptError"));
    m_error->setWordWrap(true);
    m_error->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* row = new QHBoxLayout(m_errorRow);
    row->setContentsMargins(12, 4, 12, 6);
    row->setSpacing(8);
    row->addWidget(m_errorIcon, 0, Qt::AlignTop);
    row->addWidget(m_error, 1);
    m_errorRow->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_editor, 1);
    layout->addWidget(m_errorRow);
    setFocusProxy(m_editor);

    m_typing->setSingleShot(true);
    m_typing->setInterval(150);
    connect(m_typing, &QTimer::timeout, this, [this] {
        m_known = script();
        Q_EMIT edited(m_known);
    });
    connect(m_editor->document(), &QTextDocument::contentsChange, this, [this](int, int removed, int added) {
        // A new colour is also told as a change, of nothing for nothing.
        if (removed != 0 || added != 0) {
            textChanged();
        }
    });
    connect(m_editor, &QPlainTextEdit::cursorPositionChanged, this, &ScriptView::cursorMoved);
    recolour();
}

void ScriptView::setScript(const QString& text)
{
    // An echo of what was known must not take away what is being typed.
    if (m_typing->isActive() && text == m_known) {
        return;
    }
    if (text == script()) {
        m_known = text;
        m_typing->stop();
        return;
    }
    const QScopedValueRollback<bool> quiet(m_fromOutside, true);
    m_typing->stop();
    m_editor->replaceText(text);
    m_known = text;
    m_line = m_editor->textCursor().blockNumber() + 1;
    m_revision = m_editor->document()->revision();
}

QString ScriptView::script() const
{
    return m_editor->toPlainText();
}

void ScriptView::setError(int line, int column, const QString& message)
{
    m_editor->setError(line, column, message);
    m_error->setText(line > 0 ? tr("Line %1: %2").arg(line).arg(message) : message);
    m_errorRow->show();
}

void ScriptView::clearError()
{
    m_editor->setError(0, 0, {});
    m_error->clear();
    m_errorRow->hide();
}

void ScriptView::setCurrentStep(int line)
{
    m_editor->setCurrentStep(line);
}

void ScriptView::setUnproven(const QList<int>& lines)
{
    m_editor->setUnproven(lines);
}

void ScriptView::setPrimitiveNames(const QStringList& names)
{
    m_editor->setPrimitiveNames(names);
    m_highlighter->setPrimitiveNames(names);
}

void ScriptView::textChanged()
{
    if (!m_fromOutside && script() != m_known) {
        m_typing->start();
    }
}

// A cursor that moves because text was typed is no wish to see another step.
void ScriptView::cursorMoved()
{
    const int line = m_editor->textCursor().blockNumber() + 1;
    const int revision = m_editor->document()->revision();
    const bool typed = revision != m_revision;
    const bool moved = line != m_line;
    m_line = line;
    m_revision = revision;
    if (moved && !typed && !m_fromOutside) {
        Q_EMIT lineActivated(line);
    }
}

void ScriptView::recolour()
{
    const Theme theme = Theme::of(palette());
    m_highlighter->setTheme(theme);
    m_editor->setFont(codeFont());
    const int side = QFontMetrics(contentFont()).height();
    m_errorIcon->setPixmap(icon(QStringLiteral("illegal"), theme.illegal).pixmap(side, side));
    m_error->setFont(contentFont());
}

void ScriptView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        recolour();
    }
}

} // namespace nw::views
