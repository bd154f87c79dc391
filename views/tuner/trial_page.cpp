#include "views/tuner/trial_page.h"

#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/tuner/cell_delegate.h"
#include "views/tuner/trials_model.h"
#include "views/tuner/tuner_text.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace nw::views {

TrialPage::TrialPage(QWidget* parent)
    : QWidget(parent)
    , m_model(new TrialsModel(this))
    , m_split(new QSplitter(this))
    , m_table(new QTableView(this))
    , m_hint(new QLabel(tr("Choose a trial, or click a point of the curve, for its script."), this))
    , m_detail(new QWidget(this))
    , m_words(new QLabel(this))
    , m_script(new QPlainTextEdit(this))
    , m_open(new QPushButton(tr("Open as steps"), this))
    , m_diff(new QPushButton(tr("What differs"), this))
{
    m_table->setObjectName(QStringLiteral("tunerTrials"));
    m_table->setAccessibleName(tr("Trials"));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new CellDelegate(m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_words->setObjectName(QStringLiteral("tunerTrialWords"));
    m_words->setWordWrap(true);
    m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_script->setObjectName(QStringLiteral("tunerTrialScript"));
    m_script->setAccessibleName(tr("Script of the trial"));
    m_script->setReadOnly(true);
    m_script->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_open->setObjectName(QStringLiteral("tunerOpenTrial"));
    m_open->setToolTip(tr("This trial's script becomes the operator's steps; Ctrl+Z goes back"));
    m_diff->setObjectName(QStringLiteral("tunerDiffTrials"));

    m_hint->setObjectName(QStringLiteral("tunerTrialHint"));
    m_hint->setProperty("muted", true);
    m_hint->setWordWrap(true);
    m_hint->setContentsMargins(8, 2, 8, 4);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(6);
    buttons->addWidget(m_open);
    buttons->addWidget(m_diff);
    buttons->addStretch(1);
    auto* right = new QVBoxLayout(m_detail);
    right->setContentsMargins(8, 4, 8, 4);
    right->setSpacing(4);
    right->addWidget(m_words);
    right->addWidget(m_script, 1);
    right->addLayout(buttons);
    m_split->addWidget(m_table);
    m_split->addWidget(m_detail);
    m_split->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_split, 1);
    layout->addWidget(m_hint);

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (!m_quiet && now.isValid()) {
            Q_EMIT trialWished(now.row());
        }
    });
    connect(m_split, &QSplitter::splitterMoved, this, [this] { m_moved = true; });
    connect(m_open, &QPushButton::clicked, this, [this] { Q_EMIT openWished(m_selected); });
    connect(m_diff, &QPushButton::clicked, this, [this] { Q_EMIT diffWished(m_selected, m_other); });
    dress();
    say();
}

void TrialPage::setSeries(const TrialSeries* series)
{
    const QScopedValueRollback<bool> quiet(m_quiet, true);
    m_series = series;
    m_selected = m_other = -1;
    m_model->setSeries(series);
    m_script->clear();
    say();
}

void TrialPage::takeNew()
{
    m_model->takeNew();
}

void TrialPage::select(int number)
{
    const QScopedValueRollback<bool> quiet(m_quiet, true);
    m_selected = number;
    if (number >= 0 && number < m_model->rowCount()) {
        m_table->setCurrentIndex(m_model->index(number, 0));
    } else {
        m_table->clearSelection();
        m_script->clear();
    }
    say();
}

void TrialPage::setOther(int number)
{
    m_other = number;
    say();
}

void TrialPage::setScript(int number, const QString& script, const QString& problem)
{
    if (number == m_selected) {
        m_script->setPlainText(problem.isEmpty() ? script : problem);
        m_open->setEnabled(problem.isEmpty());
    }
}

void TrialPage::say()
{
    const record::TuneTrial* trial = m_series != nullptr ? m_series->find(m_selected) : nullptr;
    // Without one the table has all the room.
    if (m_detail->isHidden() != (trial == nullptr)) {
        m_detail->setVisible(trial != nullptr);
        if (!m_moved) {
            share();
        }
    }
    m_hint->setVisible(trial == nullptr);
    m_diff->setVisible(trial != nullptr && m_other >= 0 && m_other != m_selected);
    m_diff->setToolTip(tr("Trials %1 and %2 beside each other").arg(m_selected).arg(m_other));
    if (trial != nullptr) {
        const QString words = trialText(*trial);
        const QString whole = trial->message.empty() ? words : QString(words % QLatin1Char('\n') % fromStd(trial->message));
        // Where there is little room the script is what matters.
        const bool isLow = height() < 15 * QFontMetrics(contentFont()).height();
        m_words->setWordWrap(!isLow);
        m_words->setText(isLow ? QFontMetrics(noteFont()).elidedText(words, Qt::ElideRight, std::max(40, m_script->width() - 8)) : whole);
        m_words->setToolTip(whole);
    }
}

void TrialPage::dress()
{
    if (m_script->font() != codeFont()) {
        m_script->setFont(codeFont());
    }
    m_words->setFont(noteFont());
    m_hint->setFont(noteFont());
    m_table->verticalHeader()->setMinimumSectionSize(tableRowHeight());
    m_table->verticalHeader()->setDefaultSectionSize(tableRowHeight());
    const QFontMetrics metrics(contentFont());
    const std::pair<TrialsModel::Column, QString> widths[] = {{TrialsModel::Number, QStringLiteral("trial000")},
                                                              {TrialsModel::Time, QStringLiteral("0.000 ms ±10.0 %")},
                                                              {TrialsModel::From, QStringLiteral("mutation")},
                                                              {TrialsModel::Values, QStringLiteral("tile=16 wide=16 rows=16")}};
    for (const auto& [column, text] : widths) {
        m_table->setColumnWidth(column, metrics.horizontalAdvance(text) + 20);
    }
}

void TrialPage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    // A new look of the application takes fonts away that were set before it.
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange || event->type() == QEvent::StyleChange) {
        dress();
    }
}

void TrialPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    share();
    say();
}

void TrialPage::share()
{
    const int letter = QFontMetrics(contentFont()).averageCharWidth();
    const Qt::Orientation way = width() > 70 * letter || height() < 40 * letter ? Qt::Horizontal : Qt::Vertical;
    if (way != m_split->orientation()) {
        m_split->setOrientation(way);
    }
    // Number and time at least; the other columns as far as there is room.
    const int least = m_table->columnWidth(TrialsModel::Number) + m_table->columnWidth(TrialsModel::Time) + 16;
    if (way == Qt::Horizontal) {
        const int table = std::clamp(width() * 45 / 100, std::min(least, width() * 3 / 5), 64 * letter);
        m_split->setSizes({table, width() - table});
    }
}

} // namespace nw::views
