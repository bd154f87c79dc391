#pragma once

#include "views/graph/graph_picture.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nw::views {

// A picture and which of its blocks are open. Occurrences of all blocks are counted through: "block.0", "block.1", ...
struct GraphFolding {
    std::shared_ptr<const GraphPicture> picture;
    std::vector<GraphNode> blocks; // Kind::Block, one an occurrence
    std::vector<int> blockOf; // of every node of the picture; -1: in none
    std::vector<bool> open; // parallel to blocks
};

GraphFolding foldingOf(std::shared_ptr<const GraphPicture> picture, bool open);

// What is drawn: nodes of the picture and closed blocks. Points into the folding, which must stay.
struct VisibleGraph {
    // A value that many read is named at each reader instead of drawn as so many edges.
    struct Stub {
        int from = 0; // visible node
        std::string tensor;
    };
    struct Node {
        const GraphNode* node = nullptr;
        int source = -1; // index into the picture; -1 for a block
        int block = -1; // the closed block it is, or the open one it stands in
        std::vector<Stub> stubs;
    };
    struct Edge {
        int from = 0;
        int to = 0;
        std::string label;
        std::string tensor;
        std::vector<const GraphEdge*> carried; // of the picture: every value that goes this way
    };
    struct Frame { // an open block
        int block = 0;
        std::vector<int> members; // visible nodes
    };
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<Frame> frames;
    std::vector<int> visibleOf; // of every node of the picture: itself, or the closed block it is in
};

// More readers than this make stubs.
inline constexpr int kMostRoutedReaders = 6;

VisibleGraph visibleGraph(const GraphFolding& folding);

} // namespace nw::views
