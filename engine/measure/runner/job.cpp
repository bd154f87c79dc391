#include "engine/measure/runner/job.h"

#include "engine/base/text.h"
#include "engine/measure/runner/library.h"
#include "engine/measure/runner/memory_limit.h"
#include "engine/measure/runner/profile.h"
#include "engine/measure/runner/timed_buffers.h"
#include "engine/measure/runner/timing.h"

#include <algorithm>
#include <cmath>
#include <new>

namespace nw::runner {

using wire::Outcome;

namespace {

constexpr double kQuietLimitMs = 2000;

JobFailure failureOf(const Error& error, Outcome otherwise)
{
    return {error.message.starts_with("out of memory") ? Outcome::OutOfMemory : otherwise, error};
}

std::vector<wire::PortRole> rolesOf(const LoadedSet& set)
{
    std::vector<wire::PortRole> roles;
    for (const LoadedPort& port : set) {
        roles.push_back(port.role);
    }
    return roles;
}

// After the timed runs: the outputs, on aligned buffers and a used workspace, must still be right.
void checkTimed(const LoadedSet& set, const std::vector<void*>& pointers, wire::CheckVerdict& verdict)
{
    for (std::size_t i = 0; i < set.size() && verdict.correct; ++i) {
        if (!set[i].isChecked) {
            continue;
        }
        const Difference difference = compareOutput({static_cast<const std::byte*>(pointers[i]), set[i].bytes}, set[i].type,
                                                    set[i].expectation, set[i].mustBeZero);
        if (!difference.correct) {
            verdict.correct = false;
            verdict.message = format("output port {} (after the timed runs): {}", i, difference.message);
        }
    }
}

bool isTimed(const wire::RunJob& job)
{
    return job.protocol.name != "none";
}

} // namespace

JobRunner::JobRunner()
    : m_probes(m_team)
    , m_evictor(m_team)
    , m_rig{m_team, m_probes, m_clock, m_evictor, 0}
{}

// Each thread gets a processor of its own, the quietest ones; a confirmed figure waits for quiet first.
void JobRunner::chooseProcessors(const wire::RunJob& job, std::int64_t deadlineNs, wire::RunReply& reply)
{
    const double leftMs = static_cast<double>(deadlineNs - m_clock.now()) / 1e6;
    Load before, after;
    if (job.protocol.name == "confirm" || !job.rivalSharedObject.empty()) {
        const Quiet quiet = waitUntilQuiet(std::min(kQuietLimitMs, leftMs / 4));
        before = quiet.before;
        after = quiet.after;
        if (quiet.others >= kQuietShare) {
            addNote(reply, format("other processes used {:.0f} % of a CPU before it began", quiet.others * 100));
        }
    } else {
        after = readLoad();
        before = m_lastLoad.value_or(after);
    }
    const int threads = std::max(job.threads, 1);
    m_team.bind(threads, quietestFirst(m_team.allowed(), before, after));
    if (!m_team.isBound()) {
        addNote(reply, format("{} threads on {} processors: not bound", threads, m_team.processors()));
    }
    if (m_team.runtimeMissing() && threads > 1) {
        addNote(reply, "libgomp is not installed: one thread only");
    }
    m_probes.calibrate();
}

std::optional<wire::RunReply> JobRunner::run(const wire::RunJob& job, int channelDescriptor, std::uint64_t jobId,
                                             JobFailure& failure)
{
    const MemoryLimit limit(job.memoryLimitBytes);
    std::optional<wire::RunReply> reply;
    try { // foreign code: what a kernel throws comes through here
        reply = runChecked(job, channelDescriptor, jobId, failure);
    } catch (const std::bad_alloc&) {
        failure = {Outcome::OutOfMemory, failed("out of memory while the job ran")};
    } catch (const Bug&) {
        throw;
    } catch (const std::exception& exception) {
        failure = {Outcome::Crash, failed(format("the code threw an exception: {}", exception.what()))};
    }
    m_lastLoad = readLoad();
    return reply;
}

std::optional<wire::RunReply> JobRunner::runChecked(const wire::RunJob& job, int channelDescriptor, std::uint64_t jobId,
                                                    JobFailure& failure)
{
    const std::int64_t deadline = m_clock.now() + static_cast<std::int64_t>(static_cast<double>(job.timeoutMs) * 0.9e6);
    const auto fail = [&](JobFailure what) {
        failure = std::move(what);
        return std::nullopt;
    };
    m_rig.bestAddsPerClock = std::max(m_rig.bestAddsPerClock, job.protocol.bestAddsPerClock);
    wire::RunReply reply;
    m_team.bind(std::max(job.threads, 1), m_team.allowed());

    Result<LoadedData> data = loadData(job.dataSets);
    if (!data) {
        return fail(failureOf(data.error(), Outcome::DeviceUnavailable));
    }
    if (data->sets.empty()) {
        return fail({Outcome::DeviceUnavailable, failed("a run job without data")});
    }
    if (!job.library.empty()) {
        return runLibrary(job, *data, m_rig, m_pool, deadline, [&] { chooseProcessors(job, deadline, reply); }, reply, failure);
    }

    struct Side {
        std::unique_ptr<LoadedCode> code;
        const LoadedData* data = nullptr;
        double guessNs = 0;
    };
    std::vector<Side> sides(job.rivalSharedObject.empty() ? 1 : 2);
    LoadedData rivalData;
    sides[0].data = &*data;
    if (sides.size() == 2) {
        sides[1].data = &*data;
        if (!job.rivalDataSets.empty()) {
            Result<LoadedData> loaded = loadData(job.rivalDataSets);
            if (!loaded) {
                return fail(failureOf(loaded.error(), Outcome::DeviceUnavailable));
            }
            rivalData = *std::move(loaded);
            sides[1].data = &rivalData;
        }
    }
    for (std::size_t s = 0; s < sides.size(); ++s) {
        Result<std::unique_ptr<LoadedCode>> code = s == 0 ? LoadedCode::open(job.sharedObject, job.symbol)
                                                          : LoadedCode::open(job.rivalSharedObject, job.rivalSymbol);
        if (!code) {
            return fail({Outcome::DoesNotBuild, code.error()});
        }
        sides[s].code = *std::move(code);
        FaultReport faults(channelDescriptor, jobId);
        const Result<CheckReport> checked = check(*sides[s].code, job.isModel, *sides[s].data, m_team.threads(), m_pool, faults);
        if (!checked) {
            return fail(failureOf(checked.error(), Outcome::DeviceUnavailable));
        }
        sides[s].guessNs = checked->slowestRunNs;
        if (s == 0 || !checked->verdict.correct) {
            reply.verdict = checked->verdict;
        }
        if (!checked->verdict.correct) {
            if (s == 1) {
                reply.verdict.message = "second of the pair: " + reply.verdict.message;
            }
            return reply;
        }
    }
    if (!isTimed(job) && job.profileRuns == 0) {
        return reply;
    }

    const LoadedSet& set = sides[0].data->sets.back();
    Result<TimedBuffers> buffers = TimedBuffers::create(m_pool, set, sides.size() == 2 ? &sides[1].data->sets.back() : nullptr);
    if (!buffers) {
        return fail(failureOf(buffers.error(), Outcome::DeviceUnavailable));
    }
    chooseProcessors(job, deadline, reply);
    const Load loadBefore = readLoad();
    Call call(*sides[0].code, job.isModel, rolesOf(set), buffers->pointers(), m_team.threads());
    if (isTimed(job)) {
        if (sides.size() == 2) {
            Call rival(*sides[1].code, job.isModel, rolesOf(sides[1].data->sets.back()), buffers->rivalPointers(),
                       m_team.threads());
            timePair(m_rig, call, rival, job.protocol, std::max(sides[0].guessNs, sides[1].guessNs), deadline, reply);
        } else {
            timeSubject(m_rig, call, job.protocol, sides[0].guessNs, deadline, reply);
        }
        const double others = othersBetween(loadBefore, readLoad());
        if (others >= kQuietShare) {
            addNote(reply, format("other processes used {:.0f} % of a CPU meanwhile", others * 100));
        }
    }
    if (job.isModel && job.profileRuns > 0) {
        reply.profileNs = profileCalls(call, job.profileRuns, deadline);
    }
    checkTimed(set, buffers->pointers(), reply.verdict);
    reply.bestAddsPerClock = m_rig.bestAddsPerClock;
    buffers->giveBack(m_pool);
    return reply;
}

} // namespace nw::runner
