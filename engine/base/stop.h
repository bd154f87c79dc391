#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace nw {

// Passed to anything slow. Copies share one flag.
class StopToken {
public:
    StopToken()
        : m_flag(std::make_shared<std::atomic<bool>>(false))
    {}
    bool stopRequested() const { return m_flag->load(std::memory_order_relaxed); }
    void requestStop() const { m_flag->store(true, std::memory_order_relaxed); }

private:
    std::shared_ptr<std::atomic<bool>> m_flag;
};

// fraction in [0, 1], or negative when unknown; `what` is a short phrase in English.
using Progress = std::function<void(double fraction, const std::string& what)>;

} // namespace nw
