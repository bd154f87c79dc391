#pragma once

#include "engine/base/expr.h"
#include "engine/base/tensor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nw::graph {

struct OpInfo; // op_table.h

using ValueId = int; // index into Graph::values; kNoValue for an absent optional input
using NodeId = int;  // index into Graph::nodes
inline constexpr int kNoValue = -1;

// Shapes are index expressions: literals, symbols ("batch" as a Var) and arithmetic over them, simplified.
struct TensorType {
    DType type = DType::F32;
    std::vector<Expr> shape;
};

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>>;

struct Attributes {
    std::map<std::string, AttributeValue> values;
    // The attribute, or the default when it is absent. ENSUREs the kind: import has checked it.
    std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
    double real(const std::string& name, double otherwise) const;
    std::string text(const std::string& name, const std::string& otherwise) const;
    std::vector<std::int64_t> integers(const std::string& name, const std::vector<std::int64_t>& otherwise = {}) const;
    bool has(const std::string& name) const { return values.contains(name); }
};

struct Value {
    std::string name; // the model's, for display and messages only; identity never depends on it
    TensorType type;
    std::optional<Tensor> constant; // a folded or given constant
    NodeId producer = -1;           // -1: graph input or constant
};

// One operator in *canonical* form: newest opset semantics, every attribute made explicit, shapes and axes that
// were inputs turned into attributes (op_table.h says which attributes each operator carries).
struct Node {
    const OpInfo* op = nullptr;
    std::string name; // the model's node name, for messages
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    Attributes attributes;
};

// Immutable once built (held by shared_ptr<const Graph>). Nodes are in topological order; unreferenced values may
// remain, unreferenced nodes do not.
struct Graph {
    std::vector<Value> values;
    std::vector<Node> nodes;
    std::vector<ValueId> inputs;  // what the caller must (or may: see defaults) pass, in the model's order
    std::vector<ValueId> outputs; // in the model's order
    std::map<ValueId, Tensor> defaults; // optional inputs (IR >= 4: initializer that is also an input)
    std::vector<std::string> symbols;   // free symbolic dimensions, sorted

    // Uses of every value, computed: node ids, each once.
    std::vector<std::vector<NodeId>> uses() const;
    bool isOutput(ValueId value) const;
    // Constant shape of a value; nothing while a dimension is symbolic.
    std::optional<std::vector<std::int64_t>> staticShape(ValueId value) const;
};

// Every invariant with its message; a Bug's text, never the user's fault. Empty when fine.
std::string verify(const Graph& graph);
// One line a node: "%3:f32[1,64,56,56] = Conv(%0, %1) {strides=[1,1], ...}", for tests and `nestw graph --nodes`.
std::string toText(const Graph& graph);

} // namespace nw::graph
