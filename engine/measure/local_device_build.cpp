// Scripts become shared objects, one by one or several at once on workers of their own.
#include "engine/measure/local_device_state.h"

#include "engine/base/hash.h"
#include "engine/base/thread_pool.h"

#include <algorithm>
#include <atomic>

namespace nw::measure {

using wire::Outcome;

namespace {

wire::BuildJob jobOf(const schedule::Task& task, const std::string& script, bool listings, const char* symbol, std::int64_t timeoutMs)
{
    wire::BuildJob job;
    job.target = task.target;
    wire::KernelJob kernel;
    kernel.symbol = symbol;
    kernel.definition = compute::toText(*task.definition);
    for (std::size_t i = 0; i < task.definition->ports.size(); ++i) {
        kernel.layouts.push_back(i < task.layouts.size() ? task.layouts[i].toText() : Layout{}.toText());
    }
    kernel.script = script;
    kernel.listings = listings;
    job.kernels.push_back(std::move(kernel));
    job.timeoutMs = timeoutMs;
    return job;
}

JobResult<wire::BuildReply> judged(JobResult<wire::BuildReply> result)
{
    if (result && result.value.kernels.size() != 1) {
        return {Outcome::ProtocolError, {}, failed("protocol error: the builder answered for another number of kernels"),
                std::move(result.logTail)};
    }
    return result;
}

std::string keyOf(const schedule::Task& task, const std::string& script, bool listings)
{
    return contentHash(task.identity() + (listings ? "\nlistings\n" : "\n") + script);
}

} // namespace

JobResult<wire::BuildReply> LocalDevice::State::build(const schedule::Task& task, const std::string& script, bool listings,
                                                      const StopToken& stop)
{
    const std::string key = keyOf(task, script, listings);
    if (const wire::BuildReply* known = objects.find(key)) {
        return {Outcome::Ok, *known, {}, {}};
    }
    Result<std::filesystem::path> path = objects.newPath();
    if (!path) {
        return {Outcome::DeviceUnavailable, {}, path.error(), {}};
    }
    wire::BuildJob job = jobOf(task, script, listings, kSymbol, settings.buildTimeoutMs);
    job.outputPath = path->string();
    JobResult<wire::BuildReply> result = judged(builder.build(job, stop));
    if (result) {
        objects.keep(key, result.value);
    }
    return result;
}

JobResult<wire::BuildReply> LocalDevice::build(const schedule::Task& task, const std::string& script, bool listings,
                                               const StopToken& stop)
{
    return m_state->build(task, script, listings, stop);
}

std::vector<JobResult<wire::BuildReply>> LocalDevice::buildAll(const schedule::Task& task, const std::vector<std::string>& scripts,
                                                               const StopToken& stop)
{
    State& state = *m_state;
    const auto workers = static_cast<std::size_t>(std::max(1, state.native.cores));
    while (state.builders.size() + 1 < workers) {
        state.builders.push_back(std::make_unique<Worker>(State::builderSettings(state.settings)));
    }
    std::vector<JobResult<wire::BuildReply>> results(scripts.size());
    std::vector<std::string> keys(scripts.size());
    std::vector<std::size_t> open;
    std::vector<wire::BuildJob> jobs(scripts.size());
    for (std::size_t i = 0; i < scripts.size(); ++i) {
        keys[i] = keyOf(task, scripts[i], false);
        if (const wire::BuildReply* known = state.objects.find(keys[i])) {
            results[i] = {Outcome::Ok, *known, {}, {}};
            continue;
        }
        Result<std::filesystem::path> path = state.objects.newPath();
        if (!path) {
            results[i] = {Outcome::DeviceUnavailable, {}, path.error(), {}};
            continue;
        }
        jobs[i] = jobOf(task, scripts[i], false, State::kSymbol, state.settings.buildTimeoutMs);
        jobs[i].outputPath = path->string();
        open.push_back(i);
    }
    // Nothing is compiled while another process times: its figures would be ours to blame. A few at a time, so that an
    // interactive wish never waits long.
    const std::size_t atOnce = 2 * workers;
    ThreadPool pool(std::max(1, static_cast<int>(workers) - 1));
    for (std::size_t from = 0; from < open.size(); from += atOnce) {
        const std::size_t to = std::min(open.size(), from + atOnce);
        const Result<std::unique_ptr<Lease>> lease = Lease::acquire(state.settings.runtimeFolder, State::kName, state.settings.priority,
                                                                    stop, State::kLeaseTimeoutMs);
        if (!lease) {
            for (std::size_t i = from; i < open.size(); ++i) {
                results[open[i]] = {local::outcomeOf(lease.error()), {}, lease.error(), {}};
            }
            break;
        }
        std::atomic<std::size_t> next = from;
        pool.parallelFor(static_cast<std::int64_t>(workers), [&](std::int64_t at) {
            Worker& worker = at == 0 ? state.builder : *state.builders[static_cast<std::size_t>(at) - 1];
            for (std::size_t i = next++; i < to; i = next++) {
                results[open[i]] = judged(worker.build(jobs[open[i]], stop));
            }
        });
    }
    for (const std::size_t i : open) {
        if (results[i]) {
            state.objects.keep(keys[i], results[i].value);
        }
    }
    return results;
}

} // namespace nw::measure
