#include "views/code/code_editor.h"

#include "views/common/fonts.h"
#include "views/common/format.h"

#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>

namespace nw::views {
namespace {

class Gutter : public QWidget {
public:
    explicit Gutter(CodeEditor* editor)
        : QWidget(editor)
        , m_editor(editor)
    {}

protected:
    void paintEvent(QPaintEvent* event) override { m_editor->paintGutter(event->rect()); }
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }

private:
    CodeEditor* m_editor;
};

QColor mixed(const QColor& a, const QColor& b, double share)
{
    const auto mix = [share](int x, int y) { return static_cast<int>(x * share + y * (1 - share)); };
    return QColor(mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue()));
}

} // namespace

CodeEditor::CodeEditor(CodeLanguage language, QWidget* parent)
    : QPlainTextEdit(parent)
    , m_language(language)
    , m_gutter(new Gutter(this))
{
    for (QTimer* timer : {&m_turn, &m_dropTurn}) {
        timer->setSingleShot(true);
        timer->setInterval(0);
    }
    connect(&m_turn, &QTimer::timeout, this, &CodeEditor::showMore);
    connect(&m_dropTurn, &QTimer::timeout, this, &CodeEditor::dropMore);
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setUndoRedoEnabled(false);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    connect(this, &QPlainTextEdit::blockCountChanged, this, [this] { placeGutter(); });
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int moved) {
        if (moved != 0) {
            m_gutter->scroll(0, moved);
        } else {
            m_gutter->update(0, rect.y(), m_gutter->width(), rect.height());
        }
    });
    startDocument();
    applyLook();
}

CodeEditor::~CodeEditor()
{
    for (QTextDocument* document : m_dropped) {
        delete document;
    }
}

// Emptying a document of a hundred thousand lines takes longer than a person should wait: a text goes into a new one, and
// the old one is taken apart some lines a turn.
void CodeEditor::startDocument()
{
    if (m_highlighter != nullptr) {
        m_dropped.push_back(document());
        m_dropTurn.start();
    }
    auto* fresh = new QTextDocument(this);
    fresh->setDocumentLayout(new QPlainTextDocumentLayout(fresh));
    fresh->setDefaultFont(font());
    fresh->setDocumentMargin(8);
    fresh->setUndoRedoEnabled(false);
    setDocument(fresh);
    m_highlighter = new CodeHighlighter(fresh, m_language);
    m_highlighter->setTheme(Theme::of(palette()), false);
    setTabStopDistance(8 * fontMetrics().horizontalAdvance(QLatin1Char(' ')));
}

void CodeEditor::dropMore()
{
    if (m_dropped.empty()) {
        return;
    }
    QTextDocument* document = m_dropped.back();
    if (document->blockCount() <= kLinesATurn) {
        m_dropped.pop_back();
        delete document;
    } else {
        QTextCursor cursor(document);
        cursor.setPosition(document->findBlockByNumber(document->blockCount() - kLinesATurn).position());
        cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
        cursor.removeSelectedText();
    }
    if (!m_dropped.empty()) {
        m_dropTurn.start();
    }
}

void CodeEditor::setCode(const QString& text, LineLinks links)
{
    m_links = std::move(links);
    const int line = verticalScrollBar()->value();
    if (text.constData() != m_code.constData() && text != m_code) {
        m_code = text;
        fill();
        verticalScrollBar()->setValue(line);
    }
    const QStringList loops = m_loops;
    highlightLoops(loops);
}

void CodeEditor::fill()
{
    if (blockCount() > kLinesATurn) {
        startDocument();
    }
    m_shownUntil = endOfLines(0);
    setPlainText(m_code.left(m_shownUntil));
    if (m_shownUntil < end()) {
        m_turn.start();
    }
}

// Without the line break at the end, behind which nothing stands.
qsizetype CodeEditor::end() const
{
    return m_code.size() - (m_code.endsWith(QLatin1Char('\n')) ? 1 : 0);
}

// Where the next lines that one turn takes end: the end of a line, or of the text.
qsizetype CodeEditor::endOfLines(qsizetype from) const
{
    qsizetype at = from;
    for (int i = 0; i < kLinesATurn && at >= 0; ++i) {
        at = m_code.indexOf(QLatin1Char('\n'), at + 1);
    }
    return at < 0 ? end() : std::min(at, end());
}

// Only the text that is looked at grows: several at once would share a turn.
void CodeEditor::showMore()
{
    if (!isVisible() || m_shownUntil >= end()) {
        return;
    }
    const qsizetype until = endOfLines(m_shownUntil);
    QTextCursor cursor(document());
    cursor.movePosition(QTextCursor::End);
    cursor.insertText(m_code.mid(m_shownUntil, until - m_shownUntil));
    m_shownUntil = until;
    if (m_shownUntil < end()) {
        m_turn.start();
    }
}

bool CodeEditor::highlightLoops(const QStringList& loops)
{
    m_loops = loops;
    m_tints.assign(m_links.size(), Tint::None);
    bool found = false;
    for (std::size_t i = 0; i < m_links.size(); ++i) {
        const LineLink& link = m_links[i];
        for (const std::string& loop : link.loops) {
            if (loops.contains(fromStd(loop))) {
                const bool isOpening = link.opens && loop == link.loops.back();
                m_tints[i] = isOpening ? Tint::Opening : std::max(m_tints[i], Tint::Body);
                found = true;
            }
        }
    }
    viewport()->update();
    m_gutter->update();
    return found;
}

