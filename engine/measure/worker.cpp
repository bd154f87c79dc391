#include "engine/measure/worker.h"

#include "engine/base/text.h"
#include "engine/measure/child_process.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>

namespace nw::measure {

using wire::Frame;
using wire::Outcome;

namespace {

constexpr std::size_t kLogInReply = 4096;
// How often a stop request and the end of the process are looked for; each look takes a few microseconds of another CPU.
constexpr std::int64_t kLookMs = 50;
constexpr std::int64_t kEndWaitMs = 2000;

std::string seconds(std::int64_t ms)
{
    return ms % 1000 == 0 ? format("{} s", ms / 1000) : format("{} ms", ms);
}

bool mentionsMemory(std::string log)
{
    std::transform(log.begin(), log.end(), log.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return log.find("bad_alloc") != std::string::npos || log.find("out of memory") != std::string::npos ||
        log.find("cannot allocate memory") != std::string::npos;
}

struct Verdict {
    Outcome outcome = Outcome::Ok;
    Error error;
};

// What the end of a process means that owed an answer. Nothing in `end`: it hung up but went on running.
Verdict judgeEnd(const std::optional<ProcessEnd>& end, const std::string& log)
{
    if (!end) {
        return {Outcome::EndedEarly, failed("ended early: the worker closed its connection without an answer")};
    }
    if (!end->bySignal) {
        if (end->number != 0 && mentionsMemory(log)) {
            return {Outcome::OutOfMemory, failed(format("out of memory (exit status {})", end->number))};
        }
        return {Outcome::EndedEarly,
                failed(format("ended early: the worker exited with status {} without an answer", end->number))};
    }
    if (end->number == SIGKILL) {
        return {Outcome::OutOfMemory, failed("killed (memory?): signal 9 that was not ours")};
    }
    if (end->number == SIGABRT && mentionsMemory(log)) {
        return {Outcome::OutOfMemory, failed("out of memory (signal 6)")};
    }
    return {Outcome::Crash, failed(format("signal {}", end->number))};
}

template <typename T>
JobResult<T> failure(Verdict verdict, std::string log)
{
    return {verdict.outcome, {}, std::move(verdict.error), std::move(log)};
}

} // namespace

struct Worker::State {
    Settings settings;
    std::unique_ptr<ChildProcess> process;
    std::uint64_t lastId = 0;
    int jobs = 0; // of the running process

