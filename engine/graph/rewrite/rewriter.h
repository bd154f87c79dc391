#pragma once

#include "engine/base/result.h"
#include "engine/graph/graph.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nw::graph {

// A rewrite rule: `apply` returns the new graph when it fired at `node` and changed something, nothing otherwise.
struct Rule {
    std::string_view name; // "fold_batch_norm"
    std::string_view law;  // one line: what equals what, and when
    std::optional<Graph> (*apply)(const Graph& graph, NodeId node);
};

// The list, in order (rewrite/all.cpp).
std::span<const Rule> allRules();

struct Firing {
    std::string rule;
    std::string where; // node name or operator
};
struct Rewritten {
    std::shared_ptr<const Graph> graph;
    std::vector<Firing> firings;
};

// Runs the rules to a fixed point, verifying after each firing in debug builds. Stops with Failed naming the rules
// that cycle when more than 20 firings a node happen. Idempotent: rewriting the result changes nothing.
Result<Rewritten> rewrite(std::shared_ptr<const Graph> graph, std::span<const Rule> rules);

} // namespace nw::graph
