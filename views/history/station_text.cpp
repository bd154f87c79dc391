#include "views/history/station_text.h"

#include "views/common/format.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace nw::views {
namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("History", text);
}

bool isKeyword(const QString& word)
{
    return word == QLatin1String("into") || word == QLatin1String("at") || word == QLatin1String("in")
        || word == QLatin1String("as");
}

const session::Station& at(const std::vector<session::Station>& stations, int station)
{
    return stations[static_cast<std::size_t>(station)];
}

QString protocolWords(const session::Timing& timing)
{
    if (timing.protocol == "confirm") {
        return words(QT_TRANSLATE_NOOP("History", "confirmed"));
    }
    return timing.protocol == "quick" ? words(QT_TRANSLATE_NOOP("History", "quick")) : fromStd(timing.protocol);
}

// One disturbed sample has no spread to speak of.
QString spreadText(const session::Timing& timing)
{
    return timing.noisy && timing.spread < 0.0005 ? words(QT_TRANSLATE_NOOP("History", "noisy"))
                                                  : QStringLiteral("±") % formatShare(timing.spread);
}

} // namespace

QString shortStep(const session::Station& station)
{
    if (station.text.empty()) {
        return words(QT_TRANSLATE_NOOP("History", "plain nest"));
    }
    const QString line = fromStd(station.text).simplified();
    QStringList kept;
    const QStringList all = line.split(QLatin1Char(' '));
    qsizetype i = 0;
    for (; i < all.size() && !isKeyword(all[i]); ++i) {
        kept += all[i];
    }
    if (i < all.size() && all[i] == QLatin1String("into")) {
        static const QRegularExpression extent(QStringLiteral(":(\\{[^}]*\\}|[^\\s:]+)"));
        auto found = extent.globalMatch(line);
        while (found.hasNext()) {
            const QString chosen = found.next().captured(1);
            if (chosen != QLatin1String("_")) {
                kept += chosen;
            }
        }
    }
    return kept.join(QLatin1Char(' '));
}

QString outcomeWords(const std::string& outcome)
{
    static const std::vector<std::pair<std::string, const char*>> rows = {
        {"ok", QT_TRANSLATE_NOOP("History", "ok")},
        {"does-not-build", QT_TRANSLATE_NOOP("History", "does not build")},
        {"refused", QT_TRANSLATE_NOOP("History", "refused")},
        {"wrong-result", QT_TRANSLATE_NOOP("History", "wrong result")},
        {"crash", QT_TRANSLATE_NOOP("History", "crashed")},
        {"hang", QT_TRANSLATE_NOOP("History", "ran too long")},
        {"out-of-memory", QT_TRANSLATE_NOOP("History", "out of memory")},
        {"stopped", QT_TRANSLATE_NOOP("History", "stopped")},
        {"device-unavailable", QT_TRANSLATE_NOOP("History", "device lost")},
    };
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.first == outcome; });
    return row != rows.end() ? words(row->second) : words(QT_TRANSLATE_NOOP("History", "failed"));
}

bool isUnproven(const session::Station& station)
{
    const session::Timing* const timing = station.best();
    return station.check.verdict == schedule::Verdict::Unproven || (timing != nullptr && timing->unproven);
}

QString stationNote(const std::vector<session::Station>& stations, int station)
{
    const session::Station& s = at(stations, station);
    if (!s.reached) {
        const bool first = station == 0 || at(stations, station - 1).reached;
        return first ? words(QT_TRANSLATE_NOOP("History", "does not fit")) : words(QT_TRANSLATE_NOOP("History", "not reached"));
    }
    const session::Timing* const timing = s.best();
    if (timing == nullptr) {
        return words(QT_TRANSLATE_NOOP("History", "not measured"));
    }
    if (!timing->ok()) {
        return outcomeWords(timing->outcome);
    }
    return formatTime(timing->ns) % QLatin1Char(' ') % spreadText(*timing);
}

int timedBefore(const std::vector<session::Station>& stations, int station)
{
    for (int i = station - 1; i >= 0; --i) {
        const session::Timing* const timing = at(stations, i).best();
        if (at(stations, i).reached && timing != nullptr && timing->ok()) {
            return i;
        }
    }
    return -1;
}

