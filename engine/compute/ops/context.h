#pragma once

#include "engine/compute/definition.h"
#include "engine/graph/op_table.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nw::compute {

// What the builder of one operator sees of the group that is being defined. A builder adds the stages it needs and
// gives each output either as a stage of its own (a reduction, whose value must be stored) or as an expression over
// axes, which later element-wise operators swallow, so that a whole epilogue ends as one stage.
class OpContext {
public:
    OpContext(const graph::Graph& graph, const plan::Group& group, const std::map<graph::ValueId, int>* loadCounts);

    // Runs every node's builder; the definition when all succeed.
    Result<Definition> build();

    const graph::Node& node() const { return *m_node; }
    const graph::Attributes& attributes() const { return m_node->attributes; }
    std::size_t inputCount() const { return m_node->inputs.size(); }
    bool hasInput(std::size_t i) const;
    bool wantsOutput(std::size_t i) const; // somebody reads it
    DType inputType(std::size_t i) const;
    DType outputType(std::size_t i = 0) const;
    const std::vector<Expr>& inputShape(std::size_t i) const;
    const std::vector<Expr>& outputShape(std::size_t i = 0) const;

    // Element of an input at logical indices.
    Expr read(std::size_t input, const std::vector<Expr>& indices);
    // Element of an output that was finished already.
    Expr readOutput(std::size_t output, const std::vector<Expr>& indices);
    // An input at the place `at` of a shape to which the input is broadcast.
    Expr readBroadcast(std::size_t input, const std::vector<Expr>& full, const std::vector<Expr>& at);

    // Axes of an output: the anchor's names when it has the anchor's shape, else by rank.
    std::vector<Axis> outputAxes(std::size_t output = 0) const;

    // An internal stage; returns the load of its element at its own axes.
    Expr addStage(Stage stage);
    // The stage that computes an output; named like the operator when it has no name.
    void finish(std::size_t output, Stage stage);
    // An output as an expression over axes. `name` is for the stage it becomes when nothing swallows it.
    void finish(std::size_t output, std::vector<Axis> axes, Expr body, const std::string& name = {});

    // What the group computes, when that is not what its name says (another algorithm).
    void setKind(std::string kind) { m_definition.kind = std::move(kind); }

    // Values that make sense for an input (see Port::range); only noted when a port feeds it directly.
    void limitInput(std::size_t input, double low, double high);

    // Refusal that names the operator.
    Error refusal(const std::string& why) const;

private:
    struct Held {
        std::string buffer; // of a port or stage; empty: `body` over `axes`
        DType type = DType::F32;
        std::vector<Axis> axes;
        Expr body;
    };

    void addPorts();
    Expr readValue(graph::ValueId value, const std::vector<Expr>& indices);
    Status buildNode(const graph::Node& node);
    std::string freeName(const std::string& wanted) const;
    std::string ownName() const;
    std::string bufferFor(graph::ValueId value, const std::string& stageName) const;
    bool mustStore(graph::ValueId value, const Expr& body) const;
    void noteAnchor(const std::vector<Axis>& axes);

    const graph::Graph& m_graph;
    const plan::Group& m_group;
    const std::map<graph::ValueId, int>* m_loadCounts; // nullptr: store every value, to count them
    const graph::Node* m_node = nullptr;
    std::map<graph::ValueId, Held> m_held;
    std::map<graph::ValueId, std::string> m_outputPorts;
    std::set<graph::ValueId> m_used;         // by nodes of the group
    std::set<graph::ValueId> m_usedByStages; // by a node that reads its inputs many times
    std::vector<Axis> m_anchorAxes;
    Definition m_definition;

public:
    // Buffers of the values that have one, for counting.
    std::map<graph::ValueId, std::string> buffers() const;
};

} // namespace nw::compute
