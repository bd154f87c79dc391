#pragma once

#include "engine/base/result.h"
#include "engine/wire/channel.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nw::measure {

// How a process ended.
struct ProcessEnd {
    bool bySignal = false;
    int number = 0; // of the signal, or the exit status
};

// A child that leads a process group of its own and holds one end of a socket pair as descriptor 3. It is killed when
// this process, or this object, ends. Its standard output and error go through a pipe that is always read, so that it
// may print without limit; the last 64 KiB are kept. Its descriptors other than 0 to 3 are closed.
class ChildProcess {
public:
    struct Settings {
        std::filesystem::path program;
        std::vector<std::string> arguments; // after "3"
        std::int64_t memoryLimitBytes = 0;  // address space; 0: none
    };
    static Result<std::unique_ptr<ChildProcess>> start(const Settings& settings);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    int id() const;
    wire::Channel& channel();
    // Looks without waiting and without reaping.
    bool hasEnded() const;
    // Waits up to timeoutMs for an end that comes by itself; then, in any case, kills what is left of the group, reaps
    // the child and reads the rest of its output. Says how it ended, and nothing when it had to be killed here.
    std::optional<ProcessEnd> finish(std::int64_t timeoutMs);

    // Marks the place in the output where a job begins.
    void beginLog();
    // At most `limit` bytes of what was printed since.
    std::string logTail(std::size_t limit) const;

private:
    ChildProcess();
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace nw::measure
