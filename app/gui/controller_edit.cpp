// Editing: every change of the script is a new revision and an entry of the undo stack; the nest follows the text.
#include "app/gui/controller.h"

#include "engine/base/text.h"
#include "engine/schedule/footprint.h"
#include "views/common/format.h"
#include "views/common/refusal_text.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QUndoCommand>
#include <QUndoStack>

#include <algorithm>

namespace nw::app {

using views::fromStd;
using views::toStd;

// One change of the text. Undo shows the text before it and moves the project's head there; nothing is deleted.
class EditCommand : public QUndoCommand {
public:
    // `revision`: an older one that is opened again; 0: the text is new.
    EditCommand(Controller& controller, const QString& label, std::string after, qint64 afterState, std::int64_t revision)
        : QUndoCommand(label)
        , m_controller(controller)
        , m_operator(controller.operatorName())
        , m_before(controller.m_editing->text())
        , m_after(std::move(after))
        , m_beforeCursor(controller.m_editing->cursor())
        , m_beforeState(controller.m_state)
        , m_afterState(afterState)
        , m_revision(revision)
        , m_beforeSelection(controller.m_selection)
    {}

    void redo() override
    {
        if (m_isNew && m_revision > 0) {
            m_controller.m_workbench.openRevision(m_operator, m_afterState, m_revision);
            m_isNew = false;
        } else if (m_isNew) {
            m_controller.m_workbench.keep(m_operator, m_beforeState, m_afterState, fromStd(m_after));
            m_isNew = false;
        } else {
            m_controller.m_workbench.moveTo(m_operator, m_afterState);
        }
        m_controller.m_state = m_afterState;
        m_controller.takeText(m_after, -1);
    }

