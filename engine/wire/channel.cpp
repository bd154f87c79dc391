#include "engine/wire/channel.h"

#include "engine/base/text.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace nw::wire {
namespace {

constexpr std::size_t kPrefix = 4;
constexpr std::size_t kLimit = std::size_t{256} << 20;

using Clock = std::chrono::steady_clock;

// Milliseconds left for poll(), rounded up; -1 for ever.
class Deadline {
public:
    explicit Deadline(std::int64_t timeoutMs)
        : m_forever(timeoutMs < 0)
        , m_end(Clock::now() + std::chrono::milliseconds(std::max<std::int64_t>(timeoutMs, 0)))
    {}
    int left() const
    {
        if (m_forever) {
            return -1;
        }
        const auto rest = std::chrono::ceil<std::chrono::milliseconds>(m_end - Clock::now()).count();
        return static_cast<int>(std::clamp<std::int64_t>(rest, 0, 1000000000));
    }

private:
    bool m_forever;
    Clock::time_point m_end;
};

// Waits until the descriptor is ready for `events` (a hang-up counts: the next call reports it).
Status waitFor(int fd, short events, const Deadline& deadline)
{
    while (true) {
        pollfd entry{fd, events, 0};
        const int left = deadline.left();
        const int ready = ::poll(&entry, 1, left);
        if (ready > 0) {
            return Done{};
        }
        if (ready == 0) {
            return stopped("no answer within the time limit");
        }
        if (errno != EINTR) {
            return failed(format("{}: {}", Channel::kEnded, std::strerror(errno)));
        }
    }
}

std::size_t lengthOf(const std::string& bytes)
{
    std::size_t length = 0;
    for (std::size_t i = kPrefix; i-- > 0;) {
        length = length << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return length;
}

} // namespace

Channel::Channel(int fileDescriptor)
    : m_fd(fileDescriptor)
{}

Channel::~Channel()
{
    if (m_fd >= 0) {
        ::close(m_fd);
    }
}

Channel::Channel(Channel&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
    , m_pending(std::move(other.m_pending))
{}

Channel& Channel::operator=(Channel&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    std::swap(m_pending, other.m_pending);
    return *this;
}

Status Channel::send(const Frame& frame, std::int64_t timeoutMs)
{
    const std::string body = encode(frame);
    if (body.size() > kLimit) {
        return failed(format("a message of {} MiB is over the limit of 256 MiB", body.size() >> 20));
    }
    std::string bytes;
    bytes.reserve(kPrefix + body.size());
    for (std::size_t i = 0; i < kPrefix; ++i) {
        bytes.push_back(static_cast<char>(body.size() >> (8 * i) & 0xff));
    }
    bytes += body;

    const Deadline deadline(timeoutMs);
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t count = ::send(m_fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count >= 0) {
            sent += static_cast<std::size_t>(count);
            continue;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (Status ready = waitFor(m_fd, POLLOUT, deadline); !ready) {
                return ready;
            }
        } else if (errno != EINTR) {
            return failed(format("{}: {}", kEnded, std::strerror(errno)));
        }
    }
    return Done{};
}

Result<Frame> Channel::receive(std::int64_t timeoutMs)
{
    const Deadline deadline(timeoutMs);
    std::array<char, 1 << 16> chunk;
    while (true) {
        std::size_t wanted = kPrefix;
        if (m_pending.size() >= kPrefix) {
            const std::size_t length = lengthOf(m_pending);
            if (length > kLimit) {
                return failed(format("{}: a frame of {} bytes is announced, over the limit of 256 MiB", kProtocol, length));
            }
            wanted += length;
            if (m_pending.size() == wanted) {
                Result<Frame> frame = decodeFrame(std::string_view(m_pending).substr(kPrefix));
                m_pending.clear();
                return frame;
            }
        }
        // Never beyond this frame, and no memory for bytes that were only announced.
        const std::size_t room = std::min(chunk.size(), wanted - m_pending.size());
        const ssize_t count = ::recv(m_fd, chunk.data(), room, MSG_DONTWAIT);
        if (count > 0) {
            m_pending.append(chunk.data(), static_cast<std::size_t>(count));
        } else if (count == 0) {
            return failed(m_pending.empty() ? kEnded : format("{} in the middle of a message", kEnded));
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (Status ready = waitFor(m_fd, POLLIN, deadline); !ready) {
                return ready.error();
            }
        } else if (errno != EINTR) {
            return failed(format("{}: {}", kEnded, std::strerror(errno)));
        }
    }
}

} // namespace nw::wire
