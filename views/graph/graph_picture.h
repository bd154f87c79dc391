#pragma once

#include "engine/graph/graph.h"
#include "engine/plan/plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw::views {

// A box of the picture.
struct GraphNode {
    std::string id; // group name "conv.0", block id "block.3", "input.x" or "output.y"
    std::string title; // "conv 3×3 + bias + relu"
    std::string subtitle; // "64×56×56"
    std::vector<std::string> badges; // "NCHW16c"
    std::string note; // "1.24 ms", "14 %": what stands at the right of the title
    enum class Kind { Input, Output, Group, Conversion, Block } kind = Kind::Group;
    int task = -1;
    std::vector<int> members; // of a collapsed block: indices into GraphPicture::nodes
    std::vector<std::string> ops; // operator names inside, "Conv", "Relu": for the search and for finding repetition

    // An operator of the model, or a conversion put in by the plan.
    bool isGroup() const { return kind == Kind::Group || kind == Kind::Conversion; }
};

struct GraphEdge {
    int from = 0;
    int to = 0;
    std::string label; // shape and layout, "1×64×56×56 NCHW16c"
    std::string tensor; // the model's name of the value
    std::string shape{}; // "1×64×56×56"
    std::string type{}; // "f32"
    std::string layout{}; // "NCHW16c"; empty: plain
    std::int64_t bytes = 0; // as it lies in memory; 0: not known
};

// Everything, uncollapsed. Nodes are in topological order: edges lead from a smaller to a greater index.
struct GraphPicture {
    // Runs of neighbouring groups with the same operators and the same edges inside: layers of a transformer, residual
    // blocks.
    struct Block {
        std::string title; // "conv + conv + add block"
        std::vector<std::vector<int>> occurrences; // node indices each, consecutive
    };
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
    std::vector<Block> blocks;
};

// Neither needs a thread of its own, but a large model deserves one.
GraphPicture pictureOf(const plan::Plan& plan);
// When shapes are still symbolic.
GraphPicture pictureOf(const graph::Graph& graph, const std::vector<plan::Group>& groups);

} // namespace nw::views
