#include "views/graph/group_words.h"

#include "engine/graph/op_table.h"
#include "engine/plan/short_layout.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace nw::views {
namespace {

constexpr const char* kTimes = "×";
// A title of more parts is shortened; the whole list is still searched.
constexpr std::size_t kMostParts = 4;

std::string opWord(std::string_view op)
{
    static const std::map<std::string_view, std::string> kShort = {{"LayerNormalization", "layernorm"}, {"RMSNormalization", "rmsnorm"},
        {"BatchNormalization", "batchnorm"}, {"ReduceMean", "mean"}, {"ReduceMax", "max"}, {"ReduceSum", "sum"},
        {"AveragePool", "avgpool"}};
    if (const auto found = kShort.find(op); found != kShort.end()) {
        return found->second;
    }
    std::string word(op);
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return word;
}

std::string joined(const std::vector<std::string>& parts, const std::string& between)
{
    std::string text;
    for (const std::string& part : parts) {
        text += (text.empty() ? "" : between) + part;
    }
    return text;
}

const graph::Value* valueOf(const graph::Graph& graph, graph::ValueId id)
{
    return id == graph::kNoValue ? nullptr : &graph.values[static_cast<std::size_t>(id)];
}

bool isBias(const graph::Value* value)
{
    return value != nullptr && value->constant.has_value() && value->type.shape.size() == 1;
}

std::string windowText(const graph::Graph& graph, const graph::Node& node)
{
    std::vector<std::string> extents;
    if (node.op->name == "Conv" && node.inputs.size() > 1) {
        const graph::Value* weights = valueOf(graph, node.inputs[1]);
        for (std::size_t i = 2; weights != nullptr && i < weights->type.shape.size(); ++i) {
            extents.push_back(toText(weights->type.shape[i]));
        }
    } else if (node.attributes.has("kernel_shape")) {
        for (const std::int64_t extent : node.attributes.integers("kernel_shape")) {
            extents.push_back(std::to_string(extent));
        }
    }
    return joined(extents, kTimes);
}

// One node's parts: a convolution with a bias is two.
std::vector<std::string> nodeParts(const graph::Graph& graph, const graph::Node& node, bool first)
{
    std::vector<std::string> parts;
    if (!first && node.op->name == "Add" &&
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](graph::ValueId id) { return isBias(valueOf(graph, id)); })) {
        return {"bias"};
    }
    std::string word = opWord(node.op->name);
    if (const std::string window = windowText(graph, node); !window.empty()) {
        word += " " + window;
    }
    parts.push_back(std::move(word));
    const bool withBias = (node.op->name == "Conv" || node.op->name == "Gemm") && node.inputs.size() > 2 &&
        node.inputs[2] != graph::kNoValue;
    if (withBias) {
        parts.emplace_back("bias");
    }
    return parts;
}

// The spelled-out GELU of exported transformers.
void foldGelu(std::vector<std::string>& parts)
{
    static const std::vector<std::string> kGelu = {"div", "erf", "add", "mul", "mul"};
    const auto found = std::search(parts.begin(), parts.end(), kGelu.begin(), kGelu.end());
    if (found != parts.end()) {
        *found = "gelu";
        parts.erase(found + 1, found + static_cast<std::ptrdiff_t>(kGelu.size()));
    }
}

} // namespace

std::string layoutText(const Layout& layout)
{
    return layout.isPlain() ? std::string() : plan::choiceText(layout);
}

std::string shapeText(const graph::TensorType& type, bool whole)
{
    std::vector<std::string> extents;
    for (const Expr& extent : type.shape) {
        extents.push_back(toText(extent));
    }
    if (!whole && extents.size() > 2 && extents.front() == "1") {
        extents.erase(extents.begin());
    }
    return extents.empty() ? "scalar" : joined(extents, kTimes);
}

std::string groupTitle(const graph::Graph& graph, const plan::Group& group)
{
    if (group.nodes.empty()) {
        std::vector<std::string> layouts;
        for (const plan::GroupPort& port : group.ports) {
            layouts.push_back(port.layout.isPlain() ? "plain" : layoutText(port.layout));
        }
        return joined(layouts, " → ");
    }
    std::vector<std::string> parts;
    for (const graph::NodeId id : group.nodes) {
        for (std::string& part : nodeParts(graph, graph.nodes[static_cast<std::size_t>(id)], parts.empty())) {
            parts.push_back(std::move(part));
        }
    }
    foldGelu(parts);
    if (parts.size() > kMostParts) {
        const std::string more = std::to_string(parts.size() - (kMostParts - 1)) + " more";
        parts.resize(kMostParts - 1);
        parts.push_back(more);
    }
    return joined(parts, " + ");
}

} // namespace nw::views
