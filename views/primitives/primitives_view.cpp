#include "views/primitives/primitives_view.h"

#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/common/refusal_text.h"
#include "views/primitives/primitive_form.h"
#include "views/primitives/primitive_row.h"

#include <QEvent>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace nw::views {

using schedule::Verdict;

PrimitivesView::PrimitivesView(QWidget* parent)
    : QWidget(parent)
    , m_title(new QLabel(this))
    , m_sentence(new QLabel(this))
    , m_scroll(new QScrollArea(this))
    , m_form(new PrimitiveForm(this))
{
    const std::span<const schedule::Primitive* const> all = schedule::allPrimitives();
    m_primitives.assign(all.begin(), all.end());
    setObjectName(QStringLiteral("primitives"));
    setAccessibleName(tr("Primitives"));
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_title->setObjectName(QStringLiteral("primitivesPlace"));
    m_title->setProperty("muted", true);
    m_title->setWordWrap(true);
    m_title->setContentsMargins(12, 6, 12, 6);
    m_sentence->setObjectName(QStringLiteral("primitivesSentence"));
    m_sentence->setProperty("muted", true);
    m_sentence->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignCenter);
    m_sentence->setContentsMargins(12, 24, 12, 24);
    m_scroll->setObjectName(QStringLiteral("primitivesList"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setMinimumHeight(3 * editorRowHeight());

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_title);
    column->addWidget(m_sentence, 1);
    column->addWidget(m_scroll, 1);
    column->addWidget(m_form);

    connect(m_form, &PrimitiveForm::previewWished, this, &PrimitivesView::previewWished);
    connect(m_form, &PrimitiveForm::placesHovered, this, &PrimitivesView::placesHovered);
    connect(m_form, &PrimitiveForm::message, this, &PrimitivesView::message);
    connect(m_form, &PrimitiveForm::cancelled, this, &PrimitivesView::closeForm);
    connect(m_form, &PrimitiveForm::applied, this, [this](const QString& line) {
        closeForm();
        Q_EMIT stepWished(line);
    });
    connect(m_form, &PrimitiveForm::knobApplied, this, [this](const QString& line) {
        closeForm();
        Q_EMIT knobWished(line);
    });
    clear(tr("Select a loop or a block to see what can be done with it."));
}

void PrimitivesView::setPlace(const QStringList& selection, const schedule::LoopNest& nest, const std::vector<schedule::Offer>& offers)
{
    if (m_form->primitive() != nullptr) {
        closeForm();
    }
    m_nest = nest;
    m_selection = selection;
    m_entries = primitiveEntries(m_primitives, offers);
    QStringList told;
    for (const QString& name : selection) {
        const schedule::LoopNest::Path loop = nest.findLoop(toStd(name));
        told << (loop ? tr("loop %1 (%2)").arg(name, fromStd(toText(loop.loop->extent))) : tr("block %1").arg(name));
    }
    m_title->setText(tr("for %1").arg(told.join(QStringLiteral(", "))));
    m_title->setVisible(!selection.isEmpty());
    m_sentence->hide();
    m_scroll->show();
    buildRows();
}

void PrimitivesView::clear(const QString& sentence)
{
    if (m_form->primitive() != nullptr) {
        closeForm();
    }
    m_nest.reset();
    m_selection.clear();
    m_entries.clear();
    buildRows();
    m_title->hide();
    m_scroll->hide();
    m_sentence->setText(sentence);
    m_sentence->show();
}

void PrimitivesView::setPrimitives(std::span<const schedule::Primitive* const> primitives)
{
    m_primitives.assign(primitives.begin(), primitives.end());
}

void PrimitivesView::setJudge(Judge judge)
{
    m_form->setJudge(std::move(judge));
}

// After a step most rows read as before; making twenty anew takes longer than all the rest of the window's answer.
bool PrimitivesView::exchangeRows()
{
    const bool alike = !m_rows.empty() &&
        std::equal(m_rows.begin(), m_rows.end(), m_entries.begin(), m_entries.end(),
                   [](const PrimitiveRow* row, const PrimitiveEntry& entry) { return row->entry().primitive == entry.primitive; });
    if (!alike) {
        return false;
    }
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        PrimitiveRow* const old = m_rows[i];
        if (readsTheSame(old->entry(), m_entries[i])) {
            continue;
        }
        const bool hadFocus = old->hasFocus() || (focusWidget() != nullptr && old->isAncestorOf(focusWidget()));
        auto* row = new PrimitiveRow(m_entries[i], m_list);
        delete m_list->layout()->replaceWidget(old, row);
        old->hide();
        old->deleteLater(); // a signal of it may have led here
        m_rows[i] = row;
        connectRow(row);
        row->show();
        if (hadFocus) {
            row->setFocus();
        }
    }
    // Tab goes down the list, whichever row is new: each row, then what is in it.
    QWidget* before = nullptr;
    for (PrimitiveRow* row : m_rows) {
        QList<QWidget*> stops = row->findChildren<QWidget*>();
        stops.removeIf([](const QWidget* stop) { return (stop->focusPolicy() & Qt::TabFocus) == 0; });
        stops.prepend(row);
        for (QWidget* stop : std::as_const(stops)) {
            if (before != nullptr) {
                QWidget::setTabOrder(before, stop);
            }
            before = stop;
        }
    }
    return true;
}