    void undo() override
    {
        m_controller.m_workbench.moveTo(m_operator, m_beforeState);
        m_controller.m_state = m_beforeState;
        m_controller.takeText(m_before, m_beforeCursor);
        m_controller.choose(m_beforeSelection);
    }

private:
    Controller& m_controller;
    QString m_operator;
    std::string m_before, m_after;
    int m_beforeCursor;
    qint64 m_beforeState, m_afterState;
    std::int64_t m_revision;
    QStringList m_beforeSelection;
    bool m_isNew = true;
};

void Controller::pushText(const QString& label, const std::string& text, std::int64_t revision)
{
    if (m_editing && !m_stacks[operatorName()]->isActive()) {
        m_stacks[operatorName()]->setActive();
    }
    if (m_editing && text != m_editing->text()) {
        m_stacks[operatorName()]->push(new EditCommand(*this, label, text, m_nextState++, revision));
    }
}

// `cursor` -1: the end.
void Controller::takeText(const std::string& text, int cursor)
{
    const std::vector<session::Station> before = m_editing->stations();
    const int from = m_editing->cursor();
    m_editing->setText(text);
    m_editing->jump(cursor < 0 ? static_cast<int>(m_editing->stations().size()) : cursor);
    // Loops keep being selected through the step that was added.
    const bool extends = m_editing->cursor() > from && from < static_cast<int>(before.size()) &&
        m_editing->stations()[static_cast<std::size_t>(from)].script == before[static_cast<std::size_t>(from)].script;
    followSelection(extends ? from : m_editing->cursor());
    preview({});
    showAll();
    measureStation(false);
}

// What was selected at station `from`, at the one that is shown now.
void Controller::followSelection(int from)
{
    std::vector<std::string> names;
    for (const QString& name : m_selection) {
        names.push_back(toStd(name));
    }
    m_selection.clear();
    for (const std::string& name : m_editing->forwarded(names, from)) {
        m_selection.append(fromStd(name));
    }
}

void Controller::applyStep(const QString& step)
{
    if (!m_editing) {
        return;
    }
    const std::string line = toStd(step.trimmed());
    const session::Editing::Judged judged = m_editing->judge(line);
    if (judged.check.verdict == schedule::Verdict::Illegal) {
        const QString why = judged.error.empty() ? views::reasonText(judged.check.why) : fromStd(judged.error);
        QStringList places;
        for (const std::string& place : judged.check.why.places) {
            places.append(fromStd(place));
        }
        m_views.nest->setPlaces(places);
        Q_EMIT message(why, true);
        return;
    }
    m_views.nest->setPlaces({});
    m_lastPrimitive = fromStd(line.substr(0, line.find(' ')));
    // Steps behind the cursor stay when they still fit; else the older revision keeps them as a branch.
    const bool inTheMiddle = m_editing->cursor() + 1 < static_cast<int>(m_editing->stations().size());
    std::string text = m_editing->textWith(line, true);
    if (inTheMiddle) {
        const std::string whole = m_editing->text();
        const int cursor = m_editing->cursor();
        m_editing->setText(text);
        const bool fits = !m_editing->error();
        m_editing->setText(whole);
        m_editing->jump(cursor);
        if (!fits) {
            text = m_editing->textWith(line, false);
            Q_EMIT message(tr("The later steps do not fit behind this one: they stay in the branch before it (Ctrl+Z)."), false);
        }
    }
    pushText(step.simplified(), text);
    Q_EMIT message(step.simplified(), false);
}

void Controller::setScript(const QString& text)
{
    if (m_editing) {
        pushText(tr("edit script"), toStd(text));
    }
}

void Controller::startOver(const QString& what)
{
    if (!m_editing) {
        return;
    }
    std::string text;
    if (what == QLatin1String("default")) {
        text = defaultScript();
    } else if (what == QLatin1String("template")) {
        const std::optional<std::string> expert = session::templateScript(m_editing->op());
        if (!expert) {
            Q_EMIT message(tr("There is no expert's template for this operator yet. The default schedule is a start."), true);
            return;
        }
        text = *expert;
    } else if (what == QLatin1String("sample")) {
        text = m_loaded && m_loaded->chosen.from == "sample" ? m_loaded->chosen.script : std::string();
    } else if (what == QLatin1String("auto") || what == QLatin1String("hand")) {
        text = figure(toStd(what)).script;
        if (text.empty()) {
            return;
        }
    } else if (what != QLatin1String("plain")) {
        return; // library and bound have no script
    }
    pushText(tr("start from %1").arg(what), text);
}

void Controller::jump(int station)
{
    if (!m_editing || station == m_editing->cursor()) {
        return;
    }
    const int from = m_editing->cursor();
    m_editing->jump(station);
    followSelection(from);
    showAll();
    measureStation(false);
}

void Controller::removeStep(int station)
{
    if (m_editing && station > 0) {
        pushText(tr("remove step %1").arg(station), m_editing->textWithout(station));
    }
}

void Controller::openBranch(const QString& name)
{
    if (!m_editing) {
        return;
    }
    const auto tip = std::find_if(m_revisions.rbegin(), m_revisions.rend(),
                                  [branch = toStd(name)](const record::Revision& revision) { return revision.branch == branch; });
    if (tip != m_revisions.rend()) {
        const record::Revision chosen = *tip;
        pushText(tr("open branch %1").arg(name), chosen.script, chosen.id);
        m_head = m_editing->text() == chosen.script ? chosen.id : m_head; // the project says so later
        Q_EMIT message(tr("Branch %1. Ctrl+Z goes back.").arg(name), false);
    }
    showBranches();
}

void Controller::showBranches()
{
    if (m_editing) {
        m_views.history->setBranches(session::branchesOf(m_revisions, m_head, *m_editing));
    }
}

// The step that made this loop goes, and with it what depended on it.
void Controller::undoPrimitiveOf(const QString& loop)
{
    if (!m_editing) {
        return;
    }
    const std::string name = toStd(loop);
    for (int i = 1; i <= m_editing->cursor(); ++i) {
        const bool isThere = static_cast<bool>(m_editing->nestAt(i).findLoop(name));
        const bool wasThere = static_cast<bool>(m_editing->nestAt(i - 1).findLoop(name));
        if (isThere && !wasThere) {
            removeStep(i);
            return;
        }
    }
    Q_EMIT message(tr("%1 is a loop of the definition: no step made it.").arg(loop), true);
}

void Controller::repeatPrimitive()
{
    if (m_editing && !m_lastPrimitive.isEmpty()) {
        Q_EMIT formWished();
        m_views.primitives->openForm(m_lastPrimitive);
    }
}

void Controller::preview(const QString& step)
{
    m_preview.reset();
    if (m_editing && !step.isEmpty()) {
        session::Editing::Judged judged = m_editing->judge(toStd(step));
        m_preview = std::move(judged.nest);
    }
    m_views.nest->setPreview(m_preview ? &*m_preview : nullptr, step);
}

// Those of the names that are there.
void Controller::choose(const QStringList& names)
{
    m_selection.clear();
    for (const QString& name : names) {
        if (m_editing->nest().findLoop(toStd(name)) || m_editing->nest().findBlock(toStd(name))) {
            m_selection.append(name);
        }
    }
    m_views.nest->select(m_selection);
}

void Controller::onSelection(const QStringList& names)
{
    m_selection = names;
    showSelection();
}

void Controller::showSelection()
{
    if (!m_editing) {
        return;
    }
    if (m_selection.isEmpty()) {
        m_views.primitives->clear(tr("Select a loop or a statement in the loop nest to see what can be done with it."));
    } else {
        m_views.primitives->setPlace(m_selection, m_editing->nest(), m_editing->offers(toStd(m_selection.front())));
    }
    m_views.code->highlightLoop(m_selection);
    QStringList loops;
    for (const QString& name : m_selection) {
        if (m_editing->nest().findLoop(toStd(name))) {
            loops.append(name);
        }
    }
    Q_EMIT selectionShown(loops);
}

// Everything that follows from the text and the cursor.
void Controller::showAll()
{
    if (!m_editing) {
        return;
    }
    const int cursor = m_editing->cursor();
    m_views.nest->setNest(m_editing->nest(), cursor > 0 ? &m_editing->nestAt(cursor - 1) : nullptr);
    m_views.nest->select(m_selection);
    // The nest is what the eye is on; the rest follows in turns of its own, so that no turn is long.
    m_due = {&Controller::showSteps, &Controller::showFootprints, &Controller::showSelection, &Controller::showBranches,
             &Controller::showCode, &Controller::showRoofline};
    m_turn.start();
}

void Controller::later(void (Controller::*what)())
{
    if (std::find(m_due.begin(), m_due.end(), what) == m_due.end()) {
        m_due.push_back(what);
    }
    m_turn.start();
}

void Controller::showFootprints()
{
    if (m_editing) {
        m_views.nest->setFootprints(schedule::footprintsOf(m_editing->nest()), m_editing->op().task.target);
    }
}

void Controller::nextTurn()
{
    if (!m_due.empty()) {
        const auto next = m_due.front();
        m_due.erase(m_due.begin());
        (this->*next)();
    }
    if (!m_due.empty()) {
        m_turn.start();
    }
}

// What also follows from measurements: an open form stays as it is.
void Controller::showSteps()
{
    if (!m_editing) {
        return;
    }
    const int cursor = m_editing->cursor();
    const std::vector<session::Station>& stations = m_editing->stations();
    const double bound = m_roofs ? measure::boundOf(m_editing->op().work, *m_roofs, m_editing->op().task.threads).ns : 0;
    m_views.history->setStations(stations, cursor, bound);
    later(&Controller::showBranches);
    int running = -1;
    for (std::size_t i = 0; i < stations.size() && !m_runningProtocol.isEmpty(); ++i) {
        if (stations[i].reached && stations[i].script == m_runningScript) {
            running = static_cast<int>(i);
        }
    }
    m_views.history->setRunning(m_workbench.isIdle() ? -1 : running, m_runningProtocol);
    m_views.script->setScript(fromStd(m_editing->text()));
    if (m_editing->error()) {
        const Error& error = *m_editing->error();
        m_views.script->setError(error.line, error.column, fromStd(error.message));
    } else {
        m_views.script->clearError();
    }
    m_views.script->setCurrentStep(stations[static_cast<std::size_t>(cursor)].line);
    QList<int> unproven;
    for (const session::Station& station : stations) {
        if (station.check.verdict == schedule::Verdict::Unproven) {
            unproven.append(station.line);
        }
    }
    m_views.script->setUnproven(unproven);
}

void Controller::copyStep() const
{
    if (m_editing) {
        const session::Station& station = m_editing->stations()[static_cast<std::size_t>(m_editing->cursor())];
        QGuiApplication::clipboard()->setText(fromStd(station.text));
    }
}

QString Controller::commandLine() const
{
    return m_project && m_editing ? QStringLiteral("nestw show %1 %2").arg(m_project->path, operatorName()) : QString();
}

} // namespace nw::app
