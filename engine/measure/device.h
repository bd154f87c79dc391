#pragma once

#include "engine/base/stop.h"
#include "engine/base/target.h"
#include "engine/measure/worker.h"
#include "engine/schedule/script.h"
#include "engine/schedule/task.h"
#include "engine/wire/messages.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nw::measure {

// Stored roofs of a device: they draw pictures and give `bound`; share_of_peak never uses them.
struct Roofs {
    double peakGflopsPerThread = 0; // f32 FMA
    // Bandwidth of one thread by working set: level bytes and GB/s, smallest level first ("L1", "L2", "L3", "memory").
    struct Level {
        std::string name;
        std::int64_t bytes = 0; // capacity; 0 for memory
        double gbPerSecond = 0;
    };
    std::vector<Level> levels;
};

// bound = max(flops / peak, compulsory bytes / bandwidth of the smallest level that holds the working set); ns.
struct Bound {
    double ns = 0;
    std::string by; // "peak", "L2 bandwidth", ...
};
Bound boundOf(const compute::Work& work, const Roofs& roofs, int threads);

enum class Priority { Interactive, Tuner };
// One lock per device across all processes; timing is exclusive and an interactive wish goes before the tuner's next.
class Lease {
public:
    static Result<std::unique_ptr<Lease>> acquire(const std::filesystem::path& runtimeFolder, const std::string& device,
                                                  Priority priority, const StopToken& stop, std::int64_t timeoutMs);
    virtual ~Lease() = default;
};

// One measured figure with what it takes to trust it.
struct Measurement {
    wire::Outcome outcome = wire::Outcome::Ok;
    Error error; // when outcome is not Ok
    std::string logTail;
    wire::RunReply run;
    wire::KernelListing listing;
    wire::BuildReply build;
    std::string protocol;
    bool cold = false;
    double medianNs = 0, spread = 0;
    bool noisy = false;
    double shareOfPeak = 0;    // nominal FLOPs / time / alternated peak
    double shareOfBound = 0;   // bound / time
    Bound bound;
    double buildMs = 0, totalMs = 0;
};

struct PairResult {
    wire::Outcome outcome = wire::Outcome::Ok;
    Error error;
    double ratio = 1;     // time of B / time of A
    double halfWidth = 0; // 95 % interval, relative
    double decidable = 0; // smallest difference this run could decide
    int clean = 0, total = 0;
    std::string verdict;  // "A is faster by 4.1 %", "no difference above 2 %"
};

// An operator of another library as a job names it (wire::RunJob); libraryOpOf() describes a task's.
struct LibraryOp {
    std::string library, op;
};
// oneDNN's operator for what is defined; empty when there is none.
std::vector<LibraryOp> oneDnnOf(const compute::Definition& definition);

// Several measured in one job, in rounds whose order rotates, each sample between its own probes as in measure().
struct Together {
    std::vector<Measurement> scripts;   // parallel to those given; one that failed says why and was left out of the rounds
    std::vector<Measurement> libraries; // parallel to those given; Refused: not installed, or no such operator
    bool together = false;              // false: the rounds could not be done, and each was measured for itself
    // The first library; nothing: not asked for, not installed, or no such operator.
    std::optional<Measurement> library() const;
};

// This machine as a device: its builder and runner, its data files, its lease. Oracle and test data of a task are made
// once and kept in `cacheFolder` by hash. Not thread-safe.
class LocalDevice {
public:
    struct Settings {
        Programs programs;
        std::filesystem::path cacheFolder, runtimeFolder;
        Priority priority = Priority::Interactive;
        std::int64_t buildTimeoutMs = 120000, runTimeoutMs = 30000;
        std::int64_t builderMemoryBytes = std::int64_t{4} << 30;
    };
    explicit LocalDevice(Settings settings);
    ~LocalDevice();

    std::string name() const; // "local"
    const Target& native() const;
    // Probed once (seconds), kept in the cache folder.
    Result<Roofs> roofs(int threads, bool again = false, const StopToken& stop = {});

    // Build, check, time. protocol: "quick", "search", "confirm", "none" (check only). `enoughNs`: what shows itself slower
    // than this under "search" is not sampled further; 0: everything is.
    Measurement measure(const schedule::Task& task, const std::string& script, const std::string& protocol, bool cold = false,
                        const StopToken& stop = {}, double enoughNs = 0);
    // Build only (listings).
    JobResult<wire::BuildReply> build(const schedule::Task& task, const std::string& script, bool listings,
                                      const StopToken& stop = {});
    // Several at once, one a core, on builders of their own and under the lease; what is built is there for measure().
    std::vector<JobResult<wire::BuildReply>> buildAll(const schedule::Task& task, const std::vector<std::string>& scripts,
                                                      const StopToken& stop = {});
    // Alternating ABBA of two scripts of one task.
    PairResult pair(const schedule::Task& task, const std::string& scriptA, const std::string& scriptB,
                    const StopToken& stop = {});
    // Scripts of one task beside operators of libraries, which need not be the task's own (another algorithm's), under
    // "quick" or "confirm" with hot caches. Stopped: none of them has a figure.
    Together measureTogether(const schedule::Task& task, const std::vector<std::string>& scripts,
                             const std::vector<LibraryOp>& libraries, const std::string& protocol, const StopToken& stop = {});
    // The same for scripts of several tasks, which are different ways to compute one thing (another algorithm has a task of
    // its own); the operators of libraries are judged by the first task's work.
    struct Entry {
        schedule::Task task;
        std::string script;
    };
    Together measureTogether(const std::vector<Entry>& entries, const std::vector<LibraryOp>& libraries,
                             const std::string& protocol, const StopToken& stop = {});
    // That operator's time in the light of the task's work, alternated with the probes like any other. Refused: the library
    // is not installed, or has no such operator.
    Measurement measureLibrary(const schedule::Task& task, const LibraryOp& op, const std::string& protocol, const StopToken& stop = {});
    // Oracle and data files made (cached), so that the next measure() only builds and runs.
    Status prepare(const schedule::Task& task, const StopToken& stop = {});

    Worker& builder();
    Worker& runner();
    const Settings& settings() const;
    // A run job of the caller's own on this device's runner: within Settings::runTimeoutMs or the job's own longer
    // limit, and under the lease when times are wanted.
    JobResult<wire::RunReply> run(wire::RunJob job, const StopToken& stop = {});

private:
    struct State;
    std::unique_ptr<State> m_state;
};

// A constant in the memory form a nest wants.
std::vector<std::byte> packTensor(const Tensor& tensor, const Layout& layout);

} // namespace nw::measure
