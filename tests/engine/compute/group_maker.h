#pragma once

#include "engine/compute/definition.h"
#include "engine/graph/op_table.h"

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace nw::test {

using Extents = std::vector<std::int64_t>;
using AttributeMap = std::map<std::string, graph::AttributeValue>;

// The tensor as a port of the definition takes it, which may lay the same bytes out over other axes.
Tensor asPort(const compute::Definition& definition, std::size_t port, const Tensor& tensor);
std::vector<Tensor> asPorts(const compute::Definition& definition, std::vector<Tensor> tensors);

// A graph of one fused group, put together node by node. Ports get their names as the planner names them: the first
// node's formal names, then "add.B" and the like.
class GroupMaker {
public:
    // `prefix` stands before every node and value name, which no definition may depend on.
    explicit GroupMaker(std::string prefix = "model/layer1/")
        : m_prefix(std::move(prefix))
    {}

    graph::ValueId input(DType type, const Extents& shape);
    graph::ValueId constant(DType type, const Extents& shape);
    // A node with one output.
    graph::ValueId node(const std::string& op, const std::vector<graph::ValueId>& inputs, DType type,
                        const Extents& shape, AttributeMap attributes = {});
    // One more output of the last node.
    graph::ValueId extraOutput(DType type, const Extents& shape);

    // The definition with `outputs` as output ports.
    Result<compute::Definition> define(const std::vector<graph::ValueId>& outputs) const;
    const graph::Graph& graph() const { return m_graph; }
    plan::Group group(const std::vector<graph::ValueId>& outputs) const;

private:
    graph::ValueId addValue(DType type, const Extents& shape, const std::string& name, bool isConstant);

    std::string m_prefix;
    graph::Graph m_graph;
    std::vector<bool> m_isConstant;
};

} // namespace nw::test
