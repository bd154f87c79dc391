#include "views/primitives/param_editor.h"

#include "engine/base/divisors.h"
#include "engine/base/text.h"
#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/primitives/parts_editor.h"
#include "views/primitives/parts_text.h"

#include <QCoreApplication>
#include <QComboBox>
#include <QCompleter>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nw::views {

using schedule::ParamKind;

namespace {

// Completes the last of several words.
class LastWordCompleter : public QCompleter {
public:
    using QCompleter::QCompleter;
    QStringList splitPath(const QString& path) const override { return {path.section(QLatin1Char(' '), -1)}; }
    QString pathFromIndex(const QModelIndex& index) const override
    {
        const auto* line = qobject_cast<QLineEdit*>(widget());
        const QString before = line == nullptr ? QString() : line->text().section(QLatin1Char(' '), 0, -2);
        const QString word = QCompleter::pathFromIndex(index);
        return before.isEmpty() ? word : before + QLatin1Char(' ') + word;
    }
};

QStringList namesFor(const schedule::Param& param, const schedule::LoopNest& nest)
{
    QStringList names;
    switch (param.kind) {
    case ParamKind::Loop:
    case ParamKind::Loops:
        for (const schedule::Loop* loop : nest.allLoops()) {
            names << fromStd(loop->name);
        }
        break;
    case ParamKind::Block:
        for (const schedule::LoopNest::Path& path : nest.blocks()) {
            names << fromStd(path.block->name);
        }
        break;
    case ParamKind::Buffer:
        for (const schedule::Buffer& buffer : nest.buffers) {
            names << fromStd(buffer.name);
        }
        break;
    case ParamKind::ScopeName:
        names << QStringLiteral("registers") << QStringLiteral("stack") << QStringLiteral("heap");
        break;
    case ParamKind::Choice:
        for (const std::string& word : param.choices) {
            names << fromStd(word);
        }
        break;
    case ParamKind::Parts:
    case ParamKind::NewName:
    case ParamKind::Map:
    case ParamKind::Number: break;
    }
    return names;
}

QVBoxLayout* tightColumn(QWidget* parent)
{
    auto* column = new QVBoxLayout(parent);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    return column;
}

} // namespace

ParamEditor* ParamEditor::create(const schedule::Param& param, const schedule::LoopNest& nest, QWidget* parent)
{
    switch (param.kind) {
    case ParamKind::Loop:
    case ParamKind::Block:
    case ParamKind::Buffer:
    case ParamKind::Choice:
    case ParamKind::ScopeName: return new NameEditor(param, namesFor(param, nest), parent);
    case ParamKind::Parts: return new PartsEditor(param, nest, parent);
    case ParamKind::Loops:
    case ParamKind::NewName:
    case ParamKind::Map:
    case ParamKind::Number: return new LineEditor(param, nest, parent);
    }
    return nullptr;
}

NameEditor::NameEditor(const schedule::Param& param, const QStringList& names, QWidget* parent)
    : ParamEditor(parent)
    , m_box(new QComboBox(this))
{
    m_box->setObjectName(QStringLiteral("param_") + fromStd(param.name));
    m_box->setAccessibleName(fromStd(param.name));
    if (param.optional) {
        m_box->addItem(QString());
    }
    m_box->addItems(names);
    setFocusProxy(m_box);
    tightColumn(this)->addWidget(m_box);
    connect(m_box, &QComboBox::currentTextChanged, this, &ParamEditor::changed);
}

QString NameEditor::words() const
{
    return m_box->currentText();
}

void NameEditor::setWords(const QString& words)
{
    // A name that is not there stays visible: the verdict says what is wrong with it.
    if (m_box->findText(words) < 0 && !words.isEmpty()) {
        m_box->addItem(words);
    }
    m_box->setCurrentText(words);
}

