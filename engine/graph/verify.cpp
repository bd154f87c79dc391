#include "engine/base/text.h"
#include "engine/graph/op_table.h"
#include "engine/graph/shapes/extents.h"

#include <algorithm>

namespace nw::graph {
namespace {

class Verifier {
public:
    explicit Verifier(const Graph& graph)
        : m_graph(graph)
        , m_defined(graph.values.size(), false)
    {}

    std::string run()
    {
        checkValues();
        for (std::size_t n = 0; n < m_graph.nodes.size() && m_problem.empty(); ++n) {
            checkNode(static_cast<NodeId>(n));
        }
        for (const ValueId output : m_graph.outputs) {
            require(isValue(output) && m_defined[static_cast<std::size_t>(output)], "an output is not defined");
        }
        if (m_problem.empty()) {
            checkDead();
        }
        return m_problem;
    }

private:
    const Graph& m_graph;
    std::vector<bool> m_defined;
    std::string m_problem;

    void require(bool condition, const std::string& words)
    {
        if (!condition && m_problem.empty()) {
            m_problem = words;
        }
    }

    bool isValue(ValueId id) const { return id >= 0 && id < static_cast<ValueId>(m_graph.values.size()); }

    void checkValues()
    {
        for (std::size_t v = 0; v < m_graph.values.size(); ++v) {
            const Value& value = m_graph.values[v];
            const std::string label = format("value {} '{}'", v, value.name);
            for (const Expr& extent : value.type.shape) {
                require(extent != nullptr && extent->type() == DType::I64, label + " has an extent that is no integer");
                require(extent == nullptr || constInt(extent).value_or(0) >= 0, label + " has a negative extent");
            }
            if (value.constant) {
                m_defined[v] = true;
                require(value.producer == -1, label + " is a constant and has a producer");
                require(value.constant->type() == value.type.type, label + " and its constant differ in type");
                require(m_graph.staticShape(static_cast<ValueId>(v)) == value.constant->shape(),
                    label + " and its constant differ in shape");
            }
        }
        for (const ValueId input : m_graph.inputs) {
            require(isValue(input), "an input is no value");
            if (!m_problem.empty()) {
                return;
            }
            const Value& value = m_graph.values[static_cast<std::size_t>(input)];
            require(value.producer == -1 && !value.constant, format("input '{}' is produced or constant", value.name));
            require(!m_defined[static_cast<std::size_t>(input)], format("input '{}' stands twice", value.name));
            m_defined[static_cast<std::size_t>(input)] = true;
        }
        for (const auto& [id, tensor] : m_graph.defaults) {
            require(std::find(m_graph.inputs.begin(), m_graph.inputs.end(), id) != m_graph.inputs.end(),
                "a default belongs to no input");
        }
    }

    void checkNode(NodeId id)
    {
        const Node& node = m_graph.nodes[static_cast<std::size_t>(id)];
        require(node.op != nullptr, format("node {} has no operator", id));
        if (!m_problem.empty()) {
            return;
        }
        const std::string label = format("node {} '{}' ({})", id, node.name, node.op->name);
        const std::size_t formals = node.op->inputNames.size();
        require(node.op->variadic || node.inputs.size() <= formals, label + " has too many inputs");
        require(node.inputs.size() >= static_cast<std::size_t>(node.op->required), label + " has too few inputs");
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const ValueId input = node.inputs[i];
            const bool optional = input == kNoValue && i >= static_cast<std::size_t>(node.op->required) && !node.op->variadic;
            require(optional || isValue(input), format("{} lacks its input {}", label, i));
            require(optional || !isValue(input) || m_defined[static_cast<std::size_t>(input)],
                format("{} reads input {} before it is made", label, i));
        }
        require(!node.outputs.empty() && node.outputs.size() <= node.op->outputNames.size(), label + " has a wrong number of outputs");
        if (m_problem.empty()) {
            checkTypes(id, node, label);
        }
    }

    void checkTypes(NodeId id, const Node& node, const std::string& label)
    {
        const Result<std::vector<TensorType>> types = node.op->shape({&m_graph, &node});
        require(types.has_value(), label + ": " + (types ? "" : types.error().message));
        for (std::size_t i = 0; i < node.outputs.size() && m_problem.empty(); ++i) {
            const ValueId output = node.outputs[i];
            if (output == kNoValue) {
                continue;
            }
            require(isValue(output) && !m_defined[static_cast<std::size_t>(output)], label + " makes a value that exists");
            if (!m_problem.empty()) {
                return;
            }
            const Value& value = m_graph.values[static_cast<std::size_t>(output)];
            require(value.producer == id, label + " is not known as producer of its output");
            const TensorType& expected = (*types)[i];
            const bool fits = value.type.type == expected.type && value.type.shape.size() == expected.shape.size() &&
                              std::equal(expected.shape.begin(), expected.shape.end(), value.type.shape.begin(), sameExtent);
            require(fits, format("{} makes {}{}, but its output says {}{}", label, toText(expected.type),
                shapeText(expected.shape), toText(value.type.type), shapeText(value.type.shape)));
            m_defined[static_cast<std::size_t>(output)] = true;
        }
    }

    void checkDead()
    {
        const auto uses = m_graph.uses();
        for (const Node& node : m_graph.nodes) {
            const bool alive = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) {
                return output != kNoValue &&
                       (!uses[static_cast<std::size_t>(output)].empty() || m_graph.isOutput(output));
            });
            require(alive, format("node '{}' ({}) is used by nothing", node.name, node.op->name));
        }
    }
};

} // namespace

std::string verify(const Graph& graph)
{
    return Verifier(graph).run();
}

} // namespace nw::graph
