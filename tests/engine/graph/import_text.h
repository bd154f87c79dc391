#pragma once

#include "engine/base/text.h"
#include "engine/graph/from_model.h"
#include "engine/model/onnx_file.h"

#include <string>
#include <vector>

// A small model as text: "float[N, 3] x, float[3] w = {1, 2, 3}" in, names of the outputs, statements.
struct SmallModel {
    int opset = 17;
    std::string inputs;
    std::string outputs; // "y, z": their types are not declared
    std::string body;
    std::string initializers; // "int64[2] s = {2, -1}"
    int ir = 8;

    std::string text() const
    {
        std::string typed;
        for (const std::string& name : nw::splitWords(outputs)) {
            typed += (typed.empty() ? "float[] " : ", float[] ") + name;
        }
        const std::string constants = initializers.empty() ? "" : " <" + initializers + ">";
        return "<ir_version: " + std::to_string(ir) + ", opset_import: [\"\" : " + std::to_string(opset) + "]> g (" +
               inputs + ") => (" + typed + ")" + constants + " { " + body + " }";
    }
};

inline nw::Result<nw::graph::Imported> importText(const SmallModel& small, const nw::graph::ImportOptions& options = {})
{
    const nw::Result<nw::model::Model> model = nw::model::parseModelText(small.text());
    if (!model) {
        return nw::failed("text: " + model.error().message + "\n" + small.text());
    }
    nw::Result<nw::graph::Imported> imported = nw::graph::importModel(*model, options);
    if (imported) {
        const std::string broken = nw::graph::verify(*imported->graph);
        if (!broken.empty()) {
            return nw::failed("verify: " + broken);
        }
    }
    return imported;
}

// "f32[2,3] {1, 2, ...}" of an output that folded, "" of one that did not.
inline std::string foldedText(const nw::graph::Imported& imported, std::size_t output = 0)
{
    const nw::graph::Graph& graph = *imported.graph;
    const nw::graph::Value& value = graph.values[static_cast<std::size_t>(graph.outputs.at(output))];
    if (!value.constant) {
        return "";
    }
    std::vector<std::string> extents, elements;
    for (const std::int64_t extent : value.constant->shape()) {
        extents.push_back(std::to_string(extent));
    }
    for (std::int64_t i = 0; i < value.constant->count(); ++i) {
        elements.push_back(nw::isFloat(value.constant->type())
                               ? nw::shortestFloat(static_cast<float>(value.constant->asDouble(i)))
                               : std::to_string(value.constant->asInt(i)));
    }
    return nw::format("{}[{}] {{{}}}", nw::toText(value.constant->type()), nw::join(extents, ","), nw::join(elements, ", "));
}

inline std::string errorOf(const SmallModel& model, const nw::graph::ImportOptions& options = {})
{
    const nw::Result<nw::graph::Imported> imported = importText(model, options);
    return imported ? "imported: " + nw::graph::toText(*imported->graph) : imported.error().message;
}

inline bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

#define VERIFY_HOLDS(text, part) QVERIFY2(holds(text, part), (text).c_str())
