#include "views/tuner/tuner_text.h"

#include "views/common/format.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace nw::views {
namespace {

constexpr int kPatience = 100;       // trials without a gain before stopping is proposed at all
constexpr double kLongShare = 0.4;   // of all trials
constexpr double kFallen = 0.15;     // of rank correlation
constexpr std::size_t kSmooth = 3;   // rounds that are looked at together

QString words(const char* text)
{
    return QCoreApplication::translate("Tuner", text);
}

// What the engine says by name; unknown names are shown as they are.
QString named(const std::string& name)
{
    const QByteArray text = fromStd(name).replace(QLatin1Char('-'), QLatin1Char(' ')).toUtf8();
    return words(text.constData());
}

[[maybe_unused]] const char* const kNames[] = {
    QT_TRANSLATE_NOOP("Tuner", "waiting"), QT_TRANSLATE_NOOP("Tuner", "tuning"), QT_TRANSLATE_NOOP("Tuner", "done"),
    QT_TRANSLATE_NOOP("Tuner", "exhausted"), QT_TRANSLATE_NOOP("Tuner", "none valid"), QT_TRANSLATE_NOOP("Tuner", "failing"),
    QT_TRANSLATE_NOOP("Tuner", "ok"), QT_TRANSLATE_NOOP("Tuner", "illegal"), QT_TRANSLATE_NOOP("Tuner", "does not build"),
    QT_TRANSLATE_NOOP("Tuner", "refused"), QT_TRANSLATE_NOOP("Tuner", "wrong result"), QT_TRANSLATE_NOOP("Tuner", "crash"),
    QT_TRANSLATE_NOOP("Tuner", "hang"), QT_TRANSLATE_NOOP("Tuner", "timeout"), QT_TRANSLATE_NOOP("Tuner", "out of memory"),
    QT_TRANSLATE_NOOP("Tuner", "ended early"), QT_TRANSLATE_NOOP("Tuner", "protocol error"),
    QT_TRANSLATE_NOOP("Tuner", "device unavailable"), QT_TRANSLATE_NOOP("Tuner", "default"), QT_TRANSLATE_NOOP("Tuner", "template"),
    QT_TRANSLATE_NOOP("Tuner", "hand"), QT_TRANSLATE_NOOP("Tuner", "seed"), QT_TRANSLATE_NOOP("Tuner", "random"),
    QT_TRANSLATE_NOOP("Tuner", "evolutionary"), QT_TRANSLATE_NOOP("Tuner", "annealing"),
};

// "tile=0.41 wide=0.22"
std::vector<std::pair<QString, double>> namedNumbers(const std::string& text)
{
    std::vector<std::pair<QString, double>> found;
    static const QRegularExpression space(QStringLiteral("\\s+"));
    for (const QString& word : fromStd(text).split(space, Qt::SkipEmptyParts)) {
        const qsizetype equals = word.lastIndexOf(QLatin1Char('='));
        bool ok = false;
        const double value = word.mid(equals + 1).toDouble(&ok);
        if (equals > 0 && ok) {
            found.emplace_back(word.left(equals), value);
        }
    }
    return found;
}

QString share(double part)
{
    return QString::number(part * 100, 'f', part < 0.0995 ? 1 : 0) % QStringLiteral(" %");
}

double meanCorrelation(const std::vector<const record::TuneRound*>& rounds, std::size_t from)
{
    double sum = 0;
    for (std::size_t i = from; i < from + kSmooth; ++i) {
        sum += rounds[i]->correlation;
    }
    return sum / kSmooth;
}

} // namespace

