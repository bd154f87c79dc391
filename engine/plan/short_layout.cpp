#include "engine/plan/short_layout.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

namespace nw::plan {
namespace {

constexpr std::string_view kAxes = "NCDHW";

bool isShortName(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
}

std::string lower(char letter)
{
    return {static_cast<char>(std::tolower(static_cast<unsigned char>(letter)))};
}

Error noLayout(std::string_view name, std::string_view why)
{
    return refused(format("\"{}\" is no layout: {}. Write for example NHWC, NCHW16c or (n, c) -> (c, n).", name, why));
}

struct Letter {
    char axis = 0;          // a capital of kAxes
    std::int64_t width = 0; // 0: the axis itself; otherwise a block of it
};

Result<std::vector<Letter>> lettersOf(std::string_view name)
{
    std::vector<Letter> letters;
    for (std::size_t i = 0; i < name.size();) {
        Letter letter;
        if (std::isdigit(static_cast<unsigned char>(name[i])) != 0) {
            const auto [end, code] = std::from_chars(name.data() + i, name.data() + name.size(), letter.width);
            i = static_cast<std::size_t>(end - name.data());
            if (code != std::errc() || letter.width < 1 || i == name.size() || std::islower(static_cast<unsigned char>(name[i])) == 0) {
                return noLayout(name, "a block is a number above 0 and a small letter");
            }
        } else if (std::islower(static_cast<unsigned char>(name[i])) != 0) {
            return noLayout(name, format("the block {} has no width", name[i]));
        }
        letter.axis = static_cast<char>(std::toupper(static_cast<unsigned char>(name[i++])));
        if (kAxes.find(letter.axis) == std::string_view::npos) {
            return noLayout(name, format("{} is none of the axes N C D H W", letter.axis));
        }
        letters.push_back(letter);
    }
    return letters;
}

// "NCHW16c" of a map whose axes are n, c, d, h, w in order; empty when it has no such name.
std::string shortName(const IndexMap& map)
{
    std::string name;
    for (const Expr& e : map.out) {
        if (const auto* axis = e->as<Var>()) {
            name += axis->name;
            name.back() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.back())));
            continue;
        }
        const auto* operation = e->as<Binary>();
        const auto* axis = operation != nullptr ? operation->a->as<Var>() : nullptr;
        const std::optional<std::int64_t> width = axis != nullptr ? constInt(operation->b) : std::nullopt;
        if (!width || axis->name.size() != 1) {
            return {};
        }
        if (operation->op == BinaryOp::FloorDiv) {
            name += static_cast<char>(std::toupper(static_cast<unsigned char>(axis->name[0])));
        } else if (operation->op == BinaryOp::FloorMod) {
            name += std::to_string(*width) + axis->name;
        } else {
            return {};
        }
    }
    const Result<IndexMap> back = parseShortMap(name);
    return back && back->toText() == map.toText() ? name : std::string();
}

} // namespace

Result<IndexMap> parseShortMap(std::string_view name)
{
    const Result<std::vector<Letter>> letters = lettersOf(name);
    if (!letters) {
        return letters.error();
    }
    std::map<char, std::int64_t> widths; // of the block, 0 when there is none
    for (const Letter& letter : *letters) {
        if (letter.width == 0 && !widths.emplace(letter.axis, 0).second) {
            return noLayout(name, format("the axis {} stands twice", letter.axis));
        }
    }
    for (const Letter& letter : *letters) {
        if (letter.width == 0) {
            continue;
        }
        const auto found = widths.find(letter.axis);
        if (found == widths.end()) {
            return noLayout(name, format("the block of {} lacks the axis itself", letter.axis));
        }
        if (found->second != 0) {
            return noLayout(name, format("the axis {} is blocked twice", letter.axis));
        }
        found->second = letter.width;
    }
    IndexMap map;
    for (const char axis : kAxes) {
        if (widths.contains(axis)) {
            map.axes.push_back(lower(axis));
        }
    }
    for (const Letter& letter : *letters) {
        const Expr axis = var(lower(letter.axis));
        const std::int64_t width = widths.at(letter.axis);
        if (letter.width != 0) {
            map.out.push_back(floorMod(axis, intImm(width)));
        } else {
            map.out.push_back(width == 0 ? axis : floorDiv(axis, intImm(width)));
        }
    }
    return map;
}

Result<Layout> parseChoiceLayout(std::string_view text)
{
    const std::string_view whole = trim(text);
    const std::string_view name = whole.substr(0, whole.find_first_of(" \t"));
    if (!isShortName(name) || name == "plain") {
        return parseLayout(whole);
    }
    Result<IndexMap> map = parseShortMap(name);
    if (!map) {
        return map.error();
    }
    const std::string_view rest = trim(whole.substr(name.size()));
    if (!rest.empty() && rest.substr(0, rest.find_first_of(" \t")) != "border") {
        return refused(format("After the layout {} may stand only a border, not \"{}\".", name, rest));
    }
    Result<Layout> layout = parseLayout(format("plain {}", rest)); // the one parser of borders
    if (!layout) {
        return layout.error();
    }
    if (layout->border.size() > map->axes.size()) {
        return refused(format("The border has {} numbers for {} axes.", layout->border.size(), map->axes.size()));
    }
    if (!layout->border.empty()) {
        layout->border.insert(layout->border.begin(), map->axes.size() - layout->border.size(), {0, 0});
    }
    layout->map = *std::move(map);
    return layout;
}

std::string choiceText(const Layout& layout)
{
    const std::string name = layout.map.axes.empty() ? std::string() : shortName(layout.map);
    if (name.empty()) {
        return layout.toText();
    }
    std::string text = name;
    const auto isZero = [](const std::pair<std::int64_t, std::int64_t>& sides) { return sides.first == 0 && sides.second == 0; };
    const auto first = std::ranges::find_if_not(layout.border, isZero);
    text += first == layout.border.end() ? "" : " border";
    for (auto it = first; it != layout.border.end(); ++it) {
        text += it->first == it->second ? format(" {}", it->first) : format(" {}:{}", it->first, it->second);
    }
    return text;
}

} // namespace nw::plan
