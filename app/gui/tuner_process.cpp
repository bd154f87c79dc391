#include "app/gui/tuner_process.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>

#include <csignal>

namespace nw::app {

bool TunerProcess::start(const QString& projectFile, const QStringList& arguments)
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + QStringLiteral("/nestwright");
    QDir().mkpath(folder);
    m_log = folder + QStringLiteral("/tune-") + QFileInfo(projectFile).completeBaseName() + QStringLiteral(".log");
    QProcess process;
    process.setProgram(QCoreApplication::applicationDirPath() + QStringLiteral("/nestw"));
    process.setArguments(QStringList{QStringLiteral("tune"), projectFile} + arguments);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(m_log);
    process.setStandardErrorFile(m_log, QIODevice::Append);
    m_problem.clear();
    if (!process.startDetached(&m_pid)) {
        m_pid = 0;
        m_problem = QCoreApplication::translate("Tuner", "%1 could not be started: %2").arg(process.program(), process.errorString());
    }
    return m_pid != 0;
}

bool TunerProcess::isAlive() const
{
    if (m_pid == 0 || ::kill(static_cast<pid_t>(m_pid), 0) != 0) {
        return false;
    }
    // One that ended and that nobody has asked after yet still has its number.
    QFile stat(QStringLiteral("/proc/%1/stat").arg(m_pid));
    if (!stat.open(QIODevice::ReadOnly)) {
        return false;
    }
    const QByteArray text = stat.readAll();
    const qsizetype state = text.lastIndexOf(')') + 2;
    return state >= text.size() || text[state] != 'Z';
}

QString TunerProcess::problem() const
{
    return m_problem;
}

QString TunerProcess::lastWords() const
{
    QFile file(m_log);
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    return lines.isEmpty() ? QString() : lines.last().trimmed();
}

} // namespace nw::app
