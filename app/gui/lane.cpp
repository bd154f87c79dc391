#include "app/gui/lane.h"

#include "engine/base/ensure.h"

#include <algorithm>
#include <exception>

namespace nw::app {

Lane::Lane(AtEnd atEnd, std::function<void(const QString&)> onBug)
    : m_atEnd(atEnd)
    , m_onBug(std::move(onBug))
    , m_thread([this] { loop(); })
{}

Lane::~Lane()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ends = true;
        if (m_atEnd == AtEnd::Drop) {
            m_waiting.clear();
            m_current.stop.requestStop();
        }
    }
    m_wake.notify_all();
    m_thread.join();
}

void Lane::post(int urgency, const QString& kind, Job job)
{
    {
        const std::lock_guard lock(m_mutex);
        const auto place = std::find_if(m_waiting.begin(), m_waiting.end(), [&](const Entry& e) { return e.urgency > urgency; });
        m_waiting.insert(place, {urgency, kind, std::move(job), {}});
    }
    m_wake.notify_one();
}

void Lane::cancel(const QString& kind)
{
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_waiting, [&](const Entry& e) { return e.kind == kind; });
    if (m_running && m_current.kind == kind) {
        m_current.stop.requestStop();
    }
}

void Lane::cancelAll()
{
    const std::lock_guard lock(m_mutex);
    m_waiting.clear();
    m_current.stop.requestStop();
}

void Lane::putBack(int urgency)
{
    const std::lock_guard lock(m_mutex);
    if (m_running && m_current.urgency >= urgency && !m_current.stop.stopRequested()) {
        m_current.stop.requestStop();
        const auto place = std::find_if(m_waiting.begin(), m_waiting.end(), [&](const Entry& e) { return e.urgency >= m_current.urgency; });
        m_waiting.insert(place, {m_current.urgency, m_current.kind, m_current.job, {}});
    }
}

bool Lane::isIdle() const
{
    const std::lock_guard lock(m_mutex);
    return !m_running && m_waiting.empty();
}

void Lane::loop()
{
    while (true) {
        Entry entry;
        {
            std::unique_lock lock(m_mutex);
            m_running = false;
            m_wake.wait(lock, [this] { return m_ends || !m_waiting.empty(); });
            if (m_waiting.empty()) {
                return;
            }
            entry = std::move(m_waiting.front());
            m_waiting.pop_front();
            m_running = true;
            m_current = entry;
        }
        try {
            entry.job(entry.stop);
        } catch (const Bug& bug) {
            m_onBug(QString::fromUtf8(bug.what()));
        } catch (const std::exception& problem) { // out of memory and the like
            m_onBug(QString::fromUtf8(problem.what()));
        }
    }
}

} // namespace nw::app
