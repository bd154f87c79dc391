#include "views/primitives/primitive_form.h"

#include "engine/base/text.h"
#include "engine/schedule/script.h"
#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/refusal_text.h"
#include "views/common/theme.h"
#include "views/primitives/param_editor.h"
#include "views/primitives/primitive_entries.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nw::views {

using schedule::ParamKind;
using schedule::Verdict;

PrimitiveForm::PrimitiveForm(QWidget* parent)
    : QFrame(parent)
    , m_title(new QLabel(this))
    , m_summary(new QLabel(this))
    , m_line(new QLabel(this))
    , m_icon(new QLabel(this))
    , m_state(new QLabel(this))
    , m_apply(new QPushButton(this))
    , m_knob(new QPushButton(tr("Turn into knob"), this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
{
    setObjectName(QStringLiteral("primitiveForm"));
    m_title->setObjectName(QStringLiteral("formTitle"));
    m_line->setObjectName(QStringLiteral("formLine"));
    m_line->setAccessibleName(tr("script line"));
    m_state->setObjectName(QStringLiteral("formState"));
    m_apply->setObjectName(QStringLiteral("formApply"));
    m_apply->setProperty("primary", true);
    m_knob->setObjectName(QStringLiteral("formKnob"));
    m_knob->setToolTip(tr("Write the step with a list of choices in place of the number, for a sweep to measure"));
    m_cancel->setObjectName(QStringLiteral("formCancel"));
    for (QLabel* label : {m_summary, m_line, m_state}) {
        label->setWordWrap(true);
    }
    m_summary->setProperty("muted", true);
    m_line->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto* state = new QHBoxLayout;
    state->setSpacing(8);
    state->addWidget(m_icon, 0, Qt::AlignTop);
    state->addWidget(m_state, 1);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(6);
    buttons->addWidget(m_apply);
    buttons->addWidget(m_knob);
    buttons->addWidget(m_cancel);
    buttons->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 12);
    column->setSpacing(8);
    column->addWidget(m_title);
    column->addWidget(m_summary);
    column->addWidget(m_line);
    column->addLayout(state);
    column->addLayout(buttons);

    connect(m_apply, &QPushButton::clicked, this, &PrimitiveForm::apply);
    connect(m_knob, &QPushButton::clicked, this, [this] { Q_EMIT knobApplied(knobLine()); });
    connect(m_cancel, &QPushButton::clicked, this, &PrimitiveForm::cancelled);
    restyle();
    hide();
}

void PrimitiveForm::setJudge(Judge judge)
{
    m_judge = std::move(judge);
}

void PrimitiveForm::open(const schedule::Primitive& primitive, const schedule::LoopNest& nest, const QStringList& selection,
                         const std::string& line)
{
    m_primitive = &primitive;
    m_nest = nest;
    m_title->setText(fromStd(primitive.name));
    m_summary->setText(QCoreApplication::translate("Primitives", primitive.summary.c_str()));
    m_filling = true;
    build(nest);
    fill(nest, selection, line);
    m_filling = false;
    show();
    edited();
    if (!m_editors.empty()) {
        // The last field is the one most often changed: what the others name is selected already.
        m_editors.back()->setFocus();
    } else {
        m_apply->setFocus();
    }
}

void PrimitiveForm::close()
{
    m_primitive = nullptr;
    m_nest.reset();
    hide();
    if (m_hadPlaces) {
        m_hadPlaces = false;
        Q_EMIT placesHovered({});
    }
}

void PrimitiveForm::build(const schedule::LoopNest& nest)
{
    if (m_fields != nullptr) {
        m_fields->hide();
        m_fields->setParent(nullptr);
        m_fields->deleteLater();
    }
    m_editors.clear();
    m_fields = new QWidget(this);
    auto* form = new QFormLayout(m_fields);
    form->setContentsMargins(0, 0, 0, 0);
    form->setSpacing(6);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft);
    for (const schedule::Param& param : m_primitive->params) {
        ParamEditor* editor = ParamEditor::create(param, nest, m_fields);
        auto* label = new QLabel(fromStd(param.name), m_fields);
        label->setProperty("muted", true);
        label->setFont(noteFont());
        label->setBuddy(editor);
        form->addRow(label, editor);
        m_editors.push_back(editor);
        connect(editor, &ParamEditor::changed, this, &PrimitiveForm::edited);
    }
    static_cast<QVBoxLayout*>(layout())->insertWidget(2, m_fields);
}

