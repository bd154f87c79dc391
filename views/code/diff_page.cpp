#include "views/code/diff_page.h"

#include "views/common/empty_state.h"
#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/common/theme.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextBlock>
#include <QTextLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace nw::views {
namespace {

constexpr double kTint = 0.16; // text on it keeps its contrast

QColor tinted(const QColor& colour, const QColor& ground)
{
    const auto mix = [](int x, int y) { return static_cast<int>(x * kTint + y * (1 - kTint)); };
    return QColor(mix(colour.red(), ground.red()), mix(colour.green(), ground.green()), mix(colour.blue(), ground.blue()));
}

int countOf(const std::vector<DiffLine>& lines, DiffLine::Kind kind)
{
    return static_cast<int>(std::count_if(lines.begin(), lines.end(), [kind](const DiffLine& line) { return line.kind == kind; }));
}

} // namespace

DiffText::DiffText(QWidget* parent)
    : QPlainTextEdit(parent)
{
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setUndoRedoEnabled(false);
    setFrameShape(QFrame::NoFrame);
    setTabChangesFocus(true);
    document()->setDocumentMargin(8);
    setFont(codeFont());
}

void DiffText::setLines(const std::vector<DiffLine>& lines)
{
    m_kinds.clear();
    QString text;
    for (const DiffLine& line : lines) {
        m_kinds.push_back(line.kind);
        text += (text.isEmpty() ? QString() : QStringLiteral("\n")) % fromStd(toText(line));
    }
    if (text != toPlainText()) {
        setPlainText(text);
    }
    viewport()->update();
}

DiffLine::Kind DiffText::kindOf(int line) const
{
    return line >= 0 && line < static_cast<int>(m_kinds.size()) ? m_kinds[static_cast<std::size_t>(line)] : DiffLine::Kind::Same;
}

void DiffText::paintEvent(QPaintEvent* event)
{
    {
        QPainter painter(viewport());
        const Theme theme = Theme::of(palette());
        for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
            const QRectF box = blockBoundingGeometry(block).translated(contentOffset());
            if (box.top() > event->rect().bottom()) {
                break;
            }
            const DiffLine::Kind kind = kindOf(block.blockNumber());
            if (kind != DiffLine::Kind::Same) {
                const QColor colour = kind == DiffLine::Kind::Added ? theme.legal : theme.illegal;
                // The last block's box reaches to the end of the document's margin.
                const double height = std::min(box.height(), block.layout()->boundingRect().height());
                painter.fillRect(QRectF(0, box.top(), viewport()->width(), height), tinted(colour, theme.panel));
                painter.fillRect(QRectF(0, box.top(), 3, height), colour);
            }
        }
    }
    QPlainTextEdit::paintEvent(event);
}

void DiffText::changeEvent(QEvent* event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::ApplicationFontChange && font() != codeFont()) {
        setFont(codeFont());
    }
}

DiffPage::DiffPage(QWidget* parent)
    : QWidget(parent)
    , m_pages(new QStackedWidget(this))
    , m_empty(new EmptyState(this))
    , m_against(new QComboBox(this))
    , m_count(new QLabel(this))
    , m_script(new DiffText(this))
    , m_nest(new DiffText(this))
{
    m_script->setObjectName(QStringLiteral("diffScript"));
    m_script->setAccessibleName(tr("Differences of the script"));
    m_nest->setObjectName(QStringLiteral("diffNest"));
    m_nest->setAccessibleName(tr("Differences of the loop nest"));
    m_against->setObjectName(QStringLiteral("diffAgainst"));
    m_against->setAccessibleName(tr("Compare with"));
    m_against->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_count->setObjectName(QStringLiteral("diffCount"));
    m_count->setProperty("muted", true);
    m_count->setFont(noteFont());
    auto* label = new QLabel(tr("from"), this);
    label->setProperty("muted", true);
    label->setBuddy(m_against);

    auto* page = new QWidget(this);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 4, 12, 4);
    row->setSpacing(8);
    row->addWidget(label);
    row->addWidget(m_against);
    row->addWidget(m_count, 1);
    auto* texts = new QSplitter(Qt::Horizontal, this);
    texts->setChildrenCollapsible(false);
    texts->addWidget(m_script);
    texts->addWidget(m_nest);
    auto* inside = new QVBoxLayout(page);
    inside->setContentsMargins(0, 0, 0, 0);
    inside->setSpacing(0);
    inside->addLayout(row);
    inside->addWidget(texts, 1);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_pages);
    connect(m_against, &QComboBox::activated, this, [this](int index) { Q_EMIT againstWished(m_against->itemData(index).toString()); });
    connect(m_empty, &EmptyState::actionWished, this, &DiffPage::actionWished);
}

void DiffPage::setChoices(const QList<DiffChoice>& choices, const QString& current)
{
    const QSignalBlocker quiet(m_against);
    m_against->clear();
    int chosen = -1;
    for (const DiffChoice& choice : choices) {
        chosen = choice.key == current ? m_against->count() : chosen;
        m_against->addItem(choice.text, choice.key);
    }
    m_against->setCurrentIndex(chosen);
}

void DiffPage::setLines(const std::vector<DiffLine>& script, const std::vector<DiffLine>& nest)
{
    m_script->setLines(script);
    m_nest->setLines(nest);
    const auto counts = [](const std::vector<DiffLine>& lines) {
        return QStringLiteral("+%1 −%2").arg(countOf(lines, DiffLine::Kind::Added)).arg(countOf(lines, DiffLine::Kind::Removed));
    };
    const bool same = countOf(script, DiffLine::Kind::Same) == static_cast<int>(script.size())
        && countOf(nest, DiffLine::Kind::Same) == static_cast<int>(nest.size());
    m_count->setText(same ? tr("no difference") : tr("script %1, nest %2").arg(counts(script), counts(nest)));
    m_pages->setCurrentIndex(1);
    Q_EMIT changed();
}

void DiffPage::setEmpty(const QString& sentence, const QString& action)
{
    m_script->setLines({});
    m_nest->setLines({});
    m_empty->setText(sentence, action);
    m_pages->setCurrentIndex(0);
    Q_EMIT changed();
}

bool DiffPage::hasText() const
{
    return m_pages->currentIndex() == 1;
}

QString DiffPage::text() const
{
    return m_script->toPlainText() % QStringLiteral("\n\n") % m_nest->toPlainText() % QLatin1Char('\n');
}

void DiffPage::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) {
        m_count->setFont(noteFont());
    }
    QWidget::changeEvent(event);
}

} // namespace nw::views
