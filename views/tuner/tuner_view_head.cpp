// What the tuner's panel says above its charts.
#include "views/tuner/tuner_view.h"

#include "views/common/format.h"
#include "views/tuner/failures_table.h"
#include "views/tuner/tasks_model.h"
#include "views/tuner/tuner_head.h"
#include "views/tuner/tuner_text.h"

#include <QTabWidget>

#include <algorithm>

namespace nw::views {

// What the head says: state, how far it is, how long it takes, and what the task shown gained.
void TunerView::say()
{
    const TunerPhase now = phase();
    const std::vector<record::TuneTask>& tasks = m_tasksModel->tasks();
    int trials = 0;
    for (const record::TuneTask& task : tasks) {
        trials += task.trials;
    }
    const record::TuneTask* shown = m_tasksModel->find(m_task);
    QStringList details;
    if (m_status.session) {
        details.append(trials == 1 ? tr("1 trial") : tr("%1 trials").arg(trials));
        details.append(tr("%1 of tuning").arg(durationText(m_status.session->activeSeconds)));
        details.append(m_status.session->device == "local" ? tr("this computer") : fromStd(m_status.session->device));
    }
    m_head->setPhase(now, phaseText(now, m_status, tasks), details.join(QStringLiteral(" · ")));
    m_head->setBestKnown(shown != nullptr && (shown->bestNs > 0 || shown->confirmedNs > 0));
    double done = -1;
    QString text;
    QStringList notes;
    QString advice;
    if (m_status.session && (isAtWork(now) || canBeResumed(now))) {
        const TunerBudget& budget = m_status.budget;
        if (budget.trials > 0) {
            done = static_cast<double>(trials) / budget.trials;
        }
        if (budget.seconds > 0) {
            done = std::max(done, m_status.session->activeSeconds / budget.seconds);
        }
        done = std::min(done, 1.0);
        m_remaining.note(m_status.session->activeSeconds, trials);
        const int toPlateau = budget.plateau > 0 && tasks.size() == 1 ? std::max(0, budget.plateau - m_series.sinceGain()) : -1;
        const std::optional<RemainingTime::Range> left = m_remaining.left(budget, toPlateau);
        text = budget.trials > 0 ? tr("%1 of %2 trials").arg(trials).arg(budget.trials) : tr("%1 %").arg(static_cast<int>(done * 100));
        if (left && isAtWork(now)) {
            text = tr("%1, %2 left").arg(text, rangeText(*left));
        }
        if (now == TunerPhase::Running) {
            advice = stopAdvice(m_series, budget.plateau);
        }
    }
    if (const QString gain = gainText(m_series); !gain.isEmpty()) {
        notes.append(tasks.size() > 1 && shown != nullptr ? QString(fromStd(shown->group) % QStringLiteral(": ") % gain) : gain);
    }
    if (shown != nullptr && shown->confirmedNs > 0) {
        notes.prepend(tr("confirmed %1 ±%2").arg(formatTime(shown->confirmedNs), formatShare(shown->confirmedSpread)));
    } else if (shown != nullptr && !shown->message.empty() && shown->state != "tuning") {
        notes.append(fromStd(shown->message));
    }
    m_head->setProgress(done, text, notes.join(QStringLiteral(" · ")), advice);
    m_tabs->setTabText(m_tabs->indexOf(m_failures), m_series.failures() == 0 ? tr("Failures") : tr("Failures %1").arg(m_series.failures()));
}

} // namespace nw::views
