#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

namespace nw::app {

// What the window remembers between two starts: never in a project.
class Settings {
public:
    struct Recent {
        QString title, path;
        qint64 unixTime = 0;
    };
    QList<Recent> recent() const;
    void remember(const QString& title, const QString& path);
    void forget(const QString& path);

    enum class Scheme { System, Light, Dark };
    Scheme scheme() const;
    void setScheme(Scheme scheme);
    int scale() const; // per cent, 100 to 200
    void setScale(int percent);
    QByteArray value(const QString& key) const;
    void setValue(const QString& key, const QByteArray& value);
};

} // namespace nw::app
