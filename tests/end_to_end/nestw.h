#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <vector>

// Runs the command line as a person would, with folders of its own.
namespace nw::test {

struct Ran {
    int code = -1;
    bool crashed = false;
    QString out, error;
    std::vector<QJsonObject> objects() const; // of --json
    QJsonObject last() const;
    QStringList presentFigures() const; // of `compare --json`, by name
};

class Nestw {
public:
    Nestw();
    Ran run(const QStringList& arguments, const QByteArray& input = {}, int timeoutMs = 300000) const;
    QString folder() const { return m_folder.path(); }
    // A file in that folder.
    QString write(const QString& name, const QByteArray& bytes) const;
    static QString sample(const char* name);
    static QString program(const char* name);

private:
    QTemporaryDir m_folder;
};

} // namespace nw::test