void PrimitiveForm::fill(const schedule::LoopNest& nest, const QStringList& selection, const std::string& line)
{
    const std::vector<const schedule::Primitive*> only{m_primitive};
    const Result<schedule::Script> read = schedule::parseScript(line, only, {});
    const bool hasWords = !line.empty() && read && read->steps.size() == 1;
    if (!hasWords) {
        fillFromSelection(nest, selection);
        return;
    }
    // Loops first: names and numbers of other fields are told by them.
    for (std::size_t i = 0; i < m_editors.size(); ++i) {
        std::vector<std::string> words;
        for (const schedule::ScriptStep::Word& word : read->steps.front().words[i]) {
            words.push_back(word.text);
        }
        m_editors[i]->setWords(fromStd(join(words, " ")));
    }
    for (ParamEditor* editor : m_editors) {
        editor->setLoops(chosenLoops());
    }
    // Several selected loops are what a primitive of loops is meant for, in their order in the nest.
    QStringList loops;
    for (const schedule::Loop* loop : nest.allLoops()) {
        if (selection.contains(fromStd(loop->name))) {
            loops << fromStd(loop->name);
        }
    }
    for (std::size_t i = 0; i < m_editors.size() && loops.size() > 1; ++i) {
        if (m_primitive->params[i].kind == ParamKind::Loops) {
            m_editors[i]->setWords(loops.join(QLatin1Char(' ')));
            break;
        }
    }
}

void PrimitiveForm::fillFromSelection(const schedule::LoopNest& nest, const QStringList& selection)
{
    QStringList loops, blocks;
    for (const QString& name : selection) {
        (nest.findLoop(toStd(name)) ? loops : blocks) << name;
    }
    int next = 0; // a primitive of two loops takes two selected ones in their order
    for (std::size_t i = 0; i < m_editors.size(); ++i) {
        const ParamKind kind = m_primitive->params[i].kind;
        if (kind == ParamKind::Loop && !loops.isEmpty()) {
            m_editors[i]->setWords(loops.at(std::min(next++, static_cast<int>(loops.size()) - 1)));
        } else if (kind == ParamKind::Loops) {
            m_editors[i]->setWords(loops.join(QLatin1Char(' ')));
        } else if (kind == ParamKind::Block && !blocks.isEmpty()) {
            m_editors[i]->setWords(blocks.first());
        } else if (kind == ParamKind::Parts && !loops.isEmpty()) {
            const std::string base = toStd(loops.first());
            m_editors[i]->setWords(fromStd(format("{}:_ {}:2", nest.freshName(base + "o"), nest.freshName(base + "i"))));
        }
    }
}

QStringList PrimitiveForm::chosenLoops() const
{
    for (std::size_t i = 0; i < m_editors.size(); ++i) {
        const ParamKind kind = m_primitive->params[i].kind;
        if (kind != ParamKind::Loop && kind != ParamKind::Loops) {
            continue;
        }
        QStringList loops;
        for (const QString& name : m_editors[i]->words().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
            if (!m_nest->findLoop(toStd(name))) {
                return {}; // half a name
            }
            loops << name;
        }
        return loops;
    }
    return {};
}

QString PrimitiveForm::lineOf(const ParamEditor* withKnob) const
{
    if (m_primitive == nullptr) {
        return {};
    }
    QString line = fromStd(m_primitive->name);
    for (std::size_t i = 0; i < m_editors.size(); ++i) {
        const QString words = m_editors[i] == withKnob ? m_editors[i]->knobWords() : m_editors[i]->words();
        const QString keyword = fromStd(m_primitive->params[i].keyword);
        if (!words.isEmpty()) {
            line += (keyword.isEmpty() ? QString() : QLatin1Char(' ') + keyword) + QLatin1Char(' ') + words;
        }
    }
    return line;
}

