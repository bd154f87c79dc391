#include "views/graph/visible_graph.h"

#include "views/graph/at.h"

#include <map>
#include <set>
#include <string_view>

namespace nw::views {
GraphFolding foldingOf(std::shared_ptr<const GraphPicture> picture, bool open)
{
    GraphFolding folding;
    folding.blockOf.assign(picture->nodes.size(), -1);
    for (const GraphPicture::Block& block : picture->blocks) {
        for (const std::vector<int>& occurrence : block.occurrences) {
            const int number = static_cast<int>(folding.blocks.size());
            GraphNode node;
            node.id = "block." + std::to_string(number);
            node.title = block.title;
            node.kind = GraphNode::Kind::Block;
            node.members = occurrence;
            if (!occurrence.empty()) {
                node.subtitle = picture->nodes[at(occurrence.back())].subtitle;
            }
            for (const int member : occurrence) {
                folding.blockOf[at(member)] = number;
            }
            folding.blocks.push_back(std::move(node));
        }
    }
    folding.open.assign(folding.blocks.size(), open);
    folding.picture = std::move(picture);
    return folding;
}

VisibleGraph visibleGraph(const GraphFolding& folding)
{
    const GraphPicture& picture = *folding.picture;
    VisibleGraph visible;
    visible.visibleOf.assign(picture.nodes.size(), -1);
    std::vector<int> boxOf(folding.blocks.size(), -1);
    std::vector<int> frameOf(folding.blocks.size(), -1);
    for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
        const int block = folding.blockOf[i];
        const int next = static_cast<int>(visible.nodes.size());
        if (block < 0 || folding.open[at(block)]) {
            visible.visibleOf[i] = next;
            visible.nodes.push_back({&picture.nodes[i], static_cast<int>(i), block, {}});
            if (block >= 0) {
                if (frameOf[at(block)] < 0) {
                    frameOf[at(block)] = static_cast<int>(visible.frames.size());
                    visible.frames.push_back({block, {}});
                }
                visible.frames[at(frameOf[at(block)])].members.push_back(next);
            }
            continue;
        }
        if (boxOf[at(block)] < 0) {
            boxOf[at(block)] = next;
            visible.nodes.push_back({&folding.blocks[at(block)], -1, block, {}});
        }
        visible.visibleOf[i] = boxOf[at(block)];
    }

    // Readers of each value, in the order of the edges; a block reads once.
    struct Value {
        int from;
        const GraphEdge* first;
        std::vector<std::pair<int, const GraphEdge*>> readers;
        std::set<int> seen;
    };
    std::vector<Value> values;
    std::map<std::pair<int, std::string_view>, std::size_t> known;
    for (const GraphEdge& edge : picture.edges) {
        const int from = visible.visibleOf[at(edge.from)];
        const int to = visible.visibleOf[at(edge.to)];
        if (from == to) {
            continue;
        }
        const auto [found, isNew] = known.emplace(std::pair(from, std::string_view(edge.tensor)), values.size());
        if (isNew) {
            values.push_back({from, &edge, {}, {}});
        }
        Value& value = values[found->second];
        if (value.seen.insert(to).second) {
            value.readers.emplace_back(to, &edge);
        }
    }
    std::map<std::pair<int, int>, std::size_t> between;
    for (const Value& value : values) {
        const bool asStubs = static_cast<int>(value.readers.size()) > kMostRoutedReaders;
        for (const auto& [to, edge] : value.readers) {
            if (asStubs) {
                visible.nodes[at(to)].stubs.push_back({value.from, value.first->tensor});
                continue;
            }
            const auto [drawn, isFirst] = between.emplace(std::pair(value.from, to), visible.edges.size());
            if (isFirst) {
                visible.edges.push_back({value.from, to, edge->label, edge->tensor, {edge}});
            } else {
                visible.edges[drawn->second].carried.push_back(edge);
            }
        }
    }
    return visible;
}

} // namespace nw::views
