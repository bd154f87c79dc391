#pragma once

#include "engine/base/result.h"
#include "engine/base/tensor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nw::model {

// What a file says, without meaning: plain structs, no ONNX type. Names are the file's own.

struct Dimension {
    std::optional<std::int64_t> value; // known extent, >= 0
    std::string symbol;                // or a symbolic name; both empty: unknown
};

struct ValueInfo {
    std::string name;
    DType type = DType::Other; // Other also for sequences, maps, optionals: see typeText
    std::string typeText;      // "tensor(float)", "seq(tensor(float))", for messages
    bool hasShape = false;
    std::vector<Dimension> shape;
};

// A graph-valued attribute (If, Loop, Scan), or another kind that is not read, is kept only as this mark: nodes that
// carry one are not imported.
struct Subgraph {
    std::string what = "graph"; // "graph", "sparse tensor", ...: for messages
};

using Attribute = std::variant<std::int64_t, double, std::string, Tensor, std::vector<std::int64_t>, std::vector<double>,
                               std::vector<std::string>, Subgraph>;

struct ModelNode {
    std::string name; // may be empty
    std::string opType;
    std::string domain; // "" is ai.onnx ("ai.onnx" is normalised to "")
    std::vector<std::string> inputs; // "" for an absent optional input
    std::vector<std::string> outputs;
    std::map<std::string, Attribute> attributes;
};

struct Model {
    std::int64_t irVersion = 0;
    std::string producer;
    std::map<std::string, std::int64_t> opsets; // by domain
    std::string graphName;
    std::vector<ModelNode> nodes; // in file order, not yet sorted
    std::vector<ValueInfo> inputs;
    std::vector<ValueInfo> outputs;
    std::vector<ValueInfo> values;
    std::map<std::string, Tensor> initializers; // external data is mapped, not read
};

} // namespace nw::model
