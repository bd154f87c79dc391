#include "views/graph/layered_layout.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace nw::views {
namespace {

// Graphviz measures in inches of 72 points.
constexpr double kInch = 72;

std::string decimal(double value)
{
    std::string text = std::to_string(value);
    for (char& c : text) {
        c = c == ',' ? '.' : c; // whatever the locale
    }
    return text;
}

std::string inches(double points)
{
    return decimal(points / kInch);
}

// Words of one line of the answer; none of ours needs quotes.
class Words {
public:
    explicit Words(std::string_view line)
        : m_rest(line)
    {}
    std::string_view next()
    {
        while (!m_rest.empty() && m_rest.front() == ' ') {
            m_rest.remove_prefix(1);
        }
        const std::string_view word = m_rest.substr(0, m_rest.find(' '));
        m_rest.remove_prefix(word.size());
        return word;
    }
    std::optional<double> number()
    {
        const std::string_view word = next();
        double value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        return error == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
    }
    // "n12"
    std::optional<int> box()
    {
        const std::string_view word = next();
        int value = 0;
        if (word.size() < 2) {
            return std::nullopt;
        }
        const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), value);
        return error == std::errc() ? std::optional(value) : std::nullopt;
    }

private:
    std::string_view m_rest;
};

class Answer {
public:
    explicit Answer(const LayoutRequest& request)
    {
        m_result.boxes.resize(request.sizes.size());
        m_result.lines.resize(request.edges.size());
        m_sizes = &request.sizes;
        for (std::size_t i = 0; i < request.edges.size(); ++i) {
            m_edges.emplace(request.edges[i], i);
        }
    }

    bool read(std::string_view line)
    {
        Words words(line);
        const std::string_view kind = words.next();
        if (kind == "graph") {
            const auto scale = words.number(), width = words.number(), height = words.number();
            m_result.width = width.value_or(0) * kInch;
            m_result.height = height.value_or(0) * kInch;
            return scale && width && height;
        }
        if (kind == "node") {
            return node(words);
        }
        return kind == "edge" ? edge(words) : true;
    }

    std::optional<LayoutResult> result() &&
    {
        return m_nodes == m_result.boxes.size() && m_lines == m_result.lines.size() ? std::optional(std::move(m_result))
                                                                                     : std::nullopt;
    }

private:
    LayoutResult m_result;
    const std::vector<std::pair<double, double>>* m_sizes = nullptr;
    std::map<std::pair<int, int>, std::size_t> m_edges;
    std::size_t m_nodes = 0;
    std::size_t m_lines = 0;

    // Graphviz counts upwards.
    double down(double y) const { return m_result.height - y * kInch; }

    bool node(Words& words)
    {
        const auto box = words.box();
        const auto x = words.number(), y = words.number();
        if (!box || !x || !y || *box < 0 || static_cast<std::size_t>(*box) >= m_sizes->size()) {
            return false;
        }
        const auto [width, height] = (*m_sizes)[static_cast<std::size_t>(*box)];
        m_result.boxes[static_cast<std::size_t>(*box)] = {*x * kInch - width / 2, down(*y) - height / 2, width, height};
        ++m_nodes;
        return true;
    }

    bool edge(Words& words)
    {
        const auto from = words.box(), to = words.box();
        const auto count = words.number();
        if (!from || !to || !count) {
            return false;
        }
        const auto found = m_edges.find({*from, *to});
        if (found == m_edges.end()) {
            return false;
        }
        LayoutLine line{{}, true};
        for (int i = 0; i < static_cast<int>(*count); ++i) {
            const auto x = words.number(), y = words.number();
            if (!x || !y) {
                return false;
            }
            line.points.push_back({*x * kInch, down(*y)});
        }
        m_result.lines[found->second] = std::move(line);
        ++m_lines;
        return true;
    }
};

} // namespace

std::string dotText(const LayoutRequest& request)
{
    std::string text = "digraph g {\nnodesep=" + inches(request.nodeGap) + "; ranksep=" + inches(request.layerGap) +
        ";\nnode [shape=box, fixedsize=true, label=\"\"];\nedge [arrowhead=none];\n";
    for (std::size_t i = 0; i < request.sizes.size(); ++i) {
        text += "n" + std::to_string(i) + " [width=" + inches(request.sizes[i].first) +
            ", height=" + inches(request.sizes[i].second) + "];\n";
    }
    for (std::size_t i = 0; i < request.frames.size(); ++i) {
        text += "subgraph cluster_" + std::to_string(i) + " { margin=10; label=\" \"; fontsize=" + decimal(request.frameTop * 0.8) + ";";
        for (const int member : request.frames[i]) {
            text += " n" + std::to_string(member) + ";";
        }
        text += " }\n";
    }
    for (const auto& [from, to] : request.edges) {
        text += "n" + std::to_string(from) + " -> n" + std::to_string(to) + ";\n";
    }
    return text + "}\n";
}

std::optional<LayoutResult> parsePlain(std::string_view plain, const LayoutRequest& request)
{
    Answer answer(request);
    while (!plain.empty()) {
        const std::size_t end = std::min(plain.find('\n'), plain.size());
        if (!answer.read(plain.substr(0, end))) {
            return std::nullopt;
        }
        plain.remove_prefix(std::min(end + 1, plain.size()));
    }
    return std::move(answer).result();
}

} // namespace nw::views
