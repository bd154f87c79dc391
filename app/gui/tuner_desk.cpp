#include "app/gui/tuner_desk.h"

#include "app/gui/controller.h"

#include "engine/base/text.h"
#include "engine/tune/settings.h"
#include "views/common/format.h"
#include "views/tuner/tuner_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace nw::app {

using record::TuneState;
using record::TuneWish;
using views::fromStd;
using views::toStd;
using views::TunerPhase;

namespace {

constexpr int kAtWorkMs = 500;
constexpr int kIdleMs = 2000; // another program may begin to tune this project

views::TunerBudget budgetOf(const std::string& settings)
{
    const Result<tune::Settings> read = tune::Settings::parse(settings);
    if (!read) {
        return {};
    }
    return {read->trials, read->seconds, read->plateau, fromStd(read->search), fromStd(read->from), read->seed};
}

} // namespace

TunerDesk::TunerDesk(Workbench& workbench, Controller& controller, views::TunerView& view, QObject* parent)
    : QObject(parent)
    , m_workbench(workbench)
    , m_controller(controller)
    , m_view(view)
{
    connect(&m_timer, &QTimer::timeout, this, &TunerDesk::look);
    connect(&m_workbench, &Workbench::opened, this, &TunerDesk::onOpened);
    connect(&m_workbench, &Workbench::tuneNews, this, &TunerDesk::onNews);
    connect(&m_controller, &Controller::operatorShown, this, [this](const QString& name) {
        m_view.setOperator(name);
        if (const std::int64_t wanted = firstTask(); wanted != 0) {
            showTask(wanted); // the charts are those of the operator that one works on, as far as it is tuned
        }
    });
    connect(&m_controller, &Controller::selectionShown, &m_view, &views::TunerView::setSelection);
    connect(&m_controller, &Controller::tuneWished, this, [this] {
        if (isTuning() || views::canBeResumed(m_view.phase())) {
            Q_EMIT panelWished(); // what it is at comes first
        } else {
            toggle();
        }
    });
    connectView();
}

TunerDesk::~TunerDesk() = default;

void TunerDesk::connectView()
{
    using views::TunerView;
    connect(&m_view, &TunerView::startWished, this, &TunerDesk::start);
    connect(&m_view, &TunerView::pauseWished, this, [this] { wish(TuneWish::Pause); });
    connect(&m_view, &TunerView::resumeWished, this, &TunerDesk::resume);
    connect(&m_view, &TunerView::stopWished, this, [this] { wish(TuneWish::Stop); });
    connect(&m_view, &TunerView::cancelWished, this, [this] { wish(TuneWish::Cancel); });
    connect(&m_view, &TunerView::taskWished, this, [this](qlonglong id) { showTask(id); });
    connect(&m_view, &TunerView::operatorWished, &m_controller, &Controller::selectOperator);
    connect(&m_view, &TunerView::trialWished, this, [this](int trial) {
        const Script script = scriptOf(trial);
        m_view.setTrialScript(trial, script.text, script.problem);
    });
    connect(&m_view, &TunerView::openBestWished, this, &TunerDesk::openBest);
    connect(&m_view, &TunerView::openTrialWished, this, &TunerDesk::openTrial);
    connect(&m_view, &TunerView::diffWished, this, &TunerDesk::diff);
}

void TunerDesk::onOpened()
{
    m_pending = m_more = m_starting = m_alive = false;
    m_wishWhenAlive.reset();
    m_session.reset();
    m_tasks.clear();
    m_task = 0;
    m_sketches.clear();
    m_finals.clear();
    m_view.clear();
    look();
}

void TunerDesk::look()
{
    if (!m_pending && m_controller.hasProject()) {
        m_pending = true;
        m_workbench.lookAtTuning(m_task, m_view.nextTrial());
    }
    const int pause = isTuning() ? kAtWorkMs : kIdleMs;
    if (!m_timer.isActive() || m_timer.interval() != pause) {
        m_timer.start(pause);
    }
}

bool TunerDesk::isTuning() const
{
    return views::isAtWork(m_view.phase());
}

