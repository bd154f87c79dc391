#pragma once

#include <cstdint>

#include <time.h>

namespace nw::runner {

// Monotonic nanoseconds. A test passes one that stands still or runs backwards.
class Clock {
public:
    virtual ~Clock() = default;
    virtual std::int64_t now() { return monotonicNs(); }

    static std::int64_t monotonicNs()
    {
        timespec time{};
        ::clock_gettime(CLOCK_MONOTONIC, &time);
        return static_cast<std::int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
    }
};

} // namespace nw::runner
