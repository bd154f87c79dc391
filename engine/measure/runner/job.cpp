#include "engine/measure/runner/job.h"

#include "engine/base/text.h"
#include "engine/measure/runner/fault.h"
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

} // namespace

// One job. Each step returns false with `failure` set.
class JobRunner::Run {
public:
    Run(JobRunner& runner, const wire::RunJob& job, JobFailure& failure)
        : m_runner(runner)
        , m_job(job)
        , m_failure(failure)
        , m_deadline(runner.m_clock.now() + static_cast<std::int64_t>(static_cast<double>(job.timeoutMs) * 0.9e6))
    {
        runner.m_rig.bestAddsPerClock = std::max(runner.m_rig.bestAddsPerClock, job.protocol.bestAddsPerClock);
        runner.m_team.bind(std::max(job.threads, 1), runner.m_team.allowed());
    }

    std::optional<wire::RunReply> run(int channelDescriptor, std::uint64_t jobId);

private:
    // An entry with its data: the job's, and of a pair the rival's.
    struct Side {
        std::unique_ptr<LoadedCode> code;
        LoadedData data;
        double guessNs = 0;
        const LoadedSet& timedSet() const { return data.sets.back(); }
    };

    bool isPair() const { return !m_job.rivalSharedObject.empty(); }
    bool isTimed() const { return m_job.protocol.name != "none"; }
    bool fail(Outcome outcome, Error error)
    {
        m_failure = {error.message.starts_with("out of memory") ? Outcome::OutOfMemory : outcome, std::move(error)};
        return false;
    }
    bool load();
    bool addSide(const std::string& sharedObject, const std::string& symbol,
                 const std::vector<std::vector<wire::PortData>>& sets);
    bool checkSide(Side& side, FaultReport& faults);
    bool time();
    void chooseProcessors();

    JobRunner& m_runner;
    const wire::RunJob& m_job;
    JobFailure& m_failure;
    std::int64_t m_deadline;
    std::vector<Side> m_sides;
    wire::RunReply m_reply;
};

bool JobRunner::Run::addSide(const std::string& sharedObject, const std::string& symbol,
                             const std::vector<std::vector<wire::PortData>>& sets)
{
    Result<LoadedData> data = loadData(sets);
    if (!data) {
        return fail(Outcome::DeviceUnavailable, data.error());
    }
    if (data->sets.empty()) {
        return fail(Outcome::DeviceUnavailable, failed("a run job without data"));
    }
    Side& side = m_sides.emplace_back();
    side.data = *std::move(data);
    if (!m_job.library.empty()) {
        return true;
    }
    Result<std::unique_ptr<LoadedCode>> code = LoadedCode::open(sharedObject, symbol);
    if (!code) {
        return fail(Outcome::DoesNotBuild, code.error());
    }
    side.code = *std::move(code);
    return true;
}

bool JobRunner::Run::load()
{
    return addSide(m_job.sharedObject, m_job.symbol, m_job.dataSets) &&
        (!isPair() ||
         addSide(m_job.rivalSharedObject, m_job.rivalSymbol,
                 m_job.rivalDataSets.empty() ? m_job.dataSets : m_job.rivalDataSets));
}

bool JobRunner::Run::checkSide(Side& side, FaultReport& faults)
{
    Team& team = m_runner.m_team;
    const Result<CheckReport> checked = check(*side.code, m_job.isModel, side.data, team.threads(), m_runner.m_pool, faults);
    if (!checked) {
        return fail(Outcome::DeviceUnavailable, checked.error());
    }
    side.guessNs = checked->slowestRunNs;
    const bool second = &side != &m_sides.front();
    if (!second || !checked->verdict.correct) {
        m_reply.verdict = checked->verdict;
    }
    if (second && !checked->verdict.correct) {
        m_reply.verdict.message = "second of the pair: " + m_reply.verdict.message;
    }
    return true;
}

