// Whole models through import, fusing, definitions and the oracle: small ones written out here, and, where their data
// is installed, the official node tests.

#include "engine/graph/from_model.h"
#include "engine/graph/rewrite/rewriter.h"
#include "engine/model/onnx_file.h"
#include "tests/engine/compute/run_graph.h"
#include "tests/support/test.h"

#include <QObject>

#include <algorithm>
#include <filesystem>

using namespace nw;

namespace {

namespace fs = std::filesystem;

const fs::path kNodeTests = "/usr/share/libonnx-testdata/data/node";

// The tensors input_0.pb, input_1.pb, ... (or output_...) of a folder.
Result<std::vector<Tensor>> readAll(const fs::path& folder, const std::string& kind)
{
    std::vector<Tensor> tensors;
    for (int i = 0; fs::exists(folder / (kind + "_" + std::to_string(i) + ".pb")); ++i) {
        Result<Tensor> tensor = model::readTensorFile(folder / (kind + "_" + std::to_string(i) + ".pb"));
        if (!tensor) {
            return tensor.error();
        }
        tensors.push_back(*std::move(tensor));
    }
    return tensors;
}

Result<graph::Imported> import(const model::Model& model, const std::vector<Tensor>& inputs)
{
    graph::ImportOptions options;
    Result<graph::Imported> imported = graph::importModel(model, options);
    for (std::size_t tries = 0; !imported && tries < model.inputs.size(); ++tries) {
        const std::string name = graph::inputThatMustBeBound(imported.error());
        const auto place = std::find_if(model.inputs.begin(), model.inputs.end(), [&](const auto& v) { return v.name == name; });
        const auto index = static_cast<std::size_t>(place - model.inputs.begin());
        if (name.empty() || index >= inputs.size()) {
            break;
        }
        options.boundInputs[name] = inputs[index];
        imported = graph::importModel(model, options);
    }
    return imported;
}

// Empty when right, else what is wrong; `refusal` is set instead when the model cannot be run.
std::string runTest(const fs::path& folder, std::string& refusal)
{
    const Result<model::Model> model = model::readModel(folder / "model.onnx");
    const auto inputs = readAll(folder / "test_data_set_0", "input");
    const auto outputs = readAll(folder / "test_data_set_0", "output");
    if (!model || !inputs || !outputs) {
        refusal = !model ? model.error().message : !inputs ? inputs.error().message : outputs.error().message;
        return {};
    }
    const Result<graph::Imported> imported = import(*model, *inputs);
    if (!imported) {
        refusal = imported.error().message;
        return {};
    }
    const graph::Graph& graph = *imported->graph;
    std::map<graph::ValueId, Tensor> known;
    for (const graph::ValueId id : graph.inputs) {
        const std::string& name = graph.values[static_cast<std::size_t>(id)].name;
        for (std::size_t i = 0; i < model->inputs.size() && i < inputs->size(); ++i) {
            if (model->inputs[i].name == name) {
                known[id] = (*inputs)[i];
            }
        }
    }
    const auto got = test::runGraph(graph, known);
    if (!got) {
        refusal = got.error().message;
        return {};
    }
    for (std::size_t i = 0; i < outputs->size(); ++i) {
        if (i >= got->size()) {
            return "an output is missing";
        }
        const double difference = test::relativeDifference((*got)[i], (*outputs)[i]);
        if (!(difference <= 1e-4)) {
            return "output " + std::to_string(i) + " differs by " + std::to_string(difference);
        }
    }
    return {};
}

Result<std::vector<Tensor>> runText(const std::string& text, const std::vector<Tensor>& inputs)
{
    const Result<model::Model> model = model::parseModelText(text);
    if (!model) {
        return model.error();
    }
    const Result<graph::Imported> imported = graph::importModel(*model, {});
    if (!imported) {
        return imported.error();
    }
    std::map<graph::ValueId, Tensor> known;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        known[imported->graph->inputs.at(i)] = inputs[i];
    }
    return test::runGraph(*imported->graph, known);
}

Tensor floats(std::vector<std::int64_t> shape, const std::vector<float>& values)
{
    return Tensor::of<float>(DType::F32, std::move(shape), values);
}

} // namespace

class TestGraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Softmax before opset 13 flattens from its axis on.
    void case_4()
    {
        const Tensor x = floats({1, 2, 2}, {0, 0.6931472F, 1.0986123F, 1.3862944F});
        const auto text = [](int opset) {
            return "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset)
                + "]>\ng (float[1,2,2] x) => (float[1,2,2] y) { y = Softmax(x) }";
        };
        const auto old = runText(text(11), {x});
        VERIFY_OK(old);
        QVERIFY(test::relativeDifference((*old)[0], floats({1, 2, 2}, {0.1F, 0.2F, 0.3F, 0.4F})) < 1e-6);
        const auto now = runText(text(13), {x});
        VERIFY_OK(now);
        QVERIFY(test::relativeDifference((*now)[0], floats({1, 2, 2}, {1.F / 3, 2.F / 3, 3.F / 7, 4.F / 7})) < 1e-6);
    }

    void nodeTests()
    {
        if (!fs::exists(kNodeTests)) {
            QSKIP("libonnx-testdata is not installed");
        }
        int right = 0;
        int refused = 0;
        QStringList wrong;
        for (const fs::directory_entry& entry : fs::directory_iterator(kNodeTests)) {
            std::string refusal;
            const std::string fault = runTest(entry.path(), refusal);
            const std::string name = entry.path().filename().string();
            if (!refusal.empty()) {
                ++refused;
                qDebug("%s: %s", name.c_str(), refusal.c_str());
            } else if (!fault.empty()) {
                wrong << QString::fromStdString(name + ": " + fault);
            } else {
                ++right;
            }
        }
        qInfo("%d right, %d not supported, %d wrong", right, refused, static_cast<int>(wrong.size()));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
        QVERIFY(right > 300);
    }
};

NW_TEST_MAIN(tst_graph, TestGraph)
#include "tst_graph.moc"
