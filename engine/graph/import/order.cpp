#include "engine/graph/import/order.h"

#include "engine/base/text.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <string>

namespace nw::graph {
namespace {

using model::Model;
using model::ModelNode;

constexpr int kGiven = -1; // a graph input or an initializer

std::string nodeText(const ModelNode& node)
{
    if (!node.name.empty()) {
        return format("node '{}' ({})", node.name, node.opType);
    }
    const std::string made = node.outputs.empty() ? std::string() : node.outputs.front();
    return format("the node that makes '{}' ({})", made, node.opType);
}

using Producers = std::map<std::string, int>;

Result<Producers> producersOf(const Model& model)
{
    Producers out;
    for (const model::ValueInfo& input : model.inputs) {
        if (!out.emplace(input.name, kGiven).second) {
            return failed(format("input '{}' is declared twice", input.name));
        }
    }
    for (const auto& [name, tensor] : model.initializers) {
        out.emplace(name, kGiven);
    }
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
        for (const std::string& name : model.nodes[i].outputs) {
            if (name.empty()) {
                continue;
            }
            const auto [at, isNew] = out.emplace(name, static_cast<int>(i));
            if (!isNew) {
                const std::string other = at->second == kGiven ? "is also an input or initializer"
                    : "is also made by " + nodeText(model.nodes[static_cast<std::size_t>(at->second)]);
                return failed(format("{}: its output '{}' {}", nodeText(model.nodes[i]), name, other));
            }
        }
    }
    return out;
}

Status checkNames(const Model& model, const Producers& producers)
{
    for (const ModelNode& node : model.nodes) {
        for (const std::string& name : node.inputs) {
            if (!name.empty() && !producers.contains(name)) {
                return failed(format("{}: it reads '{}', which nothing produces", nodeText(node), name));
            }
        }
    }
    std::set<std::string> outputs;
    for (const model::ValueInfo& output : model.outputs) {
        if (!producers.contains(output.name)) {
            return failed(format("output '{}' is produced by nothing", output.name));
        }
        if (!outputs.insert(output.name).second) {
            return failed(format("output '{}' is declared twice", output.name));
        }
    }
    return Done{};
}

// Which nodes the outputs need.
std::vector<bool> neededNodes(const Model& model, const Producers& producers)
{
    std::vector<bool> needed(model.nodes.size(), false);
    std::vector<std::string> open;
    for (const model::ValueInfo& output : model.outputs) {
        open.push_back(output.name);
    }
    while (!open.empty()) {
        const int producer = open.back().empty() ? kGiven : producers.at(open.back());
        open.pop_back();
        if (producer == kGiven || needed[static_cast<std::size_t>(producer)]) {
            continue;
        }
        needed[static_cast<std::size_t>(producer)] = true;
        const ModelNode& node = model.nodes[static_cast<std::size_t>(producer)];
        open.insert(open.end(), node.inputs.begin(), node.inputs.end());
    }
    return needed;
}

// One cycle among the nodes that never became ready, walked backwards.
std::string cycleText(const Model& model, const Producers& producers, const std::vector<int>& waiting)
{
    int at = 0;
    while (waiting[static_cast<std::size_t>(at)] <= 0) {
        ++at;
    }
    std::vector<int> path;
    while (std::find(path.begin(), path.end(), at) == path.end()) {
        path.push_back(at);
        for (const std::string& name : model.nodes[static_cast<std::size_t>(at)].inputs) {
            const int producer = name.empty() ? kGiven : producers.at(name);
            if (producer != kGiven && waiting[static_cast<std::size_t>(producer)] > 0) {
                at = producer;
                break;
            }
        }
    }
    std::vector<std::string> parts;
    for (auto node = std::find(path.begin(), path.end(), at); node != path.end() && parts.size() < 8; ++node) {
        parts.push_back(nodeText(model.nodes[static_cast<std::size_t>(*node)]));
    }
    return join(parts, ", ");
}

} // namespace

Result<std::vector<int>> executionOrder(const Model& model)
{
    const Result<Producers> producers = producersOf(model);
    if (!producers) {
        return producers.error();
    }
    if (const Status names = checkNames(model, *producers); !names) {
        return names.error();
    }
    std::vector<int> waiting(model.nodes.size(), 0);
    std::vector<std::vector<int>> readers(model.nodes.size());
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
        for (const std::string& name : model.nodes[i].inputs) {
            const int producer = name.empty() ? kGiven : producers->at(name);
            if (producer != kGiven) {
                readers[static_cast<std::size_t>(producer)].push_back(static_cast<int>(i));
                ++waiting[i];
            }
        }
        if (waiting[i] == 0) {
            ready.push(static_cast<int>(i));
        }
    }
    const std::vector<bool> needed = neededNodes(model, *producers);
    std::vector<int> order;
    std::size_t done = 0;
    while (!ready.empty()) {
        const int next = ready.top();
        ready.pop();
        ++done;
        if (needed[static_cast<std::size_t>(next)]) {
            order.push_back(next);
        }
        for (const int reader : readers[static_cast<std::size_t>(next)]) {
            if (--waiting[static_cast<std::size_t>(reader)] == 0) {
                ready.push(reader);
            }
        }
    }
    if (done != model.nodes.size()) {
        return failed("the graph has a cycle: " + cycleText(model, *producers, waiting));
    }
    return order;
}

} // namespace nw::graph
