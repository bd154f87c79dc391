#include "views/plots/figure_text.h"

#include "views/common/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace nw::views {
namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("Comparison", text);
}

[[maybe_unused]] const char* const kOutcomes[] = {
    QT_TRANSLATE_NOOP("Comparison", "does not build"), QT_TRANSLATE_NOOP("Comparison", "refused"),
    QT_TRANSLATE_NOOP("Comparison", "wrong result"), QT_TRANSLATE_NOOP("Comparison", "crash"),
    QT_TRANSLATE_NOOP("Comparison", "hang"), QT_TRANSLATE_NOOP("Comparison", "out of memory"),
    QT_TRANSLATE_NOOP("Comparison", "ended early"), QT_TRANSLATE_NOOP("Comparison", "protocol error"),
    QT_TRANSLATE_NOOP("Comparison", "stopped"), QT_TRANSLATE_NOOP("Comparison", "device unavailable"),
};

QString outcome(const session::Figure& figure)
{
    const QByteArray name = fromStd(figure.outcome).replace(QLatin1Char('-'), QLatin1Char(' ')).toUtf8();
    return words(name.constData());
}

} // namespace

QString figureLabel(const std::string& name)
{
    if (name == "default") {
        return words(QT_TRANSLATE_NOOP("Comparison", "default"));
    }
    if (name == "hand") {
        return words(QT_TRANSLATE_NOOP("Comparison", "hand"));
    }
    if (name == "auto") {
        return words(QT_TRANSLATE_NOOP("Comparison", "auto"));
    }
    if (name == "library") {
        return words(QT_TRANSLATE_NOOP("Comparison", "library"));
    }
    return name == "bound" ? words(QT_TRANSLATE_NOOP("Comparison", "bound")) : fromStd(name);
}

bool hasFailed(const session::Figure& figure)
{
    return figure.outcome != "ok";
}

bool hasTime(const session::Figure& figure)
{
    return figure.present && !hasFailed(figure) && figure.ns > 0;
}

QString figureTime(const session::Figure& figure)
{
    return hasTime(figure) ? formatTime(figure.ns) : QString();
}

QString figureNote(const session::Figure& figure, const session::Comparison& comparison)
{
    if (!hasTime(figure)) {
        return {};
    }
    QStringList parts;
    if (!figure.measured) {
        parts += fromStd(figure.by.empty() ? comparison.boundBy : figure.by);
        parts += threadsText(comparison.threads);
        return parts.join(QStringLiteral(", "));
    }
    parts += QStringLiteral("±") % formatShare(figure.spread);
    if (figure.noisy) {
        parts += words(QT_TRANSLATE_NOOP("Comparison", "noisy"));
    }
    if (figure.shareOfBound > 0.005) {
        parts += words(QT_TRANSLATE_NOOP("Comparison", "%1 of bound")).arg(formatShare(figure.shareOfBound));
    }
    if (figure.name != "auto" && !figure.by.empty()) { // which library, or another algorithm's own bound
        parts += fromStd(figure.by);
    }
    return parts.join(QStringLiteral(", "));
}

QString figureReason(const session::Figure& figure)
{
    if (hasFailed(figure)) {
        return figure.message.empty() ? outcome(figure) : outcome(figure) % QStringLiteral(": ") % fromStd(figure.message);
    }
    if (hasTime(figure)) {
        return {};
    }
    return figure.missing.empty() ? words(QT_TRANSLATE_NOOP("Comparison", "not measured yet")) : fromStd(figure.missing);
}

QString figureFactor(const session::Figure& figure, const session::Comparison& comparison)
{
    const session::Figure* const base = findFigure(comparison, "default");
    if (base == nullptr || !hasTime(*base) || !hasTime(figure)) {
        return {};
    }
    if (base == &figure || base->name == figure.name) {
        return QStringLiteral("1x");
    }
    const double factor = base->ns / figure.ns;
    const int decimals = factor >= 99.95 ? 0 : factor >= 9.995 ? 1 : 2;
    return QString::number(factor, 'f', decimals) % QLatin1Char('x');
}

