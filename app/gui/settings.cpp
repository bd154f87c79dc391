#include "app/gui/settings.h"

#include <QDateTime>
#include <QSettings>

#include <algorithm>

namespace nw::app {
namespace {

constexpr int kMostRecent = 12;

} // namespace

QList<Settings::Recent> Settings::recent() const
{
    QSettings settings;
    QList<Recent> found;
    const int count = settings.beginReadArray(QStringLiteral("recent"));
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        found.append({settings.value(QStringLiteral("title")).toString(), settings.value(QStringLiteral("path")).toString(),
                      settings.value(QStringLiteral("time")).toLongLong()});
    }
    return found;
}

static void write(const QList<Settings::Recent>& rows)
{
    QSettings settings;
    settings.beginWriteArray(QStringLiteral("recent"), static_cast<int>(rows.size()));
    for (int i = 0; i < rows.size(); ++i) {
        settings.setArrayIndex(i);
        settings.setValue(QStringLiteral("title"), rows[i].title);
        settings.setValue(QStringLiteral("path"), rows[i].path);
        settings.setValue(QStringLiteral("time"), rows[i].unixTime);
    }
    settings.endArray();
}

void Settings::remember(const QString& title, const QString& path)
{
    QList<Recent> rows = recent();
    rows.removeIf([&](const Recent& row) { return row.path == path; });
    rows.prepend({title, path, QDateTime::currentSecsSinceEpoch()});
    while (rows.size() > kMostRecent) {
        rows.removeLast();
    }
    write(rows);
}

void Settings::forget(const QString& path)
{
    QList<Recent> rows = recent();
    rows.removeIf([&](const Recent& row) { return row.path == path; });
    write(rows);
}

Settings::Scheme Settings::scheme() const
{
    const QString kept = QSettings().value(QStringLiteral("scheme")).toString();
    return kept == QLatin1String("light") ? Scheme::Light : kept == QLatin1String("dark") ? Scheme::Dark : Scheme::System;
}

void Settings::setScheme(Scheme scheme)
{
    QSettings().setValue(QStringLiteral("scheme"), scheme == Scheme::Light ? QStringLiteral("light")
                                                    : scheme == Scheme::Dark ? QStringLiteral("dark")
                                                                             : QStringLiteral("system"));
}

int Settings::scale() const
{
    return std::clamp(QSettings().value(QStringLiteral("scale"), 100).toInt(), 100, 200);
}

void Settings::setScale(int percent)
{
    QSettings().setValue(QStringLiteral("scale"), percent);
}

QByteArray Settings::value(const QString& key) const
{
    return QSettings().value(key).toByteArray();
}

void Settings::setValue(const QString& key, const QByteArray& value)
{
    QSettings().setValue(key, value);
}

} // namespace nw::app
