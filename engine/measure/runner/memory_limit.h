#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace nw::runner {

// Lets the address space of the process grow by at most so many bytes while it lives. 0: no limit.
class MemoryLimit {
public:
    explicit MemoryLimit(std::int64_t bytes);
    ~MemoryLimit();
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

private:
    bool m_active = false;
    rlimit m_before{};
};

} // namespace nw::runner