// Each thread gets a processor of its own, the quietest ones; a confirmed figure waits for quiet first.
void JobRunner::Run::chooseProcessors()
{
    const double leftMs = static_cast<double>(m_deadline - m_runner.m_clock.now()) / 1e6;
    Load before, after;
    if (m_job.protocol.name == "confirm" || isPair()) {
        const Quiet quiet = waitUntilQuiet(std::min(kQuietLimitMs, leftMs / 4));
        before = quiet.before;
        after = quiet.after;
        if (quiet.others >= kQuietShare) {
            addNote(m_reply, format("other processes used {:.0f} % of a CPU before it began", quiet.others * 100));
        }
    } else {
        after = readLoad();
        before = m_runner.m_lastLoad.value_or(after);
    }
    Team& team = m_runner.m_team;
    team.bind(team.threads(), quietestFirst(team.allowed(), before, after));
    if (!team.isBound()) {
        addNote(m_reply, format("{} threads on {} processors: not bound", team.threads(), team.processors()));
    }
    if (team.runtimeMissing() && m_job.threads > 1) {
        addNote(m_reply, "libgomp is not installed: one thread only");
    }
    m_runner.m_probes.calibrate();
}

bool JobRunner::Run::time()
{
    Side& side = m_sides.front();
    const LoadedSet& set = side.timedSet();
    const LoadedSet* const rivalSet = isPair() ? &m_sides.back().timedSet() : nullptr;
    Result<TimedBuffers> buffers = TimedBuffers::create(m_runner.m_pool, set, rivalSet);
    if (!buffers) {
        return fail(Outcome::DeviceUnavailable, buffers.error());
    }
    chooseProcessors();
    Rig& rig = m_runner.m_rig;
    const std::int64_t threads = m_runner.m_team.threads();
    Call call(*side.code, m_job.isModel, rolesOf(set), buffers->pointers(), threads);
    bool ran = false;
    if (isTimed()) {
        const Load before = readLoad();
        if (isPair()) {
            const Side& rival = m_sides.back();
            Call rivalCall(*rival.code, m_job.isModel, rolesOf(*rivalSet), buffers->rivalPointers(), threads);
            ran = timePair(rig, call, rivalCall, m_job.protocol, std::max(side.guessNs, rival.guessNs), m_deadline, m_reply);
        } else {
            ran = timeSubject(rig, call, m_job.protocol, side.guessNs, m_deadline, m_reply);
        }
        if (const double others = othersBetween(before, readLoad()); others >= kQuietShare) {
            addNote(m_reply, format("other processes used {:.0f} % of a CPU meanwhile", others * 100));
        }
    }
    if (m_job.isModel && m_job.profileRuns > 0) {
        m_reply.profileNs = profileCalls(call, m_job.profileRuns, m_deadline);
        ran = true;
    }
    if (ran) {
        checkTimed(set, buffers->pointers(), m_reply.verdict);
    }
    m_reply.bestAddsPerClock = rig.bestAddsPerClock;
    buffers->giveBack(m_runner.m_pool);
    return true;
}

std::optional<wire::RunReply> JobRunner::Run::run(int channelDescriptor, std::uint64_t jobId)
{
    if (!load()) {
        return std::nullopt;
    }
    if (!m_job.library.empty()) {
        const auto bind = [this] { chooseProcessors(); };
        return runLibrary(m_job, m_runner.m_rig, m_deadline, bind, m_reply, m_failure);
    }
    {
        FaultReport faults(channelDescriptor, jobId);
        for (Side& side : m_sides) {
            if (!checkSide(side, faults)) {
                return std::nullopt;
            }
            if (!m_reply.verdict.correct) {
                return m_reply; // a wrong result gets no speed
            }
        }
    }
    if ((isTimed() || m_job.profileRuns > 0) && !time()) {
        return std::nullopt;
    }
    return m_reply;
}

JobRunner::JobRunner()
    : m_probes(m_team)
    , m_evictor(m_team)
    , m_rig{m_team, m_probes, m_clock, m_evictor, 0}
{}

std::optional<wire::RunReply> JobRunner::run(const wire::RunJob& job, int channelDescriptor, std::uint64_t jobId,
                                             JobFailure& failure)
{
    const MemoryLimit limit(job.memoryLimitBytes);
    std::optional<wire::RunReply> reply;
    try { // foreign code: what a kernel throws comes through here
        reply = Run(*this, job, failure).run(channelDescriptor, jobId);
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

} // namespace nw::runner