QString PrimitiveForm::line() const
{
    return lineOf(nullptr);
}

QString PrimitiveForm::knobLine() const
{
    for (auto editor = m_editors.rbegin(); editor != m_editors.rend(); ++editor) {
        if (!(*editor)->knobWords().isEmpty()) {
            return lineOf(*editor);
        }
    }
    return {};
}

void PrimitiveForm::edited()
{
    if (m_filling || m_primitive == nullptr) {
        return;
    }
    m_filling = true;
    const QStringList loops = chosenLoops();
    for (ParamEditor* editor : m_editors) {
        editor->setLoops(loops);
    }
    m_filling = false;
    judge();
}

void PrimitiveForm::judge()
{
    const QString step = line();
    const session::Editing::Judged judged = m_judge ? m_judge(toStd(step)) : session::Editing::Judged();
    m_verdict = judged.error.empty() ? judged.check.verdict : Verdict::Illegal;
    m_words = judged.error.empty() ? reasonText(judged.check.why) : fromStd(judged.error);
    m_canApply = m_verdict != Verdict::Illegal;
    m_line->setText(step);
    restyle();
    m_state->setText(m_words.isEmpty() ? verdictWord(m_verdict) : tr("%1: %2").arg(verdictWord(m_verdict), m_words));
    m_apply->setText(m_verdict == Verdict::Unproven ? tr("Apply unproven") : tr("Apply ↵"));
    m_apply->setEnabled(m_canApply);
    m_apply->setToolTip(m_canApply ? QString() : m_words);
    m_knob->setVisible(!knobLine().isEmpty());
    m_knob->setEnabled(m_verdict == Verdict::Legal || m_verdict == Verdict::Pointless);

    QStringList places;
    for (const std::string& place : judged.check.why.places) {
        places << fromStd(place);
    }
    if (m_verdict != Verdict::Illegal) {
        places.clear();
    }
    if (!places.isEmpty() || m_hadPlaces) {
        m_hadPlaces = !places.isEmpty();
        Q_EMIT placesHovered(places);
    }
    Q_EMIT previewWished(m_canApply ? step : QString());
    Q_EMIT message(m_canApply ? step : m_words, !m_canApply);
}

void PrimitiveForm::apply()
{
    if (m_canApply) {
        Q_EMIT applied(line());
    } else {
        Q_EMIT message(m_words, true);
    }
}

void PrimitiveForm::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) {
        Q_EMIT cancelled();
    } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        auto* button = qobject_cast<QPushButton*>(focusWidget());
        if (button != nullptr && button->hasFocus()) {
            button->click();
        } else {
            apply();
        }
    } else {
        QFrame::keyPressEvent(event);
    }
}

void PrimitiveForm::restyle()
{
    const Theme theme = Theme::of(palette());
    const QColor color = m_verdict == Verdict::Legal ? theme.legal
        : m_verdict == Verdict::Pointless            ? theme.muted
        : m_verdict == Verdict::Unproven             ? theme.unproven
                                                     : theme.illegal;
    const int side = fontMetrics().height();
    m_icon->setPixmap(icon(verdictIcon(m_verdict), color).pixmap(side, side));
    m_title->setFont(nameFont());
    m_summary->setFont(noteFont());
    m_line->setFont(codeFont());
    m_state->setFont(contentFont());
    for (ParamEditor* editor : m_editors) {
        editor->restyle();
    }
}

void PrimitiveForm::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(QPen(Theme::of(palette()).line, 0));
    painter.drawLine(QPointF(0, 0.5), QPointF(width(), 0.5));
}

void PrimitiveForm::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        restyle();
    }
    QFrame::changeEvent(event);
}

} // namespace nw::views
