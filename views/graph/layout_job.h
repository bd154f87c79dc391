#pragma once

#include "views/graph/layered_layout.h"

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QThreadPool>
#include <QTimer>

#include <atomic>
#include <memory>

namespace nw::views {

// One layout at a time, off the GUI thread: Graphviz in a child process for what it can do in seconds, our own in a
// thread for the rest and whenever Graphviz is missing, fails or is late. A new request ends the one before.
class LayoutJob : public QObject {
    Q_OBJECT
public:
    // Above, Graphviz would take longer than anybody waits.
    static constexpr std::size_t kMostForGraphviz = 1500;

    explicit LayoutJob(QObject* parent = nullptr);
    ~LayoutJob() override;
    void start(LayoutRequest request);
    // Graphviz is given up for the linear layout; that one is let finish.
    void hurry();
    void stop();
    bool isRunning() const { return m_running; }
    // Empty: the linear layout alone.
    void setProgram(const QString& path) { m_program = path; }

Q_SIGNALS:
    void finished(const std::shared_ptr<const nw::views::LayoutResult>& result, double ms);

private:
    QString m_program;
    std::shared_ptr<const LayoutRequest> m_request;
    QPointer<QProcess> m_process;
    QTimer m_patience;
    QThreadPool m_pool;
    std::shared_ptr<std::atomic<bool>> m_cancelled;
    QElapsedTimer m_clock;
    bool m_running = false;

    void startGraphviz();
    void startLinear();
    void endChild();
    void onChildFinished(int exitCode, QProcess::ExitStatus status);
    void deliver(std::optional<LayoutResult> result);
};

} // namespace nw::views
