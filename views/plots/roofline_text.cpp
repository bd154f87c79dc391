#include "views/plots/roofline_text.h"

#include "views/common/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace nw::views {
namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("Roofline", text);
}

} // namespace

double RooflineData::peak() const
{
    return roofs.peakGflopsPerThread * std::max(threads, 1);
}

double RooflineData::bandwidth(const measure::Roofs::Level& level) const
{
    return level.gbPerSecond * std::max(threads, 1);
}

bool canBeDrawn(const RooflinePoint& point)
{
    return point.flopsPerByte > 0 && point.gflops > 0;
}

RooflineRange rangeOf(const RooflineData& data)
{
    std::vector<double> x;
    std::vector<double> y;
    for (const auto* points : {&data.path, &data.others}) {
        for (const RooflinePoint& point : *points) {
            if (canBeDrawn(point)) {
                x.push_back(point.flopsPerByte);
                y.push_back(point.gflops);
            }
        }
    }
    const double peak = data.peak();
    if (peak > 0) {
        y.push_back(peak);
        for (const measure::Roofs::Level& level : data.roofs.levels) {
            if (level.gbPerSecond > 0) {
                x.push_back(peak / data.bandwidth(level));
            }
        }
    }
    RooflineRange range;
    if (!x.empty()) {
        range.left = *std::min_element(x.begin(), x.end()) / 6;
        range.right = *std::max_element(x.begin(), x.end()) * 4;
    }
    if (!y.empty()) {
        range.top = *std::max_element(y.begin(), y.end()) * 2.2;
        // Two decades at least, so that the slanted roofs are seen.
        range.bottom = std::min(*std::min_element(y.begin(), y.end()) / 2.5, range.top / 100);
    }
    return range;
}

QString threeDigits(double value)
{
    return QString::number(value, 'f', value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

QString levelLabel(const RooflineData& data, const measure::Roofs::Level& level)
{
    return words(QT_TRANSLATE_NOOP("Roofline", "%1 %2 GB/s")).arg(fromStd(level.name), threeDigits(data.bandwidth(level)));
}

QString peakLabel(const RooflineData& data)
{
    return words(QT_TRANSLATE_NOOP("Roofline", "FMA peak %1 GFLOP/s")).arg(threeDigits(data.peak()));
}

QString pointSpoken(const RooflinePoint& point)
{
    QString text = words(QT_TRANSLATE_NOOP("Roofline", "%1: %2 GFLOP/s, %3 FLOPs per byte"))
                       .arg(point.name, threeDigits(point.gflops), threeDigits(point.flopsPerByte));
    if (point.hollow) {
        text += QStringLiteral(", ") % words(QT_TRANSLATE_NOOP("Roofline", "quick"));
    }
    return point.current ? text % QStringLiteral(", ") % words(QT_TRANSLATE_NOOP("Roofline", "shown now")) : text;
}

QString rooflineCsv(const RooflineData& data)
{
    QString text = QStringLiteral("kind,name,flops_per_byte,gflops,gb_per_second,quick\n");
    text += QStringLiteral("roof,peak,,%1,,\n").arg(data.peak());
    for (const measure::Roofs::Level& level : data.roofs.levels) {
        text += QStringLiteral("roof,%1,,,%2,\n").arg(fromStd(level.name)).arg(data.bandwidth(level));
    }
    for (const auto* points : {&data.path, &data.others}) {
        for (const RooflinePoint& point : *points) {
            text += QStringLiteral("%1,%2,%3,%4,,%5\n")
                        .arg(points == &data.path ? QStringLiteral("step") : QStringLiteral("figure"), csvQuoted(point.name))
                        .arg(point.flopsPerByte)
                        .arg(point.gflops)
                        .arg(point.hollow ? 1 : 0);
        }
    }
    return text;
}

} // namespace nw::views
