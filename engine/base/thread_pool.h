#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace nw {

// A fixed number of threads that take work in the order in which it was submitted. The destructor finishes what
// was submitted. An exception that leaves a piece of work is kept and thrown by the next waitAll().
class ThreadPool {
public:
    explicit ThreadPool(int threads); // at least one
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threadCount() const { return static_cast<int>(m_threads.size()); }
    void submit(std::function<void()> work);
    // Returns when everything submitted so far has ended. Not to be called from a piece of work.
    void waitAll();
    // Calls work(0) ... work(count - 1), each once, spread over the threads and the caller; returns when all have
    // ended. The first exception is thrown here, after the others ended. May be called from a piece of work.
    void parallelFor(std::int64_t count, const std::function<void(std::int64_t)>& work);

private:
    void runThread();

    std::mutex m_mutex;
    std::condition_variable m_workAdded;
    std::condition_variable m_workEnded;
    std::deque<std::function<void()>> m_waiting;
    std::size_t m_unfinished = 0;
    bool m_closing = false;
    std::exception_ptr m_failure;
    std::vector<std::thread> m_threads;
};

} // namespace nw
