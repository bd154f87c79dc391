#include "engine/base/text.h"
#include "engine/graph/op_table.h"
#include "engine/graph/shapes/extents.h"

#include <algorithm>

namespace nw::graph {
namespace {

constexpr std::int64_t kShownElements = 8;

// Numbers values by their first appearance, so that the text does not depend on ids.
class Printer {
public:
    explicit Printer(const Graph& graph)
        : m_graph(graph)
        , m_numbers(graph.values.size(), -1)
    {}

    std::string print()
    {
        for (const ValueId input : m_graph.inputs) {
            line("input " + typed(input) + (m_graph.defaults.contains(input) ? " optional" : ""));
        }
        for (const Node& node : m_graph.nodes) {
            constantsOf(node.inputs);
            printNode(node);
        }
        constantsOf(m_graph.outputs);
        std::vector<std::string> outputs;
        for (const ValueId output : m_graph.outputs) {
            outputs.push_back(plain(output));
        }
        line("output " + join(outputs, ", "));
        return m_text;
    }

private:
    const Graph& m_graph;
    std::vector<int> m_numbers;
    int m_next = 0;
    std::string m_text;

    void line(const std::string& words) { m_text += words + "\n"; }

    std::string plain(ValueId id)
    {
        if (id == kNoValue) {
            return "-";
        }
        int& number = m_numbers[static_cast<std::size_t>(id)];
        if (number < 0) {
            number = m_next++;
        }
        return "%" + std::to_string(number);
    }

    std::string typed(ValueId id)
    {
        if (id == kNoValue) {
            return "-";
        }
        const TensorType& type = m_graph.values[static_cast<std::size_t>(id)].type;
        std::vector<std::string> extents;
        for (const Expr& extent : type.shape) {
            extents.push_back(toText(extent));
        }
        return format("{}:{}[{}]", plain(id), toText(type.type), join(extents, ","));
    }

    static std::string elements(const Tensor& tensor)
    {
        std::vector<std::string> out;
        for (std::int64_t i = 0; i < tensor.count(); ++i) {
            out.push_back(isFloat(tensor.type()) ? shortestFloat(static_cast<float>(tensor.asDouble(i)))
                                                 : std::to_string(tensor.asInt(i)));
        }
        return join(out, ", ");
    }

    void constantsOf(const std::vector<ValueId>& ids)
    {
        for (const ValueId id : ids) {
            if (id == kNoValue || m_numbers[static_cast<std::size_t>(id)] >= 0) {
                continue;
            }
            const std::optional<Tensor>& constant = m_graph.values[static_cast<std::size_t>(id)].constant;
            if (constant) {
                const bool shown = constant->count() <= kShownElements;
                line(typed(id) + " = constant" + (shown ? " {" + elements(*constant) + "}" : ""));
            }
        }
    }

    static std::string attributeText(const AttributeValue& value)
    {
        if (const auto* integer = std::get_if<std::int64_t>(&value)) {
            return std::to_string(*integer);
        }
        if (const auto* real = std::get_if<double>(&value)) {
            return shortestDouble(*real);
        }
        if (const auto* text = std::get_if<std::string>(&value)) {
            return *text;
        }
        std::vector<std::string> parts;
        if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
            std::transform(integers->begin(), integers->end(), std::back_inserter(parts),
                [](std::int64_t part) { return std::to_string(part); });
        } else {
            const auto& reals = std::get<std::vector<double>>(value);
            std::transform(reals.begin(), reals.end(), std::back_inserter(parts), shortestDouble);
        }
        return "[" + join(parts, ",") + "]";
    }

    void printNode(const Node& node)
    {
        std::vector<std::string> inputs;
        for (const ValueId input : node.inputs) {
            inputs.push_back(plain(input));
        }
        std::vector<std::string> outputs;
        for (const ValueId output : node.outputs) {
            outputs.push_back(typed(output));
        }
        std::vector<std::string> attributes;
        for (const auto& [name, value] : node.attributes.values) {
            attributes.push_back(name + "=" + attributeText(value));
        }
        const std::string tail = attributes.empty() ? "" : " {" + join(attributes, ", ") + "}";
        line(format("{} = {}({}){}", join(outputs, ", "), node.op->name, join(inputs, ", "), tail));
    }
};

} // namespace

std::string toText(const Graph& graph)
{
    return Printer(graph).print();
}

} // namespace nw::graph
