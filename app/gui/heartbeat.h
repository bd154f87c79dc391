#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace nw::app {

// Beats in the window's thread and notes the longest time between two beats: the longest that the window did not answer.
class Heartbeat : public QObject {
    Q_OBJECT
public:
    explicit Heartbeat(QObject* parent = nullptr);
    qint64 worstMs() const { return m_worst; }
    void reset() { m_worst = 0; }

Q_SIGNALS:
    void gap(qint64 ms); // one above the limit of 100 ms

private:
    QTimer m_timer;
    QElapsedTimer m_since;
    qint64 m_worst = 0;
    void beat();
};

} // namespace nw::app
