#include "views/tuner/tuner_view.h"

#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/tuner/cell_delegate.h"
#include "views/tuner/curve_plot.h"
#include "views/tuner/failures_table.h"
#include "views/tuner/importance_bars.h"
#include "views/tuner/model_page.h"
#include "views/tuner/start_form.h"
#include "views/tuner/tasks_model.h"
#include "views/tuner/trial_page.h"
#include "views/tuner/tuner_head.h"
#include "views/tuner/tuner_text.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nw::views {

TunerView::TunerView(QWidget* parent)
    : QWidget(parent)
    , m_head(new TunerHead(this))
    , m_form(new StartForm(this))
    , m_pages(new QStackedWidget(this))
    , m_split(new QSplitter(this))
    , m_curve(new CurvePlot(this))
    , m_time(new QToolButton(this))
    , m_speed(new QToolButton(this))
    , m_all(new QToolButton(this))
    , m_tabs(new QTabWidget(this))
    , m_tasksModel(new TasksModel(this))
    , m_tasks(new QTableView(this))
    , m_trial(new TrialPage(this))
    , m_failures(new FailuresTable(this))
    , m_model(new ModelPage(this))
    , m_importance(new ImportanceBars(this))
{
    setObjectName(QStringLiteral("tunerView"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    makeTasks();
    m_tabs->setObjectName(QStringLiteral("tunerTabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setExpanding(false);
    m_tabs->addTab(m_tasks, tr("Operators"));
    m_tabs->addTab(m_trial, tr("Trials"));
    m_tabs->addTab(m_failures, tr("Failures"));
    m_tabs->addTab(m_model, tr("Model"));
    m_tabs->addTab(m_importance, tr("Knobs"));
    m_split->setChildrenCollapsible(false);
    makeCurve();
    makeExport();
    m_split->addWidget(m_curve);
    m_split->addWidget(m_tabs);
    m_split->setStretchFactor(0, 1);
    m_split->setStretchFactor(1, 1);
    m_pages->addWidget(m_form);
    m_pages->addWidget(m_split);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_head);
    layout->addWidget(m_pages, 1);
    m_curve->setSeries(&m_series);
    m_trial->setSeries(&m_series);
    m_failures->setSeries(&m_series);
    m_model->setSeries(&m_series);
    connectAll();
    dress();
    showForm(true);
    say();
}

TunerView::~TunerView()
{
    m_curve->setSeries(nullptr); // it goes after the series
}

void TunerView::makeCurve()
{
    m_curve->setAccessibleName(tr("What the trials brought"));
    m_all->setObjectName(QStringLiteral("tunerShowAll"));
    m_all->setText(tr("show all"));
    m_all->setToolTip(tr("All of the plots again (Space, or a double click); the wheel, + and - look closer, the mouse or Shift and arrows go along"));
    m_all->setFocusPolicy(Qt::StrongFocus);
    m_all->hide();
    m_head->addToggle(m_all);
    for (PlotZoom* zoom : {m_curve->zoom(), m_model->prediction()->zoom()}) {
        connect(m_all, &QToolButton::clicked, zoom, &PlotZoom::showAll);
        connect(zoom, &PlotZoom::changed, this,
                [this] { m_all->setVisible(m_curve->zoom()->isCloser() || m_model->prediction()->zoom()->isCloser()); });
    }
    m_time->setObjectName(QStringLiteral("tunerWallTime"));
    m_time->setText(tr("wall time"));
    m_time->setToolTip(tr("Trials by the time at which they came, not by their number"));
    m_speed->setObjectName(QStringLiteral("tunerSpeed"));
    m_speed->setText(tr("GFLOP/s"));
    m_speed->setToolTip(tr("Speed upwards instead of latency"));
    for (QToolButton* toggle : {m_time, m_speed}) {
        toggle->setCheckable(true);
        toggle->setFocusPolicy(Qt::StrongFocus);
        m_head->addToggle(toggle);
        connect(toggle, &QToolButton::toggled, this, [this] { m_curve->setAxes(m_time->isChecked(), m_speed->isChecked()); });
    }
}

void TunerView::makeTasks()
{
    m_tasks->setObjectName(QStringLiteral("tunerTasks"));
    m_tasks->setAccessibleName(tr("Operators that are tuned"));
    m_tasks->setModel(m_tasksModel);
    m_tasks->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_tasks->setSelectionMode(QAbstractItemView::SingleSelection);
    m_tasks->setShowGrid(false);
    m_tasks->setTabKeyNavigation(false);
    m_tasks->setWordWrap(false);
    m_tasks->verticalHeader()->hide();
    m_tasks->horizontalHeader()->setHighlightSections(false);
    m_tasks->horizontalHeader()->setStretchLastSection(true);
    m_tasks->setItemDelegate(new CellDelegate(m_tasks));
}

void TunerView::connectAll()
{
    connect(m_head, &TunerHead::newWished, this, [this] { showForm(true); });
    connect(m_head, &TunerHead::pauseWished, this, &TunerView::pauseWished);
    connect(m_head, &TunerHead::resumeWished, this, &TunerView::resumeWished);
    connect(m_head, &TunerHead::stopWished, this, &TunerView::stopWished);
    connect(m_head, &TunerHead::cancelWished, this, &TunerView::cancelWished);
    connect(m_head, &TunerHead::openBestWished, this, &TunerView::openBestWished);
    connect(m_form, &StartForm::startWished, this, [this] { Q_EMIT startWished(m_form->request()); });
    connect(m_form, &StartForm::backWished, this, [this] { showForm(false); });
    connect(m_curve, &CurvePlot::trialPressed, this, &TunerView::choose);
    connect(m_curve, &CurvePlot::stepWished, this, [this](int by) {
        const int next = m_first < 0 ? (by > 0 ? 0 : m_series.next() - 1) : m_first + by;
        if (next >= 0 && next < m_series.next()) {
            choose(next, false);
        }
    });
    connect(m_trial, &TrialPage::trialWished, this, [this](int number) { choose(number, false); });
    connect(m_trial, &TrialPage::openWished, this, &TunerView::openTrialWished);
    connect(m_trial, &TrialPage::diffWished, this, &TunerView::diffWished);
    connect(m_failures, &FailuresTable::trialWished, this, [this](int number) { choose(number, false); });
    connect(m_tasks->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (!m_quiet && now.isValid()) {
            Q_EMIT taskWished(now.data(TasksModel::IdRole).toLongLong());
        }
    });
    connect(m_tasks, &QTableView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT operatorWished(fromStd(m_tasksModel->tasks()[static_cast<std::size_t>(index.row())].group));
    });
}

void TunerView::choose(int number, bool second)
{
    if (second && m_first >= 0 && number != m_first) {
        m_second = number;
        m_curve->select(m_first, m_second);
        m_trial->setOther(m_second);
        Q_EMIT diffWished(m_first, m_second);
        return;
    }
    m_first = number;
    m_second = -1;
    m_curve->select(m_first, -1);
    m_trial->setOther(-1);
    m_trial->select(number);
    // Where failures are looked through they stay in sight: their message is in the row.
    if (m_tabs->currentWidget() != m_failures) {
        m_tabs->setCurrentWidget(m_trial);
    }
    Q_EMIT trialWished(number);
}

void TunerView::setStatus(const TunerStatus& status)
{
    const bool other = status.session && (!m_status.session || status.session->id != m_status.session->id);
    const bool begins = status.starting && !m_status.starting;
    m_status = status;
    if (other) {
        m_remaining = {};
    }
    if (status.session && m_budgetOf != status.session->id && status.budget.trials + static_cast<int>(status.budget.seconds) > 0) {
        m_budgetOf = status.session->id;
        m_form->setBudget(status.budget);
    }
    m_form->setHasCharts(status.session.has_value());
    if (other || begins) {
        showForm(!status.session && !status.starting);
    }
    say();
}

void TunerView::setTasks(const std::vector<record::TuneTask>& tasks, double modelNs)
{
    const QScopedValueRollback<bool> quiet(m_quiet, true);
    m_tasksModel->setTasks(tasks, modelNs);
    const int row = m_tasksModel->rowOf(m_task);
    if (row >= 0) {
        if (m_tasks->currentIndex().row() != row) {
            m_tasks->selectRow(row);
        }
        m_curve->setTask(*m_tasksModel->find(m_task));
    }
    fitTasks();
    say();
}

void TunerView::showTask(std::int64_t task)
{
    if (task == m_task) {
        return;
    }
    const QScopedValueRollback<bool> quiet(m_quiet, true);
    m_task = task;
    m_series = {};
    m_first = m_second = -1;
    const record::TuneTask* found = m_tasksModel->find(task);
    m_curve->setTask(found != nullptr ? *found : record::TuneTask{});
    m_curve->setSeries(&m_series);
    m_trial->setSeries(&m_series);
    m_failures->setSeries(&m_series);
    m_model->setSeries(&m_series);
    setRounds({});
    if (found != nullptr) {
        m_tasks->selectRow(m_tasksModel->rowOf(task));
    }
    say();
}

void TunerView::addTrials(const std::vector<record::TuneTrial>& trials)
{
    if (m_series.append(trials) == 0) {
        return;
    }
    m_curve->takeNew();
    m_trial->takeNew();
    m_failures->takeNew();
    m_model->takeNew();
    say();
}

void TunerView::setRounds(const std::vector<record::TuneRound>& rounds)
{
    m_model->setRounds(rounds);
    m_importance->setShares(importanceOf(rounds));
    m_failures->setRefused(refusedOf(rounds));
}

void TunerView::setTrialScript(int number, const QString& script, const QString& problem)
{
    m_trial->setScript(number, script, problem);
}

void TunerView::setOperator(const QString& name)
{
    m_form->setOperator(name);
}

void TunerView::setSelection(const QStringList& loops)
{
    m_form->setSelection(loops);
}

void TunerView::clear()
{
    m_status = {};
    m_budgetOf = 0;
    m_remaining = {};
    showTask(0);
    setTasks({}, 0);
    m_form->setHasCharts(false);
    showForm(true);
    say();
}

TuneRequest TunerView::request() const
{
    return m_form->request();
}

void TunerView::chooseMine(bool fixSelected)
{
    m_form->chooseMine(fixSelected);
    showForm(true);
}

void TunerView::toggle()
{
    const TunerPhase now = phase();
    if (now == TunerPhase::Running) {
        Q_EMIT pauseWished();
    } else if (canBeResumed(now)) {
        Q_EMIT resumeWished();
    } else if (hasEnded(now)) {
        Q_EMIT startWished(m_form->request());
    }
}

void TunerView::showForm(bool shown)
{
    m_pages->setCurrentWidget(shown ? static_cast<QWidget*>(m_form) : m_split);
    m_head->setFormShown(shown);
}

void TunerView::fitTasks()
{
    const QFontMetrics metrics(contentFont());
    const QString widest[] = {QString(), QString(), QStringLiteral("0.000 ms ±10.0 %"), QStringLiteral("99.99×"), QStringLiteral("99.9 %"),
                              QStringLiteral("00000")};
    for (int column = TasksModel::Best; column < TasksModel::ColumnCount; ++column) {
        m_tasks->setColumnWidth(column, metrics.horizontalAdvance(widest[column]) + 20);
    }
    int group = metrics.horizontalAdvance(tr("operator"));
    int state = metrics.horizontalAdvance(tr("state"));
    for (const record::TuneTask& task : m_tasksModel->tasks()) {
        group = std::max(group, QFontMetrics(nameFont()).horizontalAdvance(fromStd(task.group)) + metrics.horizontalAdvance(QStringLiteral(" ×00")));
        state = std::max(state, metrics.horizontalAdvance(taskStateText(task.state)));
    }
    m_tasks->setColumnWidth(TasksModel::Group, group + 20);
    m_tasks->setColumnWidth(TasksModel::State, state + 20);
}

void TunerView::dress()
{
    m_curve->setLook(Theme::of(palette()), noteFont());
    m_tasks->verticalHeader()->setMinimumSectionSize(tableRowHeight());
    m_tasks->verticalHeader()->setDefaultSectionSize(tableRowHeight());
    for (QToolButton* toggle : {m_time, m_speed, m_all}) {
        toggle->setFont(noteFont());
    }
    m_tabs->tabBar()->setFont(noteFont());
    fitTasks();
}

// With room for it the table of operators stands beside the curve; else it is a tab among the others.
void TunerView::setWide(bool wide)
{
    if (wide == m_wide) {
        return;
    }
    m_wide = wide;
    if (wide) {
        m_split->insertWidget(0, m_tasks);
        m_tasks->show();
        const int total = width();
        m_split->setSizes({total * 30 / 100, total * 36 / 100, total * 34 / 100});
    } else {
        m_tabs->insertTab(0, m_tasks, tr("Operators"));
        m_split->setSizes({width() * 50 / 100, width() * 50 / 100});
    }
}

void TunerView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        dress();
    }
}

void TunerView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    setWide(width() > QFontMetrics(contentFont()).averageCharWidth() * 190);
}

} // namespace nw::views
