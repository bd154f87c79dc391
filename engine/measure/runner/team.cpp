#include "engine/measure/runner/team.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace nw::runner {
namespace {

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
        m_threadCount = symbol<int (*)()>(library, "omp_get_num_threads");
        m_setThreads = symbol<void (*)(int)>(library, "omp_set_num_threads");
    }
    if (m_threadNumber == nullptr || m_threadCount == nullptr) {
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
    struct Context {
        void (*task)(void*, std::int64_t, std::int64_t);
        void* context;
        std::int64_t n;
        const Team& team;
    } shared{task, context, n, *this};
    m_parallel(
        [](void* pointer) {
            const Context& c = *static_cast<Context*>(pointer);
            const std::int64_t count = c.team.m_threadCount();
            const std::int64_t index = c.team.m_threadNumber();
            const std::int64_t begin = c.n * index / count;
            const std::int64_t end = c.n * (index + 1) / count;
            if (begin < end) {
                c.task(c.context, begin, end);
            }
        },
        &shared, static_cast<unsigned>(wanted), 0);
}

} // namespace nw::runner
