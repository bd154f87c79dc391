#include "engine/base/line_diff.h"

#include "engine/base/text.h"

#include <algorithm>

namespace nw {

std::vector<DiffLine> diffLines(const std::vector<std::string>& one, const std::vector<std::string>& two)
{
    // common[i][j]: the longest common subsequence of what follows these places.
    std::vector<std::vector<int>> common(one.size() + 1, std::vector<int>(two.size() + 1, 0));
    for (std::size_t i = one.size(); i-- > 0;) {
        for (std::size_t j = two.size(); j-- > 0;) {
            common[i][j] = one[i] == two[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
        }
    }
    std::vector<DiffLine> lines;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < one.size() || j < two.size()) {
        if (i < one.size() && j < two.size() && one[i] == two[j]) {
            lines.push_back({DiffLine::Kind::Same, one[i]});
            ++i;
            ++j;
        } else if (j >= two.size() || (i < one.size() && common[i + 1][j] >= common[i][j + 1])) {
            lines.push_back({DiffLine::Kind::Removed, one[i++]});
        } else {
            lines.push_back({DiffLine::Kind::Added, two[j++]});
        }
    }
    return lines;
}

std::vector<DiffLine> diffTexts(const std::string& one, const std::string& two)
{
    const auto linesOf = [](const std::string& text) {
        std::vector<std::string> lines = splitText(text, '\n');
        while (!lines.empty() && lines.back().empty()) {
            lines.pop_back();
        }
        return lines;
    };
    return diffLines(linesOf(one), linesOf(two));
}

std::string toText(const DiffLine& line)
{
    switch (line.kind) {
    case DiffLine::Kind::Same: return "  " + line.text;
    case DiffLine::Kind::Removed: return "- " + line.text;
    case DiffLine::Kind::Added: return "+ " + line.text;
    }
    return line.text;
}

} // namespace nw
