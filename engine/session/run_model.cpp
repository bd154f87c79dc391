#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/session/workbench.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <unistd.h>

namespace nw::session {
namespace {

// A file of this process that goes when it is no longer needed, whatever happened.
class TemporaryFile {
public:
    explicit TemporaryFile(std::filesystem::path path)
        : m_path(std::move(path))
    {}
    ~TemporaryFile()
    {
        std::error_code ignored;
        std::filesystem::remove(m_path, ignored);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

Status checkInputs(const graph::Graph& graph, const std::vector<Tensor>& inputs)
{
    if (inputs.size() != graph.inputs.size()) {
        return failed(format("The model takes {} input(s), {} given.", graph.inputs.size(), inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const graph::Value& value = graph.values[static_cast<std::size_t>(graph.inputs[i])];
        const auto shape = graph.staticShape(graph.inputs[i]);
        ENSURE(shape.has_value(), "a planned graph has static shapes");
        if (inputs[i].type() != value.type.type || inputs[i].shape() != *shape) {
            return failed(format("Input {} ({}) is {}[{}], but {}[{}] was given.", i, value.name, toText(value.type.type),
                                 fmt::join(*shape, ", "), toText(inputs[i].type()), fmt::join(inputs[i].shape(), ", ")));
        }
    }
    return Done{};
}

} // namespace

Result<ModelRun> runModel(Project& project, measure::LocalDevice& device, const ModelRunOptions& options, const StopToken& stop)
{
    const Result<const plan::Plan*> plan = project.plan();
    if (!plan) {
        return plan.error();
    }
    const graph::Graph& graph = *project.graph();
    const Status fitting = checkInputs(graph, options.inputs);
    if (!fitting) {
        return fitting.error();
    }
    const Status runnable = canRunHere(project.target());
    if (!runnable) {
        return runnable.error();
    }

    static std::atomic<int> serial = 0;
    const TemporaryFile object(std::filesystem::temp_directory_path() /
                               format("nestwright-model-{}-{}.so", getpid(), ++serial));
    const auto start = std::chrono::steady_clock::now();
    const Result<BuiltModel> built = buildModel(project, device, {object.path(), options.onlyDefaultScripts, 600000}, stop);
    if (!built) {
        return built.error();
    }
    ModelRun run;
    run.buildMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    run.kernels = built->kernels;
    run.arenaBytes = built->arenaBytes;

    measure::ModelRunRequest request;
    request.sharedObject = object.path().string();
    request.inputs = options.inputs;
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
        const graph::Value& value = graph.values[static_cast<std::size_t>(graph.outputs[i])];
        measure::ModelRunRequest::Output output;
        output.type = value.type.type;
        output.shape = *graph.staticShape(graph.outputs[i]);
        if (i < options.expected.size()) {
            output.expected = options.expected[i];
            output.tolerance = options.tolerance;
        }
        request.outputs.push_back(std::move(output));
    }
    for (const std::vector<std::byte>& constant : built->constants) {
        request.constants.emplace_back(constant);
        run.constantBytes += static_cast<std::int64_t>(constant.size());
    }
    request.arenaBytes = built->arenaBytes;
    request.threads = project.choices().threads;
    request.protocol = options.protocol;
    request.profileRuns = options.profileRuns;
    request.timeoutMs = options.timeoutMs;
    run.result = measure::runModelFile(device, request, stop);
    run.groupNs = run.result.run.profileNs;
    return run;
}

} // namespace nw::session