LineEditor::LineEditor(const schedule::Param& param, const schedule::LoopNest& nest, QWidget* parent)
    : ParamEditor(parent)
    , m_kind(param.kind)
    , m_nest(nest)
    , m_line(new QLineEdit(this))
{
    m_line->setObjectName(QStringLiteral("param_") + fromStd(param.name));
    m_line->setAccessibleName(fromStd(param.name));
    setFocusProxy(m_line);
    tightColumn(this)->addWidget(m_line);
    if (m_kind == ParamKind::Loops) {
        auto* completer = new LastWordCompleter(namesFor(param, nest), m_line);
        completer->setCompletionMode(QCompleter::InlineCompletion);
        m_line->setCompleter(completer);
        m_line->setPlaceholderText(tr("loops, outermost first"));
    } else if (m_kind == ParamKind::Number) {
        propose({2, 4, 8, 16});
    }
    connect(m_line, &QLineEdit::textChanged, this, &ParamEditor::changed);
    restyle();
}

QString LineEditor::words() const
{
    return m_line->text().simplified();
}

void LineEditor::setWords(const QString& words)
{
    m_line->setText(words);
    m_line->setCursorPosition(0);
}

QString LineEditor::knobWords() const
{
    const std::optional<std::int64_t> number = m_kind == ParamKind::Number ? plainNumber(toStd(words())) : std::nullopt;
    return number ? choiceList(*number, {*number / 2, *number * 2}) : QString();
}

void LineEditor::setLoops(const QStringList& loops)
{
    if (loops == m_loops) {
        return;
    }
    std::vector<std::string> before, now;
    for (const QString& loop : m_loops) {
        before.push_back(toStd(loop));
    }
    for (const QString& loop : loops) {
        now.push_back(toStd(loop));
    }
    // The name of fused loops is made of theirs until somebody writes another.
    if (m_kind == ParamKind::NewName && !before.empty() && words() == fromStd(m_nest.freshName(join(before, "_")))) {
        setWords(fromStd(m_nest.freshName(join(now, "_"))));
    } else if (m_kind == ParamKind::Number) {
        const std::optional<std::int64_t> extent = now.size() == 1 ? extentOf(m_nest, now.front()) : std::nullopt;
        const std::vector<std::int64_t> divisors = extent ? properDivisors(*extent) : std::vector<std::int64_t>{};
        propose(divisors.empty() ? std::vector<std::int64_t>{2, 4, 8, 16} : divisors);
    }
    m_loops = loops;
}

void LineEditor::propose(const std::vector<std::int64_t>& numbers)
{
    delete m_chips;
    m_chips = numberChips(numbers, words(), this, [this](std::int64_t number) { setWords(QString::number(number)); });
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, m_chips);
}

void LineEditor::restyle()
{
    m_line->setFont(codeFont());
}

QWidget* numberChips(const std::vector<std::int64_t>& numbers, const QString& chosen, QWidget* parent,
                     const std::function<void(std::int64_t)>& choose)
{
    constexpr std::size_t kMost = 6;
    auto* chips = new QWidget(parent);
    auto* row = new QHBoxLayout(chips);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    for (std::size_t i = 0; i < std::min(numbers.size(), kMost); ++i) {
        const std::int64_t number = numbers[i];
        auto* chip = new QPushButton(QString::number(number), chips);
        chip->setObjectName(QStringLiteral("chip_%1").arg(number));
        chip->setAccessibleName(QCoreApplication::translate("Primitives", "choose %1").arg(number));
        chip->setCheckable(true);
        chip->setChecked(chosen == chip->text());
        chip->setMinimumSize(28, 24);
        chip->setMaximumWidth(chip->fontMetrics().horizontalAdvance(chip->text()) + 24);
        QObject::connect(chip, &QPushButton::clicked, chips, [choose, number] { choose(number); });
        row->addWidget(chip);
    }
    row->addStretch(1);
    return chips;
}

QString choiceList(std::int64_t number, const std::vector<std::int64_t>& others)
{
    QStringList texts{QString::number(number)};
    for (const std::int64_t other : others) {
        const QString text = QString::number(other);
        if (other > 1 && !texts.contains(text) && texts.size() < 5) {
            texts << text;
        }
    }
    return QLatin1Char('{') + texts.join(QStringLiteral(", ")) + QLatin1Char('}');
}

} // namespace nw::views
