#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace nw::app {

// The program nestw, started so that it outlives the window; what it says goes to a file.
class TunerProcess {
public:
    // False: it could not be started, problem() says why.
    bool start(const QString& projectFile, const QStringList& arguments);
    bool isAlive() const; // the one that was started last
    QString problem() const;
    // The last thing it said, for a process that ended before it began to tune.
    QString lastWords() const;

private:
    qint64 m_pid = 0;
    QString m_log, m_problem;
};

} // namespace nw::app
