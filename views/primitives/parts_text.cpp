#include "views/primitives/parts_text.h"

#include "engine/base/text.h"

#include <algorithm>
#include <charconv>

namespace nw::views {

std::vector<PartText> readParts(const std::string& words)
{
    std::vector<PartText> parts;
    for (const std::string& word : splitWords(words)) {
        const std::size_t colon = word.find(':');
        parts.push_back({word.substr(0, colon), colon == std::string::npos ? "_" : word.substr(colon + 1)});
    }
    return parts;
}

std::string writeParts(const std::vector<PartText>& parts)
{
    std::vector<std::string> words;
    for (const PartText& part : parts) {
        words.push_back(part.name + ":" + (part.extent.empty() ? "_" : part.extent));
    }
    return join(words, " ");
}

std::optional<std::int64_t> plainNumber(const std::string& text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> extentOf(const schedule::LoopNest& nest, const std::string& loop)
{
    const schedule::LoopNest::Path path = nest.findLoop(loop);
    return path ? schedule::constantExtent(*path.loop) : std::nullopt;
}

std::vector<PartText> dealtAnew(const std::vector<PartText>& parts, const std::vector<std::string>& from,
                                const std::vector<std::string>& to, const schedule::LoopNest& nest)
{
    if (from.empty() || to.empty() || parts.size() % from.size() != 0) {
        return parts;
    }
    std::vector<PartText> dealt;
    for (std::size_t round = 0; round < parts.size() / from.size(); ++round) {
        for (std::size_t i = 0; i < to.size(); ++i) {
            const std::size_t old = std::min(i, from.size() - 1);
            const PartText& part = parts[round * from.size() + old];
            const bool named = part.name.starts_with(from[old]);
            const std::string suffix = named ? part.name.substr(from[old].size()) : std::to_string(round);
            dealt.push_back({nest.freshName(to[i] + suffix), part.extent});
        }
    }
    return dealt;
}

std::optional<PartSum> sumOf(const std::vector<PartText>& parts, std::size_t loop, std::size_t loops, std::int64_t extent)
{
    PartSum sum;
    sum.extent = extent;
    std::int64_t given = 1;
    std::optional<std::size_t> inferred;
    for (std::size_t i = loop; i < parts.size(); i += loops) {
        const bool isOpen = parts[i].extent.empty() || parts[i].extent == "_";
        const std::optional<std::int64_t> number = isOpen ? std::optional<std::int64_t>(1) : plainNumber(parts[i].extent);
        if (!number || *number < 1 || (isOpen && inferred) || __builtin_mul_overflow(given, *number, &given)) {
            return std::nullopt;
        }
        if (isOpen) {
            inferred = sum.factors.size();
        }
        sum.factors.push_back(*number);
    }
    if (sum.factors.empty()) {
        return std::nullopt;
    }
    if (inferred) {
        sum.factors[*inferred] = std::max<std::int64_t>((extent + given - 1) / given, 1);
        sum.tail = extent % given;
    } else {
        sum.covers = given >= extent;
        const std::int64_t inner = given / sum.factors.front();
        sum.tail = given == extent || !sum.covers ? 0 : (extent % inner != 0 ? extent % inner : inner);
    }
    return sum;
}

} // namespace nw::views