void TunerDesk::onNews(const std::shared_ptr<const TuneNews>& news)
{
    m_pending = false;
    if (!news) {
        return;
    }
    followProcess(*news);
    const bool other = news->session && (!m_session || m_session->id != news->session->id);
    m_session = news->session;
    m_alive = news->alive;
    m_tasks = news->tasks;
    if (m_alive && m_session && m_wishWhenAlive) {
        m_workbench.wishTuning(m_session->id, *m_wishWhenAlive);
        m_session->wish = *m_wishWhenAlive;
        m_wishWhenAlive.reset();
    }
    m_view.setTasks(m_tasks, m_controller.profiledNs());
    showStatus();
    if (other) {
        m_task = 0;
    }
    if (news->task != 0 && news->task == m_task) {
        m_more = news->more;
        m_sketches = news->sketches;
        m_finals = news->finals;
        m_view.addTrials(news->trials);
        m_view.setRounds(news->rounds);
    }
    for (const record::Record& record : news->confirmed) {
        m_controller.takeTuned(record);
    }
    const std::int64_t wanted = m_task != 0 ? m_task : firstTask() != 0 ? firstTask() : m_tasks.empty() ? 0 : m_tasks.front().id;
    if (wanted != m_task) {
        showTask(wanted);
    } else if (m_more) {
        look();
    }
}

// The task of the operator that is shown, or else the one that is tuned now; 0: neither.
std::int64_t TunerDesk::firstTask() const
{
    const session::Editing* editing = m_controller.editing();
    const auto shown = std::find_if(m_tasks.begin(), m_tasks.end(),
                                    [editing](const auto& t) { return editing != nullptr && t.task == editing->op().taskId; });
    if (shown != m_tasks.end()) {
        return shown->id;
    }
    const auto tuned = std::find_if(m_tasks.begin(), m_tasks.end(), [](const auto& t) { return t.state == "tuning"; });
    return m_task == 0 && tuned != m_tasks.end() ? tuned->id : 0;
}

void TunerDesk::showTask(std::int64_t id)
{
    if (id == m_task) {
        return;
    }
    m_task = id;
    m_more = true;
    m_sketches.clear();
    m_finals.clear();
    m_view.showTask(id);
    look();
}

// A process that was started shows itself by the lock or by a new state of the journal, or it ended and said why.
void TunerDesk::followProcess(const TuneNews& news)
{
    if (!m_starting) {
        return;
    }
    const bool isNew = news.session && (!m_before || news.session->id != m_before->id || news.session->state != m_before->state);
    if (news.alive || (isNew && news.session->state != TuneState::Running)) {
        m_starting = false;
        Q_EMIT logLine(tr("tuning session %1").arg(news.session ? news.session->id : 0));
        return;
    }
    if (!m_process.isAlive()) {
        m_starting = false;
        m_wishWhenAlive.reset();
        const QString words = m_process.lastWords();
        Q_EMIT message(words.isEmpty() ? tr("The tuner ended before it began; the log has more.") : words, true);
        Q_EMIT logLine(tr("the tuner ended: %1").arg(words));
    }
}

void TunerDesk::showStatus()
{
    views::TunerStatus status;
    status.session = m_session;
    status.alive = m_alive;
    status.starting = m_starting;
    status.budget = m_session ? budgetOf(m_session->settings) : views::TunerBudget{};
    m_view.setStatus(status);
    if (isTuning() != m_wasAtWork) {
        m_wasAtWork = isTuning();
        Q_EMIT tuningChanged(m_wasAtWork);
        if (!m_wasAtWork && m_session) {
            Q_EMIT logLine(views::phaseText(m_view.phase(), status, m_tasks));
        }
        look(); // at another pace
    }
}

void TunerDesk::start(const views::TuneRequest& request)
{
    if (!m_controller.hasProject()) {
        Q_EMIT message(tr("Nothing is open. Open a model first (Ctrl+O)."), true);
        return;
    }
    QStringList arguments = request.groups;
    arguments << QStringLiteral("--trials") << QString::number(request.trials) << QStringLiteral("--seconds")
              << QString::number(request.minutes * 60) << QStringLiteral("--plateau") << QString::number(request.plateau)
              << QStringLiteral("--search") << request.search << QStringLiteral("--from") << request.from << QStringLiteral("--seed")
              << QString::number(request.seed);
    if (!request.fix.isEmpty()) {
        arguments << QStringLiteral("--fix") << request.fix.join(QLatin1Char(' '));
    }
    launch(arguments);
}

void TunerDesk::launch(const QStringList& arguments)
{
    if (m_starting || m_alive) {
        Q_EMIT message(tr("A tuner is at work on this project already."), true);
        return;
    }
    m_before = m_session;
    if (!m_process.start(m_controller.project()->projectFile, arguments)) {
        Q_EMIT message(m_process.problem(), true);
        return;
    }
    m_starting = true;
    Q_EMIT logLine(QStringLiteral("nestw tune %1 %2").arg(m_controller.project()->projectFile, arguments.join(QLatin1Char(' '))));
    Q_EMIT panelWished();
    showStatus();
    look();
}

void TunerDesk::resume()
{
    if (m_session) {
        launch({QStringLiteral("--resume"), QString::number(m_session->id)});
    }
}

