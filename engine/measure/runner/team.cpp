#include "engine/measure/runner/team.h"

#include "engine/wire/kernel_abi.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace nw::runner {
namespace {

// One parallel loop. As in engine/code/emit/runtime.cpp: each thread takes half of what is left of its own share, and
// again, then of the others'.
class Shares {
public:
    Shares(nw_task task, void* context, std::int64_t n, std::int64_t threads, int (*threadNumber)())
        : m_task(task)
        , m_context(context)
        , m_n(n)
        , m_count(std::min(threads, kMost))
        , m_threadNumber(threadNumber)
    {
        for (std::int64_t share = 0; share < m_count; ++share) {
            m_lines[static_cast<std::size_t>(share)].begin = beginOf(share);
        }
    }

    // What the calling thread does.
    void work()
    {
        const std::int64_t thread = m_threadNumber();
        for (std::int64_t step = 0; step < m_count; ++step) {
            take((thread + step) % m_count);
        }
    }

private:
    static constexpr std::int64_t kMost = 64;
    struct alignas(64) Line {
        std::int64_t begin; // of what is left
    };

    std::int64_t beginOf(std::int64_t share) const { return m_n * share / m_count; }
    void take(std::int64_t share)
    {
        const std::int64_t end = beginOf(share + 1);
        const std::atomic_ref<std::int64_t> rest(m_lines[static_cast<std::size_t>(share)].begin);
        std::int64_t begin = rest.load(std::memory_order_relaxed);
        while (begin < end) {
            const std::int64_t stop = begin + (end - begin + 1) / 2;
            if (rest.compare_exchange_weak(begin, stop, std::memory_order_relaxed)) {
                m_task(m_context, begin, stop);
                begin = rest.load(std::memory_order_relaxed);
            }
        }
    }

    nw_task m_task;
    void* m_context;
    std::int64_t m_n, m_count;
    int (*m_threadNumber)();
    std::array<Line, kMost> m_lines; // those behind m_count are never touched
};

cpu_set_t setOf(const std::vector<int>& processors)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : processors) {
        CPU_SET(static_cast<std::size_t>(cpu), &set);
    }
    return set;
}

template <typename Function>
Function symbol(void* library, const char* name)
{
    return reinterpret_cast<Function>(::dlsym(library, name));
}

} // namespace

Team::Team()
{
    // Never closed: its threads outlive every use.
    void* const library = ::dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) {
        m_parallel = symbol<Parallel>(library, "GOMP_parallel");
        m_threadNumber = symbol<int (*)()>(library, "omp_get_thread_num");
        m_setThreads = symbol<void (*)(int)>(library, "omp_set_num_threads");
    }
    if (m_threadNumber == nullptr) {
        m_parallel = nullptr;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) {
            m_allowed.push_back(cpu);
        }
    }
}

void Team::bind(int threads, const std::vector<int>& processors)
{
    m_threads = m_parallel == nullptr ? 1 : std::max(threads, 1);
    m_bound = static_cast<std::size_t>(m_threads) <= processors.size();
    m_threadIds.assign(static_cast<std::size_t>(m_threads), 0);
    const cpu_set_t all = setOf(m_allowed);
    run([&](int index) {
        const std::size_t at = static_cast<std::size_t>(index);
        const cpu_set_t one = m_bound ? setOf({processors[at]}) : all;
        ::sched_setaffinity(0, sizeof one, &one);
        m_threadIds[at] = static_cast<pid_t>(::syscall(SYS_gettid));
    });
    std::erase(m_threadIds, 0); // the runtime may give fewer
}

void Team::limitLibraries(int threads) const
{
    if (m_setThreads != nullptr) {
        m_setThreads(std::max(threads, 1));
    }
}

void Team::run(const std::function<void(int)>& work)
{
    if (m_threads == 1) {
        work(0);
        return;
    }
    struct Context {
        const std::function<void(int)>& work;
        int (*number)();
    } context{work, m_threadNumber};
    m_parallel(
        [](void* pointer) {
            const Context& c = *static_cast<Context*>(pointer);
            c.work(c.number());
        },
        &context, static_cast<unsigned>(m_threads), 0);
}

void Team::parallel(void (*task)(void*, std::int64_t, std::int64_t), void* context, std::int64_t n, std::int64_t threads)
{
    const std::int64_t wanted = std::min(threads, n);
    if (wanted <= 1 || m_parallel == nullptr) {
        if (n > 0) {
            task(context, 0, n);
        }
        return;
    }
    Shares shares(task, context, n, wanted, m_threadNumber);
    m_parallel([](void* pointer) { static_cast<Shares*>(pointer)->work(); }, &shares, static_cast<unsigned>(wanted), 0);
}

} // namespace nw::runner
