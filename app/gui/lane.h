#pragma once

#include "engine/base/stop.h"

#include <QString>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace nw::app {

// One thread that does jobs one after the other, the most urgent first. Only here is a Bug of the engine caught: the job
// ends, its words go to `onBug`, the next one runs.
class Lane {
public:
    using Job = std::function<void(const StopToken& stop)>;

    enum class AtEnd { Drop, Finish }; // what is still waiting when it ends
    Lane(AtEnd atEnd, std::function<void(const QString&)> onBug);
    ~Lane(); // stops the job that runs (Drop), or waits for all of them (Finish)
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    // `urgency`: smaller goes first; equals keep their order. Jobs of one `kind` can be cancelled together.
    void post(int urgency, const QString& kind, Job job);
    void cancel(const QString& kind); // those waiting and the one running
    void cancelAll();
    // The running job, when it is of `urgency` or less urgent, is stopped and put back: it starts again later.
    void putBack(int urgency);
    bool isIdle() const;

private:
    struct Entry {
        int urgency = 0;
        QString kind;
        Job job;
        StopToken stop;
    };
    void loop();

    AtEnd m_atEnd;
    std::function<void(const QString&)> m_onBug;
    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<Entry> m_waiting;
    bool m_running = false;
    bool m_ends = false;
    Entry m_current; // while running
    std::thread m_thread; // last: everything above lives before it starts
};

} // namespace nw::app
