#include "engine/measure/runner/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace nw::runner {

MemoryLimit::MemoryLimit(std::int64_t bytes)
{
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    if (bytes <= 0 || pages == 0 || ::getrlimit(RLIMIT_AS, &m_before) != 0) {
        return;
    }
    const rlim_t used = static_cast<rlim_t>(pages) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
    rlimit limit = m_before;
    limit.rlim_cur = std::min(m_before.rlim_cur, used + static_cast<rlim_t>(bytes));
    m_active = ::setrlimit(RLIMIT_AS, &limit) == 0;
}

MemoryLimit::~MemoryLimit()
{
    if (m_active) {
        ::setrlimit(RLIMIT_AS, &m_before);
    }
}

} // namespace nw::runner
