#include "tests/engine/compute/group_maker.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace nw::test {

Tensor asPort(const compute::Definition& definition, std::size_t port, const Tensor& tensor)
{
    const auto shape = definition.staticShape(definition.ports.at(port).name);
    const Result<std::int64_t> count = shape ? elementCount(*shape) : Result<std::int64_t>(0);
    return count && *count == tensor.count() && *count > 0 ? tensor.reshaped(*shape) : tensor;
}

std::vector<Tensor> asPorts(const compute::Definition& definition, std::vector<Tensor> tensors)
{
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        tensors[i] = asPort(definition, i, tensors[i]);
    }
    return tensors;
}

using graph::kNoValue;
using graph::ValueId;

ValueId GroupMaker::addValue(DType type, const Extents& shape, const std::string& name, bool isConstant)
{
    graph::Value value;
    value.name = m_prefix + name + std::to_string(m_graph.values.size());
    value.type.type = type;
    for (const std::int64_t extent : shape) {
        value.type.shape.push_back(intImm(extent));
    }
    m_graph.values.push_back(std::move(value));
    m_isConstant.push_back(isConstant);
    return static_cast<ValueId>(m_graph.values.size()) - 1;
}

ValueId GroupMaker::input(DType type, const Extents& shape)
{
    const ValueId id = addValue(type, shape, "in", false);
    m_graph.inputs.push_back(id);
    return id;
}

ValueId GroupMaker::constant(DType type, const Extents& shape)
{
    return addValue(type, shape, "weight", true);
}

ValueId GroupMaker::node(const std::string& op, const std::vector<ValueId>& inputs, DType type, const Extents& shape,
                         AttributeMap attributes)
{
    graph::Node made;
    made.op = graph::findOp(op);
    ENSURE(made.op != nullptr, "no operator " + op);
    made.name = m_prefix + op;
    made.inputs = inputs;
    made.attributes.values = std::move(attributes);
    const ValueId out = addValue(type, shape, "out", false);
    made.outputs = {out};
    m_graph.values.back().producer = static_cast<int>(m_graph.nodes.size());
    m_graph.nodes.push_back(std::move(made));
    return out;
}

ValueId GroupMaker::extraOutput(DType type, const Extents& shape)
{
    const ValueId out = addValue(type, shape, "more", false);
    m_graph.values.back().producer = static_cast<int>(m_graph.nodes.size()) - 1;
    m_graph.nodes.back().outputs.push_back(out);
    return out;
}

plan::Group GroupMaker::group(const std::vector<ValueId>& outputs) const
{
    const auto lower = [](std::string_view name) {
        std::string text(name);
        std::transform(text.begin(), text.end(), text.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return text;
    };
    plan::Group group;
    group.name = lower(m_graph.nodes.front().op->name) + ".0";
    std::set<std::string> taken;
    std::set<ValueId> known;
    const auto add = [&](ValueId value, std::string name, plan::PortKind kind) {
        if (value == kNoValue || !known.insert(value).second) {
            return;
        }
        const std::string wanted = name;
        for (int i = 2; !taken.insert(name).second; ++i) {
            name = wanted + "." + std::to_string(i);
        }
        group.ports.push_back({name, kind, value, {}});
    };
    const auto nameOf = [&](const graph::Node& node, const std::vector<std::string_view>& names, std::size_t i) {
        std::string formal(names[std::min(i, names.size() - 1)]);
        if (&node == &m_graph.nodes.front()) {
            return formal;
        }
        return lower(node.op->name) + "." + formal;
    };
    for (std::size_t n = 0; n < m_graph.nodes.size(); ++n) {
        const graph::Node& node = m_graph.nodes[n];
        group.nodes.push_back(static_cast<int>(n));
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const ValueId value = node.inputs[i];
            if (value != kNoValue && m_graph.values[static_cast<std::size_t>(value)].producer < 0) {
                const bool isConstant = m_isConstant[static_cast<std::size_t>(value)];
                add(value, nameOf(node, node.op->inputNames, i), isConstant ? plan::PortKind::Constant : plan::PortKind::Input);
            }
        }
    }
    // As the planner does: the anchor's formal name for the group's result.
    for (const ValueId value : outputs) {
        const graph::Node& producer =
            m_graph.nodes[static_cast<std::size_t>(m_graph.values[static_cast<std::size_t>(value)].producer)];
        const auto place = std::find(producer.outputs.begin(), producer.outputs.end(), value) - producer.outputs.begin();
        const bool isOne = outputs.size() == 1;
        const auto index = static_cast<std::size_t>(place);
        const std::vector<std::string_view>& names = isOne ? m_graph.nodes.front().op->outputNames : producer.op->outputNames;
        add(value, std::string(names[std::min(isOne ? 0 : index, names.size() - 1)]), plan::PortKind::Output);
    }
    return group;
}

Result<compute::Definition> GroupMaker::define(const std::vector<ValueId>& outputs) const
{
    return compute::defineGroup(m_graph, group(outputs));
}

} // namespace nw::test
