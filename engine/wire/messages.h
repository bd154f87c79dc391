#pragma once

#include "engine/base/result.h"
#include "engine/base/target.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw::wire {

// What travels between the client and its workers, as plain values; messages.cpp turns them into Protocol Buffers and
// back. Local: frames on a socket pair. Large data travels as files mapped by path.

// What became of a job, each distinct (DESIGN.md, CASES.md 49).
enum class Outcome { Ok, DoesNotBuild, Refused, WrongResult, Crash, Hang, OutOfMemory, EndedEarly, ProtocolError, Stopped, DeviceUnavailable };
std::string_view toText(Outcome outcome); // "ok", "does-not-build", "refused", "wrong-result", "crash", ...

// --- builder ---

struct KernelJob {
    std::string symbol;     // "kernel_0"
    std::string definition; // canonical text
    std::vector<std::string> layouts; // Layout::toText of each port, from the task
    std::string script;     // knob-free; empty: the plain nest
    bool listings = false;  // keep lowered text, LLVM IR and assembly
};
// Argument of a model's call: which memory and where.
struct CallArgument {
    enum class Space { Input, Output, Constant, Arena };
    Space space = Space::Arena;
    std::int32_t index = 0;
    std::int64_t offset = 0; // bytes
};
struct ModelCall {
    std::int32_t kernel = 0; // index into BuildJob::kernels
    std::vector<CallArgument> arguments;
};
struct BuildJob {
    Target target;
    std::vector<KernelJob> kernels;
    std::vector<ModelCall> calls;        // empty: kernels only
    std::int64_t arenaBytes = 0;         // kernels' workspace is placed behind it by the builder
    std::string outputPath;              // shared object to write
    std::int64_t timeoutMs = 120000;
};
// Accesses of one kind to one buffer in a kernel's code, in vector loops by lanes.
enum class AccessKind {
    Scalar,     // outside of vector loops
    Contiguous, // lanes side by side
    Broadcast,  // one element for all lanes
    Strided,    // lanes a fixed distance apart
    Gather      // lanes anywhere; of a store: scatter
};
std::string_view toText(AccessKind kind); // "contiguous"
struct AccessCount {
    std::string buffer;
    bool stores = false;
    AccessKind kind = AccessKind::Scalar;
    std::int32_t count = 0; // places in the code, each of an unrolled loop's steps for itself
};
struct KernelListing {
    std::string symbol;
    std::int64_t workspaceBytes = 0;
    std::int32_t spills = 0;         // spill stores + reloads in the innermost loops
    std::int32_t totalSpills = 0;    // in the whole kernel
    std::int32_t vectorRegisters = 0; // distinct vector registers used in the hottest innermost loop
    std::int32_t fmas = 0;           // FMA instructions in the hottest innermost loop
    std::int64_t codeBytes = 0;
    std::vector<AccessCount> accesses; // of memory, not of registers; by buffer
    std::string loweredText, llvmIr, assembly; // when asked for
};
struct BuildReply {
    std::string path; // of the shared object
    std::vector<KernelListing> kernels;
    std::int64_t arenaBytes = 0; // with workspace
    double lowerMs = 0, optimizeMs = 0, codegenMs = 0, linkMs = 0;
};

// --- runner ---

