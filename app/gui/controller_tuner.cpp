// What the tuner found, among the person's own: its figure beside the others, its scripts as steps and beside each other.
#include "app/gui/controller.h"

#include "views/common/format.h"

#include <algorithm>

namespace nw::app {

using views::fromStd;

double Controller::profiledNs() const
{
    double sum = 0;
    for (const auto& [group, ns] : m_profileNs) {
        sum += ns;
    }
    return sum;
}

const session::Operator* Controller::operatorOfTask(const std::string& task) const
{
    if (m_editing && m_editing->op().taskId == task) {
        return &m_editing->op();
    }
    if (m_project) {
        for (const session::Operator& op : m_project->operators) {
            if (op.taskId == task) {
                return &op;
            }
        }
    }
    return nullptr;
}

// Equal operators of the model share what was found.
void Controller::takeTuned(const record::Record& record)
{
    if (!m_project) {
        return;
    }
    const session::Timing timing = session::timingOf(record);
    for (const session::Operator& op : m_project->operators) {
        if (op.taskId == record.task) {
            takeFigure(op, record.origin, record.script, timing);
        }
    }
    fillOperators();
    if (m_editing && m_editing->op().taskId == record.task) {
        m_editing->addTiming(record.script, timing);
        showComparison();
        showSteps();
        showRoofline();
    }
}

void Controller::openTuned(const std::string& task, const QString& label, const std::string& script, const session::Timing& timing)
{
    const session::Operator* op = operatorOfTask(task);
    if (op == nullptr) {
        Q_EMIT message(tr("No operator of this project is the one that was tuned: it is computed in another way now."), true);
        return;
    }
    m_toOpen = ToOpen{task, label, script, timing};
    if (m_editing && m_editing->op().taskId == task) {
        openWhatWaits();
    } else {
        selectOperator(fromStd(op->name)); // then it is opened
    }
}

// A new revision like any edit: the steps before it stay, Ctrl+Z goes back.
void Controller::openWhatWaits()
{
    if (!m_toOpen || !m_editing || m_editing->op().taskId != m_toOpen->task) {
        return;
    }
    const ToOpen opened = *std::exchange(m_toOpen, {});
    m_editing->addTiming(opened.script, opened.timing);
    if (opened.script == m_editing->text()) {
        showSteps();
        Q_EMIT message(tr("These are the steps that are shown already."), false);
        return;
    }
    pushText(opened.label, opened.script);
    Q_EMIT message(tr("The schedule of the tuner, step by step. Ctrl+Z goes back."), false);
}

void Controller::showDiffOf(const std::string& task, const TextPair& pair)
{
    m_pair = pair;
    m_pairTask = task;
    m_diffAgainst = pairKey();
    Q_EMIT diffWished();
}

} // namespace nw::app
