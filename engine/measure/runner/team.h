#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/types.h>

namespace nw::runner {

// The threads that a kernel's parallel loops run on: the calling thread and OpenMP's workers. The same ones run the
// probes, so that they tell about the processors in use.
class Team {
public:
    // Loads the OpenMP runtime; to be called before anything narrows this process to few processors. Without one
    // everything runs on the calling thread, and `runtimeMissing` says so.
    Team();
    bool runtimeMissing() const { return m_parallel == nullptr; }

    // Processors that this process may use, from the start.
    int processors() const { return static_cast<int>(m_allowed.size()); }
    const std::vector<int>& allowed() const { return m_allowed; }

    // Makes `threads` workers and binds each to one of `processors` (in order). Fewer processors than threads: nobody
    // is bound.
    void bind(int threads, const std::vector<int>& processors);
    int threads() const { return m_threads; }
    // What libraries that open parallel regions of their own may use. A second thread on a bound processor would spin there
    // against the first.
    void limitLibraries(int threads) const;
    bool isBound() const { return m_bound; }
    const std::vector<pid_t>& threadIds() const { return m_threadIds; }

    // work(0) ... work(threads - 1), each on its own thread, at once.
    void run(const std::function<void(int)>& work);
    // Runs task over [0, n) on up to `threads` threads (wire/kernel_abi.h).
    void parallel(void (*task)(void*, std::int64_t, std::int64_t), void* context, std::int64_t n, std::int64_t threads);

private:
    using Parallel = void (*)(void (*)(void*), void*, unsigned, unsigned);
    Parallel m_parallel = nullptr;
    int (*m_threadNumber)() = nullptr;
    void (*m_setThreads)(int) = nullptr;
    std::vector<int> m_allowed;
    int m_threads = 1;
    bool m_bound = false;
    std::vector<pid_t> m_threadIds;
};

} // namespace nw::runner
