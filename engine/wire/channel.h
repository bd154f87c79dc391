#pragma once

#include "engine/base/result.h"
#include "engine/wire/messages.h"

#include <memory>
#include <optional>

namespace nw::wire {

// Length-prefixed frames on a stream socket (4-byte little-endian length, at most 256 MiB). Not thread-safe.
class Channel {
public:
    explicit Channel(int fileDescriptor); // takes ownership
    ~Channel();
    Channel(Channel&&) noexcept;
    Channel& operator=(Channel&&) noexcept;
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    Status send(const Frame& frame);
    // Waits up to timeoutMs (-1: for ever). Stopped on time-out, Failed "ended" when the peer is gone, Failed "protocol"
    // for garbage.
    Result<Frame> receive(std::int64_t timeoutMs);
    int fileDescriptor() const { return m_fd; }

private:
    int m_fd = -1;
};

} // namespace nw::wire