    Status start();
    JobResult<Frame> exchange(Frame request, std::int64_t timeoutMs, const StopToken& stop);
    JobResult<Frame> end(Verdict verdict, std::int64_t waitMs);
    std::optional<JobResult<Frame>> look(std::int64_t waitMs, const StopToken& stop);
};

Status Worker::State::start()
{
    if (process != nullptr && process->hasEnded()) {
        process.reset();
    }
    if (process != nullptr) {
        return Done{};
    }
    Result<std::unique_ptr<ChildProcess>> started =
        ChildProcess::start({settings.program, settings.arguments, settings.memoryLimitBytes});
    if (!started) {
        return started.error();
    }
    process = *std::move(started);
    jobs = 0;
    return Done{};
}

// Ends the process and reports `verdict`, or what its end says when `verdict` is Ok.
JobResult<Frame> Worker::State::end(Verdict verdict, std::int64_t waitMs)
{
    const std::optional<ProcessEnd> ended = process->finish(waitMs);
    std::string log = process->logTail(kLogInReply);
    if (verdict.outcome == Outcome::Ok) {
        verdict = judgeEnd(ended, log);
    }
    process.reset();
    return failure<Frame>(std::move(verdict), std::move(log));
}

// One wait for an answer: nothing when there is none yet.
std::optional<JobResult<Frame>> Worker::State::look(std::int64_t waitMs, const StopToken& stop)
{
    const bool ended = process->hasEnded(); // before receiving: what it sent last still counts
    Result<Frame> answer = process->channel().receive(ended ? 0 : waitMs);
    if (!answer) {
        const Error& error = answer.error();
        if (error.kind != Error::Kind::Stopped) {
            return error.message.starts_with(wire::Channel::kProtocol)
                ? end({Outcome::ProtocolError, failed("protocol error: " + error.message)}, 0)
                : end({}, kEndWaitMs);
        }
        if (ended) { // a child of the worker may still hold the connection open
            return end({}, 0);
        }
        if (stop.stopRequested()) {
            return end({Outcome::Stopped, stopped("stopped")}, 0);
        }
        return std::nullopt;
    }
    const bool forThisJob = answer->id == lastId;
    switch (answer->kind) {
    case Frame::Kind::Hello:
    case Frame::Kind::Progress: return std::nullopt;
    case Frame::Kind::BuildDone:
    case Frame::Kind::RunDone:
    case Frame::Kind::Error:
        if (forThisJob) {
            JobResult<Frame> result{Outcome::Ok, *std::move(answer), {}, process->logTail(kLogInReply)};
            if (result.value.last) { // it may take a while to go: the next job must not meet it
                process.reset();
            }
            return result;
        }
        break;
    case Frame::Kind::Build:
    case Frame::Kind::Run: break;
    }
    return end({Outcome::ProtocolError, failed("protocol error: an answer to another question")}, 0);
}

JobResult<Frame> Worker::State::exchange(Frame request, std::int64_t timeoutMs, const StopToken& stop)
{
    if (stop.stopRequested()) {
        return failure<Frame>({Outcome::Stopped, stopped("stopped")}, {});
    }
    if (process != nullptr && settings.recycleAfter > 0 && jobs >= settings.recycleAfter) {
        process.reset();
    }
    if (const Status started = start(); !started) {
        return failure<Frame>({Outcome::DeviceUnavailable, started.error()}, {});
    }
    ++jobs;
    request.id = ++lastId;
    process->beginLog();

    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::milliseconds(timeoutMs);
    const Verdict hang{Outcome::Hang, stopped(format("limit of {} reached", seconds(timeoutMs)))};
    if (const Status sent = process->channel().send(request, timeoutMs); !sent) {
        return sent.error().kind == Error::Kind::Stopped ? end(hang, 0) : end({}, kEndWaitMs);
    }
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (std::optional<JobResult<Frame>> result = look(std::clamp<std::int64_t>(left, 0, kLookMs), stop)) {
            return *std::move(result);
        }
        if (left <= 0) {
            return end(hang, 0);
        }
    }
}

Worker::Worker(Settings settings)
    : m_state(std::make_unique<State>())
{
    m_state->settings = std::move(settings);
}

Worker::~Worker() = default;

Status Worker::start()
{
    return m_state->start();
}

void Worker::restart()
{
    m_state->process.reset();
}

int Worker::processId() const
{
    return m_state->process != nullptr && !m_state->process->hasEnded() ? m_state->process->id() : 0;
}

namespace {

// A job's answer decoded, or the error frame's outcome; `otherwise` is what a plain failure means for this job.
template <typename T>
JobResult<T> unpack(JobResult<Frame> answer, Frame::Kind wanted, Result<T> (*decode)(std::string_view), Outcome otherwise)
{
    if (answer.outcome != Outcome::Ok) {
        return failure<T>({answer.outcome, std::move(answer.error)}, std::move(answer.logTail));
    }
    Frame& frame = answer.value;
    if (frame.kind == Frame::Kind::Error) {
        Outcome outcome = frame.outcome;
        if (outcome == Outcome::Ok) {
            outcome = frame.error.kind == Error::Kind::Refused ? Outcome::Refused
                : frame.error.kind == Error::Kind::Stopped     ? Outcome::Stopped
                                                               : otherwise;
        }
        return failure<T>({outcome, std::move(frame.error)}, std::move(answer.logTail));
    }
    Result<T> value = frame.kind == wanted ? decode(frame.body) : Result<T>(failed("protocol: an answer of the wrong kind"));
    if (!value) {
        return failure<T>({Outcome::ProtocolError, failed("protocol error: " + value.error().message)},
                          std::move(answer.logTail));
    }
    return {Outcome::Ok, *std::move(value), {}, std::move(answer.logTail)};
}

} // namespace

JobResult<wire::BuildReply> Worker::build(const wire::BuildJob& job, const StopToken& stop)
{
    Frame request;
    request.kind = Frame::Kind::Build;
    request.body = wire::encode(job);
    return unpack<wire::BuildReply>(m_state->exchange(std::move(request), job.timeoutMs, stop), Frame::Kind::BuildDone,
                                    &wire::decodeBuildReply, Outcome::DoesNotBuild);
}

JobResult<wire::RunReply> Worker::run(const wire::RunJob& job, const StopToken& stop)
{
    Frame request;
    request.kind = Frame::Kind::Run;
    request.body = wire::encode(job);
    JobResult<wire::RunReply> result =
        unpack<wire::RunReply>(m_state->exchange(std::move(request), job.timeoutMs, stop), Frame::Kind::RunDone,
                               &wire::decodeRunReply, Outcome::DeviceUnavailable);
    if (result.outcome == Outcome::Ok && result.value.verdict.checked && !result.value.verdict.correct) {
        // The runner pads this text when it reports a fault in memory from a signal handler.
        std::string& message = result.value.verdict.message;
        message = std::string(trim(message));
        result.outcome = Outcome::WrongResult;
        result.error = failed("wrong result: " + message);
    }
    return result;
}

Result<Programs> findPrograms()
{
    std::error_code code;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
    if (code) {
        return failed("cannot find the place of this program: " + code.message());
    }
    const std::filesystem::path folder = self.parent_path();
    for (const std::filesystem::path& place : {folder, folder.parent_path() / "libexec" / "nestwright"}) {
        Programs programs{place / "nestwright-builder", place / "nestwright-runner"};
        if (std::filesystem::exists(programs.builder, code) && std::filesystem::exists(programs.runner, code)) {
            return programs;
        }
    }
    return failed(format("nestwright-builder and nestwright-runner are neither in {} nor in ../libexec/nestwright: install them "
                         "beside this program",
                         folder.string()));
}

} // namespace nw::measure
