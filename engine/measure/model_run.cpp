#include "engine/measure/model_run.h"

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/measure/cache_limit.h"
#include "engine/measure/keep_file.h"
#include "engine/measure/protocols.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace nw::measure {
namespace {

// Large contents by hash below the cache folder, so that they are written once.
Result<std::string> keepByHash(const std::filesystem::path& folder, std::span<const std::byte> bytes)
{
    const std::filesystem::path file = folder / contentHash(bytes);
    markUsed(file);
    if (!hasSize(file, static_cast<std::int64_t>(bytes.size()))) {
        const Status kept = keepFile(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        if (!kept) {
            return kept.error();
        }
    }
    return file.string();
}

// The files of one run, removed at its end.
class Scratch {
public:
    static Result<Scratch> create(const std::filesystem::path& runtimeFolder)
    {
        std::string pattern = (runtimeFolder / format("run-{}-XXXXXX", ::getpid())).string(); // object_store.cpp
        if (::mkdtemp(pattern.data()) == nullptr) {
            return failed(format("cannot make a folder in {}", runtimeFolder.string()));
        }
        return Scratch(pattern);
    }
    ~Scratch()
    {
        std::error_code code;
        if (!m_folder.empty()) {
            std::filesystem::remove_all(m_folder, code);
        }
    }
    Scratch(Scratch&& other) noexcept
        : m_folder(std::exchange(other.m_folder, {}))
    {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    Scratch& operator=(Scratch&&) = delete;

    Result<std::string> write(const std::string& name, std::string_view bytes) const
    {
        const std::filesystem::path file = m_folder / name;
        const Status kept = keepFile(file, bytes);
        return kept ? Result<std::string>(file.string()) : Result<std::string>(kept.error());
    }
    std::string path(const std::string& name) const { return (m_folder / name).string(); }

private:
    explicit Scratch(std::filesystem::path folder)
        : m_folder(std::move(folder))
    {}
    std::filesystem::path m_folder;
};

std::string_view bytesOf(const std::vector<double>& values)
{
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

// Expected values and what they may be off by, all the same: the tolerance relative to the largest.
Status addExpectation(const ModelRunRequest::Output& output, std::size_t index, const Scratch& scratch, wire::PortData& port)
{
    const Tensor& expected = *output.expected;
    if (expected.shape() != output.shape) {
        return failed(format("output {} has another shape than what it is compared with", index));
    }
    std::vector<double> values(static_cast<std::size_t>(expected.count()));
    double largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = expected.asDouble(static_cast<std::int64_t>(i));
        largest = std::isfinite(values[i]) ? std::max(largest, std::abs(values[i])) : largest;
    }
    Result<std::string> file = scratch.write(format("expected{}", index), bytesOf(values));
    if (!file) {
        return file.error();
    }
    port.expectedFile = *std::move(file);
    if (output.tolerance > 0) {
        Result<std::string> bound =
            scratch.write(format("bound{}", index), bytesOf(std::vector<double>(values.size(), output.tolerance * largest)));
        if (!bound) {
            return bound.error();
        }
        port.boundFile = *std::move(bound);
    }
    return Done{};
}

Result<std::vector<wire::PortData>> portsOf(const ModelRunRequest& request, const std::filesystem::path& constantsFolder,
                                            const Scratch& scratch)
{
    std::vector<wire::PortData> ports;
    const auto addRead = [&](wire::PortRole role, std::span<const std::byte> bytes, DType type) -> Status {
        Result<std::string> file = keepByHash(constantsFolder, bytes);
        if (!file) {
            return file.error();
        }
        ports.push_back({role, static_cast<std::int64_t>(bytes.size()), *std::move(file), 0, "", "", "",
                         std::string(toText(type)), ""});
        return Done{};
    };
    for (const Tensor& input : request.inputs) {
        if (const Status added = addRead(wire::PortRole::Input, input.bytes(), input.type()); !added) {
            return added.error();
        }
    }
    for (std::size_t i = 0; i < request.outputs.size(); ++i) {
        const ModelRunRequest::Output& output = request.outputs[i];
        const Result<std::int64_t> count = elementCount(output.shape);
        if (!count) {
            return count.error();
        }
        wire::PortData port;
        port.role = wire::PortRole::Output;
        port.bytes = *count * static_cast<std::int64_t>(byteSize(output.type));
        port.elementType = std::string(toText(output.type));
        port.saveFile = scratch.path(format("output{}", i));
        if (output.expected) {
            if (const Status added = addExpectation(output, i, scratch, port); !added) {
                return added.error();
            }
        }
        ports.push_back(std::move(port));
    }
    for (const std::span<const std::byte> constant : request.constants) {
        // The elements' type is not known here, and only alignment would follow from it: that of any element.
        const DType widest = constant.size() % 8 == 0 ? DType::F64 : constant.size() % 4 == 0 ? DType::F32 : DType::U8;
        if (const Status added = addRead(wire::PortRole::Constant, constant, widest); !added) {
            return added.error();
        }
    }
    wire::PortData arena;
    arena.role = wire::PortRole::Scratch;
    arena.bytes = request.arenaBytes;
    ports.push_back(std::move(arena));
    return ports;
}

Result<std::vector<Tensor>> readOutputs(const ModelRunRequest& request, const Scratch& scratch)
{
    std::vector<Tensor> outputs;
    for (std::size_t i = 0; i < request.outputs.size(); ++i) {
        const Result<MappedFile> file = mapFile(scratch.path(format("output{}", i)));
        if (!file) {
            return file.error();
        }
        Result<Tensor> tensor = Tensor::wrap(request.outputs[i].type, request.outputs[i].shape, file->owner, file->bytes);
        if (!tensor) {
            return tensor.error();
        }
        outputs.push_back(*std::move(tensor)); // the mapping outlives the file's name
    }
    return outputs;
}

ModelRunResult failedRun(Error error)
{
    ModelRunResult result;
    result.outcome = error.kind == Error::Kind::Refused ? wire::Outcome::Refused : wire::Outcome::DeviceUnavailable;
    result.error = std::move(error);
    return result;
}

} // namespace

ModelRunResult runModelFile(LocalDevice& device, const ModelRunRequest& request, const StopToken& stop)
{
    const LocalDevice::Settings& settings = device.settings();
    const std::filesystem::path constantsFolder = settings.cacheFolder / "constants";
    std::error_code code;
    std::filesystem::create_directories(constantsFolder, code);
    std::filesystem::create_directories(settings.runtimeFolder, code);
    const Result<Scratch> scratch = Scratch::create(settings.runtimeFolder);
    if (!scratch) {
        return failedRun(scratch.error());
    }
    const Result<wire::Protocol> protocol = protocolByName(request.protocol, request.cold);
    if (!protocol) {
        return failedRun(protocol.error());
    }
    Result<std::vector<wire::PortData>> ports = portsOf(request, constantsFolder, *scratch);
    if (!ports) {
        return failedRun(ports.error());
    }
    limitCacheAtTimes(settings.cacheFolder); // what this run needs is marked as used
    wire::RunJob job;
    job.sharedObject = request.sharedObject;
    job.symbol = request.symbol;
    job.isModel = true;
    job.dataSets = {*std::move(ports)};
    job.protocol = *protocol;
    job.threads = request.threads;
    job.timeoutMs = request.timeoutMs;
    job.profileRuns = request.profileRuns;
    JobResult<wire::RunReply> run = device.run(std::move(job), stop);
    ModelRunResult result;
    result.outcome = run.outcome;
    result.error = std::move(run.error);
    result.logTail = std::move(run.logTail);
    result.run = std::move(run.value);
    if (result.outcome == wire::Outcome::Ok || result.outcome == wire::Outcome::WrongResult) {
        Result<std::vector<Tensor>> outputs = readOutputs(request, *scratch);
        if (outputs) {
            result.outputs = *std::move(outputs);
        } else if (result.outcome == wire::Outcome::Ok) {
            return failedRun(outputs.error());
        }
    }
    return result;
}

} // namespace nw::measure
