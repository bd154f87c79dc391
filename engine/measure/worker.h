#pragma once

#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/wire/messages.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace nw::measure {

// What became of a job sent to a worker process. `value` only counts when outcome is Ok (or WrongResult for a run).
template <typename T>
struct JobResult {
    wire::Outcome outcome = wire::Outcome::Ok;
    T value;
    Error error;         // words for every other outcome: "limit of 2 s reached", "signal 11", ...
    std::string logTail; // last 4 KiB of what the worker printed
    explicit operator bool() const { return outcome == wire::Outcome::Ok; }
};

// A child process of ours that answers frames on a socket pair (its descriptor number is its first argument). It leads
// a process group, dies with its parent, and is killed and reaped as a group when a job exceeds its limit. A worker that
// crashes, hangs or is killed costs one job; the next job starts a new one. Its standard output and error are captured,
// at most 64 KiB kept. Not thread-safe: one job at a time.
class Worker {
public:
    struct Settings {
        std::filesystem::path program;
        std::int64_t memoryLimitBytes = 0;  // address-space limit of the process; 0: none
        int recycleAfter = 0;               // jobs, then a fresh process; 0: never
        std::vector<std::string> arguments; // after the descriptor
    };
    explicit Worker(Settings settings);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    JobResult<wire::BuildReply> build(const wire::BuildJob& job, const StopToken& stop = {});
    JobResult<wire::RunReply> run(const wire::RunJob& job, const StopToken& stop = {});
    // Starts the process when it is not running (so that the first job does not pay for it).
    Status start();
    // Ends the process; the next job starts a fresh one.
    void restart();
    int processId() const; // 0 when not running

private:
    struct State;
    std::unique_ptr<State> m_state;
};

// Where the two programs lie: beside the calling program (/proc/self/exe), or in ../libexec/nestwright.
struct Programs {
    std::filesystem::path builder, runner;
};
Result<Programs> findPrograms();

} // namespace nw::measure
