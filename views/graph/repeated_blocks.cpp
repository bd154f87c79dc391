// A picture's groups are a word, one letter a group (its operators), in topological order. Repetition is a run of that word:
// a stretch that equals itself shifted by a period. Of overlapping runs the one that saves most is kept. A run says
// nothing of edges, so its repetitions are compared edge by edge afterwards. Since a block is a stretch of a topological
// order, drawing it as one box never makes a cycle.

#include "views/graph/repeated_blocks.h"

#include "engine/graph/op_table.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace nw::views {
namespace {

// A block of more groups is no help to the eye, and the search stays linear.
constexpr int kLongestPeriod = 160;

struct Run {
    int begin = 0;
    int length = 0;
    int period = 0;
    int saved() const { return (length / period - 1) * period; }
};

// Edges with both ends in the stretch, as places in it.
using Inside = std::set<std::pair<int, int>>;

class Finder {
public:
    Finder(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges)
        : m_nodes(nodes)
        , m_successors(nodes.size())
    {
        std::map<std::string, int> letters;
        for (const GraphNode& node : nodes) {
            // Inputs and outputs are never like anything.
            std::string spelled = node.title;
            for (const std::string& op : node.ops) {
                spelled += "/" + op;
            }
            m_word.push_back(node.isGroup() ? letters.emplace(spelled, static_cast<int>(letters.size())).first->second
                                           : -1 - static_cast<int>(m_word.size()));
        }
        for (const GraphEdge& edge : edges) {
            m_successors[static_cast<std::size_t>(edge.from)].push_back(edge.to);
        }
    }

    std::vector<GraphPicture::Block> find()
    {
        std::vector<Run> runs = allRuns();
        std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
            return std::tuple(-a.saved(), a.period, a.begin) < std::tuple(-b.saved(), b.period, b.begin);
        });
        std::vector<bool> taken(m_word.size(), false);
        std::map<int, GraphPicture::Block> found;
        for (const Run& run : runs) {
            const Run free = longestFree(run, taken);
            if (free.length < 2 * free.period) {
                continue;
            }
            for (GraphPicture::Block& block : blocksOf(free)) {
                for (const std::vector<int>& occurrence : block.occurrences) {
                    for (const int node : occurrence) {
                        taken[static_cast<std::size_t>(node)] = true;
                    }
                }
                found.emplace(block.occurrences.front().front(), std::move(block));
            }
        }
        std::vector<GraphPicture::Block> blocks;
        for (auto& [begin, block] : found) {
            blocks.push_back(std::move(block));
        }
        return blocks;
    }