QString fillWords(const session::Figure& figure)
{
    if (hasTime(figure) || figure.name == "bound") {
        return {};
    }
    if (hasFailed(figure)) {
        return words(QT_TRANSLATE_NOOP("Comparison", "Again"));
    }
    return figure.name == "auto" ? words(QT_TRANSLATE_NOOP("Comparison", "Tune")) : words(QT_TRANSLATE_NOOP("Comparison", "Measure"));
}

QString figureSpoken(const session::Figure& figure, const session::Comparison& comparison)
{
    QStringList parts{figureLabel(figure.name)};
    if (!hasTime(figure)) {
        parts += figureReason(figure);
        return parts.join(QStringLiteral(", "));
    }
    parts += figureTime(figure);
    parts += figureNote(figure, comparison);
    if (figure.measured && figure.shareOfPeak > 0.005) {
        parts += words(QT_TRANSLATE_NOOP("Comparison", "%1 of peak")).arg(formatShare(figure.shareOfPeak));
    }
    if (figure.measured) {
        parts += words(QT_TRANSLATE_NOOP("Comparison", "n %1")).arg(figure.n);
    }
    const QString factor = figureFactor(figure, comparison);
    if (!factor.isEmpty() && figure.name != "default") {
        parts += words(QT_TRANSLATE_NOOP("Comparison", "%1 the speed of default")).arg(factor);
    }
    return parts.join(QStringLiteral(", "));
}

const session::Figure* findFigure(const session::Comparison& comparison, const std::string& name)
{
    const auto found = std::find_if(comparison.figures.begin(), comparison.figures.end(),
                                    [&](const session::Figure& figure) { return figure.name == name; });
    return found != comparison.figures.end() ? &*found : nullptr;
}

QString threadsText(int threads)
{
    return threads == 1 ? words(QT_TRANSLATE_NOOP("Comparison", "1 thread"))
                        : words(QT_TRANSLATE_NOOP("Comparison", "%1 threads")).arg(threads);
}

QString comparisonNote(const session::Comparison& comparison)
{
    const QString how = comparison.together ? words(QT_TRANSLATE_NOOP("Comparison", "measured together, hot caches, %1"))
                                            : words(QT_TRANSLATE_NOOP("Comparison", "confirmed one by one, hot caches, %1"));
    return how.arg(threadsText(comparison.threads));
}

QString comparisonText(const session::Comparison& comparison)
{
    QString text = words(QT_TRANSLATE_NOOP("Comparison", "figure\ttime\tspread\tn\tof peak\tof bound\tfactor")) % QLatin1Char('\n');
    for (const session::Figure& f : comparison.figures) {
        const bool measured = hasTime(f) && f.measured;
        const QStringList cells = {figureLabel(f.name), hasTime(f) ? figureTime(f) : figureReason(f),
            measured ? QStringLiteral("±") % formatShare(f.spread) : QString(), measured ? QString::number(f.n) : QString(),
            measured ? formatShare(f.shareOfPeak) : QString(), measured ? formatShare(f.shareOfBound) : QString(),
            figureFactor(f, comparison)};
        text += cells.join(QLatin1Char('\t')) % QLatin1Char('\n');
    }
    return text;
}

QString comparisonCsv(const session::Comparison& comparison)
{
    QString text = QStringLiteral("figure,ns,spread,n,noisy,measured,share_of_peak,share_of_bound,by,outcome,missing\n");
    for (const session::Figure& f : comparison.figures) {
        const bool time = hasTime(f);
        const QStringList cells = {fromStd(f.name), time ? QString::number(f.ns, 'g', 9) : QString(),
            time ? QString::number(f.spread, 'g', 6) : QString(), QString::number(f.n),
            f.noisy ? QStringLiteral("1") : QStringLiteral("0"), f.measured ? QStringLiteral("1") : QStringLiteral("0"),
            QString::number(f.shareOfPeak, 'g', 6), QString::number(f.shareOfBound, 'g', 6), csvQuoted(fromStd(f.by)),
            fromStd(f.outcome), csvQuoted(fromStd(hasFailed(f) ? f.message : f.missing))};
        text += cells.join(QLatin1Char(',')) % QLatin1Char('\n');
    }
    return text;
}

} // namespace nw::views