QString phaseText(TunerPhase phase, const TunerStatus& status, const std::vector<record::TuneTask>& tasks)
{
    const QString why = status.session ? fromStd(status.session->message) : QString();
    switch (phase) {
    case TunerPhase::None:
        return words(QT_TRANSLATE_NOOP("Tuner", "Nothing was tuned yet"));
    case TunerPhase::Starting:
        return words(QT_TRANSLATE_NOOP("Tuner", "Starting…"));
    case TunerPhase::Running: {
        const auto now = std::find_if(tasks.begin(), tasks.end(), [](const record::TuneTask& task) { return task.state == "tuning"; });
        return now == tasks.end() ? words(QT_TRANSLATE_NOOP("Tuner", "Tuning"))
                                  : words(QT_TRANSLATE_NOOP("Tuner", "Tuning %1")).arg(fromStd(now->group));
    }
    case TunerPhase::Pausing:
        return words(QT_TRANSLATE_NOOP("Tuner", "Pausing…"));
    case TunerPhase::Stopping:
        return words(QT_TRANSLATE_NOOP("Tuner", "Stopping: the fastest are measured again…"));
    case TunerPhase::Cancelling:
        return words(QT_TRANSLATE_NOOP("Tuner", "Cancelling…"));
    case TunerPhase::Paused:
        return why.isEmpty() ? words(QT_TRANSLATE_NOOP("Tuner", "Paused")) : words(QT_TRANSLATE_NOOP("Tuner", "Paused: %1")).arg(why);
    case TunerPhase::Interrupted:
        return words(QT_TRANSLATE_NOOP("Tuner", "Interrupted: the tuner is gone, what it measured is kept"));
    case TunerPhase::Done:
        return why.isEmpty() ? words(QT_TRANSLATE_NOOP("Tuner", "Done")) : words(QT_TRANSLATE_NOOP("Tuner", "Done: %1")).arg(why);
    case TunerPhase::Stopped:
        return words(QT_TRANSLATE_NOOP("Tuner", "Stopped, the best is kept"));
    case TunerPhase::Cancelled:
        return words(QT_TRANSLATE_NOOP("Tuner", "Cancelled, nothing was kept"));
    case TunerPhase::Failed:
        return words(QT_TRANSLATE_NOOP("Tuner", "Failed: %1")).arg(why);
    }
    return {};
}

QString durationText(double seconds)
{
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole < 90) {
        return words(QT_TRANSLATE_NOOP("Tuner", "%1 s")).arg(whole);
    }
    const long long minutes = (whole + 30) / 60;
    return minutes < 90 ? words(QT_TRANSLATE_NOOP("Tuner", "%1 min")).arg(minutes)
                        : words(QT_TRANSLATE_NOOP("Tuner", "%1 h %2 min")).arg(minutes / 60).arg(minutes % 60);
}

QString rangeText(const RemainingTime::Range& range)
{
    const QString low = durationText(range.low);
    const QString high = durationText(range.high);
    if (low == high) {
        return words(QT_TRANSLATE_NOOP("Tuner", "about %1")).arg(high);
    }
    // "4 to 7 min": a unit that both have is said once.
    const qsizetype space = low.lastIndexOf(QLatin1Char(' '));
    const bool alike = low.count(QLatin1Char(' ')) == 1 && high.count(QLatin1Char(' ')) == 1 && high.endsWith(low.mid(space));
    return words(QT_TRANSLATE_NOOP("Tuner", "%1 to %2")).arg(alike ? low.left(space) : low, high);
}

QString gainText(const TrialSeries& series)
{
    if (series.empty()) {
        return {};
    }
    if (series.gains().empty()) {
        return words(QT_TRANSLATE_NOOP("Tuner", "no valid trial yet"));
    }
    const QString best = words(QT_TRANSLATE_NOOP("Tuner", "best %1")).arg(formatTime(series.bestNs()));
    const int ago = series.sinceGain();
    if (series.gains().size() == 1) {
        return best;
    }
    const QString gain = QLatin1Char('+') % share(1 / (1 - series.gains().back().share) - 1);
    const QString when = ago == 0 ? words(QT_TRANSLATE_NOOP("Tuner", "last gain just now, %1")).arg(gain)
        : ago == 1                ? words(QT_TRANSLATE_NOOP("Tuner", "last gain 1 trial ago, %1")).arg(gain)
                                  : words(QT_TRANSLATE_NOOP("Tuner", "last gain %1 trials ago, %2")).arg(QString::number(ago), gain);
    return best % QStringLiteral(" · ") % when;
}

