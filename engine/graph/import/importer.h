#pragma once

#include "engine/graph/graph.h"
#include "engine/graph/shapes/extents.h"
#include "engine/model/model.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nw::graph {

// A small integer tensor whose elements are expressions over symbols: what Shape and the arithmetic on its result
// give while extents are unbound. Such a value has no producer in the graph and nothing may read it at run time.
struct SymbolicInts {
    std::vector<std::int64_t> shape; // of the tensor, rank 0 or more
    std::vector<Expr> values;        // row-major
};

// The graph under construction, and what import knows about its values.
class Importer {
public:
    Graph graph;
    std::map<std::string, ValueId> names; // by the model's value name
    std::map<ValueId, SymbolicInts> symbolic;
    std::vector<std::string> notes;
    std::vector<int> origins; // parallel to graph.nodes: the model's node

    ValueId addValue(std::string name, TensorType type);
    ValueId addConstant(std::string name, Tensor tensor);
    // All literal values become a constant of the type.
    ValueId addSymbolic(std::string name, DType type, SymbolicInts ints);
    const TensorType& type(ValueId value) const;
    const Tensor* constant(ValueId value) const; // nullptr when it is none
    bool isRead(ValueId value) const;            // by a node of the graph

    // Infers the types of `outputs` outputs, folds when every input is constant, appends the node otherwise. `given` is
    // the type of the single output where the attributes cannot say it. Errors are the reason without the node.
    Result<std::vector<ValueId>> emit(Node node, std::size_t outputs, std::optional<TensorType> given, int origin);

    // Why the contents of a value are not known: the error that names the input to bind, or the symbols.
    Error unknownContents(ValueId value, const std::string& label, const std::string& what) const;

    // Frees constants that nothing will read: those from `first` on and those in `candidates`, unless a name that is
    // still needed stands for them.
    void dropConstants(ValueId first, const std::vector<ValueId>& candidates, const std::map<std::string, int>& needed);

private:
    std::vector<bool> m_read;

    Result<std::vector<TensorType>> typesOf(const Node& node, std::size_t outputs) const;
    // Nothing when the operator does not fold.
    Result<std::optional<std::vector<Tensor>>> fold(const Node& node, const std::vector<TensorType>& types) const;
    void collectInputs(ValueId value, std::vector<bool>& seen, std::vector<ValueId>& inputs) const;
};

// One element repeated; integers exact below 2^53.
Result<Tensor> filledTensor(DType type, const std::vector<std::int64_t>& shape, double value);
Result<Tensor> filledLike(const Tensor& element, const std::vector<std::int64_t>& shape);
Tensor integerTensor(const std::vector<std::int64_t>& values);

// A node of the model for messages: "node 'conv1' (Conv, opset 13)".
std::string nodeLabel(const model::ModelNode& node, std::int64_t opset);

// The rule of the refusal that inputThatMustBeBound() recognises.
inline constexpr const char* kBindInputRule = "import.bind_input";

} // namespace nw::graph
