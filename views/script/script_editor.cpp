#include "views/script/script_editor.h"

#include "views/common/fonts.h"
#include "views/common/icons.h"
#include "views/common/theme.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStringListModel>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>

namespace nw::views {
namespace {

class Gutter : public QWidget {
public:
    explicit Gutter(ScriptEditor* editor)
        : QWidget(editor)
        , m_editor(editor)
    {
        setObjectName(QStringLiteral("scriptGutter"));
    }
    QSize sizeHint() const override { return {m_editor->gutterWidth(), 0}; }

protected:
    void paintEvent(QPaintEvent* event) override { m_editor->paintGutter(event); }
    bool event(QEvent* event) override
    {
        if (event->type() == QEvent::ToolTip) {
            const auto* help = static_cast<QHelpEvent*>(event);
            QToolTip::showText(help->globalPos(), m_editor->gutterToolTip(help->pos().y()), this);
            return true;
        }
        return QWidget::event(event);
    }

private:
    ScriptEditor* m_editor;
};

} // namespace

ScriptEditor::ScriptEditor(QWidget* parent)
    : QPlainTextEdit(parent)
    , m_gutter(new Gutter(this))
    , m_completer(new QCompleter(this))
    , m_names(new QStringListModel(this))
{
    setObjectName(QStringLiteral("scriptEditor"));
    setAccessibleName(tr("Schedule script"));
    setLineWrapMode(NoWrap);
    // Tab completes a primitive's name at the start of a line; anywhere else it leaves the editor, as in a form.
    setTabChangesFocus(true);
    setFont(codeFont());
    m_completer->setModel(m_names);
    m_completer->setWidget(this);
    m_completer->setCompletionMode(QCompleter::PopupCompletion);
    m_completer->popup()->setObjectName(QStringLiteral("scriptCompletions"));
    connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this, &ScriptEditor::insertCompletion);
    connect(this, &QPlainTextEdit::blockCountChanged, this, [this] { place(); });
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
        if (dy != 0) {
            m_gutter->scroll(0, dy);
        } else {
            m_gutter->update(0, rect.y(), m_gutter->width(), rect.height());
        }
    });
    place();
}

void ScriptEditor::replaceText(const QString& text)
{
    const QString old = toPlainText();
    if (text == old) {
        return;
    }
    const qsizetype shorter = std::min(old.size(), text.size());
    qsizetype same = 0;
    while (same < shorter && old[same] == text[same]) {
        ++same;
    }
    qsizetype tail = 0;
    while (tail < shorter - same && old[old.size() - 1 - tail] == text[text.size() - 1 - tail]) {
        ++tail;
    }
    QTextCursor cursor(document());
    cursor.setPosition(static_cast<int>(same));
    cursor.setPosition(static_cast<int>(old.size() - tail), QTextCursor::KeepAnchor);
    cursor.insertText(text.mid(same, text.size() - tail - same));
    if (old.isEmpty()) {
        moveCursor(QTextCursor::Start);
    }
    mark();
}

void ScriptEditor::setError(int line, int column, const QString& message)
{
    m_errorLine = line;
    m_errorColumn = column;
    m_message = message;
    mark();
}

void ScriptEditor::setCurrentStep(int line)
{
    m_step = line;
    mark();
}

void ScriptEditor::setUnproven(const QList<int>& lines)
{
    m_unproven = lines;
    place();
    m_gutter->update();
}

void ScriptEditor::setPrimitiveNames(const QStringList& names)
{
    QStringList sorted = names;
    sorted.sort();
    m_names->setStringList(sorted);
}

// The word at the error's column; the whole line when there is none.
QTextCursor ScriptEditor::errorRange() const
{
    const QTextBlock block = document()->findBlockByNumber(m_errorLine - 1);
    if (m_errorLine <= 0 || !block.isValid()) {
        return {};
    }
    const QString line = block.text();
    int from = std::clamp(m_errorColumn - 1, 0, static_cast<int>(line.size()));
    int to = from;
    while (to < line.size() && !line[to].isSpace()) {
        ++to;
    }
    if (m_errorColumn <= 0 || from == to) {
        from = 0;
        while (from < line.size() && line[from].isSpace()) {
            ++from;
        }
        to = static_cast<int>(line.size());
    }
    QTextCursor cursor(block);
    cursor.setPosition(block.position() + from);
    cursor.setPosition(block.position() + to, QTextCursor::KeepAnchor);
    return cursor;
}

QString ScriptEditor::underlined() const
{
    return errorRange().selectedText();
}

void ScriptEditor::mark()
{
    const Theme theme = Theme::of(palette());
    QList<QTextEdit::ExtraSelection> marks;
    const QTextBlock step = document()->findBlockByNumber(m_step - 1);
    if (m_step > 0 && step.isValid()) {
        QTextEdit::ExtraSelection tint;
        tint.cursor = QTextCursor(step);
        tint.format.setBackground(theme.selectedRow);
        tint.format.setProperty(QTextFormat::FullWidthSelection, true);
        marks.append(tint);
    }
    const QTextCursor wrong = errorRange();
    if (!wrong.isNull()) {
        QTextEdit::ExtraSelection wave;
        wave.cursor = wrong;
        wave.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        wave.format.setUnderlineColor(theme.illegal);
        marks.append(wave);
    }
    setExtraSelections(marks);
    m_gutter->update();
}

