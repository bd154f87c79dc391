#include "engine/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

namespace nw {
namespace {

// One parallelFor, shared by the caller and the helpers it submitted. A helper that starts after the last index
// was taken finds nothing to do, so the caller waits for indices, never for helpers.
struct Shares {
    std::int64_t count = 0;
    std::function<void(std::int64_t)> work;
    std::atomic<std::int64_t> next = 0;
    std::mutex mutex;
    std::condition_variable ended;
    std::int64_t done = 0;
    std::exception_ptr failure;

    void take()
    {
        for (;;) {
            const std::int64_t index = next.fetch_add(1);
            if (index >= count) {
                return;
            }
            std::exception_ptr thrown;
            try {
                work(index);
            } catch (...) {
                thrown = std::current_exception();
            }
            const std::lock_guard lock(mutex);
            if (thrown != nullptr && failure == nullptr) {
                failure = thrown;
            }
            if (++done == count) {
                ended.notify_all();
            }
        }
    }
};

} // namespace

ThreadPool::ThreadPool(int threads)
{
    for (int i = 0; i < std::max(threads, 1); ++i) {
        m_threads.emplace_back([this] { runThread(); });
    }
}

ThreadPool::~ThreadPool()
{
    {
        const std::lock_guard lock(m_mutex);
        m_closing = true;
    }
    m_workAdded.notify_all();
    for (std::thread& thread : m_threads) {
        thread.join();
    }
}

void ThreadPool::submit(std::function<void()> work)
{
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back(std::move(work));
        ++m_unfinished;
    }
    m_workAdded.notify_one();
}

void ThreadPool::waitAll()
{
    std::unique_lock lock(m_mutex);
    m_workEnded.wait(lock, [this] { return m_unfinished == 0; });
    if (m_failure != nullptr) {
        std::rethrow_exception(std::exchange(m_failure, nullptr));
    }
}

void ThreadPool::parallelFor(std::int64_t count, const std::function<void(std::int64_t)>& work)
{
    if (count <= 0) {
        return;
    }
    const auto shares = std::make_shared<Shares>();
    shares->count = count;
    shares->work = work;
    const std::int64_t helpers = std::min<std::int64_t>(count - 1, threadCount());
    for (std::int64_t i = 0; i < helpers; ++i) {
        submit([shares] { shares->take(); });
    }
    shares->take();
    std::unique_lock lock(shares->mutex);
    shares->ended.wait(lock, [&] { return shares->done == shares->count; });
    if (shares->failure != nullptr) {
        std::rethrow_exception(shares->failure);
    }
}

void ThreadPool::runThread()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_workAdded.wait(lock, [this] { return m_closing || !m_waiting.empty(); });
        if (m_waiting.empty()) {
            return;
        }
        std::function<void()> work = std::move(m_waiting.front());
        m_waiting.pop_front();
        lock.unlock();
        std::exception_ptr thrown;
        try {
            work();
        } catch (...) {
            thrown = std::current_exception();
        }
        work = nullptr;
        lock.lock();
        if (thrown != nullptr && m_failure == nullptr) {
            m_failure = thrown;
        }
        if (--m_unfinished == 0) {
            m_workEnded.notify_all();
        }
    }
}

} // namespace nw
