// Longest-path layers; an edge over several layers gets a thin stand-in in each of them, as long as these stay in
// proportion to the graph, so that it is led around boxes. Orders within a layer by barycentre of the neighbours, places
// by the same barycentre, pushed apart.

#include "views/graph/layered_layout.h"

#include "views/graph/at.h"

#include <algorithm>
#include <utility>

namespace nw::views {
namespace {

constexpr int kSweeps = 4;
constexpr int kLongestLed = 48; // layers
constexpr double kStandInWidth = 8;

struct Item {
    double width = 0;
    double height = 0;
    int layer = 0;
    double centre = 0;
    std::vector<int> above, below;
};

class Layouter {
public:
    Layouter(const LayoutRequest& request, const std::atomic<bool>& cancelled)
        : m_request(request)
        , m_cancelled(cancelled)
    {}

    std::optional<LayoutResult> run()
    {
        makeItems();
        makeChains();
        makeLayers();
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            if (m_cancelled.load()) {
                return std::nullopt;
            }
            order(sweep % 2 == 0);
        }
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            if (m_cancelled.load()) {
                return std::nullopt;
            }
            place(sweep % 2 == 0);
        }
        return result();
    }

private:
    const LayoutRequest& m_request;
    const std::atomic<bool>& m_cancelled;
    std::vector<Item> m_items; // boxes, then stand-ins
    std::vector<std::vector<int>> m_chains; // items of each edge, ends included
    std::vector<std::vector<int>> m_layers;

    void makeItems()
    {
        for (const auto& [width, height] : m_request.sizes) {
            m_items.push_back({width, height, 0, 0, {}, {}});
        }
        // Indices are topological, so one pass in their order is enough.
        std::vector<std::pair<int, int>> edges = m_request.edges;
        std::sort(edges.begin(), edges.end());
        for (const auto& [from, to] : edges) {
            m_items[at(to)].layer = std::max(m_items[at(to)].layer, m_items[at(from)].layer + 1);
        }
        // What nothing leads to stands just above its first reader, not at the top.
        std::vector<int> firstReader(m_request.sizes.size(), -1);
        std::vector<bool> isRead(m_request.sizes.size(), false);
        for (const auto& [from, to] : edges) {
            isRead[at(to)] = true;
            int& first = firstReader[at(from)];
            first = first < 0 ? m_items[at(to)].layer : std::min(first, m_items[at(to)].layer);
        }
        for (std::size_t i = 0; i < firstReader.size(); ++i) {
            if (!isRead[i] && firstReader[i] > 0) {
                m_items[i].layer = firstReader[i] - 1;
            }
        }
    }

    void makeChains()
    {
        std::size_t budget = 6 * (m_request.sizes.size() + m_request.edges.size());
        for (const auto& [from, to] : m_request.edges) {
            std::vector<int> chain{from};
            const int span = m_items[at(to)].layer - m_items[at(from)].layer;
            if (span <= kLongestLed && static_cast<std::size_t>(span) <= budget) {
                budget -= static_cast<std::size_t>(span);
                for (int layer = m_items[at(from)].layer + 1; layer < m_items[at(to)].layer; ++layer) {
                    chain.push_back(static_cast<int>(m_items.size()));
                    m_items.push_back({kStandInWidth, 0, layer, 0, {}, {}});
                }
            }
            chain.push_back(to);
            for (std::size_t i = 1; i < chain.size(); ++i) {
                m_items[at(chain[i - 1])].below.push_back(chain[i]);
                m_items[at(chain[i])].above.push_back(chain[i - 1]);
            }
            m_chains.push_back(std::move(chain));
        }
    }

    void makeLayers()
    {
        for (std::size_t i = 0; i < m_items.size(); ++i) {
            m_layers.resize(std::max(m_layers.size(), at(m_items[i].layer) + 1));
            m_layers[at(m_items[i].layer)].push_back(static_cast<int>(i));
        }
        for (const std::vector<int>& layer : m_layers) {
            pack(layer);
        }
    }

    double gap(int left, int right) const
    {
        return (m_items[at(left)].width + m_items[at(right)].width) / 2 + m_request.nodeGap;
    }

    // Side by side, centred on 0.
    void pack(const std::vector<int>& layer)
    {
        double x = 0;
        for (std::size_t i = 0; i < layer.size(); ++i) {
            x += i == 0 ? 0 : gap(layer[i - 1], layer[i]);
            m_items[at(layer[i])].centre = x;
        }
        for (const int item : layer) {
            m_items[at(item)].centre -= x / 2;
        }
    }