QString changeWords(const std::vector<session::Station>& stations, int station)
{
    const session::Timing* const after = at(stations, station).best();
    const int previous = timedBefore(stations, station);
    if (!at(stations, station).reached || after == nullptr || !after->ok() || previous < 0) {
        return {};
    }
    const session::Timing& before = *at(stations, previous).best();
    if (!session::differs(before, *after)) {
        return words(QT_TRANSLATE_NOOP("History", "no change (%1)")).arg(QStringLiteral("±") % formatShare(std::max(before.spread, after->spread)));
    }
    const double ratio = before.ns / after->ns;
    const bool faster = ratio >= 1;
    const double factor = faster ? ratio : 1 / ratio;
    // Below 1.095 a factor of one decimal says too little.
    if (factor < 1.095) {
        const QString share = formatShare(factor - 1);
        return faster ? words(QT_TRANSLATE_NOOP("History", "%1 faster")).arg(share) : words(QT_TRANSLATE_NOOP("History", "%1 slower")).arg(share);
    }
    const QString times = QString::number(factor, 'f', factor < 9.95 ? 1 : 0);
    return faster ? words(QT_TRANSLATE_NOOP("History", "%1x faster")).arg(times) : words(QT_TRANSLATE_NOOP("History", "%1x slower")).arg(times);
}

QString stationToolTip(const std::vector<session::Station>& stations, int station)
{
    const session::Station& s = at(stations, station);
    QStringList lines{s.text.empty() ? shortStep(s) : fromStd(s.text)};
    if (!s.reached) {
        lines += stationNote(stations, station) % (s.failure.empty() ? QString() : QStringLiteral(": ") % fromStd(s.failure));
        return lines.join(QLatin1Char('\n'));
    }
    if (isUnproven(s)) {
        lines += words(QT_TRANSLATE_NOOP("History", "not proved: its result is checked on every measurement"));
    }
    if (s.check.verdict == schedule::Verdict::Pointless) {
        lines += words(QT_TRANSLATE_NOOP("History", "allowed, but it cannot help"));
    }
    const session::Timing* const timing = s.best();
    if (timing == nullptr || !timing->ok()) {
        lines += stationNote(stations, station)
            % (timing != nullptr && !timing->message.empty() ? QStringLiteral(": ") % fromStd(timing->message) : QString());
        return lines.join(QLatin1Char('\n'));
    }
    lines += words(QT_TRANSLATE_NOOP("History", "%1, n %2, %3")).arg(stationNote(stations, station)).arg(timing->n).arg(protocolWords(*timing))
        % (timing->noisy ? QStringLiteral(", ") % words(QT_TRANSLATE_NOOP("History", "noisy")) : QString());
    const QString change = changeWords(stations, station);
    if (!change.isEmpty()) {
        const int previous = timedBefore(stations, station);
        lines += previous == station - 1
            ? change
            : words(QT_TRANSLATE_NOOP("History", "%1, against %2")).arg(change, shortStep(at(stations, previous)));
    }
    return lines.join(QLatin1Char('\n'));
}

QString stationSpoken(const std::vector<session::Station>& stations, int station, bool current)
{
    QString text = words(QT_TRANSLATE_NOOP("History", "step %1, ")).arg(station)
        % stationToolTip(stations, station).replace(QLatin1Char('\n'), QStringLiteral(", "));
    if (current) {
        text += QStringLiteral(", ") % words(QT_TRANSLATE_NOOP("History", "shown now"));
    }
    return text;
}

namespace {

QString branchSteps(const session::Branch& branch)
{
    const QString steps = branch.steps == 1 ? words(QT_TRANSLATE_NOOP("History", "1 step"))
                                            : words(QT_TRANSLATE_NOOP("History", "%1 steps")).arg(branch.steps);
    return fromStd(branch.name) % QStringLiteral(" · ") % steps;
}

} // namespace

QString branchWords(const session::Branch& branch)
{
    const QString time = branch.bestNs > 0 ? QStringLiteral(" · ") % formatTime(branch.bestNs) : QString();
    return branchSteps(branch) % time;
}

QString stubText(const BranchStub& stub, const std::vector<session::Branch>& others)
{
    return stub.branches.size() == 1
        ? branchSteps(others[static_cast<std::size_t>(stub.branches.front())])
        : words(QT_TRANSLATE_NOOP("History", "%1 branches")).arg(stub.branches.size());
}

QString stubToolTip(const BranchStub& stub, const std::vector<session::Branch>& others)
{
    QStringList lines{words(QT_TRANSLATE_NOOP("History", "Goes its own way behind step %1. Click to open:")).arg(stub.station)};
    for (const int index : stub.branches) {
        lines += branchWords(others[static_cast<std::size_t>(index)]);
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace nw::views
