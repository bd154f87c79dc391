#include "engine/measure/roofs.h"

#include "engine/base/cpu.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/measure/keep_file.h"

#include <algorithm>
#include <cmath>

namespace nw::measure {
namespace {

// What the kept figures hold for: the processor as it shows itself.
std::string machineKey()
{
    const Machine machine = thisMachine();
    return format("{} {} {} {} {} {}", machineArch(), cpuTuneName(), machine.l1Bytes, machine.l2Bytes, machine.l3Bytes,
                  join(cpuFeatures(), " "));
}

std::filesystem::path roofsFile(const std::filesystem::path& cacheFolder, int threads)
{
    return cacheFolder / format("roofs.{}.json", threads);
}

std::optional<Json> readJson(const std::filesystem::path& file)
{
    const Result<std::string> text = readFile(file, 1 << 20);
    if (!text) {
        return std::nullopt;
    }
    Json json = Json::parse(*text, nullptr, false);
    if (json.is_discarded() || !json.is_object() || json.value("machine", std::string()) != machineKey()) {
        return std::nullopt;
    }
    return json;
}

bool isFigure(double value)
{
    return std::isfinite(value) && value > 0;
}

// A disturbed reading is low, never high: noisy ones are taken again, and the best counts.
constexpr int kAttempts = 3;

struct LevelSize {
    std::string name;
    std::int64_t bytes;    // capacity, 0 for memory
    std::int64_t workingSet; // of one thread
};

std::vector<LevelSize> levelsOf(const Target& target, int threads)
{
    const std::int64_t shared = target.l3Bytes / std::max(threads, 1);
    return {{"L1", target.l1Bytes, target.l1Bytes / 2},
            {"L2", target.l2Bytes, target.l2Bytes / 2},
            {"L3", target.l3Bytes, std::max(target.l2Bytes, shared / 2)},
            {"memory", 0, std::clamp<std::int64_t>(4 * target.l3Bytes / std::max(threads, 1), std::int64_t{64} << 20, std::int64_t{512} << 20)}};
}

struct Reading {
    double gbPerSecond = 0;
    double peakFlops = 0;
};

Result<Reading> probeLevel(Worker& runner, const std::string& kind, std::int64_t bytes, int threads, const StopToken& stop)
{
    wire::RunJob job;
    job.library = "bandwidth";
    job.libraryOp = Json{{"kind", kind}, {"bytes", bytes}}.dump();
    job.threads = threads;
    job.dataSets = {{}};
    job.protocol = {"quick", false, 4, 9, 80, 0};
    Reading reading;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const JobResult<wire::RunReply> result = runner.run(job, stop);
        if (!result) {
            return failed(format("the device's roofs could not be measured: {}", result.error.message));
        }
        // The runner's time is that of one pass over a working set of so many bytes, on every thread.
        reading.gbPerSecond = std::max(reading.gbPerSecond, static_cast<double>(bytes) / result.value.medianNs);
        for (const wire::Sample& sample : result.value.samples) {
            reading.peakFlops = std::max(reading.peakFlops, sample.peakGflops * 1e9);
        }
        if (!result.value.noisy) {
            break;
        }
    }
    return reading;
}

} // namespace

std::optional<Roofs> readRoofs(const std::filesystem::path& cacheFolder, int threads)
{
    const std::optional<Json> json = readJson(roofsFile(cacheFolder, threads));
    if (!json || !json->contains("levels") || !(*json)["levels"].is_array()) {
        return std::nullopt;
    }
    Roofs roofs;
    roofs.peakGflopsPerThread = json->value("peak_gflops_per_thread", 0.0);
    for (const Json& entry : (*json)["levels"]) {
        if (!entry.is_object()) {
            return std::nullopt;
        }
        const Roofs::Level level{entry.value("name", std::string()), entry.value("bytes", std::int64_t{0}),
                                 entry.value("gb_per_second", 0.0)};
        if (!isFigure(level.gbPerSecond)) {
            return std::nullopt;
        }
        roofs.levels.push_back(level);
    }
    return isFigure(roofs.peakGflopsPerThread) && !roofs.levels.empty() ? std::optional(roofs) : std::nullopt;
}

Status keepRoofs(const std::filesystem::path& cacheFolder, int threads, const Roofs& roofs)
{
    Json json;
    json["machine"] = machineKey();
    json["threads"] = threads;
    json["peak_gflops_per_thread"] = roofs.peakGflopsPerThread;
    json["levels"] = Json::array();
    for (const Roofs::Level& level : roofs.levels) {
        json["levels"].push_back({{"name", level.name}, {"bytes", level.bytes}, {"gb_per_second", level.gbPerSecond}});
    }
    return keepFile(roofsFile(cacheFolder, threads), json.dump(2) + "\n");
}

Result<Roofs> probeRoofs(Worker& runner, const Target& target, int threads, const StopToken& stop)
{
    Roofs roofs;
    double peak = 0;
    for (const LevelSize& level : levelsOf(target, threads)) {
        double best = 0;
        for (const char* kind : {"read", "copy"}) {
            const Result<Reading> reading = probeLevel(runner, kind, level.workingSet, threads, stop);
            if (!reading) {
                return reading.error();
            }
            best = std::max(best, reading->gbPerSecond);
            peak = std::max(peak, reading->peakFlops);
        }
        roofs.levels.push_back({level.name, level.bytes, best});
    }
    // A larger level is no faster; a disturbed reading of a small one would else make it look so.
    for (std::size_t i = roofs.levels.size() - 1; i-- > 0;) {
        roofs.levels[i].gbPerSecond = std::max(roofs.levels[i].gbPerSecond, roofs.levels[i + 1].gbPerSecond);
    }
    roofs.peakGflopsPerThread = peak / 1e9 / std::max(threads, 1);
    return roofs;
}

double readBestAddsPerClock(const std::filesystem::path& cacheFolder)
{
    const std::optional<Json> json = readJson(cacheFolder / "core.json");
    const double value = json ? json->value("best_adds_per_clock", 0.0) : 0;
    return isFigure(value) && value < 16 ? value : 0; // no core adds more than that
}

void keepBestAddsPerClock(const std::filesystem::path& cacheFolder, double value)
{
    if (value > readBestAddsPerClock(cacheFolder)) {
        const Json json = {{"machine", machineKey()}, {"best_adds_per_clock", value}};
        // A hint: without it the next process starts from what it sees itself.
        (void)keepFile(cacheFolder / "core.json", json.dump(2) + "\n").has_value();
    }
}

Bound boundOf(const compute::Work& work, const Roofs& roofs, int threads)
{
    const double count = std::max(threads, 1);
    Bound bound;
    bound.by = "peak";
    bound.ns = roofs.peakGflopsPerThread > 0 ? work.flops / (roofs.peakGflopsPerThread * count) : 0;
    const std::int64_t bytes = work.inputBytes + work.constantBytes + work.outputBytes;
    for (const Roofs::Level& level : roofs.levels) {
        // The first two levels belong to a core each; the working set is spread over them.
        const bool own = level.name == "L1" || level.name == "L2";
        const double capacity = static_cast<double>(level.bytes) * (own ? count : 1);
        if (level.bytes != 0 && static_cast<double>(bytes) > capacity) {
            continue;
        }
        const double ns = level.gbPerSecond > 0 ? static_cast<double>(bytes) / (level.gbPerSecond * count) : 0;
        if (ns > bound.ns) {
            bound = {ns, level.name + " bandwidth"};
        }
        break;
    }
    return bound;
}

} // namespace nw::measure
