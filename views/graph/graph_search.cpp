#include "views/graph/graph_search.h"

#include <algorithm>
#include <sstream>

namespace nw::views {
namespace {

// Lower case, and the sign of "3×3" as it is typed.
std::string simplified(const std::string& text)
{
    static const std::string kSign = "×";
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, kSign.size(), kSign) == 0) {
            plain += 'x';
            i += kSign.size() - 1;
            continue;
        }
        const char c = text[i];
        plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return plain;
}

} // namespace

GraphSearch::GraphSearch(const GraphPicture& picture)
{
    m_spelled.reserve(picture.nodes.size());
    for (const GraphNode& node : picture.nodes) {
        std::string text = node.title + '\n' + node.subtitle + '\n' + node.id;
        for (const std::string& badge : node.badges) {
            text += '\n' + badge;
        }
        for (const std::string& op : node.ops) {
            text += '\n' + op;
        }
        m_spelled.push_back(simplified(text));
    }
}

std::vector<int> GraphSearch::find(const std::string& text) const
{
    std::istringstream stream(simplified(text));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    std::vector<int> found;
    for (std::size_t i = 0; i < m_spelled.size() && !words.empty(); ++i) {
        if (std::all_of(words.begin(), words.end(),
                [&](const std::string& word) { return m_spelled[i].find(word) != std::string::npos; })) {
            found.push_back(static_cast<int>(i));
        }
    }
    return found;
}

} // namespace nw::views
