#include "views/operators/quantity.h"

#include <cmath>
#include <initializer_list>

namespace nw::views {
namespace {

QString scaled(double value, double step, std::initializer_list<const char*> units)
{
    if (value <= 0) {
        return QStringLiteral("0");
    }
    auto unit = units.begin();
    // Move on just before rounding would show four digits.
    while (value >= (step == 1000 ? 999.5 : 1023.5) && unit + 1 != units.end()) {
        value /= step;
        ++unit;
    }
    const bool isWhole = unit == units.begin() && value == std::floor(value);
    const int decimals = value >= 99.95 || isWhole ? 0 : value >= 9.995 ? 1 : 2;
    return QString::number(value, 'f', decimals) + QLatin1Char(' ') + QString::fromLatin1(*unit);
}

} // namespace

QString formatFlops(double flops)
{
    return scaled(flops, 1000, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"});
}

QString formatBytes(double bytes)
{
    return scaled(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}

QString formatTimeShare(double share, bool estimated)
{
    const double percent = share * 100;
    const QString number = percent < 0.1 && percent > 0 ? QStringLiteral("< 0.1")
                                                        : QString::number(percent, 'f', percent >= 9.95 ? 0 : 1);
    return (estimated ? QStringLiteral("~") : QString()) + number + QStringLiteral(" %");
}

} // namespace nw::views