int ScriptEditor::gutterWidth() const
{
    const QFontMetrics metrics(codeFont());
    const int digits = std::max<int>(2, static_cast<int>(QString::number(blockCount()).size()));
    const int icon = metrics.height();
    return 12 + icon + digits * metrics.horizontalAdvance(QLatin1Char('9')) + 10;
}

void ScriptEditor::place()
{
    setViewportMargins(gutterWidth(), 0, 0, 0);
    const QRect inside = contentsRect();
    m_gutter->setGeometry(inside.left(), inside.top(), gutterWidth(), inside.height());
}

void ScriptEditor::resizeEvent(QResizeEvent* event)
{
    QPlainTextEdit::resizeEvent(event);
    place();
}

void ScriptEditor::changeEvent(QEvent* event)
{
    QPlainTextEdit::changeEvent(event);
    const bool looks = event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange;
    if (looks && m_gutter != nullptr) {
        mark();
    } else if (event->type() == QEvent::FontChange && m_gutter != nullptr) {
        place();
    }
}

void ScriptEditor::paintGutter(QPaintEvent* event)
{
    QPainter painter(m_gutter);
    const Theme theme = Theme::of(palette());
    painter.fillRect(event->rect(), theme.panel);
    painter.setFont(codeFont());
    const double text = QFontMetricsF(codeFont()).height();
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    while (block.isValid() && top <= event->rect().bottom()) {
        const double height = blockBoundingRect(block).height();
        const int line = block.blockNumber() + 1;
        if (block.isVisible() && top + height >= event->rect().top()) {
            const bool here = line == m_step;
            if (here) {
                painter.fillRect(QRectF(0, top, m_gutter->width(), height), theme.selectedRow);
            }
            const QRectF icon(8, top + 0.05 * text, 0.9 * text, 0.9 * text);
            if (line == m_errorLine) {
                paintIcon(painter, QStringLiteral("illegal"), icon, theme.illegal);
            } else if (m_unproven.contains(line)) {
                paintIcon(painter, QStringLiteral("unproven"), icon, theme.unproven);
            }
            painter.setPen(here ? theme.text : theme.muted);
            painter.drawText(QRectF(0, top, m_gutter->width() - 10, text), Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
        }
        block = block.next();
        top += height;
    }
}

QString ScriptEditor::gutterToolTip(int y) const
{
    const int line = cursorForPosition(QPoint(0, y)).blockNumber() + 1;
    if (line == m_errorLine) {
        return m_message;
    }
    return m_unproven.contains(line) ? tr("Not proved: its result is checked on every measurement.") : QString();
}

bool ScriptEditor::event(QEvent* event)
{
    // Before the base class takes Tab for the next field.
    if (event->type() == QEvent::KeyPress) {
        auto* const key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Tab && key->modifiers() == Qt::NoModifier) {
            if (m_completer->popup()->isVisible()) {
                keyPressEvent(key);
                return true;
            }
            if (complete(false)) {
                return true;
            }
        }
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QPoint point = viewport()->mapFromGlobal(help->globalPos());
        const QTextCursor at = cursorForPosition(point);
        const QTextCursor wrong = errorRange();
        const bool over = !wrong.isNull() && at.position() >= wrong.selectionStart() && at.position() <= wrong.selectionEnd();
        QToolTip::showText(help->globalPos(), over ? m_message : QString(), this);
        return true;
    }
    return QPlainTextEdit::event(event);
}

bool ScriptEditor::complete(bool always)
{
    const QTextCursor cursor = textCursor();
    const QString before = cursor.block().text().left(cursor.positionInBlock());
    const QString prefix = before.trimmed();
    const bool firstWord = prefix.isEmpty() || before.endsWith(prefix);
    if (!firstWord || prefix.contains(QLatin1Char(' ')) || (prefix.isEmpty() && !always)) {
        return false;
    }
    m_completer->setCompletionPrefix(prefix);
    if (m_completer->completionCount() == 0) {
        return false;
    }
    if (m_completer->completionCount() == 1 && !always) {
        insertCompletion(m_completer->currentCompletion());
        return true;
    }
    m_completer->popup()->setCurrentIndex(m_completer->completionModel()->index(0, 0));
    QRect where = cursorRect();
    where.translate(gutterWidth(), 0);
    where.setWidth(m_completer->popup()->sizeHintForColumn(0) + m_completer->popup()->verticalScrollBar()->sizeHint().width() + 24);
    m_completer->complete(where);
    return true;
}

void ScriptEditor::insertCompletion(const QString& name)
{
    QTextCursor cursor = textCursor();
    const QString before = cursor.block().text().left(cursor.positionInBlock());
    cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, static_cast<int>(before.trimmed().size()));
    cursor.insertText(name % QLatin1Char(' '));
    setTextCursor(cursor);
}

void ScriptEditor::keyPressEvent(QKeyEvent* event)
{
    if (m_completer->popup()->isVisible()) {
        switch (event->key()) {
        case Qt::Key_Tab:
        case Qt::Key_Return:
        case Qt::Key_Enter: {
            const QString chosen = m_completer->popup()->currentIndex().data().toString();
            m_completer->popup()->hide();
            if (!chosen.isEmpty()) {
                insertCompletion(chosen);
            }
            return;
        }
        case Qt::Key_Escape: m_completer->popup()->hide(); return;
        default: break;
        }
    }
    const bool asked = event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier;
    if (asked && complete(true)) {
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
    if (m_completer->popup()->isVisible() && !complete(true)) {
        m_completer->popup()->hide();
    }
}

} // namespace nw::views
