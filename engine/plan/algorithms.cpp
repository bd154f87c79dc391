#include "engine/plan/algorithms.h"

#include "engine/base/text.h"
#include "engine/graph/op_table.h"
#include "engine/graph/winograd.h"
#include "engine/plan/aliases.h"
#include "engine/plan/find_group.h"

#include <algorithm>

namespace nw::plan {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::ValueId;

constexpr const char* kDirect = "direct";

std::string nameOf(std::int64_t tile)
{
    return format("winograd{}", tile);
}

// The words that may stand in a choice.
std::vector<std::string> allAlgorithms()
{
    std::vector<std::string> names{kDirect};
    for (const std::int64_t tile : graph::kWinogradTiles) {
        names.push_back(nameOf(tile));
    }
    return names;
}

std::optional<std::int64_t> tileOf(const std::string& algorithm)
{
    for (const std::int64_t tile : graph::kWinogradTiles) {
        if (algorithm == nameOf(tile)) {
            return tile;
        }
    }
    return std::nullopt;
}

bool allAre(const std::vector<std::int64_t>& values, std::int64_t wanted)
{
    return std::ranges::all_of(values, [&](std::int64_t value) { return value == wanted; });
}

// The convolution of a group; -1 when its anchor is none.
NodeId convolutionOf(const Graph& graph, const Group& group)
{
    const auto found = std::ranges::find_if(group.nodes, [&](NodeId id) { return nodeAt(graph, id).op->name == "Conv"; });
    return found == group.nodes.end() ? -1 : *found;
}

// Why tiles are not for a convolution; empty where they are.
std::string unfit(const Graph& graph, NodeId id)
{
    if (id < 0) {
        return "it is no convolution";
    }
    const Node& node = nodeAt(graph, id);
    const graph::Value& weights = valueAt(graph, node.inputs[1]);
    if (!weights.constant) {
        return "its weights are no constant";
    }
    if (weights.constant->shape().size() != 4 || weights.constant->shape()[2] != 3 || weights.constant->shape()[3] != 3) {
        return "its window is not 3x3";
    }
    if (!allAre(node.attributes.integers("strides"), 1)) {
        return "its stride is not 1";
    }
    if (!allAre(node.attributes.integers("dilations"), 1)) {
        return "it is dilated";
    }
    if (node.attributes.integer("group", 1) != 1) {
        return "it works in groups of channels";
    }
    if (weights.type.type != DType::F32 && weights.type.type != DType::F64) {
        return "its elements are not f32 or f64";
    }
    const auto shape = graph.staticShape(node.outputs[0]);
    const bool hasElements = shape && std::ranges::all_of(*shape, [](std::int64_t extent) { return extent > 0; });
    return hasElements ? "" : "its result has no elements, or extents that are not bound";
}

// `id` becomes a convolution by tiles, which reads a new constant in place of its weights.
void transform(Graph& graph, Group& group, NodeId id, std::int64_t tile)
{
    Node& node = graph.nodes[static_cast<std::size_t>(id)];
    const ValueId before = node.inputs[1];
    const graph::Value& weights = valueAt(graph, before);
    graph::Value made;
    made.name = format("{}.{}", weights.name, nameOf(tile));
    made.constant = graph::winogradWeights(*graph::winograd(tile), *weights.constant);
    made.type.type = weights.type.type;
    for (const std::int64_t extent : made.constant->shape()) {
        made.type.shape.push_back(intImm(extent));
    }
    const auto after = static_cast<ValueId>(graph.values.size());
    graph.values.push_back(std::move(made));
    node.inputs[1] = after;
    node.op = graph::findOp("WinogradConv");
    node.attributes.values = {{"tile", tile}, {"pads", node.attributes.integers("pads")}};
    const auto reads = [&](NodeId other) { return std::ranges::count(nodeAt(graph, other).inputs, before) > 0; };
    const auto port = std::ranges::find(group.ports, before, &GroupPort::value);
    ENSURE(port != group.ports.end(), "a convolution without its weights");
    const GroupPort madePort{std::string(node.op->inputNames[1]), PortKind::Constant, after, Layout{}};
    if (std::ranges::any_of(group.nodes, reads)) { // an epilogue that reads the weights as well
        group.ports.insert(port, madePort);
    } else {
        *port = madePort;
    }
}

Error wrongWord(const std::string& group, const std::string& algorithm)
{
    const std::vector<std::string> names = allAlgorithms();
    const std::string near = nearest(algorithm, names);
    return refused(format("\"{}\" is no algorithm for {}{} There are {}.", algorithm, group,
                          near.empty() ? std::string(".") : format("; did you mean {}?", near), join(names, ", ")));
}

} // namespace

std::vector<std::string> algorithmsOf(const Graph& graph, const Group& group)
{
    return unfit(graph, convolutionOf(graph, group)).empty() ? allAlgorithms() : std::vector<std::string>{kDirect};
}

Result<WithAlgorithms> withAlgorithms(std::shared_ptr<const Graph> graph, std::vector<Group> groups,
                                      const std::map<std::string, std::string>& algorithms)
{
    for (const auto& [group, algorithm] : algorithms) {
        if (const Result<std::size_t> at = findGroup(groups, group); !at) {
            return at.error();
        }
    }
    std::shared_ptr<Graph> changed;
    for (Group& group : groups) {
        const auto choice = algorithms.find(group.name);
        if (choice == algorithms.end() || choice->second == kDirect) {
            continue;
        }
        const std::optional<std::int64_t> tile = tileOf(choice->second);
        if (!tile) {
            return wrongWord(group.name, choice->second);
        }
        const NodeId id = convolutionOf(*graph, group);
        if (const std::string why = unfit(*graph, id); !why.empty()) {
            return refused(format("{} cannot be computed by {}: {}. That algorithm is for 3x3 convolutions with stride 1, no "
                                  "dilation, one group of channels and constant weights; write direct.",
                                  group.name, choice->second, why));
        }
        if (changed == nullptr) {
            changed = std::make_shared<Graph>(*graph);
        }
        transform(*changed, group, id, *tile);
    }
    return WithAlgorithms{changed == nullptr ? std::move(graph) : std::move(changed), std::move(groups)};
}

} // namespace nw::plan
