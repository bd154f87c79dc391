#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace nw::measure {

// The end of an endless text, written by one thread and read by another.
class LogTail {
public:
    static constexpr std::size_t kKept = 64 * 1024;

    void append(std::string_view text)
    {
        const std::lock_guard lock(m_mutex);
        m_total += text.size();
        m_text.append(text);
        if (m_text.size() > 2 * kKept) {
            m_text.erase(0, m_text.size() - kKept);
        }
    }
    std::uint64_t total() const
    {
        const std::lock_guard lock(m_mutex);
        return m_total;
    }
    // At most `limit` bytes of what came after the first `from`.
    std::string since(std::uint64_t from, std::size_t limit) const
    {
        const std::lock_guard lock(m_mutex);
        const std::uint64_t wanted = m_total > from ? m_total - from : 0;
        const std::size_t count = std::min<std::uint64_t>({wanted, limit, kKept, m_text.size()});
        return m_text.substr(m_text.size() - count);
    }

private:
    mutable std::mutex m_mutex;
    std::string m_text;
    std::uint64_t m_total = 0;
};

} // namespace nw::measure