void CodeEditor::scrollToHighlight()
{
    const int first = firstVisibleBlock().blockNumber();
    const int last = first + viewport()->height() / std::max(fontMetrics().height(), 1);
    int target = -1;
    for (int line = 0; line < static_cast<int>(m_tints.size()); ++line) {
        if (isTinted(line)) {
            if (line >= first && line <= last) {
                return;
            }
            target = target < 0 ? line : target;
        }
    }
    if (target >= 0) {
        verticalScrollBar()->setValue(std::max(0, target - 3));
    }
}

CodeEditor::Tint CodeEditor::tintOf(int line) const
{
    return line >= 0 && line < static_cast<int>(m_tints.size()) ? m_tints[static_cast<std::size_t>(line)] : Tint::None;
}

QString CodeEditor::innermostLoop(int line) const
{
    if (line < 0 || line >= static_cast<int>(m_links.size()) || m_links[static_cast<std::size_t>(line)].loops.empty()
        || m_language == CodeLanguage::Definition) {
        return {};
    }
    return fromStd(m_links[static_cast<std::size_t>(line)].loops.back());
}

int CodeEditor::gutterWidth() const
{
    const int digits = std::max(2, static_cast<int>(QString::number(blockCount()).size()));
    return fontMetrics().horizontalAdvance(QLatin1Char('0')) * (digits + 1) + 18;
}

void CodeEditor::paintGutter(const QRect& dirty)
{
    QPainter painter(m_gutter);
    const Theme theme = Theme::of(palette());
    painter.fillRect(dirty, theme.panel);
    painter.setFont(font());
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF box = blockBoundingGeometry(block).translated(contentOffset());
        if (box.top() > dirty.bottom()) {
            break;
        }
        const QRectF row(0, box.top(), m_gutter->width(), box.height());
        const Tint tint = tintOf(block.blockNumber());
        if (tint != Tint::None) {
            painter.fillRect(QRectF(m_gutter->width() - 5, row.top(), tint == Tint::Opening ? 4 : 2, row.height()), theme.accent);
        }
        if (m_language == CodeLanguage::Assembly && isSpillLine(block.text())) {
            painter.setPen(theme.unproven);
            painter.drawText(row.adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("!"));
        }
        painter.setPen(tint == Tint::Opening ? theme.text : theme.muted);
        painter.drawText(row.adjusted(0, 0, -10, 0), Qt::AlignRight | Qt::AlignVCenter, QString::number(block.blockNumber() + 1));
    }
}

void CodeEditor::showEvent(QShowEvent* event)
{
    QPlainTextEdit::showEvent(event);
    m_turn.start();
}

void CodeEditor::paintEvent(QPaintEvent* event)
{
    {
        QPainter painter(viewport());
        const Theme theme = Theme::of(palette());
        for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
            const QRectF box = blockBoundingGeometry(block).translated(contentOffset());
            if (box.top() > event->rect().bottom()) {
                break;
            }
            const QRectF row(0, box.top(), viewport()->width(), box.height());
            const Tint tint = tintOf(block.blockNumber());
            if (m_language == CodeLanguage::Assembly && isSpillLine(block.text())) {
                painter.fillRect(row, mixed(theme.unproven, theme.panel, 0.14));
            } else if (tint != Tint::None) {
                painter.fillRect(row, tint == Tint::Opening ? theme.selectedRow : mixed(theme.selectedRow, theme.panel, 0.45));
            }
        }
    }
    QPlainTextEdit::paintEvent(event);
}

void CodeEditor::resizeEvent(QResizeEvent* event)
{
    QPlainTextEdit::resizeEvent(event);
    placeGutter();
}

void CodeEditor::changeEvent(QEvent* event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange) {
        applyLook();
    }
}

void CodeEditor::mouseMoveEvent(QMouseEvent* event)
{
    QPlainTextEdit::mouseMoveEvent(event);
    setHovered(event->buttons() == Qt::NoButton ? innermostLoop(cursorForPosition(event->pos()).blockNumber()) : m_hovered);
}

void CodeEditor::mouseReleaseEvent(QMouseEvent* event)
{
    QPlainTextEdit::mouseReleaseEvent(event);
    // A drag selects text to copy; only a click chooses a loop.
    if (event->button() == Qt::LeftButton && !textCursor().hasSelection()) {
        if (const QString loop = innermostLoop(cursorForPosition(event->pos()).blockNumber()); !loop.isEmpty()) {
            Q_EMIT loopClicked(loop);
        }
    }
}

void CodeEditor::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (const QString loop = innermostLoop(textCursor().blockNumber()); !loop.isEmpty()) {
            Q_EMIT loopClicked(loop);
        }
        return;
    }
    if (event->key() == Qt::Key_Tab || event->key() == Qt::Key_Backtab) {
        event->ignore();
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
}

bool CodeEditor::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave) {
        setHovered({});
    }
    return QPlainTextEdit::viewportEvent(event);
}

void CodeEditor::setHovered(const QString& loop)
{
    if (loop != m_hovered) {
        m_hovered = loop;
        Q_EMIT loopHovered(loop);
    }
}

void CodeEditor::applyLook()
{
    if (font() != codeFont()) {
        setFont(codeFont());
    }
    setTabStopDistance(8 * fontMetrics().horizontalAdvance(QLatin1Char(' ')));
    m_highlighter->setTheme(Theme::of(palette()), blockCount() <= kLinesATurn);
    if (blockCount() > kLinesATurn) {
        fill(); // coloured anew, some lines a turn
    }
    placeGutter();
}

void CodeEditor::placeGutter()
{
    setViewportMargins(gutterWidth(), 0, 0, 0);
    const QRect inside = contentsRect();
    m_gutter->setGeometry(QRect(inside.left(), inside.top(), gutterWidth(), inside.height()));
}

} // namespace nw::views
