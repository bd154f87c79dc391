#pragma once

#include "engine/graph/import/importer.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nw::graph {

// One node of the model while it is imported: what a handler reads and makes. The first failure is kept and everything
// after it does nothing and gives harmless values, so a handler checks failed() only before it relies on a shape.
// Attributes and inputs that a handler never asked for are failures too: they would have meant something.
class NodeImport {
public:
    NodeImport(Importer& importer, const model::ModelNode& node, int index, std::int64_t opset);

    std::int64_t opset() const { return m_opset; }
    const std::string& op() const { return m_node.opType; }

    void fail(const std::string& reason); // "it ..." : the reason alone
    void fail(const Error& reason) { fail(reason.message); }
    bool failed() const { return m_error.has_value(); }
    // Failure, or complaints about what was not understood.
    Status finish();

    std::size_t inputCount() const { return m_node.inputs.size(); }
    std::size_t outputCount() const { return m_node.outputs.size(); }
    bool has(std::size_t input);
    ValueId in(std::size_t input);       // fails when absent
    ValueId optional(std::size_t input); // kNoValue when absent
    ValueId peek(std::size_t input) const; // the same, without counting as taken
    const TensorType& type(ValueId value) const;
    DType dtype(ValueId value) const { return type(value).type; }
    Extents shape(ValueId value) const { return type(value).shape; } // a copy: making values moves the old ones
    std::size_t rank(ValueId value) const { return type(value).shape.size(); }

    // Contents; they fail when not known at import. `what` names them: "target shape".
    const Tensor* contents(ValueId value, const std::string& what);
    std::vector<std::int64_t> integers(ValueId value, const std::string& what);
    Extents extents(ValueId value, const std::string& what); // may be symbolic

    // Attributes; a wrong kind fails.
    bool given(const std::string& attribute) const { return m_node.attributes.contains(attribute); }
    std::int64_t integer(const std::string& attribute, std::int64_t otherwise);
    double real(const std::string& attribute, double otherwise);
    std::string text(const std::string& attribute, const std::string& otherwise);
    std::vector<std::int64_t> integerList(const std::string& attribute, const std::vector<std::int64_t>& otherwise = {});
    std::vector<double> realList(const std::string& attribute);
    const Tensor* tensor(const std::string& attribute);
    void ignore(const std::string& attribute) { m_usedAttributes.insert(attribute); }
    // An attribute that must be there.
    void require(const std::string& attribute);
    // Normalised to [0, rank); fails outside.
    std::int64_t axis(std::int64_t value, std::size_t rank);
    // Each normalised; fails on repeats. Keeps the order.
    std::vector<std::int64_t> axes(const std::vector<std::int64_t>& values, std::size_t rank);

    // New values. `make` gives the first of `outputs` outputs.
    ValueId make(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {});
    std::vector<ValueId> makeAll(std::string_view op, std::vector<ValueId> inputs, Attributes attributes,
                                 std::size_t outputs);
    ValueId reshape(ValueId value, const Extents& shape);
    ValueId expand(ValueId value, const Extents& shape);
    ValueId cast(ValueId value, DType type); // itself when it has the type
    ValueId constant(Tensor tensor);
    ValueId scalar(DType type, double value);
    ValueId filled(DType type, const Extents& shape, double value);
    ValueId symbolicInts(DType type, SymbolicInts ints);
    const SymbolicInts* symbolic(ValueId value) const;
    bool isConstant(ValueId value) const;

    bool wants(std::size_t output) const; // it has a name
    void bind(std::size_t output, ValueId value);
    void note(const std::string& words);
    std::string label() const { return nodeLabel(m_node, m_opset); }

private:
    Importer& m_importer;
    const model::ModelNode& m_node;
    int m_index;
    std::int64_t m_opset;
    std::optional<Error> m_error;
    std::set<std::string> m_usedAttributes;
    std::vector<bool> m_usedInputs;
    std::vector<bool> m_bound;

    const model::Attribute* attribute(const std::string& name);
    template <typename T>
    const T* attributeAs(const std::string& name, std::string_view kind);
    std::vector<ValueId> emit(std::string_view op, std::vector<ValueId> inputs, Attributes attributes, std::size_t outputs,
                              std::optional<TensorType> given);
};

// How the nodes of one operator become canonical ones. `since` is the opset that brought the operator.
struct Handler {
    std::string_view op;
    std::int64_t since;
    void (*run)(NodeImport& node);
};

// One list a family.
std::span<const Handler> constantHandlers();
std::span<const Handler> convolutionHandlers();
std::span<const Handler> elementwiseHandlers();
std::span<const Handler> gatherHandlers();
std::span<const Handler> matmulHandlers();
std::span<const Handler> moveHandlers();
std::span<const Handler> normalizeHandlers();
std::span<const Handler> reduceHandlers();
std::span<const Handler> reshapeHandlers();
std::span<const Handler> sliceHandlers();

// Does a node whose inputs are constants and symbolic integers; false when it is not one of those.
bool importSymbolic(NodeImport& node);

} // namespace nw::graph
