#include "views/code/find_bar.h"

#include "views/common/fonts.h"
#include "views/common/icons.h"
#include "views/common/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextBlock>
#include <QToolButton>

#include <algorithm>

namespace nw::views {
namespace {

// More marks than these would only slow the painting down; going from one to the next still reaches all.
constexpr int kMostMarks = 500;

} // namespace

FindBar::FindBar(QWidget* parent)
    : QWidget(parent)
    , m_field(new QLineEdit(this))
    , m_count(new QLabel(this))
{
    m_field->setObjectName(QStringLiteral("codeFindField"));
    m_field->setAccessibleName(tr("Find in this text"));
    m_field->setPlaceholderText(tr("Find"));
    m_field->installEventFilter(this);
    m_count->setObjectName(QStringLiteral("codeFindCount"));
    m_count->setProperty("muted", true);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 6, 12, 6);
    layout->setSpacing(8);
    layout->addWidget(m_field, 1);
    layout->addWidget(m_count);
    const auto add = [&](const char* name, const QString& text, const QString& tip) {
        auto* button = new QToolButton(this);
        button->setObjectName(QString::fromLatin1(name));
        button->setText(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        button->setMinimumSize(28, 28);
        layout->addWidget(button);
        return button;
    };
    connect(add("codeFindPrevious", QStringLiteral("\u2191"), tr("Previous (Shift+F3)")), &QToolButton::clicked, this, [this] { next(true); });
    connect(add("codeFindNext", QStringLiteral("\u2193"), tr("Next (F3)")), &QToolButton::clicked, this, [this] { next(false); });
    connect(add("codeFindClose", QStringLiteral("\u2715"), tr("Close (Esc)")), &QToolButton::clicked, this, &FindBar::closeBar);
    layout->addStretch(1);
    connect(m_field, &QLineEdit::textChanged, this, [this] { searched(true); });
    m_count->setFont(noteFont());
    hide();
}

void FindBar::setEditor(QPlainTextEdit* editor)
{
    if (m_editor != nullptr && m_editor != editor) {
        m_editor->setExtraSelections({});
    }
    m_editor = editor;
    searched(false);
}

void FindBar::open()
{
    if (m_editor != nullptr && m_editor->textCursor().hasSelection() && !m_editor->textCursor().selectedText().contains(QChar::ParagraphSeparator)) {
        m_field->setText(m_editor->textCursor().selectedText());
    }
    show();
    searched(false);
    m_field->setFocus();
    m_field->selectAll();
}

void FindBar::closeBar()
{
    hide();
    if (m_editor != nullptr) {
        m_editor->setExtraSelections({});
        m_editor->setFocus();
    }
}

void FindBar::next(bool backwards)
{
    if (m_editor == nullptr || m_places.isEmpty()) {
        return;
    }
    const int at = m_editor->textCursor().selectionStart();
    auto place = backwards ? std::lower_bound(m_places.begin(), m_places.end(), at) : std::upper_bound(m_places.begin(), m_places.end(), at);
    if (backwards) {
        place = place == m_places.begin() ? m_places.end() - 1 : place - 1;
    } else if (place == m_places.end()) {
        place = m_places.begin();
    }
    goTo(*place);
    mark();
}

void FindBar::goTo(int place)
{
    QTextCursor cursor(m_editor->document());
    cursor.setPosition(place);
    cursor.setPosition(place + static_cast<int>(m_field->text().size()), QTextCursor::KeepAnchor);
    m_editor->setTextCursor(cursor);
}

bool FindBar::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Escape) {
            closeBar();
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            next(key->modifiers().testFlag(Qt::ShiftModifier));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void FindBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange) {
        m_count->setFont(noteFont());
    }
    QWidget::changeEvent(event);
}

void FindBar::searched(bool moves)
{
    m_places.clear();
    const QString wanted = m_field->text();
    if (m_editor == nullptr || isHidden()) {
        return;
    }
    if (!wanted.isEmpty()) {
        const QString text = m_editor->toPlainText();
        for (qsizetype at = text.indexOf(wanted, 0, Qt::CaseInsensitive); at >= 0; at = text.indexOf(wanted, at + wanted.size(), Qt::CaseInsensitive)) {
            m_places.append(static_cast<int>(at));
        }
    }
    if (moves && !m_places.isEmpty()) {
        // While typing the place stays where it is as long as it still matches.
        const auto place = std::lower_bound(m_places.begin(), m_places.end(), m_editor->textCursor().selectionStart());
        goTo(place == m_places.end() ? m_places.front() : *place);
    }
    mark();
}

void FindBar::mark()
{
    const int size = static_cast<int>(m_field->text().size());
    const Theme theme = Theme::of(palette());
    QTextCharFormat format;
    format.setBackground(theme.selectedRow);
    format.setProperty(QTextFormat::OutlinePen, QPen(theme.accent));
    const int at = m_editor->textCursor().selectionStart();
    const auto now = std::lower_bound(m_places.begin(), m_places.end(), at);
    const auto first = now - m_places.begin() > kMostMarks / 2 ? now - kMostMarks / 2 : m_places.begin();
    QList<QTextEdit::ExtraSelection> marks;
    for (auto place = first; place != m_places.end() && marks.size() < kMostMarks; ++place) {
        QTextCursor cursor(m_editor->document());
        cursor.setPosition(*place);
        cursor.setPosition(*place + size, QTextCursor::KeepAnchor);
        marks.append({cursor, format});
    }
    m_editor->setExtraSelections(marks);
    if (m_field->text().isEmpty()) {
        m_count->clear();
    } else if (m_places.isEmpty()) {
        m_count->setText(tr("not found"));
    } else if (now != m_places.end() && *now == at) {
        m_count->setText(tr("%1 of %2").arg(now - m_places.begin() + 1).arg(m_places.size()));
    } else {
        m_count->setText(tr("%1 places").arg(m_places.size()));
    }
}

} // namespace nw::views
