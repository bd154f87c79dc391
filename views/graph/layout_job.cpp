#include "views/graph/layout_job.h"

#include <QMetaObject>
#include <QStandardPaths>

#include <chrono>

namespace nw::views {
namespace {

constexpr std::chrono::seconds kPatience{5};

} // namespace

LayoutJob::LayoutJob(QObject* parent)
    : QObject(parent)
    , m_program(QStandardPaths::findExecutable(QStringLiteral("dot")))
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatience);
    m_pool.setMaxThreadCount(1);
    connect(&m_patience, &QTimer::timeout, this, &LayoutJob::hurry);
}

LayoutJob::~LayoutJob()
{
    stop();
    m_pool.waitForDone();
    for (QProcess* process : findChildren<QProcess*>()) { // killed above; a moment is enough
        process->waitForFinished(500);
    }
}

void LayoutJob::start(LayoutRequest request)
{
    stop();
    m_request = std::make_shared<const LayoutRequest>(std::move(request));
    m_running = true;
    m_clock.start();
    if (m_program.isEmpty() || m_request->sizes.size() > kMostForGraphviz) {
        startLinear();
    } else {
        startGraphviz();
    }
}

void LayoutJob::hurry()
{
    if (m_process != nullptr) {
        endChild();
        startLinear();
    }
}

void LayoutJob::stop()
{
    endChild();
    if (m_cancelled != nullptr) {
        m_cancelled->store(true);
        m_cancelled.reset();
    }
    m_running = false;
}

void LayoutJob::startGraphviz()
{
    m_process = new QProcess(this);
    connect(m_process, &QProcess::finished, this, &LayoutJob::onChildFinished);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            hurry();
        }
    });
    m_process->start(m_program, {QStringLiteral("-Tplain")});
    m_process->write(QByteArray::fromStdString(dotText(*m_request)));
    m_process->closeWriteChannel();
    m_patience.start();
}

// Whoever kills a child does not wait for it: it goes once it is gone.
void LayoutJob::endChild()
{
    m_patience.stop();
    if (m_process == nullptr) {
        return;
    }
    QProcess* process = m_process;
    m_process = nullptr;
    process->disconnect(this);
    if (process->state() == QProcess::NotRunning) {
        process->deleteLater();
        return;
    }
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    process->kill();
}

void LayoutJob::onChildFinished(int exitCode, QProcess::ExitStatus status)
{
    const QByteArray answer = m_process->readAllStandardOutput();
    endChild();
    std::optional<LayoutResult> result;
    if (status == QProcess::NormalExit && exitCode == 0) {
        result = parsePlain({answer.constData(), static_cast<std::size_t>(answer.size())}, *m_request);
    }
    if (result) {
        deliver(std::move(result));
    } else {
        startLinear();
    }
}

void LayoutJob::startLinear()
{
    m_cancelled = std::make_shared<std::atomic<bool>>(false);
    m_pool.start([this, request = m_request, cancelled = m_cancelled] {
        std::optional<LayoutResult> result = layeredLayout(*request, *cancelled);
        if (!result) {
            return;
        }
        // The pool is waited for before this object goes, so it is there to be asked.
        QMetaObject::invokeMethod(
            this,
            [this, cancelled, kept = std::move(*result)] {
                if (!cancelled->load()) {
                    deliver(kept);
                }
            },
            Qt::QueuedConnection);
    });
}

void LayoutJob::deliver(std::optional<LayoutResult> result)
{
    m_cancelled.reset();
    m_running = false;
    const double ms = static_cast<double>(m_clock.nsecsElapsed()) / 1e6;
    Q_EMIT finished(std::make_shared<const LayoutResult>(std::move(*result)), ms);
}

} // namespace nw::views
