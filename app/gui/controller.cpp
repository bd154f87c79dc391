#include "app/gui/controller.h"

#include "app/gui/settings.h"

#include "engine/base/text.h"
#include "views/common/format.h"
#include "views/graph/graph_picture.h"

#include <QThreadPool>
#include <QUndoStack>

#include <algorithm>

namespace nw::app {

using views::fromStd;
using views::toStd;

namespace {

QString shapeOf(const session::Operator& op)
{
    const std::vector<compute::Port>& ports = op.task.definition->ports;
    QStringList sizes;
    for (const Expr& extent : ports.back().shape) {
        sizes.append(fromStd(toText(extent)));
    }
    return sizes.join(QStringLiteral("×"));
}

double boundOf(const session::Operator& op, const std::optional<measure::Roofs>& roofs)
{
    return roofs ? measure::boundOf(op.work, *roofs, op.task.threads).ns : 0;
}

double figureNs(const session::Comparison* comparison, const char* name)
{
    if (comparison != nullptr) {
        for (const session::Figure& f : comparison->figures) {
            if (f.name == name && f.present) {
                return f.ns;
            }
        }
    }
    return 0;
}

} // namespace

Controller::Controller(Workbench& workbench, const Views& views, QObject* parent)
    : QObject(parent)
    , m_workbench(workbench)
    , m_views(views)
    , m_undo(this)
{
    m_views.primitives->setPrimitives(schedule::allPrimitives());
    QStringList names;
    for (const schedule::Primitive* primitive : schedule::allPrimitives()) {
        names.append(fromStd(primitive->name));
    }
    m_views.script->setPrimitiveNames(names);
    const auto judge = [this](const std::string& step) {
        return m_editing ? m_editing->judge(step) : session::Editing::Judged{};
    };
    m_views.nest->setJudge(judge);
    m_views.primitives->setJudge(judge);
    connectViews();
    connectWorkbench();
    m_turn.setSingleShot(true);
    m_turn.setInterval(0);
    connect(&m_turn, &QTimer::timeout, this, &Controller::nextTurn);
}

Controller::~Controller() = default;

QString Controller::operatorName() const
{
    return m_editing ? fromStd(m_editing->op().name) : QString();
}

void Controller::open(const QString& path, const QMap<QString, qint64>& bind)
{
    m_wanted = path;
    m_views.start->setProgress(tr("Opening %1…").arg(path.section(QLatin1Char('/'), -1)));
    Q_EMIT message(tr("Opening %1…").arg(path), false);
    m_workbench.open(path, bind);
}

void Controller::onOpened(const std::shared_ptr<const OpenedProject>& project)
{
    m_project = project;
    m_loaded.reset();
    m_editing.reset();
    m_toOpen.reset();
    m_pairTask.clear();
    m_comparisons = project->comparisons;
    m_profileNs = project->profileNs;
    for (const auto& [name, stack] : m_stacks) {
        delete stack;
    }
    m_stacks.clear();
    Settings().remember(project->title, project->path);
    m_views.start->setProgress({});
    Q_EMIT projectOpened(project->title);
    // A picture of thousands of groups takes a while to make.
    QThreadPool::globalInstance()->start([this, project] {
        auto picture = std::make_shared<const views::GraphPicture>(views::pictureOf(project->plan));
        QMetaObject::invokeMethod(this, [this, project, picture] {
            if (m_project == project) {
                m_views.graph->setPicture(picture);
                fillOperators();
                m_views.graph->select(operatorName(), true);
            }
        });
    });
    if (!m_roofs) {
        m_workbench.probe();
    }
    fillOperators();
    const auto heaviest = std::max_element(project->operators.begin(), project->operators.end(), [](const auto& a, const auto& b) {
        return a.work.flops + a.work.bytes() < b.work.flops + b.work.bytes();
    });
    if (heaviest != project->operators.end()) {
        selectOperator(fromStd(heaviest->name));
    }
}

void Controller::selectOperator(const QString& name)
{
    if (!m_project || name.isEmpty() || (m_editing && name == operatorName())) {
        return;
    }
    m_workbench.leaveOperator();
    m_views.graph->select(name, true);
    m_views.operators->select(name);
    m_workbench.loadOperator(name);
}

void Controller::fillOperators()
{
    if (!m_project) {
        return;
    }
    double total = 0;
    for (const session::Operator& op : m_project->operators) {
        const auto time = m_profileNs.find(op.name);
        total += time != m_profileNs.end() ? time->second : boundOf(op, m_roofs);
    }
    QList<views::OperatorRow> rows;
    QHash<QString, double> heat;
    QHash<QString, QString> notes;
    for (const session::Operator& op : m_project->operators) {
        const auto time = m_profileNs.find(op.name);
        const auto kept = m_comparisons.find(op.name);
        const session::Comparison* comparison = kept == m_comparisons.end() ? nullptr : &kept->second;
        views::OperatorRow row;
        row.name = fromStd(op.name);
        row.title = op.nodeNames.empty() ? tr("layout conversion") : fromStd(join(op.nodeNames, " + "));
        row.shape = shapeOf(op);
        row.taskId = fromStd(op.taskId);
        row.count = op.count;
        row.shareEstimated = time == m_profileNs.end();
        row.boundNs = boundOf(op, m_roofs);
        row.share = total > 0 ? (row.shareEstimated ? row.boundNs : time->second) / total : -1;
        row.flops = op.work.flops;
        row.bytes = op.work.bytes();
        row.defaultNs = figureNs(comparison, "default");
        row.handNs = figureNs(comparison, "hand");
        row.autoNs = figureNs(comparison, "auto");
        for (const std::string& node : op.nodeNames) {
            row.nodes.append(fromStd(node));
        }
        rows.append(row);
        if (row.share >= 0) {
            heat[row.name] = row.share;
            notes[row.name] = row.shareEstimated ? QStringLiteral("~") % views::formatShare(row.share) : views::formatTime(time->second);
        }
    }
    m_views.operators->setRows(rows);
    m_views.operators->select(operatorName());
    m_views.graph->setNotes(notes);
    m_views.graph->setHeat(heat);
}

void Controller::hoverEverywhere(const QString& name)
{
    m_views.code->highlightLoop(name.isEmpty() ? m_selection : QStringList{name});
}

void Controller::onOperatorLoaded(const std::shared_ptr<const OperatorState>& state)
{
    Result<std::unique_ptr<session::Editing>> editing = session::Editing::create(state->op, schedule::allPrimitives());
    if (!editing) {
        Q_EMIT message(fromStd(editing.error().message), true);
        return;
    }
    m_loaded = state;
    m_editing = *std::move(editing);
    m_editing->setTimings(state->records);
    // The fallback's steps are not the person's: hand scheduling starts from the plain nest.
    m_editing->setText(state->chosen.from == "default" ? std::string() : state->chosen.script);
    m_state = 0;
    m_selection.clear();
    m_listingScript.clear();
    m_listing = {};
    m_buildFailure.clear();
    const QString name = operatorName();
    QUndoStack*& stack = m_stacks[name];
    if (stack == nullptr) {
        stack = new QUndoStack(&m_undo);
    }
    stack->clear();
    stack->setActive();
    m_revisions = state->revisions;
    m_head = state->chosen.revision;
    m_views.graph->select(name, true);
    m_views.operators->select(name);
    Q_EMIT operatorShown(name, fromStd(join(state->op.nodeNames, " + ")) % QStringLiteral("  ") % shapeOf(state->op));
    // The heart of a nest is its innermost loop: a first selection that offers something.
    const std::vector<const schedule::Loop*> loops = m_editing->nest().allLoops();
    if (!loops.empty()) {
        m_selection = {fromStd(loops.front()->name)};
    }
    if (m_comparisons.find(state->op.name) == m_comparisons.end()) {
        for (const record::Record& record : state->records) {
            if (record.protocol == "confirm" && !record.cold && record.origin != record::Origin::Library) {
                takeFigure(m_editing->op(), record.origin, record.script, session::timingOf(record));
            }
        }
    }
    showAll();
    nextTurn(); // the script at once: one that came later would take away what a person has begun to type
    showComparison();
    measureStation(false);
    if (!figure("default").present) {
        fillFigure(QStringLiteral("default"));
    }
    openWhatWaits();
}

} // namespace nw::app
