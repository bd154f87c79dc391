#pragma once

#include "engine/measure/device.h"
#include "engine/measure/object_store.h"
#include "engine/measure/task_data.h"

#include <chrono>
#include <map>

// What the sources of LocalDevice share; never included from elsewhere.
namespace nw::measure {

struct LocalDevice::State {
    static constexpr const char* kName = "local";
    static constexpr const char* kSymbol = "kernel_0";
    static constexpr std::int64_t kLeaseTimeoutMs = 120000;
    // The builder's memory grows with the kernels that it made.
    static constexpr int kBuildsOfOneProcess = 2000;

    explicit State(Settings given)
        : settings(std::move(given))
        , objects(settings.runtimeFolder)
        , builder(builderSettings(settings))
        , runner({settings.programs.runner, 0, 0, {}})
    {}

    static Worker::Settings builderSettings(const Settings& of)
    {
        return {of.programs.builder, of.builderMemoryBytes, kBuildsOfOneProcess, {}};
    }

    // One script of a task, built, with its data in the forms that it wants.
    struct Prepared {
        wire::BuildReply build;
        std::vector<std::vector<wire::PortData>> dataSets;
    };
    Result<const TaskData*> dataOf(const compute::Definition& definition, const StopToken& stop);
    JobResult<wire::BuildReply> build(const schedule::Task& task, const std::string& script, bool listings,
                                      const StopToken& stop);
    JobResult<Prepared> prepare(const schedule::Task& task, const std::string& script, const StopToken& stop);
    JobResult<wire::RunReply> run(wire::RunJob job, const StopToken& stop);
    void raisePeak(double peakFlops, int threads);

    Settings settings;
    Target native = nativeTarget();
    ObjectStore objects;
    Worker builder, runner;
    std::vector<std::unique_ptr<Worker>> builders; // of buildAll, beside the first
    std::map<int, Roofs> roofs;
    std::map<std::string, TaskData> data; // by definition
};

namespace local {

double msSince(std::chrono::steady_clock::time_point start);
wire::Outcome outcomeOf(const Error& error);
// The figures that follow from the time of a run.
void judge(Measurement& measurement, const schedule::Task& task, const Roofs& roofs);

template <typename T>
void take(Measurement& m, JobResult<T>& result)
{
    m.outcome = result.outcome;
    m.error = std::move(result.error);
    m.logTail = std::move(result.logTail);
}

} // namespace local
} // namespace nw::measure
