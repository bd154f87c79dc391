#pragma once

#include "engine/measure/runner/guarded_buffer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nw::runner {

// Memory around a buffer that nobody may touch.
struct GuardRange {
    const std::byte* begin = nullptr;
    const std::byte* end = nullptr;
    const std::byte* buffer = nullptr; // the buffer's first byte, or its end when `behind`
    bool behind = false;
    int port = 0;
};

// While it lives, an access to one of the ranges, from any thread, is answered as the wrong result that it is: a RunDone
// frame for the job goes out on the channel's descriptor straight from the signal handler, and the process ends. Any
// other fault ends the process by its signal. There is one at a time.
class FaultReport {
public:
    FaultReport(int channelDescriptor, std::uint64_t jobId);
    ~FaultReport();
    FaultReport(const FaultReport&) = delete;
    FaultReport& operator=(const FaultReport&) = delete;

    // `where` says which run: "data set 1, right edge". At most 60 characters of it are used.
    void watch(std::vector<GuardRange> ranges, const std::string& where);
    void unwatch();
};

} // namespace nw::runner
