#include "views/tuner/outcome_marks.h"

#include "views/common/format.h"

#include <QPainter>

#include <cmath>

namespace nw::views {

FailureKind failureKind(const std::string& outcome)
{
    if (outcome == "illegal" || outcome == "refused" || outcome == "does-not-build") {
        return FailureKind::NotBuilt;
    }
    return outcome == "wrong-result" ? FailureKind::Wrong : FailureKind::Died;
}

QCPScatterStyle failureMark(FailureKind kind, const Theme& theme, double size)
{
    switch (kind) {
    case FailureKind::NotBuilt:
        return {QCPScatterStyle::ssPlus, QPen(theme.unproven, 1.2), Qt::NoBrush, size};
    case FailureKind::Wrong:
        return {QCPScatterStyle::ssTriangleInverted, QPen(theme.illegal, 1.2), QBrush(theme.illegal), size};
    case FailureKind::Died:
        break;
    }
    return {QCPScatterStyle::ssCross, QPen(theme.illegal, 1.5), Qt::NoBrush, size};
}

QVector<double> DecadeTicker::createTickVector(double step, const QCPRange& range)
{
    QVector<double> found;
    for (const std::vector<double>& digits : {std::vector<double>{1, 2, 5}, {1, 3}, {1}}) {
        QVector<double> ticks;
        for (int decade = range.lower > 0 ? static_cast<int>(std::floor(std::log10(range.lower))) : 99; std::pow(10, decade) <= range.upper; ++decade) {
            for (const double digit : digits) {
                const double tick = digit * std::pow(10, decade);
                if (tick >= range.lower && tick <= range.upper) {
                    ticks.append(tick);
                }
            }
        }
        if (found.isEmpty() || ticks.size() >= 2) {
            found = ticks;
        }
        if (found.size() <= m_most) {
            break;
        }
    }
    return found.size() >= 2 ? found : QCPAxisTicker::createTickVector(step, range);
}

QSharedPointer<DecadeTicker> decadeTicks(QString (*label)(double), int height, const QFont& font)
{
    return QSharedPointer<DecadeTicker>::create(label, std::max(2, height * 5 / QFontMetrics(font).height() / 8 - 2)); // two lines are the other axis's
}

QString DecadeTicker::getTickLabel(double tick, const QLocale&, QChar, int)
{
    return m_label(tick);
}

QString timeTick(double ns)
{
    QString text = formatTime(ns);
    const qsizetype space = text.indexOf(QLatin1Char(' '));
    QString number = text.left(space);
    while (number.contains(QLatin1Char('.')) && (number.endsWith(QLatin1Char('0')) || number.endsWith(QLatin1Char('.')))) {
        number.chop(1);
    }
    return number % text.mid(space);
}

QString numberTick(double value)
{
    return QString::number(value, 'g', 4);
}

void dressAxis(QCPAxis* axis, const Theme& theme, const QFont& note, bool grid)
{
    axis->setBasePen(QPen(theme.line, 1));
    axis->setTickPen(Qt::NoPen);
    axis->setSubTickPen(Qt::NoPen);
    axis->setTickLabelColor(theme.muted);
    axis->setTickLabelFont(note);
    axis->setLabelColor(theme.muted);
    axis->setLabelFont(note);
    axis->setLabelPadding(2);
    axis->grid()->setPen(QPen(theme.line, 1));
    axis->grid()->setZeroLinePen(Qt::NoPen);
    axis->grid()->setSubGridVisible(false);
    axis->grid()->setVisible(grid);
}

void paintFocusRing(QWidget& plot, const Theme& theme)
{
    if (plot.hasFocus()) {
        QPainter painter(&plot);
        painter.setPen(QPen(theme.accent, 1));
        painter.drawRect(plot.rect().adjusted(0, 0, -1, -1));
    }
}

} // namespace nw::views
