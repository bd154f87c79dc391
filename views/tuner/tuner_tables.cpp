#include "views/tuner/tuner_tables.h"

#include "views/common/format.h"

#include <QStringList>

namespace nw::views {
namespace {

QString number(double value)
{
    return QString::number(value, 'g', 9);
}

// Nothing where nothing was measured: a time of 0 would be a figure.
QString timeCell(double ns)
{
    return ns > 0 ? number(ns) : QString();
}

QString flag(bool is)
{
    return is ? QStringLiteral("1") : QStringLiteral("0");
}

QString cell(const std::string& text)
{
    return csvQuoted(fromStd(text));
}

QString row(const QStringList& cells)
{
    return cells.join(QLatin1Char(',')) % QLatin1Char('\n');
}

} // namespace

QString trialsCsv(const TrialSeries& series)
{
    QString text = QStringLiteral("trial,round,sketch,values,from,outcome,ns,spread,noisy,predicted,seconds,build_ms,run_ms,cause,message\n");
    for (const record::TuneTrial& trial : series.trials()) {
        const bool ok = trial.outcome == "ok";
        text += row({QString::number(trial.number), QString::number(trial.round), QString::number(trial.sketch), cell(trial.values), cell(trial.from),
                     cell(trial.outcome), ok ? timeCell(trial.ns) : QString(), ok ? number(trial.spread) : QString(), flag(trial.noisy),
                     trial.score ? number(*trial.score) : QString(), number(series.secondsOf(trial)), number(trial.buildMs), number(trial.runMs),
                     cell(trial.cause), cell(trial.message)});
    }
    return text;
}

QString tasksCsv(const std::vector<record::TuneTask>& tasks)
{
    QString text = QStringLiteral("operator,count,algorithm,threads,state,trials,choices,search_ns,confirmed_ns,confirmed_spread,confirmed_noisy,"
                                  "default_ns,template_ns,hand_ns,bound_ns,in_model_ns,message\n");
    for (const record::TuneTask& task : tasks) {
        const bool isConfirmed = task.confirmedNs > 0;
        text += row({cell(task.group), QString::number(task.count), cell(task.algorithm), QString::number(task.threads), cell(task.state),
                     QString::number(task.trials), cell(task.choices), timeCell(task.bestNs), timeCell(task.confirmedNs),
                     isConfirmed ? number(task.confirmedSpread) : QString(), isConfirmed ? flag(task.confirmedNoisy) : QString(),
                     timeCell(task.defaultNs), timeCell(task.templateNs), timeCell(task.handNs), timeCell(task.boundNs), timeCell(task.inModelNs),
                     cell(task.message)});
    }
    return text;
}

QString causesCsv(const TrialSeries& series)
{
    QString text = QStringLiteral("outcome,cause,count,first_trial,message\n");
    for (const TrialSeries::Cause& cause : series.causes()) {
        text += row({cell(cause.outcome), cell(cause.cause), QString::number(cause.count), QString::number(cause.first), cell(cause.message)});
    }
    return text;
}

QString roundsCsv(const std::vector<record::TuneRound>& rounds)
{
    QString text = QStringLiteral("round,trained,of_other_tasks,rank_correlation,top10_recall,trusted,seconds,note\n");
    for (const record::TuneRound& round : rounds) {
        const bool isTrained = round.trained > 0;
        text += row({QString::number(round.round), QString::number(round.trained), QString::number(round.kin),
                     isTrained ? number(round.correlation) : QString(), isTrained ? number(round.recall) : QString(), flag(round.trusted),
                     number(round.seconds), cell(round.note)});
    }
    return text;
}

QString sharesCsv(const std::vector<std::pair<QString, double>>& shares)
{
    QString text = QStringLiteral("knob,share\n");
    for (const auto& [knob, share] : shares) {
        text += row({csvQuoted(knob), number(share)});
    }
    return text;
}

} // namespace nw::views
