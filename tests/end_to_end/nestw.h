#pragma once

#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>
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
    // A folder that is gone in the end, or one that stays.
    explicit Nestw(const QString& folder = {});
    Ran run(const QStringList& arguments, const QByteArray& input = {}, int timeoutMs = 300000) const;
    // Started and left to itself, until it is finished with; `before`: a program and its arguments that start it.
    std::unique_ptr<QProcess> start(const QStringList& arguments, const QStringList& before = {}) const;
    static Ran finish(QProcess& process, int timeoutMs = 300000);
    QString folder() const { return m_path; }
    // A file in that folder.
    QString write(const QString& name, const QByteArray& bytes) const;
    static QString sample(const char* name);
    static QString program(const char* name);

private:
    std::unique_ptr<QTemporaryDir> m_temporary;
    QString m_path;
};

} // namespace nw::test
