#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace nw::runner {

// Time that threads spent ready to run but not running, in nanoseconds, summed (/proc/self/task/*/schedstat). The files
// stay open, so that a look costs one read a thread.
class RunDelay {
public:
    explicit RunDelay(const std::vector<pid_t>& threads);
    ~RunDelay();
    RunDelay(const RunDelay&) = delete;
    RunDelay& operator=(const RunDelay&) = delete;
    std::int64_t nanoseconds() const;

private:
    std::vector<int> m_files;
};

// What the processors did since the machine started, without this process.
struct Load {
    std::int64_t wallNs = 0;
    double othersMs = 0;             // all processors together, of other processes
    std::vector<double> busyMs;      // by processor number, of anybody
};
Load readLoad();
// Processors' worth of work that other processes did between two readings: 0.4 is 40 % of one.
double othersBetween(const Load& before, const Load& after);
// `allowed`, the least busy between the readings first.
std::vector<int> quietestFirst(const std::vector<int>& allowed, const Load& before, const Load& after);

// Waits until other processes used under 6 % of a processor in two looks of 250 ms, at most `limitMs`. Returns what
// they used at the last look, and the two readings around it.
struct Quiet {
    double others = 0;
    Load before, after;
};
Quiet waitUntilQuiet(double limitMs);
constexpr double kQuietShare = 0.06;

} // namespace nw::runner