QString stopAdvice(const TrialSeries& series, int plateau)
{
    const int patience = plateau > 0 ? std::max(plateau / 2, 20) : kPatience;
    const int since = series.sinceGain();
    if (series.gains().empty() || since < patience || since < kLongShare * series.next()) {
        return {};
    }
    return words(QT_TRANSLATE_NOOP("Tuner", "No gain for long: stopping now would lose little"));
}

QString outcomeText(const std::string& outcome)
{
    return named(outcome);
}

QString causeText(const TrialSeries::Cause& cause)
{
    const QString outcome = outcomeText(cause.outcome);
    const QString text = named(cause.cause);
    return text.isEmpty() || text == outcome ? outcome : outcome % QStringLiteral(": ") % text;
}

QString taskStateText(const std::string& state)
{
    return named(state);
}

QString fromText(const std::string& from)
{
    return named(from);
}

QString searchText(const QString& search)
{
    return named(toStd(search));
}

QString startFromText(const QString& from)
{
    if (from == QLatin1String("template")) {
        return words(QT_TRANSLATE_NOOP("Tuner", "the expert's template"));
    }
    if (from == QLatin1String("sketch")) {
        return words(QT_TRANSLATE_NOOP("Tuner", "sketches, no template"));
    }
    return from == QLatin1String("mine") ? words(QT_TRANSLATE_NOOP("Tuner", "my schedule"))
                                         : words(QT_TRANSLATE_NOOP("Tuner", "all of these"));
}

QString modelWarning(const std::vector<record::TuneRound>& rounds)
{
    std::vector<const record::TuneRound*> trained;
    for (const record::TuneRound& round : rounds) {
        if (round.trained > 0) {
            trained.push_back(&round);
        }
    }
    if (!rounds.empty() && !rounds.back().note.empty()) {
        return fromStd(rounds.back().note);
    }
    if (!trained.empty() && !trained.back()->trusted) {
        return words(QT_TRANSLATE_NOOP("Tuner", "The model is not trusted: candidates are drawn at random"));
    }
    if (trained.size() < 2 * kSmooth) {
        return {};
    }
    double best = -1;
    for (std::size_t i = 0; i + kSmooth <= trained.size(); ++i) {
        best = std::max(best, meanCorrelation(trained, i));
    }
    const double now = meanCorrelation(trained, trained.size() - kSmooth);
    return best - now < kFallen ? QString()
                                : words(QT_TRANSLATE_NOOP("Tuner", "The rank correlation fell from %1 to %2: the model knows this region less"))
                                      .arg(best, 0, 'f', 2)
                                      .arg(now, 0, 'f', 2);
}

std::vector<std::pair<QString, double>> importanceOf(const std::vector<record::TuneRound>& rounds)
{
    const auto last = std::find_if(rounds.rbegin(), rounds.rend(), [](const record::TuneRound& round) { return !round.importance.empty(); });
    return last == rounds.rend() ? std::vector<std::pair<QString, double>>{} : namedNumbers(last->importance);
}

std::vector<std::pair<QString, int>> refusedOf(const std::vector<record::TuneRound>& rounds)
{
    std::vector<std::pair<QString, int>> found;
    const auto last = std::find_if(rounds.rbegin(), rounds.rend(), [](const record::TuneRound& round) { return !round.refused.empty(); });
    for (const auto& [rule, count] : last == rounds.rend() ? std::vector<std::pair<QString, double>>{} : namedNumbers(last->refused)) {
        found.emplace_back(rule, static_cast<int>(count));
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return found;
}

QString trialText(const record::TuneTrial& trial)
{
    const QString who = words(QT_TRANSLATE_NOOP("Tuner", "trial %1, round %2, %3")).arg(QString::number(trial.number), QString::number(trial.round), fromText(trial.from));
    if (trial.outcome != "ok") {
        return who % QStringLiteral(": ") % outcomeText(trial.outcome);
    }
    return who % QStringLiteral(": ") % formatTime(trial.ns) % QStringLiteral(" ±") % formatShare(trial.spread);
}

QString speedText(double gflops)
{
    const int decimals = gflops >= 99.95 ? 0 : gflops >= 9.995 ? 1 : 2;
    return QString::number(gflops, 'f', decimals) % QStringLiteral(" GFLOP/s");
}

} // namespace nw::views
