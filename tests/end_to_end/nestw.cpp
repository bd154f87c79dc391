#include "tests/end_to_end/nestw.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
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

Nestw::Nestw() = default;

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
    const QString path = m_folder.filePath(name);
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(bytes);
    }
    return path;
}

Ran Nestw::run(const QStringList& arguments, const QByteArray& input, int timeoutMs) const
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_DATA_HOME"), m_folder.filePath(QStringLiteral("data")));
    environment.insert(QStringLiteral("XDG_CACHE_HOME"), m_folder.filePath(QStringLiteral("cache")));
    environment.insert(QStringLiteral("NO_COLOR"), QStringLiteral("1"));
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(m_folder.path());
    process.start(program("nestw"), arguments);
    process.write(input);
    process.closeWriteChannel();
    Ran ran;
    if (!process.waitForFinished(timeoutMs)) {
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

} // namespace nw::test