    double wish(const Item& item, bool down) const
    {
        const std::vector<int>& neighbours = (down ? item.above : item.below).empty() ? (down ? item.below : item.above)
                                                                                       : (down ? item.above : item.below);
        if (neighbours.empty()) {
            return item.centre;
        }
        double sum = 0;
        for (const int neighbour : neighbours) {
            sum += m_items[at(neighbour)].centre;
        }
        return sum / static_cast<double>(neighbours.size());
    }

    template <typename Visit>
    void eachLayer(bool down, Visit visit)
    {
        const std::size_t count = m_layers.size();
        for (std::size_t i = 0; i < count; ++i) {
            visit(m_layers[down ? i : count - 1 - i]);
        }
    }

    void order(bool down)
    {
        eachLayer(down, [&](std::vector<int>& layer) {
            std::vector<std::pair<double, int>> wishes;
            for (const int item : layer) {
                wishes.emplace_back(wish(m_items[at(item)], down), item);
            }
            std::stable_sort(wishes.begin(), wishes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            std::transform(wishes.begin(), wishes.end(), layer.begin(), [](const auto& w) { return w.second; });
            pack(layer);
        });
    }

    // Each where it wishes to be, pushed apart from the left and from the right; the middle of both.
    void place(bool down)
    {
        eachLayer(down, [&](std::vector<int>& layer) {
            std::vector<double> wishes, fromLeft, fromRight;
            for (const int item : layer) {
                wishes.push_back(wish(m_items[at(item)], down));
            }
            // What has no edge stays with the one beside it, wherever the rest has moved.
            for (std::size_t i = 0; i < layer.size() && layer.size() > 1; ++i) {
                if (m_items[at(layer[i])].above.empty() && m_items[at(layer[i])].below.empty()) {
                    wishes[i] = wishes[i > 0 ? i - 1 : 1];
                }
            }
            fromLeft = fromRight = wishes;
            for (std::size_t i = 1; i < layer.size(); ++i) {
                fromLeft[i] = std::max(fromLeft[i], fromLeft[i - 1] + gap(layer[i - 1], layer[i]));
            }
            for (std::size_t i = layer.size(); i-- > 1;) {
                fromRight[i - 1] = std::min(fromRight[i - 1], fromRight[i] - gap(layer[i - 1], layer[i]));
            }
            for (std::size_t i = 0; i < layer.size(); ++i) {
                m_items[at(layer[i])].centre = (fromLeft[i] + fromRight[i]) / 2;
            }
        });
    }

    LayoutResult result()
    {
        LayoutResult result;
        double least = 0;
        double most = 0;
        for (const Item& item : m_items) {
            least = std::min(least, item.centre - item.width / 2);
            most = std::max(most, item.centre + item.width / 2);
        }
        result.width = most - least;
        std::vector<double> tops, heights;
        for (const std::vector<int>& layer : m_layers) {
            double height = 0;
            for (const int item : layer) {
                height = std::max(height, m_items[at(item)].height);
            }
            tops.push_back(result.height);
            heights.push_back(height);
            result.height += height + m_request.layerGap;
        }
        result.height = std::max(0.0, result.height - m_request.layerGap);
        const auto middle = [&](const Item& item) { return tops[at(item.layer)] + heights[at(item.layer)] / 2; };
        for (std::size_t i = 0; i < m_request.sizes.size(); ++i) {
            const Item& item = m_items[i];
            result.boxes.push_back(
                {item.centre - least - item.width / 2, middle(item) - item.height / 2, item.width, item.height});
        }
        for (const std::vector<int>& chain : m_chains) {
            LayoutLine line;
            const Item& first = m_items[at(chain.front())];
            const Item& last = m_items[at(chain.back())];
            line.points.push_back({first.centre - least, middle(first) + first.height / 2});
            for (std::size_t i = 1; i + 1 < chain.size(); ++i) {
                const Item& item = m_items[at(chain[i])];
                line.points.push_back({item.centre - least, tops[at(item.layer)]});
                line.points.push_back({item.centre - least, tops[at(item.layer)] + heights[at(item.layer)]});
            }
            line.points.push_back({last.centre - least, middle(last) - last.height / 2});
            result.lines.push_back(std::move(line));
        }
        return result;
    }
};

} // namespace

std::optional<LayoutResult> layeredLayout(const LayoutRequest& request, const std::atomic<bool>& cancelled)
{
    return Layouter(request, cancelled).run();
}

} // namespace nw::views
