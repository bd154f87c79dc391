#pragma once

#include "engine/base/result.h"
#include "engine/wire/messages.h"

#include <memory>
#include <optional>
#include <string>

namespace nw::wire {

// Length-prefixed frames on a stream socket (4-byte little-endian length, at most 256 MiB). Not thread-safe.
class Channel {
public:
    // How the messages of receive() and send() begin when the peer is gone and when it sent what is no frame.
    static constexpr const char* kEnded = "ended";
    static constexpr const char* kProtocol = "protocol";

    explicit Channel(int fileDescriptor); // takes ownership
    ~Channel();
    Channel(Channel&&) noexcept;
    Channel& operator=(Channel&&) noexcept;
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    // Waits up to timeoutMs (-1: for ever) for room; after a time-out (Stopped) the stream is broken off in the middle
    // of a frame and the channel of no more use. Failed "ended" when the peer is gone.
    Status send(const Frame& frame, std::int64_t timeoutMs = -1);
    // Waits up to timeoutMs (-1: for ever). Stopped on time-out, Failed "ended" when the peer is gone, Failed "protocol"
    // for garbage. A frame that had come in part when the time was up is not lost: call again.
    Result<Frame> receive(std::int64_t timeoutMs);
    int fileDescriptor() const { return m_fd; }

private:
    int m_fd = -1;
    std::string m_pending; // received bytes of a frame that is not complete
};

} // namespace nw::wire
