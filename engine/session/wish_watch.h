#pragma once

#include "engine/base/stop.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <thread>

namespace nw::session {

// Hears what is wished of a tuning session while the tuner is deep in a measurement, several times a second, on a connection
// of its own to the project.
class WishWatch {
public:
    WishWatch(const std::filesystem::path& project, std::int64_t session, const StopToken& outer);
    ~WishWatch();
    WishWatch(const WishWatch&) = delete;
    WishWatch& operator=(const WishWatch&) = delete;

    const StopToken& search() const { return m_search; }   // pause, stop, cancel, or the outer one
    const StopToken& confirm() const { return m_confirm; } // the same but for stop, which keeps the best and so confirms it

private:
    void watch(const std::filesystem::path& project, std::int64_t session);

    StopToken m_outer, m_search, m_confirm;
    std::atomic<bool> m_done = false;
    std::thread m_thread;
};

} // namespace nw::session
