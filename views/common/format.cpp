#include "views/common/format.h"

#include <cmath>

namespace nw::views {

QString formatTime(double nanoseconds)
{
    const char* unit = "ns";
    double value = nanoseconds;
    for (const char* next : {"us", "ms", "s"}) {
        // 999.5 would print as "1000": move on to the next unit just before.
        if (std::abs(value) < 999.5) {
            break;
        }
        value /= 1000;
        unit = next;
    }
    const double size = std::abs(value);
    const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
    return QString::number(value, 'f', decimals) + QLatin1Char(' ') + QString::fromLatin1(unit);
}

QString formatShare(double share)
{
    return QString::number(share * 100, 'f', 1) + QStringLiteral(" %");
}

QString shortBytes(std::int64_t bytes)
{
    const char* unit = "B";
    double value = static_cast<double>(bytes);
    for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
        if (value < 1023.5) {
            break;
        }
        value /= 1024;
        unit = next;
    }
    QString number = QString::number(value, 'f', value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
    while (number.contains(QLatin1Char('.')) && (number.endsWith(QLatin1Char('0')) || number.endsWith(QLatin1Char('.')))) {
        number.chop(1);
    }
    return number + QLatin1Char(' ') + QString::fromLatin1(unit);
}

QString csvQuoted(QString text)
{
    return QLatin1Char('"') % text.replace(QLatin1Char('"'), QStringLiteral("\"\"")).replace(QLatin1Char('\n'), QLatin1Char(' '))
        % QLatin1Char('"');
}

QString fromStd(const std::string& text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

std::string toStd(const QString& text)
{
    const QByteArray bytes = text.toUtf8();
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

} // namespace nw::views
