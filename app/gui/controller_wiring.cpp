// Who tells whom: the views' wishes to the controller, the engine's answers to the views.
#include "app/gui/controller.h"

#include "views/common/format.h"

namespace nw::app {

using views::toStd;

void Controller::connectViews()
{
    using namespace views;
    connect(m_views.graph, &GraphView::selectionChanged, this, [this](const QString& name) {
        if (!name.isEmpty()) {
            selectOperator(name);
        }
    });
    connect(m_views.graph, &GraphView::activated, this, [this](const QString& name) {
        selectOperator(name);
        m_views.nest->setFocus();
    });
    connect(m_views.graph, &GraphView::edgeSelected, this, [this](const QString& sentence) { Q_EMIT message(sentence, false); });
    connect(m_views.graph, &GraphView::hovered, m_views.operators, &OperatorsView::hover);
    connect(m_views.operators, &OperatorsView::selectionChanged, this, &Controller::selectOperator);
    connect(m_views.operators, &OperatorsView::activated, this, [this](const QString& name) {
        selectOperator(name);
        m_views.nest->setFocus();
    });
    connect(m_views.operators, &OperatorsView::hovered, m_views.graph, &GraphView::hover);
    connect(m_views.operators, &OperatorsView::profileWished, this, [this] {
        m_views.operators->setBusy(tr("Running the whole model…"));
        m_workbench.profile();
    });
    connect(m_views.operators, &OperatorsView::cancelWished, &m_workbench, &Workbench::cancelLong);

    connect(m_views.nest, &LoopNestView::selectionChanged, this, &Controller::onSelection);
    connect(m_views.nest, &LoopNestView::stepWished, this, &Controller::applyStep);
    connect(m_views.nest, &LoopNestView::previewWished, this, &Controller::preview);
    connect(m_views.nest, &LoopNestView::message, this, &Controller::message);
    connect(m_views.nest, &LoopNestView::primitiveWished, this, [this](const QString& primitive) {
        m_lastPrimitive = primitive;
        Q_EMIT formWished();
        m_views.primitives->openForm(primitive);
    });
    connect(m_views.nest, &LoopNestView::hovered, this, &Controller::hoverEverywhere);
    connect(m_views.nest, &LoopNestView::undoWished, &m_undo, &QUndoGroup::undo);
    connect(m_views.nest, &LoopNestView::measureWished, this, &Controller::measureCurrent);
    connect(m_views.nest, &LoopNestView::diffWished, this, &Controller::diffWished);
    connect(m_views.nest, &LoopNestView::repeatWished, this, &Controller::repeatPrimitive);
    connect(m_views.nest, &LoopNestView::previousStepWished, this, [this] { jump(m_editing ? m_editing->cursor() - 1 : 0); });
    connect(m_views.nest, &LoopNestView::nextStepWished, this, [this] { jump(m_editing ? m_editing->cursor() + 1 : 0); });
    connect(m_views.nest, &LoopNestView::removeLoopWished, this, &Controller::undoPrimitiveOf);

    connect(m_views.primitives, &PrimitivesView::stepWished, this, [this](const QString& step) {
        applyStep(step);
        m_views.nest->setFocus();
    });
    connect(m_views.primitives, &PrimitivesView::previewWished, this, &Controller::preview);
    connect(m_views.primitives, &PrimitivesView::placesHovered, m_views.nest, &LoopNestView::setPlaces);
    connect(m_views.primitives, &PrimitivesView::message, this, &Controller::message);
    connect(m_views.primitives, &PrimitivesView::knobWished, this, &Controller::applyStep);

    connect(m_views.history, &HistoryView::jumpWished, this, &Controller::jump);
    connect(m_views.history, &HistoryView::removeWished, this, &Controller::removeStep);
    connect(m_views.history, &HistoryView::revertWished, this, [this](int station) {
        if (m_editing) {
            std::string text = m_editing->text();
            for (int i = static_cast<int>(m_editing->stations().size()) - 1; i > station; --i) {
                text = m_editing->textWithout(i);
                m_editing->setText(text);
            }
            pushText(tr("revert to step %1").arg(station), text);
        }
    });
    connect(m_views.history, &HistoryView::editWished, this, [this](int station) {
        if (m_editing && station >= 1 && station < static_cast<int>(m_editing->stations().size())) {
            m_views.script->setFocus();
            m_views.script->setCurrentStep(m_editing->stations()[static_cast<std::size_t>(station)].line);
        }
    });
    connect(m_views.history, &HistoryView::branchWished, this, &Controller::openBranch);
    connect(m_views.history, &HistoryView::measureWished, this, [this](int station) {
        jump(station);
        measureCurrent();
    });
    connect(m_views.script, &ScriptView::edited, this, &Controller::setScript);
    connect(m_views.script, &ScriptView::lineActivated, this, [this](int line) {
        if (!m_editing) {
            return;
        }
        int found = -1;
        const std::vector<session::Station>& stations = m_editing->stations();
        for (std::size_t i = 1; i < stations.size(); ++i) {
            found = stations[i].line <= line && stations[i].reached ? static_cast<int>(i) : found;
        }
        if (found >= 0) {
            jump(found);
        }
    });

    connect(m_views.comparison, &ComparisonView::fillWished, this, &Controller::fillFigure);
    connect(m_views.comparison, &ComparisonView::measureAllWished, this, &Controller::compareAll);
    connect(m_views.comparison, &ComparisonView::cancelWished, &m_workbench, &Workbench::cancelLong);
    connect(m_views.comparison, &ComparisonView::scriptWished, this, &Controller::startOver);
    connect(m_views.roofline, &RooflineView::stationWished, this, &Controller::jump);
    connect(m_views.roofline, &RooflineView::actionWished, this, &Controller::probeRoofs);
    connect(m_views.code, &CodeView::diffShown, this, &Controller::showDiff);
    connect(m_views.code->diff(), &DiffPage::againstWished, this, &Controller::diffAgainst);
    connect(m_views.code, &CodeView::buildWished, this, &Controller::buildListings);
    connect(m_views.code, &CodeView::loopHovered, m_views.nest, &LoopNestView::setHover);
    connect(m_views.code, &CodeView::loopClicked, this, [this](const QString& loop) {
        m_views.nest->select({loop});
        onSelection({loop});
    });

    connect(m_views.start, &StartView::openWished, this, [this](const QString& path) { open(path); });
    connect(m_views.start, &StartView::openBoundWished, this,
            [this](const QMap<QString, qint64>& bind) { open(m_wanted, bind); });
    connect(m_views.start, &StartView::cancelWished, this, [this] {
        m_workbench.cancelOpen();
        m_views.start->setProgress({});
    });
}

void Controller::connectWorkbench()
{
    connect(&m_workbench, &Workbench::opened, this, &Controller::onOpened);
    connect(&m_workbench, &Workbench::openFailed, this, [this](const QString& sentence, const QString& hint) {
        m_views.start->setProgress({});
        m_views.start->setProblem(sentence, hint);
        Q_EMIT message(sentence, true);
    });
    connect(&m_workbench, &Workbench::dimensionsNeeded, this, [this](const QString& title, const QList<views::UnboundDimension>& dimensions) {
        m_views.start->setProgress({});
        m_views.start->askDimensions(title, dimensions);
    });
    connect(&m_workbench, &Workbench::operatorLoaded, this, &Controller::onOperatorLoaded);
    connect(&m_workbench, &Workbench::measured, this, &Controller::onMeasured);
    connect(&m_workbench, &Workbench::measuring, this, [this](const QString& op, const QString& script, const QString& protocol) {
        m_runningScript = op == operatorName() ? toStd(script) : std::string();
        m_runningProtocol = protocol;
        showSteps();
    });
    connect(&m_workbench, &Workbench::built, this, [this](const QString& op, const QString& script, const wire::KernelListing& listing) {
        if (op == operatorName()) {
            m_listing = listing;
            m_listingScript = toStd(script);
            m_buildFailure.clear();
            m_views.code->setBusy({});
            showCode();
        }
    });
    connect(&m_workbench, &Workbench::buildFailed, this, [this](const QString& op, const QString&, const QString& why) {
        if (op == operatorName()) {
            m_buildFailure = why;
            m_views.code->setBusy({});
            showCode();
            Q_EMIT message(why, true);
        }
    });
    connect(&m_workbench, &Workbench::comparing, this,
            [this](const QString& op) { m_views.comparison->setBusy(tr("comparing %1").arg(op)); });
    connect(&m_workbench, &Workbench::compared, this, [this](const session::Comparison& comparison) {
        m_comparisons[comparison.group] = comparison;
        fillOperators();
        showComparison();
        showRoofline();
    });
    connect(&m_workbench, &Workbench::swept, this, [this](const QString& op, const QString& script, const session::Timing& timing) {
        onMeasured(op, script, record::Origin::Sweep, timing);
        Q_EMIT message(tr("Sweep of %1: best %2. Click its bar to open it as steps.").arg(op, views::formatTime(timing.ns)), false);
    });
    connect(&m_workbench, &Workbench::sweepAdvanced, this, [this](int done, int total, const QString& text) {
        m_views.comparison->setBusy(tr("sweeping: %1 of %2, %3").arg(done).arg(total).arg(text));
    });
    connect(&m_workbench, &Workbench::profiled, this, [this](const std::map<std::string, double>& times, double total) {
        m_profileNs = times;
        m_views.operators->setBusy({});
        fillOperators();
        Q_EMIT lastMeasurement(tr("whole model %1").arg(views::formatTime(total)));
    });
    connect(&m_workbench, &Workbench::roofsKnown, this, [this](const measure::Roofs& roofs) {
        m_roofs = roofs;
        fillOperators();
        showComparison();
        showRoofline();
        showSteps();
    });
    connect(&m_workbench, &Workbench::deviceBusy, this, [this](const QString& what) {
        Q_EMIT busy(what);
        if (what.isEmpty()) {
            m_runningScript.clear();
            m_views.history->setRunning(-1, {});
            m_views.comparison->setBusy({});
            m_views.operators->setBusy({});
        }
    });
    connect(&m_workbench, &Workbench::problem, this, [this](const QString& sentence) {
        Q_EMIT message(sentence, true);
        Q_EMIT logLine(sentence);
        m_views.comparison->setBusy({});
        m_views.operators->setBusy({});
    });
    connect(&m_workbench, &Workbench::log, this, &Controller::logLine);
    connect(&m_workbench, &Workbench::revisionsKnown, this,
            [this](const QString& op, const std::vector<record::Revision>& revisions, std::int64_t head) {
                if (op == operatorName()) {
                    m_revisions = revisions;
                    m_head = head;
                    later(&Controller::showBranches);
                }
            });
}

} // namespace nw::app
