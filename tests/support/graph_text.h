#pragma once

#include "engine/base/result.h"
#include "engine/graph/from_model.h"
#include "engine/model/onnx_file.h"

#include <memory>
#include <string>

// The graph of an ONNX text whose header is left out: "g (float[2] x) => (float[2] y) { ... }".
inline nw::Result<std::shared_ptr<const nw::graph::Graph>> graphOf(const std::string& body, int opset = 17)
{
    const std::string text = "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + body;
    const nw::Result<nw::model::Model> model = nw::model::parseModelText(text);
    if (!model) {
        return model.error();
    }
    nw::Result<nw::graph::Imported> imported = nw::graph::importModel(*model, {});
    if (!imported) {
        return imported.error();
    }
    return imported->graph;
}

// Lines that make a constant of zeros with the given shape.
inline std::string zeros(const std::string& name, const std::string& shape, std::size_t rank)
{
    return name + "_s = Constant <value = int64[" + std::to_string(rank) + "] {" + shape + "}> ()\n" + name +
           " = ConstantOfShape(" + name + "_s)\n";
}
