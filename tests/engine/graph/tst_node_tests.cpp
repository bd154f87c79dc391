#include "engine/graph/from_model.h"
#include "engine/model/onnx_file.h"
#include "tests/support/test.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

using namespace nw;
using namespace nw::graph;

namespace fs = std::filesystem;

namespace {

// The official tests of single operators, where Debian's package has them. With every input bound the graph folds, so
// import, shapes and folding are held against the published outputs. Convolutions, pools, softmax and normalization do
// not fold: they only have to import.
const fs::path kFolder = "/usr/share/libonnx-testdata/data/node";

enum class Outcome { Equal, NotFolded, NotSupported, Wrong };

struct Verdict {
    Outcome outcome = Outcome::Wrong;
    std::string words;
};

Result<std::vector<Tensor>> tensorsOf(const fs::path& set, const std::string& stem)
{
    std::vector<Tensor> out;
    for (int i = 0; fs::exists(set / (stem + std::to_string(i) + ".pb")); ++i) {
        Result<Tensor> tensor = model::readTensorFile(set / (stem + std::to_string(i) + ".pb"));
        if (!tensor) {
            return tensor.error();
        }
        out.push_back(*std::move(tensor));
    }
    return out;
}

// Words that mean "not this operator, type or feature", as opposed to a fault.
bool isNotSupported(const std::string& words)
{
    for (const char* part : {"is not supported", "are not known", "cannot be computed with yet", "control flow", " is seq(",
             " is optional(", "tensors of numbers can be imported", "cannot be read", "at random", "cannot be held",
             "its training form"}) {
        if (words.find(part) != std::string::npos) {
            return true;
        }
    }
    return false;
}

bool isClose(double got, double expected)
{
    if (std::isnan(got) || std::isnan(expected) || std::isinf(expected)) {
        return (std::isnan(got) && std::isnan(expected)) || got == expected;
    }
    return std::abs(got - expected) <= 1e-7 + 1e-3 * std::abs(expected);
}

std::string compare(const Tensor& got, const Tensor& expected)
{
    if (got.type() != expected.type() || got.shape() != expected.shape()) {
        return "another type or shape";
    }
    for (std::int64_t i = 0; i < got.count(); ++i) {
        if (!isClose(got.asDouble(i), expected.asDouble(i))) {
            return "element " + std::to_string(i) + " is " + std::to_string(got.asDouble(i)) + ", not " +
                   std::to_string(expected.asDouble(i));
        }
    }
    return "";
}

Verdict judge(const fs::path& folder)
{
    const Result<model::Model> model = model::readModel(folder / "model.onnx");
    if (!model) {
        return {isNotSupported(model.error().message) ? Outcome::NotSupported : Outcome::Wrong, model.error().message};
    }
    const Result<std::vector<Tensor>> inputs = tensorsOf(folder / "test_data_set_0", "input_");
    const Result<std::vector<Tensor>> outputs = tensorsOf(folder / "test_data_set_0", "output_");
    if (!inputs || !outputs) {
        return {Outcome::NotSupported, "data other than tensors of numbers"};
    }
    const Result<Imported> open = importModel(*model, {});
    if (!open && inputThatMustBeBound(open.error()).empty()) {
        return {isNotSupported(open.error().message) ? Outcome::NotSupported : Outcome::Wrong, open.error().message};
    }
    ImportOptions options;
    for (std::size_t i = 0; i < inputs->size() && i < model->inputs.size(); ++i) {
        options.boundInputs[model->inputs[i].name] = (*inputs)[i];
    }
    const Result<Imported> bound = importModel(*model, options);
    if (!bound) {
        return {isNotSupported(bound.error().message) ? Outcome::NotSupported : Outcome::Wrong, bound.error().message};
    }
    const Graph& graph = *bound->graph;
    if (const std::string broken = verify(graph); !broken.empty()) {
        return {Outcome::Wrong, broken};
    }
    for (std::size_t i = 0; i < graph.outputs.size() && i < outputs->size(); ++i) {
        const Value& value = graph.values[static_cast<std::size_t>(graph.outputs[i])];
        if (!value.constant) {
            return {Outcome::NotFolded, toText(graph)};
        }
        if (const std::string difference = compare(*value.constant, (*outputs)[i]); !difference.empty()) {
            return {Outcome::Wrong, "output " + std::to_string(i) + ": " + difference};
        }
    }
    return {Outcome::Equal, ""};
}

} // namespace

class TestNodeTests : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allAgree();
};

void TestNodeTests::allAgree()
{
    if (!fs::exists(kFolder)) {
        QSKIP("the package libonnx-testdata is not installed");
    }
    int equal = 0;
    std::vector<std::string> wrong;
    std::vector<std::string> open;
    for (const fs::directory_entry& entry : fs::directory_iterator(kFolder)) {
        const Verdict verdict = judge(entry.path());
        const std::string line = entry.path().filename().string() + ": " + verdict.words;
        equal += verdict.outcome == Outcome::Equal ? 1 : 0;
        if (verdict.outcome == Outcome::Wrong) {
            wrong.push_back(line);
        } else if (verdict.outcome == Outcome::NotFolded) {
            open.push_back(line);
        } else if (verdict.outcome == Outcome::NotSupported) {
            qInfo("not supported: %s", line.c_str());
        }
    }
    for (const std::string& line : open) {
        // Only operators without constant evaluation stay.
        const bool expected = line.find(" = Conv(") != std::string::npos || line.find("Pool(") != std::string::npos ||
                              line.find(" = LRN(") != std::string::npos || line.find("oftmax(") != std::string::npos ||
                              line.find(" = LayerNormalization(") != std::string::npos;
        if (!expected) {
            wrong.push_back(line);
        }
    }
    std::sort(wrong.begin(), wrong.end());
    for (const std::string& line : wrong) {
        qWarning("%s", line.c_str());
    }
    QCOMPARE(wrong.size(), std::size_t{0});
    QVERIFY2(equal > 300, std::to_string(equal).c_str());
}

NW_TEST_MAIN(tst_node_tests, TestNodeTests)
#include "tst_node_tests.moc"
