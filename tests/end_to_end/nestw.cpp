#include "tests/end_to_end/nestw.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcessEnvironment>

namespace nw::test {

std::vector<QJsonObject> Ran::objects() const
{
    std::vector<QJsonObject> found;
    for (const QString& line : out.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        const QJsonDocument document = QJsonDocument::fromJson(line.toUtf8());
        if (document.isObject()) {
            found.push_back(document.object());
        }
    }
    return found;
}

QStringList Ran::presentFigures() const
{
    QStringList present;
    for (const QJsonValue& figure : last().value(QStringLiteral("figures")).toArray()) {
        if (figure.toObject().value(QStringLiteral("present")).toBool()) {
            present << figure.toObject().value(QStringLiteral("name")).toString();
        }
    }
    return present;
}

QJsonObject Ran::last() const
{
    const std::vector<QJsonObject> all = objects();
    return all.empty() ? QJsonObject() : all.back();
}

Nestw::Nestw(const QString& folder)
    : m_temporary(folder.isEmpty() ? std::make_unique<QTemporaryDir>() : nullptr)
    , m_path(m_temporary ? m_temporary->path() : folder)
{
    QDir().mkpath(m_path);
}

QString Nestw::program(const char* name)
{
    return QStringLiteral(NW_BINARY_DIR "/bin/") + QString::fromLatin1(name);
}

QString Nestw::sample(const char* name)
{
    return QStringLiteral(NW_SOURCE_DIR "/projects/") + QString::fromLatin1(name);
}

QString Nestw::write(const QString& name, const QByteArray& bytes) const
{
    const QString path = m_path + QLatin1Char('/') + name;
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(bytes);
    }
    return path;
}

std::unique_ptr<QProcess> Nestw::start(const QStringList& arguments, const QStringList& before) const
{
    auto process = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_DATA_HOME"), m_path + QStringLiteral("/data"));
    environment.insert(QStringLiteral("XDG_CACHE_HOME"), m_path + QStringLiteral("/cache"));
    environment.insert(QStringLiteral("NO_COLOR"), QStringLiteral("1"));
    process->setProcessEnvironment(environment);
    process->setWorkingDirectory(m_path);
    const QStringList words = before + QStringList{program("nestw")} + arguments;
    process->start(words.first(), words.mid(1));
    return process;
}

Ran Nestw::finish(QProcess& process, int timeoutMs)
{
    Ran ran;
    if (process.state() != QProcess::NotRunning && !process.waitForFinished(timeoutMs)) {
        process.kill();
        process.waitForFinished();
        ran.error = QStringLiteral("no end within the limit");
        return ran;
    }
    ran.crashed = process.exitStatus() == QProcess::CrashExit;
    ran.code = process.exitCode();
    ran.out = QString::fromUtf8(process.readAllStandardOutput());
    ran.error = QString::fromUtf8(process.readAllStandardError());
    return ran;
}

Ran Nestw::run(const QStringList& arguments, const QByteArray& input, int timeoutMs) const
{
    const std::unique_ptr<QProcess> process = start(arguments);
    process->write(input);
    process->closeWriteChannel();
    return finish(*process, timeoutMs);
}

} // namespace nw::test
