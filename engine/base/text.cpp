#include "engine/base/text.h"

#include <algorithm>
#include <cmath>

namespace nw {
namespace {

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above + 1, row[j - 1] + 1, change});
            diagonal = above;
        }
    }
    return row.back();
}

template <typename Real>
std::string shortest(Real value)
{
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value < 0 ? "-inf" : "inf";
    }
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    return text;
}

} // namespace

std::string join(const std::vector<std::string>& parts, std::string_view separator)
{
    std::string joined;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) {
            joined += separator;
        }
        joined += parts[i];
    }
    return joined;
}

std::vector<std::string> splitText(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || text[i] == separator) {
            parts.emplace_back(text.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    return parts;
}

std::vector<std::string> splitWords(std::string_view text)
{
    std::vector<std::string> words;
    std::size_t i = 0;
    while (i < text.size()) {
        if (isSpace(text[i])) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        while (i < text.size() && !isSpace(text[i])) {
            ++i;
        }
        words.emplace_back(text.substr(begin, i - begin));
    }
    return words;
}

std::string_view trim(std::string_view text)
{
    while (!text.empty() && isSpace(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && isSpace(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

std::string indent(std::string_view text, int spaces)
{
    const std::string margin(static_cast<std::size_t>(std::max(spaces, 0)), ' ');
    std::string indented;
    bool atLineStart = true;
    for (const char c : text) {
        if (atLineStart && c != '\n') {
            indented += margin;
        }
        indented += c;
        atLineStart = c == '\n';
    }
    return indented;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates)
{
    constexpr std::size_t kLongestCompared = 256;
    if (word.empty() || word.size() > kLongestCompared) {
        return {};
    }
    // A third of the letters may be wrong: enough for typing slips, too few for another word.
    std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
    std::string found;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > kLongestCompared) {
            continue;
        }
        const std::size_t distance = editDistance(word, candidate);
        if (distance < best && distance < std::max(word.size(), candidate.size())) {
            best = distance;
            found = candidate;
        }
    }
    return found;
}

std::string shortestDouble(double value)
{
    return shortest(value);
}

std::string shortestFloat(float value)
{
    return shortest(value);
}

} // namespace nw
