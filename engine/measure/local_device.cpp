#include "engine/measure/local_device_state.h"

#include "engine/base/text.h"
#include "engine/measure/protocols.h"
#include "engine/measure/roofs.h"

#include <algorithm>

namespace nw::measure {

using wire::Outcome;

double local::msSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

Outcome local::outcomeOf(const Error& error)
{
    switch (error.kind) {
    case Error::Kind::Refused: return Outcome::Refused;
    case Error::Kind::Stopped: return Outcome::Stopped;
    case Error::Kind::Failed: return Outcome::DeviceUnavailable;
    }
    return Outcome::DeviceUnavailable;
}

void local::judge(Measurement& m, const schedule::Task& task, const Roofs& roofs)
{
    const compute::Work work = compute::workOf(*task.definition);
    m.medianNs = m.run.medianNs;
    m.spread = m.run.spread;
    m.noisy = m.run.noisy;
    m.bound = boundOf(work, roofs, task.threads);
    if (m.medianNs > 0) {
        m.shareOfBound = m.bound.ns / m.medianNs;
        if (m.run.shareOfPeakDenominator > 0) {
            m.shareOfPeak = work.nominalFlops / (m.medianNs * 1e-9) / m.run.shareOfPeakDenominator;
        }
    }
}

Result<const TaskData*> LocalDevice::State::dataOf(const compute::Definition& definition, const StopToken& stop)
{
    const std::string key = compute::identity(definition);
    if (const auto found = data.find(key); found != data.end() && found->second.isThere()) {
        return &found->second;
    }
    Result<TaskData> made = TaskData::prepare(settings.cacheFolder, definition, native.cores, stop);
    if (!made) {
        return made.error();
    }
    return &data.insert_or_assign(key, *std::move(made)).first->second;
}

JobResult<LocalDevice::State::Prepared> LocalDevice::State::prepare(const schedule::Task& task, const std::string& script,
                                                                    const StopToken& stop)
{
    const auto fail = [](const Error& error) { return JobResult<Prepared>{local::outcomeOf(error), {}, error, {}}; };
    if (const Status runs = canRunHere(task.target); !runs) {
        return {Outcome::DeviceUnavailable, {}, runs.error(), {}};
    }
    const Result<schedule::LoopNest> nest = scheduledNest(task, script);
    if (!nest) {
        return fail(nest.error());
    }
    JobResult<wire::BuildReply> built = build(task, script, false, stop);
    if (!built) {
        return {built.outcome, {}, std::move(built.error), std::move(built.logTail)};
    }
    const Result<const TaskData*> files = dataOf(*task.definition, stop);
    if (!files) {
        return fail(files.error());
    }
    Result<std::vector<std::vector<wire::PortData>>> sets =
        (*files)->dataSets(portLayouts(*nest), built.value.kernels[0].workspaceBytes);
    if (!sets) {
        return fail(sets.error());
    }
    return {Outcome::Ok, {std::move(built.value), *std::move(sets)}, {}, std::move(built.logTail)};
}

// Under the device's lease when times are wanted.
JobResult<wire::RunReply> LocalDevice::State::run(wire::RunJob job, const StopToken& stop)
{
    job.timeoutMs = std::max(settings.runTimeoutMs, job.timeoutMs);
    std::unique_ptr<Lease> lease;
    if (job.protocol.name != "none" || job.profileRuns > 0) {
        Result<std::unique_ptr<Lease>> held =
            Lease::acquire(settings.runtimeFolder, kName, settings.priority, stop, kLeaseTimeoutMs);
        if (!held) {
            return {local::outcomeOf(held.error()), {}, held.error(), {}};
        }
        lease = *std::move(held);
        job.protocol.bestAddsPerClock = readBestAddsPerClock(settings.cacheFolder);
    }
    const int threads = std::max(job.threads, 1);
    JobResult<wire::RunReply> result = runner.run(job, stop);
    if (result && lease != nullptr) {
        keepBestAddsPerClock(settings.cacheFolder, result.value.bestAddsPerClock);
        raisePeak(result.value.shareOfPeakDenominator, threads);
    }
    return result;
}

// Roofs that were measured while the machine was busy are too low; a later measurement shows it.
void LocalDevice::State::raisePeak(double peakFlops, int threads)
{
    const auto found = roofs.find(threads);
    if (const double seen = peakFlops / 1e9 / threads; found != roofs.end() && seen > 1.02 * found->second.peakGflopsPerThread) {
        found->second.peakGflopsPerThread = seen;
        (void)keepRoofs(settings.cacheFolder, threads, found->second).has_value(); // they only draw pictures
    }
}

LocalDevice::LocalDevice(Settings settings)
    : m_state(std::make_unique<State>(std::move(settings)))
{}

LocalDevice::~LocalDevice() = default;

std::string LocalDevice::name() const
{
    return State::kName;
}

const Target& LocalDevice::native() const
{
    return m_state->native;
}

Worker& LocalDevice::builder()
{
    return m_state->builder;
}

Worker& LocalDevice::runner()
{
    return m_state->runner;
}

const LocalDevice::Settings& LocalDevice::settings() const
{
    return m_state->settings;
}

JobResult<wire::RunReply> LocalDevice::run(wire::RunJob job, const StopToken& stop)
{
    return m_state->run(std::move(job), stop);
}

Result<Roofs> LocalDevice::roofs(int threads, bool again, const StopToken& stop)
{
    State& state = *m_state;
    const int count = std::max(threads, 1);
    if (!again) {
        if (const auto found = state.roofs.find(count); found != state.roofs.end()) {
            return found->second;
        }
        if (const std::optional<Roofs> kept = readRoofs(state.settings.cacheFolder, count)) {
            return state.roofs.insert_or_assign(count, *kept).first->second;
        }
    }
    const Result<std::unique_ptr<Lease>> lease =
        Lease::acquire(state.settings.runtimeFolder, State::kName, state.settings.priority, stop, State::kLeaseTimeoutMs);
    if (!lease) {
        return lease.error();
    }
    const Result<Roofs> roofs = probeRoofs(state.runner, state.native, count, stop);
    if (!roofs) {
        return roofs.error();
    }
    std::error_code code;
    std::filesystem::create_directories(state.settings.cacheFolder, code);
    if (const Status kept = keepRoofs(state.settings.cacheFolder, count, *roofs); !kept) {
        return kept.error();
    }
    return state.roofs.insert_or_assign(count, *roofs).first->second;
}

Status LocalDevice::prepare(const schedule::Task& task, const StopToken& stop)
{
    const Result<const TaskData*> data = m_state->dataOf(*task.definition, stop);
    if (!data) {
        return data.error();
    }
    const Result<Roofs> known = roofs(task.threads, false, stop);
    return known ? Status(Done{}) : Status(known.error());
}

Measurement LocalDevice::measure(const schedule::Task& task, const std::string& script, const std::string& protocol,
                                 bool cold, const StopToken& stop, double enoughNs)
{
    const auto start = std::chrono::steady_clock::now();
    Measurement m;
    m.protocol = protocol;
    m.cold = cold;
    const Result<wire::Protocol> numbers = protocolByName(protocol, cold);
    if (!numbers) {
        m.outcome = Outcome::Refused;
        m.error = numbers.error();
        return m;
    }
    JobResult<State::Prepared> prepared = m_state->prepare(task, script, stop);
    m.buildMs = local::msSince(start);
    if (!prepared) {
        local::take(m, prepared);
        return m;
    }
    m.build = prepared.value.build;
    m.listing = m.build.kernels[0];
    Result<Roofs> known = Roofs{};
    if (protocol != "none") {
        known = roofs(task.threads, false, stop);
        if (!known) {
            m.outcome = local::outcomeOf(known.error());
            m.error = known.error();
            return m;
        }
    }
    wire::RunJob job;
    job.sharedObject = m.build.path;
    job.symbol = State::kSymbol;
    job.dataSets = std::move(prepared.value.dataSets);
    job.protocol = *numbers;
    job.protocol.enoughNs = enoughNs;
    job.threads = task.threads;
    job.timeoutMs = 0; // no limit of its own: the device's
    JobResult<wire::RunReply> result = m_state->run(std::move(job), stop);
    m.run = std::move(result.value);
    local::take(m, result);
    if (m.outcome == Outcome::Ok && protocol != "none") {
        local::judge(m, task, *known);
    }
    m.totalMs = local::msSince(start);
    return m;
}

} // namespace nw::measure