void PrimitivesView::buildRows()
{
    if (exchangeRows()) {
        return;
    }
    // The focus stays in the list, on the same primitive.
    QString focused;
    for (const PrimitiveRow* row : m_rows) {
        if (row->hasFocus() || row->isAncestorOf(focusWidget() == nullptr ? this : focusWidget())) {
            focused = fromStd(row->entry().primitive->name);
        }
    }
    m_rows.clear();
    m_headings.clear();
    m_list = new QWidget;
    auto* column = new QVBoxLayout(m_list);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    std::optional<PrimitiveGroup> group;
    for (const PrimitiveEntry& entry : m_entries) {
        if (group != entry.primitive->group) {
            group = entry.primitive->group;
            auto* heading = new QLabel(groupTitle(*group), m_list);
            heading->setProperty("muted", true);
            heading->setContentsMargins(12, 8, 12, 2);
            column->addWidget(heading);
            m_headings.push_back(heading);
        }
        auto* row = new PrimitiveRow(entry, m_list);
        column->addWidget(row);
        m_rows.push_back(row);
        connectRow(row);
    }
    column->addStretch(1);
    if (QWidget* old = m_scroll->takeWidget()) {
        old->hide();
        old->deleteLater(); // a signal of one of its rows may have led here
    }
    m_scroll->setWidget(m_list);
    m_list->setAutoFillBackground(false); // the panel's colour shows through
    restyle();
    if (PrimitiveRow* again = focused.isEmpty() ? nullptr : row(focused)) {
        again->setFocus();
    }
}

void PrimitivesView::connectRow(PrimitiveRow* row)
{
    connect(row, &PrimitiveRow::opened, this, [this, row] { openForm(fromStd(row->entry().primitive->name)); });
    connect(row, &PrimitiveRow::quickApplied, this, [this, row] { quickApply(row->entry()); });
    connect(row, &PrimitiveRow::placesHovered, this, &PrimitivesView::placesHovered);
    connect(row, &PrimitiveRow::unlockApplied, this, [this](const QString& line) {
        Q_EMIT previewWished({});
        Q_EMIT stepWished(line);
    });
    connect(row, &PrimitiveRow::unlockPointed, this, [this](const QString& line) {
        Q_EMIT previewWished(line.isEmpty() && m_form->primitive() != nullptr && m_form->canApply() ? m_form->line() : line);
    });
    connect(row, &PrimitiveRow::stepWished, this, [this, row](int by) {
        const int at = static_cast<int>(std::find(m_rows.begin(), m_rows.end(), row) - m_rows.begin());
        PrimitiveRow* next = m_rows[static_cast<std::size_t>(std::clamp(at + by, 0, static_cast<int>(m_rows.size()) - 1))];
        next->setFocus();
        m_scroll->ensureWidgetVisible(next, 0, 0);
    });
}

PrimitiveRow* PrimitivesView::row(const QString& primitive) const
{
    for (PrimitiveRow* candidate : m_rows) {
        if (fromStd(candidate->entry().primitive->name) == primitive) {
            return candidate;
        }
    }
    return nullptr;
}

void PrimitivesView::quickApply(const PrimitiveEntry& entry)
{
    const bool canApply = entry.offered && (entry.check.verdict == Verdict::Legal || entry.check.verdict == Verdict::Pointless);
    if (canApply) {
        const QString line = fromStd(entry.lines.front());
        Q_EMIT message(line, false);
        Q_EMIT stepWished(line);
    } else if (entry.offered) {
        Q_EMIT message(reasonText(entry.check.why), true);
    } else {
        openForm(fromStd(entry.primitive->name));
    }
}

void PrimitivesView::openForm(const QString& primitive)
{
    if (!m_nest) {
        Q_EMIT message(tr("Open an operator and select a loop first."), true);
        return;
    }
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [&](const PrimitiveEntry& entry) {
        return fromStd(entry.primitive->name) == primitive;
    });
    if (found == m_entries.end()) {
        Q_EMIT message(tr("There is no primitive %1.").arg(primitive), true);
        return;
    }
    m_opener = primitive;
    m_form->open(*found->primitive, *m_nest, m_selection, found->lines.empty() ? std::string() : found->lines.front());
    if (PrimitiveRow* opener = row(primitive)) {
        m_scroll->ensureWidgetVisible(opener, 0, 0);
    }
}

void PrimitivesView::closeForm()
{
    const bool hadFocus = m_form->isAncestorOf(focusWidget() == nullptr ? this : focusWidget());
    m_form->close();
    Q_EMIT previewWished({});
    PrimitiveRow* opener = row(m_opener);
    if (hadFocus && opener != nullptr) {
        opener->setFocus();
    }
}

void PrimitivesView::restyle()
{
    m_title->setFont(noteFont());
    for (QLabel* heading : m_headings) {
        heading->setFont(noteFont());
    }
}

void PrimitivesView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange) {
        restyle();
    }
    QWidget::changeEvent(event);
}

} // namespace nw::views
