// Groups and plans as text, for people and for golden tests:
//
//   conv.0 = Conv, Relu
//     input X %0:f32[1,3,8,8] as NCHW4c at input 0
//     constant W %1:f32[8,3,3,3] at constant 0
//     output Y %3:f32[1,8,6,6] at arena 0 (1152 bytes)
//   arena 1152 bytes
//
// Values carry numbers in the order of their first appearance.

#include "engine/base/text.h"
#include "engine/graph/op_table.h"
#include "engine/plan/aliases.h"
#include "engine/plan/plan.h"
#include "engine/plan/short_layout.h"

#include <map>

namespace nw::plan {
namespace {

class Printer {
public:
    explicit Printer(const graph::Graph& graph)
        : m_graph(graph)
    {}

    // `places` may be absent.
    std::string group(const Group& group, const std::vector<Place>* places)
    {
        std::vector<std::string> ops;
        for (const graph::NodeId node : group.nodes) {
            ops.emplace_back(nodeAt(m_graph, node).op->name);
        }
        std::string text = format("{} = {}\n", group.name, ops.empty() ? std::string("copy") : join(ops, ", "));
        for (std::size_t i = 0; i < group.ports.size(); ++i) {
            const GroupPort& port = group.ports[i];
            text += format("  {} {} {}", kindText(port.kind), port.name, typed(port.value));
            text += port.layout.isPlain() ? std::string() : " as " + choiceText(port.layout);
            text += (places == nullptr ? std::string() : " at " + placeText((*places)[i])) + "\n";
        }
        return text;
    }

private:
    const graph::Graph& m_graph;
    std::map<graph::ValueId, std::size_t> m_numbers;

    static std::string kindText(PortKind kind)
    {
        switch (kind) {
        case PortKind::Input:
            return "input";
        case PortKind::Constant:
            return "constant";
        case PortKind::Output:
            break;
        }
        return "output";
    }

    std::string typed(graph::ValueId value)
    {
        const graph::TensorType& type = valueAt(m_graph, value).type;
        std::vector<std::string> extents;
        for (const Expr& extent : type.shape) {
            extents.push_back(toText(extent));
        }
        const std::size_t number = m_numbers.emplace(value, m_numbers.size()).first->second;
        return format("%{}:{}[{}]", number, toText(type.type), join(extents, ","));
    }

    static std::string placeText(const Place& place)
    {
        switch (place.space) {
        case Space::Input:
            return format("input {}", place.index);
        case Space::Output:
            return format("output {}", place.index);
        case Space::Constant:
            return format("constant {}", place.index);
        case Space::Arena:
            break;
        }
        return format("arena {} ({} bytes)", place.offset, place.bytes);
    }
};

} // namespace

std::string toText(const graph::Graph& graph, const std::vector<Group>& groups)
{
    Printer printer(graph);
    std::string text;
    for (const Group& group : groups) {
        text += printer.group(group, nullptr);
    }
    return text;
}

std::string toText(const Plan& plan)
{
    Printer printer(*plan.graph);
    std::string text;
    for (const Call& call : plan.calls) {
        text += printer.group(plan.groups[static_cast<std::size_t>(call.group)], &call.places);
    }
    return text + format("arena {} bytes\n", plan.arenaBytes);
}

} // namespace nw::plan