enum class PortRole { Input, Constant, Output, Scratch };
// One pointer argument. Files hold the memory form (layout applied, border zero).
struct PortData {
    PortRole role = PortRole::Input;
    std::int64_t bytes = 0;
    std::string file;           // contents for Input and Constant; mapped or read
    std::int64_t fileOffset = 0;
    std::string expectedFile;   // Output: doubles, one per logical element; empty: not checked
    std::string boundFile;      // Output: doubles, the allowed absolute error; empty: bit for bit
    std::string logicalMapFile; // Output: int64 element offset of each logical element in memory; empty: identity
    std::string elementType = "f32";
    std::string saveFile;       // Output: where to write the memory contents after the checked run; empty: nowhere
};
struct Protocol {
    std::string name = "quick"; // quick, search, confirm, none (check only)
    bool cold = false;
    double sampleMs = 20;
    std::int32_t samples = 15;
    double limitMs = 6000;
    double bestAddsPerClock = 0; // most that this device ever showed (the client keeps it); 0: not known yet
    double enoughNs = 0;         // search: slower than this needs no more samples to be out; 0: no such limit
};
// What is timed in turns with a job's own entry: another entry, or a library's operator.
struct Rival {
    std::string sharedObject, symbol;
    std::vector<std::vector<PortData>> dataSets; // its ports where they differ (packed constants, workspace); empty: the job's
    std::string library, libraryOp;              // as in RunJob
};
struct RunJob {
    std::string sharedObject;
    std::string symbol;                  // kernel or model entry
    bool isModel = false;                // entry ABI, see kernel_abi.h
    std::vector<std::vector<PortData>> dataSets; // every set is checked; the last one is timed
    Protocol protocol;
    std::int32_t threads = 1;
    std::int64_t timeoutMs = 30000;      // of the whole job
    std::int64_t memoryLimitBytes = 0;   // 0: none
    std::int32_t profileRuns = 0;        // model: runs with per-call timestamps
    std::vector<Rival> rivals;           // protocol "pair": B of ABBA; any other: all in rounds, the order rotating
    std::string library;                 // "", or "onednn": time this library's operator on the same data instead
    std::string libraryOp;               // JSON description for it
};
struct CheckVerdict {
    bool checked = false;
    bool correct = true;
    double maxAbsDiff = 0, maxRelDiff = 0;
    std::string message; // first mismatch: port, element, got, expected; or canary / guard page
};
struct Sample {
    double ns = 0;       // one run
    double peakGflops = 0; // FMA probe beside it (average of before and after), on the threads in use
    double addsPerNs = 0;
    double runDelayShare = 0;
    bool clean = true;
};
struct RunReply {
    CheckVerdict verdict;
    std::vector<Sample> samples;
    std::int32_t clean = 0, total = 0;
    double medianNs = 0;      // clean samples, drift of the clock divided out
    double spread = 0;        // half-width of the 5-95 % interval of clean samples, relative
    bool noisy = false;
    double shareOfPeakDenominator = 0; // alternated peak, FLOP/s of the threads in use
    std::vector<double> profileNs;     // per call, median
    double pairRatio = 0, pairHalfWidth = 0; // B time / A time
    std::int32_t pairClean = 0, pairTotal = 0;
    double pairDecidable = 0; // smallest difference that this pair run can decide, relative
    std::string note;         // e.g. "other processes used 40 % of a CPU"
    double bestAddsPerClock = 0; // seen in this process, for Protocol::bestAddsPerClock of the next job
    std::vector<RunReply> rivals; // rounds: parallel to RunJob::rivals
    // Of a rival that was not run: why. It was left out of the rounds.
    Outcome outcome = Outcome::Ok;
    std::string failure;
};

// Serialized forms.
std::string encode(const BuildJob& job);
std::string encode(const BuildReply& reply);
std::string encode(const RunJob& job);
std::string encode(const RunReply& reply);
Result<BuildJob> decodeBuildJob(std::string_view bytes);
Result<BuildReply> decodeBuildReply(std::string_view bytes);
Result<RunJob> decodeRunJob(std::string_view bytes);
Result<RunReply> decodeRunReply(std::string_view bytes);

// Envelope of every frame on a socket: a request or a reply, or an error with its kind, line and refusal.
struct Frame {
    enum class Kind { Build, BuildDone, Run, RunDone, Error, Hello, Progress };
    Kind kind = Kind::Hello;
    std::uint64_t id = 0; // of the job
    std::string body;     // encoded message, or words
    Error error;          // when kind is Error
    Outcome outcome = Outcome::Ok;
    bool last = false; // the worker ends after this answer: the next job is another's
};
std::string encode(const Frame& frame);
Result<Frame> decodeFrame(std::string_view bytes);

} // namespace nw::wire