private:
    const std::vector<GraphNode>& m_nodes;
    std::vector<std::vector<int>> m_successors;
    std::vector<int> m_word;

    int letter(int at) const { return m_word[static_cast<std::size_t>(at)]; }
    int size() const { return static_cast<int>(m_word.size()); }

    std::vector<Run> allRuns() const
    {
        std::vector<Run> runs;
        for (int period = 2; period <= std::min(kLongestPeriod, size() / 2); ++period) {
            for (int begin = 0; begin + period < size();) {
                int end = begin;
                while (end + period < size() && letter(end) == letter(end + period)) {
                    ++end;
                }
                if (end - begin >= period && !isMonotone(begin, end + period)) {
                    runs.push_back({begin, end - begin + period, period});
                }
                begin = end + 1;
            }
        }
        return runs;
    }

    // The same letter all along: pairs of it would be blocks of nothing.
    bool isMonotone(int begin, int end) const
    {
        for (int i = begin + 1; i < end; ++i) {
            if (letter(i) != letter(begin)) {
                return false;
            }
        }
        return true;
    }

    static Run longestFree(const Run& run, const std::vector<bool>& taken)
    {
        Run best{run.begin, 0, run.period};
        Run now = best;
        for (int i = run.begin; i < run.begin + run.length; ++i) {
            if (taken[static_cast<std::size_t>(i)]) {
                now = {i + 1, 0, run.period};
                continue;
            }
            ++now.length;
            best = now.length > best.length ? now : best;
        }
        return best;
    }

    // Repetitions may begin at any place of the spare part: where the fewest values cross from one to the next.
    int bestBegin(const Run& run) const
    {
        const int spare = run.length % run.period;
        int best = run.begin;
        std::size_t fewest = SIZE_MAX;
        for (int begin = run.begin; begin <= run.begin + spare; ++begin) {
            std::size_t crossing = 0;
            for (int i = begin; i < begin + run.period; ++i) {
                const std::vector<int>& to = m_successors[static_cast<std::size_t>(i)];
                crossing += std::any_of(to.begin(), to.end(), [&](int t) { return t >= begin + run.period; }) ? 1 : 0;
            }
            // Of equal ones the last: what is left over is a stem, rather than a tail.
            if (crossing <= fewest) {
                fewest = crossing;
                best = begin;
            }
        }
        return best;
    }

    Inside inside(int begin, int period) const
    {
        Inside edges;
        for (int i = begin; i < begin + period; ++i) {
            for (const int to : m_successors[static_cast<std::size_t>(i)]) {
                if (to < begin + period) {
                    edges.emplace(i - begin, to - begin);
                }
            }
        }
        return edges;
    }

    std::vector<GraphPicture::Block> blocksOf(const Run& run) const
    {
        std::vector<GraphPicture::Block> blocks;
        Inside last;
        const int first = bestBegin(run);
        for (int begin = first; begin + run.period <= run.begin + run.length; begin += run.period) {
            const Inside edges = inside(begin, run.period);
            if (edges.empty()) {
                continue; // neighbours in the order that have nothing to do with each other
            }
            if (blocks.empty() || edges != last) {
                blocks.push_back({title(begin, run.period), {}});
                last = edges;
            }
            std::vector<int> occurrence;
            for (int i = begin; i < begin + run.period; ++i) {
                occurrence.push_back(i);
            }
            blocks.back().occurrences.push_back(std::move(occurrence));
        }
        std::erase_if(blocks, [](const GraphPicture::Block& block) { return block.occurrences.size() < 2; });
        return blocks;
    }

    // What a group is called by: its heaviest operator, in the first word of its title.
    static std::string shortName(const GraphNode& node)
    {
        return node.title.substr(0, node.title.find(' '));
    }

    static bool isResidual(const GraphNode& node) { return node.title.find("+ add") != std::string::npos; }

    static int weight(const GraphNode& node)
    {
        const graph::OpInfo* op = node.ops.empty() ? nullptr : graph::findOp(node.ops.front());
        if (op == nullptr) {
            return 0;
        }
        return op->opClass == graph::OpClass::Contraction ? 3 : op->opClass == graph::OpClass::Reduction ? 2 : 1;
    }

    std::string title(int begin, int period) const
    {
        std::vector<std::string> parts;
        if (period <= 3) {
            for (int i = begin; i < begin + period; ++i) {
                const GraphNode& node = m_nodes[static_cast<std::size_t>(i)];
                parts.push_back(shortName(node));
                if (isResidual(node)) {
                    parts.emplace_back("add");
                }
            }
        } else {
            std::vector<std::pair<int, std::string>> names; // heaviest first, then as they come
            for (int i = begin; i < begin + period; ++i) {
                const GraphNode& node = m_nodes[static_cast<std::size_t>(i)];
                const std::pair<int, std::string> name{-weight(node), shortName(node)};
                if (std::find(names.begin(), names.end(), name) == names.end()) {
                    names.push_back(name);
                }
            }
            std::stable_sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            for (std::size_t i = 0; i < std::min<std::size_t>(3, names.size()); ++i) {
                parts.push_back(names[i].second);
            }
            if (parts.size() < 3 && std::any_of(m_nodes.begin() + begin, m_nodes.begin() + begin + period, &isResidual)) {
                parts.emplace_back("add");
            }
        }
        std::string text;
        for (const std::string& part : parts) {
            text += (text.empty() ? "" : " + ") + part;
        }
        return text + " block";
    }
};

} // namespace

std::vector<GraphPicture::Block> repeatedBlocks(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges)
{
    return Finder(nodes, edges).find();
}

} // namespace nw::views
