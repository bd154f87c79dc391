#include "engine/measure/runner/job.h"

#include "engine/base/text.h"
#include "engine/measure/runner/fault.h"
#include "engine/measure/runner/library.h"
#include "engine/measure/runner/memory_limit.h"
#include "engine/measure/runner/profile.h"
#include "engine/measure/runner/samples.h"
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
    // What is run: the job's entry with its data, and after it the rivals.
    struct Side {
        std::unique_ptr<LoadedCode> code;
        std::unique_ptr<Subject> library; // instead of code
        LoadedData data;
        double guessNs = 0;
        bool isOut = false; // it failed: the others go on without it
        const LoadedSet& timedSet() const { return data.sets.back(); }
    };

    bool isPair() const { return !m_job.rivals.empty() && m_job.protocol.name == "pair"; }
    bool isRounds() const { return !m_job.rivals.empty() && !isPair(); }
    wire::RunReply& replyOf(std::size_t side) { return side == 0 || isPair() ? m_reply : m_reply.rivals[side - 1]; }
    bool isTimed() const { return m_job.protocol.name != "none"; }
    bool fail(Outcome outcome, Error error)
    {
        m_failure = {error.message.starts_with("out of memory") ? Outcome::OutOfMemory : outcome, std::move(error)};
        return false;
    }
    bool load();
    bool addSide(const std::string& sharedObject, const std::string& symbol,
                 const std::vector<std::vector<wire::PortData>>& sets);
    bool addRival(const wire::Rival& rival);
    bool checkSide(std::size_t side, FaultReport& faults);
    bool time();
    std::vector<bool> timeSides(std::vector<std::unique_ptr<Call>>& calls);
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

bool JobRunner::Run::addRival(const wire::Rival& rival)
{
    if (rival.library.empty()) {
        return addSide(rival.sharedObject, rival.symbol, rival.dataSets.empty() ? m_job.dataSets : rival.dataSets);
    }
    Side& side = m_sides.emplace_back();
    Result<std::unique_ptr<Subject>> made = makeLibrary(rival.library, rival.libraryOp, m_job.threads, m_runner.m_team);
    if (made) {
        side.library = *std::move(made);
        return true;
    }
    side.isOut = true;
    wire::RunReply& reply = replyOf(m_sides.size() - 1);
    reply.outcome = outcomeOfLibrary(made.error());
    reply.failure = made.error().message;
    return true;
}

bool JobRunner::Run::load()
{
    m_reply.rivals.resize(isRounds() ? m_job.rivals.size() : 0);
    return addSide(m_job.sharedObject, m_job.symbol, m_job.dataSets) &&
        std::all_of(m_job.rivals.begin(), m_job.rivals.end(), [this](const wire::Rival& rival) { return addRival(rival); });
}

bool JobRunner::Run::checkSide(std::size_t index, FaultReport& faults)
{
    Side& side = m_sides[index];
    Team& team = m_runner.m_team;
    const Result<CheckReport> checked = check(*side.code, m_job.isModel, side.data, team.threads(), m_runner.m_pool, faults);
    if (!checked) {
        return fail(Outcome::DeviceUnavailable, checked.error());
    }
    side.guessNs = checked->slowestRunNs;
    side.isOut = !checked->verdict.correct;
    const bool second = isPair() && index > 0;
    if (!second || side.isOut) {
        replyOf(index).verdict = checked->verdict;
    }
    if (second && side.isOut) {
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

// By the job's protocol; `calls` are those of the sides, nothing for a library and for one that is out. Says which ran.
std::vector<bool> JobRunner::Run::timeSides(std::vector<std::unique_ptr<Call>>& calls)
{
    Rig& rig = m_runner.m_rig;
    std::vector<bool> ran(m_sides.size(), false);
    if (isPair()) {
        ran[0] = timePair(rig, *calls[0], *calls[1], m_job.protocol, std::max(m_sides[0].guessNs, m_sides[1].guessNs), m_deadline, m_reply);
    } else if (!isRounds()) {
        ran[0] = timeSubject(rig, *calls[0], m_job.protocol, m_sides[0].guessNs, m_deadline, m_reply);
    } else {
        std::vector<Contender> contenders;
        std::vector<std::size_t> sides;
        for (std::size_t i = 0; i < m_sides.size(); ++i) {
            if (m_sides[i].isOut) {
                continue;
            }
            Subject* const subject = calls[i] != nullptr ? calls[i].get() : m_sides[i].library.get();
            if (calls[i] == nullptr) { // no check has shown how long it takes
                const std::int64_t begin = rig.clock.now();
                subject->run(1);
                m_sides[i].guessNs = static_cast<double>(rig.clock.now() - begin);
            }
            contenders.push_back({subject, m_sides[i].guessNs, &replyOf(i)});
            sides.push_back(i);
        }
        const std::vector<bool> took = timeRounds(rig, contenders, m_job.protocol, m_deadline);
        for (std::size_t i = 0; i < sides.size(); ++i) {
            ran[sides[i]] = took[i];
        }
    }
    return ran;
}

bool JobRunner::Run::time()
{
    std::vector<const LoadedSet*> sets;
    std::vector<std::size_t> placed(m_sides.size(), 0);
    for (std::size_t i = 0; i < m_sides.size(); ++i) {
        if (m_sides[i].code != nullptr && !m_sides[i].isOut) {
            placed[i] = sets.size();
            sets.push_back(&m_sides[i].timedSet());
        }
    }
    Result<TimedBuffers> buffers = TimedBuffers::create(m_runner.m_pool, sets);
    if (!buffers) {
        return fail(Outcome::DeviceUnavailable, buffers.error());
    }
    chooseProcessors();
    std::vector<std::unique_ptr<Call>> calls(m_sides.size());
    for (std::size_t i = 0; i < m_sides.size(); ++i) {
        if (m_sides[i].code != nullptr && !m_sides[i].isOut) {
            calls[i] = std::make_unique<Call>(*m_sides[i].code, m_job.isModel, rolesOf(m_sides[i].timedSet()),
                                              buffers->pointers(placed[i]), m_runner.m_team.threads());
        }
    }
    std::vector<bool> ran(m_sides.size(), false);
    if (isTimed()) {
        const Load before = readLoad();
        ran = timeSides(calls);
        if (const double others = othersBetween(before, readLoad()); others >= kQuietShare) {
            addNote(m_reply, format("other processes used {:.0f} % of a CPU meanwhile", others * 100));
        }
    }
    if (m_job.isModel && m_job.profileRuns > 0) {
        m_reply.profileNs = profileCalls(*calls[0], m_job.profileRuns, m_deadline);
        ran[0] = true;
    }
    for (std::size_t i = 0; i < m_sides.size(); ++i) {
        if (calls[i] != nullptr && ran[i]) {
            if (isRounds()) {
                calls[i]->run(1); // the outputs are those of whoever ran last
            }
            checkTimed(m_sides[i].timedSet(), buffers->pointers(placed[i]), replyOf(i).verdict);
        }
    }
    m_reply.bestAddsPerClock = m_runner.m_rig.bestAddsPerClock;
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
        for (std::size_t i = 0; i < m_sides.size(); ++i) {
            if (m_sides[i].code != nullptr && !checkSide(i, faults)) {
                return std::nullopt;
            }
            if (!isRounds() && m_sides[i].isOut) {
                return m_reply; // a wrong result gets no speed
            }
        }
    }
    if (std::all_of(m_sides.begin(), m_sides.end(), [](const Side& side) { return side.isOut; })) {
        return m_reply;
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
