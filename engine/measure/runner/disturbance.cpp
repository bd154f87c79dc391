#include "engine/measure/runner/disturbance.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

namespace nw::runner {
namespace {

std::int64_t clockNs(clockid_t clock)
{
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
}

std::string readAll(const char* path)
{
    std::string text;
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return text;
    }
    std::array<char, 8192> chunk;
    ssize_t count;
    while ((count = ::read(fd, chunk.data(), chunk.size())) > 0) {
        text.append(chunk.data(), static_cast<std::size_t>(count));
    }
    ::close(fd);
    return text;
}

// user nice system idle iowait irq softirq steal ... of one line of /proc/stat, in milliseconds; idle is left out.
double busyOf(const char* numbers)
{
    std::array<std::int64_t, 8> ticks{};
    char* rest = const_cast<char*>(numbers);
    for (std::int64_t& tick : ticks) {
        tick = std::strtoll(rest, &rest, 10);
    }
    const std::int64_t busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
    static const double msPerTick = 1000.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
    return static_cast<double>(busy) * msPerTick;
}

} // namespace

RunDelay::RunDelay(const std::vector<pid_t>& threads)
{
    for (const pid_t thread : threads) {
        std::array<char, 64> path;
        std::snprintf(path.data(), path.size(), "/proc/self/task/%d/schedstat", static_cast<int>(thread));
        const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            m_files.push_back(fd);
        }
    }
}

RunDelay::~RunDelay()
{
    for (const int fd : m_files) {
        ::close(fd);
    }
}

std::int64_t RunDelay::nanoseconds() const
{
    std::int64_t sum = 0;
    for (const int fd : m_files) {
        std::array<char, 96> text;
        const ssize_t count = ::pread(fd, text.data(), text.size() - 1, 0);
        if (count <= 0) {
            continue;
        }
        text[static_cast<std::size_t>(count)] = '\0';
        char* rest = text.data();
        std::strtoll(rest, &rest, 10);
        sum += std::strtoll(rest, nullptr, 10);
    }
    return sum;
}

Load readLoad()
{
    Load load;
    load.wallNs = clockNs(CLOCK_MONOTONIC);
    const double own = static_cast<double>(clockNs(CLOCK_PROCESS_CPUTIME_ID)) / 1e6;
    const std::string text = readAll("/proc/stat");
    std::size_t at = 0;
    while (text.compare(at, 3, "cpu") == 0) {
        const std::size_t end = text.find('\n', at);
        const char* const line = text.c_str() + at + 3;
        if (*line == ' ') {
            load.othersMs = busyOf(line) - own;
        } else {
            char* rest = nullptr;
            const std::size_t cpu = static_cast<std::size_t>(std::strtoll(line, &rest, 10));
            load.busyMs.resize(std::max(load.busyMs.size(), cpu + 1));
            load.busyMs[cpu] = busyOf(rest);
        }
        if (end == std::string::npos) {
            break;
        }
        at = end + 1;
    }
    return load;
}

double othersBetween(const Load& before, const Load& after)
{
    const double wallMs = static_cast<double>(after.wallNs - before.wallNs) / 1e6;
    return wallMs <= 0 ? 0 : std::max(0.0, (after.othersMs - before.othersMs) / wallMs);
}

std::vector<int> quietestFirst(const std::vector<int>& allowed, const Load& before, const Load& after)
{
    const auto busy = [&](int cpu) {
        const std::size_t at = static_cast<std::size_t>(cpu);
        return at < before.busyMs.size() && at < after.busyMs.size() ? after.busyMs[at] - before.busyMs[at] : 0;
    };
    std::vector<int> order = allowed;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return busy(a) < busy(b); });
    return order;
}

Quiet waitUntilQuiet(double limitMs)
{
    constexpr std::chrono::milliseconds kLook(250);
    Quiet quiet;
    quiet.before = readLoad();
    const std::int64_t deadline = quiet.before.wallNs + static_cast<std::int64_t>(limitMs * 1e6);
    int quietLooks = 0;
    while (true) {
        std::this_thread::sleep_for(kLook);
        quiet.after = readLoad();
        quiet.others = othersBetween(quiet.before, quiet.after);
        quietLooks = quiet.others < kQuietShare ? quietLooks + 1 : 0;
        if (quietLooks >= 2 || quiet.after.wallNs >= deadline) {
            return quiet;
        }
        quiet.before = quiet.after;
    }
}

} // namespace nw::runner