void TunerDesk::wish(TuneWish wish)
{
    if (!m_session) {
        return;
    }
    if (m_alive) {
        m_workbench.wishTuning(m_session->id, wish);
        m_session->wish = wish; // until the journal is read again
        showStatus();
    } else if (wish == TuneWish::Stop) {
        // To keep the best it is measured once more: a tuner comes back for that alone.
        m_wishWhenAlive = wish;
        resume();
    } else if (wish == TuneWish::Cancel) {
        m_workbench.endTuning(m_session->id, TuneState::Cancelled);
    }
    look();
}

void TunerDesk::toggle()
{
    if (views::hasEnded(m_view.phase()) && !m_controller.hasProject()) {
        start({});
        return;
    }
    Q_EMIT panelWished();
    m_view.toggle();
}

void TunerDesk::tuneMine(bool fixSelected)
{
    m_view.chooseMine(fixSelected);
    Q_EMIT panelWished();
}

const record::TuneTask* TunerDesk::task() const
{
    const auto found = std::find_if(m_tasks.begin(), m_tasks.end(), [this](const record::TuneTask& t) { return t.id == m_task; });
    return found == m_tasks.end() ? nullptr : &*found;
}

// The trial's sketch with the numbers that it chose.
TunerDesk::Script TunerDesk::scriptOf(int number) const
{
    const record::TuneTrial* trial = m_view.series().find(number);
    const record::TuneTask* of = task();
    if (trial == nullptr || of == nullptr) {
        return {{}, tr("Trial %1 has not been read from the journal yet.").arg(number)};
    }
    const auto sketch = std::find_if(m_sketches.begin(), m_sketches.end(), [trial](const record::TuneSketch& s) { return s.number == trial->sketch; });
    const session::Operator* op = m_controller.operatorOfTask(of->task);
    if (sketch == m_sketches.end() || op == nullptr) {
        return {{}, op == nullptr ? tr("%1 is another operator now: the project changed since it was tuned.").arg(fromStd(of->group))
                                  : tr("The journal has no script of this trial.")};
    }
    const schedule::Context context{&op->task.target};
    const Result<schedule::Script> parsed = schedule::parseScript(sketch->script, schedule::allPrimitives(), context);
    if (!parsed) {
        return {{}, fromStd(parsed.error().message)};
    }
    schedule::KnobValues values;
    for (const std::string& word : splitWords(trial->values)) {
        const std::size_t equals = word.rfind('=');
        if (equals != std::string::npos) {
            values[word.substr(0, equals)] = std::strtoll(word.c_str() + equals + 1, nullptr, 10);
        }
    }
    const Result<schedule::Script> plain = schedule::bindKnobs(*parsed, values, context);
    return plain ? Script{fromStd(plain->toText()), {}} : Script{{}, fromStd(plain.error().message)};
}

void TunerDesk::openBest()
{
    const record::TuneTask* of = task();
    if (of == nullptr) {
        return;
    }
    // What was confirmed before what looked best while searching.
    const auto final = std::find_if(m_finals.begin(), m_finals.end(), [](const record::TuneFinal& f) { return f.outcome == "ok" && !f.script.empty(); });
    if (final == m_finals.end()) {
        openTrial(of->bestTrial);
        return;
    }
    session::Timing timing;
    timing.protocol = "confirm";
    timing.ns = final->confirmNs;
    timing.spread = final->spread;
    timing.noisy = final->noisy;
    m_controller.openTuned(of->task, tr("best of tuning"), final->script, timing);
}

void TunerDesk::openTrial(int number)
{
    const Script script = scriptOf(number);
    if (!script.problem.isEmpty()) {
        Q_EMIT message(script.problem, true);
        return;
    }
    const record::TuneTrial* trial = m_view.series().find(number);
    session::Timing timing;
    timing.protocol = "search";
    timing.outcome = trial->outcome;
    timing.message = trial->message;
    timing.ns = trial->ns;
    timing.spread = trial->spread;
    timing.noisy = trial->noisy;
    m_controller.openTuned(task()->task, tr("trial %1 of tuning").arg(number), toStd(script.text), timing);
}

void TunerDesk::diff(int first, int second)
{
    const Script one = scriptOf(first);
    const Script two = scriptOf(second);
    for (const Script* script : {&one, &two}) {
        if (!script->problem.isEmpty()) {
            Q_EMIT message(script->problem, true);
            return;
        }
    }
    m_controller.showDiffOf(task()->task, {tr("trial %1 against trial %2").arg(second).arg(first), toStd(one.text), toStd(two.text)});
}

} // namespace nw::app
