#include "views/plots/comparison_plot.h"

#include "views/common/format.h"

#include <QCoreApplication>
#include <QPainter>

#include <qcustomplot.h>

#include <algorithm>

namespace nw::views {
namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("ComparisonPlot", text);
}

QString label(const std::string& name)
{
    if (name == "default") {
        return words(QT_TRANSLATE_NOOP("ComparisonPlot", "Default"));
    }
    if (name == "hand") {
        return words(QT_TRANSLATE_NOOP("ComparisonPlot", "Hand"));
    }
    if (name == "auto") {
        return words(QT_TRANSLATE_NOOP("ComparisonPlot", "Auto"));
    }
    if (name == "library") {
        return words(QT_TRANSLATE_NOOP("ComparisonPlot", "Library"));
    }
    return words(QT_TRANSLATE_NOOP("ComparisonPlot", "Bound"));
}

// What stands at the end of a bar: the figure, its spread, its share of the bound.
QString valueText(const session::Figure& f)
{
    if (!f.present) {
        return fromStd(f.missing);
    }
    QString text = formatTime(f.ns);
    if (!f.measured) {
        return text + QStringLiteral("   ") + words(QT_TRANSLATE_NOOP("ComparisonPlot", "computed, by %1")).arg(fromStd(f.by));
    }
    text += QStringLiteral(" ± ") + formatShare(f.spread);
    if (f.shareOfPeak > 0.005) {
        text += QStringLiteral("   ") + words(QT_TRANSLATE_NOOP("ComparisonPlot", "%1 of peak")).arg(formatShare(f.shareOfPeak));
    }
    if (f.noisy) {
        text += QStringLiteral("   ") + words(QT_TRANSLATE_NOOP("ComparisonPlot", "noisy"));
    }
    return text;
}

void addText(QCustomPlot& plot, double x, double y, const QString& text, const QColor& colour, const QFont& font)
{
    auto* item = new QCPItemText(&plot);
    item->position->setCoords(x, y);
    item->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    item->setPadding(QMargins(8, 0, 0, 0));
    item->setText(text);
    item->setColor(colour);
    item->setFont(font);
    item->setClipToAxisRect(false);
}

void addBar(QCustomPlot& plot, const session::Figure& figure, double row, double unit, const Theme& theme)
{
    auto* bars = new QCPBars(plot.yAxis, plot.xAxis);
    bars->setWidth(0.56);
    const QColor colour = theme.series(fromStd(figure.name));
    if (!figure.present) {
        QPen outline(theme.muted, 1, Qt::DashLine);
        outline.setCosmetic(true);
        bars->setPen(outline);
        bars->setBrush(Qt::NoBrush);
    } else if (!figure.measured) {
        bars->setPen(QPen(theme.muted, 1));
        bars->setBrush(QBrush(theme.muted, Qt::BDiagPattern));
    } else {
        bars->setPen(Qt::NoPen);
        bars->setBrush(colour);
    }
    bars->setData({row}, {figure.present ? figure.ns / unit : 0.0});
    if (figure.present && figure.measured && figure.spread > 0) {
        auto* errors = new QCPErrorBars(plot.yAxis, plot.xAxis);
        errors->setDataPlottable(bars);
        errors->setErrorType(QCPErrorBars::etValueError);
        errors->setData(QVector<double>{figure.ns * figure.spread / unit});
        errors->setPen(QPen(theme.text, 1));
        errors->setWhiskerWidth(8);
        errors->setSymbolGap(0);
    }
}

void styleAxis(QCPAxis& axis, const Theme& theme, const QFont& font)
{
    axis.setBasePen(QPen(theme.line, 1));
    axis.setTickPen(Qt::NoPen);
    axis.setSubTickPen(Qt::NoPen);
    axis.setTickLabelColor(theme.text);
    axis.setTickLabelFont(font);
    axis.setLabelColor(theme.muted);
    axis.setLabelFont(font);
    axis.grid()->setPen(QPen(theme.line, 1));
    axis.grid()->setZeroLinePen(QPen(theme.line, 1));
}

} // namespace

QImage renderComparison(const session::Comparison& comparison, const QString& title, const Theme& theme, QSize size, double scale)
{
    QCustomPlot plot;
    plot.setBackground(theme.panel);
    QFont font = plot.font();
    font.setPixelSize(13);
    QFont small = font;
    small.setPixelSize(12);
    QFont strong = font;
    strong.setPixelSize(15);
    strong.setWeight(QFont::DemiBold);

    double longest = 0;
    for (const session::Figure& figure : comparison.figures) {
        longest = std::max(longest, figure.present ? figure.ns * (1 + figure.spread) : 0.0);
    }
    const double unit = longest >= 1e6 ? 1e6 : longest >= 1e3 ? 1e3 : 1;
    const QString unitText = unit == 1e6 ? QStringLiteral("ms") : unit == 1e3 ? QStringLiteral("us") : QStringLiteral("ns");

    auto ticks = QSharedPointer<QCPAxisTickerText>::create();
    double row = static_cast<double>(comparison.figures.size());
    for (const session::Figure& figure : comparison.figures) {
        ticks->addTick(row, label(figure.name));
        addBar(plot, figure, row, unit, theme);
        addText(plot, figure.present ? figure.ns * (1 + figure.spread) / unit : 0.0, row, valueText(figure),
                figure.present ? theme.text : theme.muted, figure.present ? font : small);
        row -= 1;
    }
    styleAxis(*plot.xAxis, theme, small);
    styleAxis(*plot.yAxis, theme, font);
    plot.yAxis->setTicker(ticks);
    plot.yAxis->grid()->setVisible(false);
    plot.yAxis->setTickLabelPadding(10);
    plot.yAxis->setRange(0.3, static_cast<double>(comparison.figures.size()) + 0.7);
    // Room for the words at the end of the longest bar.
    plot.xAxis->setRange(0, longest > 0 ? longest / unit * 1.75 : 1);
    plot.xAxis->setTickLabelColor(theme.muted);
    plot.xAxis->setLabel(words(QT_TRANSLATE_NOOP("ComparisonPlot", "time of one run, %1 (shorter is faster)")).arg(unitText));

    plot.plotLayout()->insertRow(0);
    auto* heading = new QCPTextElement(&plot, title, strong);
    heading->setTextColor(theme.text);
    plot.plotLayout()->addElement(0, 0, heading);
    plot.plotLayout()->insertRow(1);
    const QString second = words(QT_TRANSLATE_NOOP("ComparisonPlot", "device %1, %2 thread(s), hot caches"))
                               .arg(fromStd(comparison.device))
                               .arg(comparison.threads);
    auto* note = new QCPTextElement(&plot, second, small);
    note->setTextColor(theme.muted);
    plot.plotLayout()->addElement(1, 0, note);
    plot.plotLayout()->setRowSpacing(4);
    plot.plotLayout()->setAutoMargins(QCP::msNone);
    plot.plotLayout()->setMargins(QMargins(0, 12, 0, 4));
    plot.axisRect()->setMinimumMargins(QMargins(84, 12, 24, 52));

    return plot.toPixmap(size.width(), size.height(), scale).toImage();
}

} // namespace nw::views
