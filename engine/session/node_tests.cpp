#include "engine/session/node_tests.h"

#include "engine/base/text.h"
#include "engine/model/onnx_file.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace nw::session {
namespace {

namespace fs = std::filesystem;

struct DataSet {
    std::vector<Tensor> inputs, outputs;
};

Result<std::vector<Tensor>> readTensors(const fs::path& folder, const std::string& stem)
{
    std::vector<Tensor> tensors;
    for (int i = 0;; ++i) {
        const fs::path file = folder / format("{}_{}.pb", stem, i);
        if (!fs::exists(file)) {
            return tensors;
        }
        Result<Tensor> tensor = model::readTensorFile(file);
        if (!tensor) {
            return tensor.error();
        }
        tensors.push_back(*std::move(tensor));
    }
}

// Extents of the file's symbolic dimensions, as the data has them.
std::map<std::string, std::int64_t> bindingsOf(const model::Model& model, const std::vector<Tensor>& inputs)
{
    std::map<std::string, std::int64_t> bind;
    std::size_t index = 0;
    for (const model::ValueInfo& input : model.inputs) {
        if (model.initializers.contains(input.name) && model.irVersion < 4) {
            continue;
        }
        if (index >= inputs.size()) {
            break;
        }
        const std::vector<std::int64_t>& shape = inputs[index++].shape();
        for (std::size_t d = 0; d < input.shape.size() && d < shape.size(); ++d) {
            if (!input.shape[d].symbol.empty()) {
                bind[input.shape[d].symbol] = shape[d];
            }
        }
    }
    return bind;
}

// "" when equal as the official runner judges.
std::string differenceOf(const Tensor& got, const Tensor& wanted)
{
    if (got.type() != wanted.type()) {
        return format("element type {} instead of {}", toText(got.type()), toText(wanted.type()));
    }
    if (got.shape() != wanted.shape()) {
        return format("shape [{}] instead of [{}]", fmt::join(got.shape(), ", "), fmt::join(wanted.shape(), ", "));
    }
    for (std::int64_t i = 0; i < wanted.count(); ++i) {
        const double a = got.asDouble(i);
        const double b = wanted.asDouble(i);
        const bool same = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-7 + 1e-3 * std::abs(b);
        if (!same) {
            return format("element {} is {} instead of {}", i, a, b);
        }
    }
    return "";
}

class Attempt {
public:
    Attempt(const fs::path& folder, const Folders& folders, measure::LocalDevice& device, const std::string& target, int threads,
            const StopToken& stop)
        : m_folder(folder)
        , m_folders(folders)
        , m_device(device)
        , m_target(target)
        , m_threads(threads)
        , m_stop(stop)
    {}

    NodeTest run()
    {
        m_test.name = m_folder.filename().string();
        const Result<model::Model> model = model::readModel(m_folder / "model.onnx");
        if (!model) {
            return notSupported(model.error().message);
        }
        std::set<std::string> operators;
        for (const model::ModelNode& node : model->nodes) {
            operators.insert(node.opType);
        }
        m_test.operators.assign(operators.begin(), operators.end());
        for (int set = 0; fs::exists(m_folder / format("test_data_set_{}", set)); ++set) {
            const fs::path data = m_folder / format("test_data_set_{}", set);
            Result<std::vector<Tensor>> inputs = readTensors(data, "input");
            Result<std::vector<Tensor>> outputs = readTensors(data, "output");
            if (!inputs || !outputs) {
                return notSupported("data that is not a tensor: " + (inputs ? outputs.error() : inputs.error()).message);
            }
            if (!runSet(*model, {*std::move(inputs), *std::move(outputs)})) {
                return m_test;
            }
        }
        return m_test;
    }

private:
    NodeTest notSupported(const std::string& reason)
    {
        m_test.verdict = NodeTest::Verdict::NotSupported;
        m_test.reason = reason;
        return m_test;
    }
    bool fails(const std::string& reason)
    {
        m_test.verdict = NodeTest::Verdict::Failed;
        m_test.reason = reason;
        return false;
    }

    // The project with as many inputs bound as its shapes need.
    Result<std::unique_ptr<Project>> open(const model::Model& model, const DataSet& data)
    {
        OpenOptions options;
        options.ephemeral = true;
        options.target = m_target;
        options.threads = m_threads;
        options.bind = bindingsOf(model, data.inputs);
        for (std::size_t attempt = 0; attempt <= data.inputs.size(); ++attempt) {
            Result<std::unique_ptr<Project>> opened = Project::open(m_folder / "model.onnx", options, m_folders);
            const std::string needed = opened ? "" : graph::inputThatMustBeBound(opened.error());
            if (opened || needed.empty() || options.boundInputs.contains(needed)) {
                return opened;
            }
            for (std::size_t i = 0; i < model.inputs.size() && i < data.inputs.size(); ++i) {
                if (model.inputs[i].name == needed) {
                    options.boundInputs[needed] = data.inputs[i];
                }
            }
        }
        return failed("inputs that decide shapes could not all be bound");
    }

    bool runSet(const model::Model& model, const DataSet& data)
    {
        for (const Tensor& tensor : data.inputs) {
            if (!isRunnable(tensor.type())) {
                notSupported("element type " + std::string(toText(tensor.type())));
                return false;
            }
        }
        for (const Tensor& tensor : data.outputs) {
            if (!isRunnable(tensor.type())) {
                notSupported("element type " + std::string(toText(tensor.type())));
                return false;
            }
        }
        const Result<std::unique_ptr<Project>> project = open(model, data);
        if (!project) {
            notSupported(project.error().message);
            return false;
        }
        ModelRunOptions options;
        options.protocol = "none";
        options.onlyDefaultScripts = true;
        const graph::Graph& graph = *(*project)->graph();
        for (const graph::ValueId id : graph.inputs) {
            const std::string& name = graph.values[static_cast<std::size_t>(id)].name;
            for (std::size_t i = 0; i < model.inputs.size() && i < data.inputs.size(); ++i) {
                if (model.inputs[i].name == name) {
                    options.inputs.push_back(data.inputs[i]);
                }
            }
        }
        const Result<ModelRun> run = runModel(**project, m_device, options, m_stop);
        if (!run) {
            return fails(run.error().message);
        }
        if (run->result.outcome != wire::Outcome::Ok) {
            return fails(std::string(wire::toText(run->result.outcome)) + ": " + run->result.error.message);
        }
        if (run->result.outputs.size() != data.outputs.size()) {
            return fails(format("{} outputs instead of {}", run->result.outputs.size(), data.outputs.size()));
        }
        for (std::size_t i = 0; i < data.outputs.size(); ++i) {
            const std::string difference = differenceOf(run->result.outputs[i], data.outputs[i]);
            if (!difference.empty()) {
                return fails(format("output {}: {}", i, difference));
            }
        }
        return true;
    }

    fs::path m_folder;
    const Folders& m_folders;
    measure::LocalDevice& m_device;
    std::string m_target;
    int m_threads;
    const StopToken& m_stop;
    NodeTest m_test;
};

} // namespace

NodeTest runNodeTest(const fs::path& folder, const Folders& folders, measure::LocalDevice& device, const std::string& target,
                     int threads, const StopToken& stop)
{
    return Attempt(folder, folders, device, target, threads, stop).run();
}

} // namespace nw::session
