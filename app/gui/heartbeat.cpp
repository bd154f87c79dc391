#include "app/gui/heartbeat.h"

namespace nw::app {
namespace {

constexpr int kBeatMs = 20;
constexpr qint64 kLimitMs = 100;

} // namespace

Heartbeat::Heartbeat(QObject* parent)
    : QObject(parent)
{
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &Heartbeat::beat);
    m_since.start();
    m_timer.start(kBeatMs);
}

void Heartbeat::beat()
{
    const qint64 blocked = m_since.restart() - kBeatMs;
    m_worst = std::max(m_worst, blocked);
    if (blocked > kLimitMs) {
        Q_EMIT gap(blocked);
    }
}

} // namespace nw::app
