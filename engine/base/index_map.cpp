#include "engine/base/index_map.h"

#include "engine/base/expr_parse.h"
#include "engine/base/text.h"

#include <algorithm>

namespace nw {
namespace {

bool isAxisName(std::string_view name)
{
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !name.empty() && isLetter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
        return isLetter(c) || (c >= '0' && c <= '9') || c == '.';
    });
}

// Parts between commas that stand in no bracket, with their places.
std::vector<std::pair<std::string_view, std::size_t>> listParts(std::string_view text, std::size_t begin)
{
    std::vector<std::pair<std::string_view, std::size_t>> parts;
    int depth = 0;
    std::size_t partBegin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            parts.emplace_back(text.substr(partBegin, i - partBegin), begin + partBegin);
            partBegin = i + 1;
        } else if (text[i] == '(' || text[i] == '[') {
            ++depth;
        } else if (text[i] == ')' || text[i] == ']') {
            --depth;
        }
    }
    if (parts.size() == 1 && trim(parts.front().first).empty()) {
        parts.clear();
    }
    return parts;
}

Error wrong(std::string message, std::size_t begin)
{
    return refused(std::move(message)).at(1, static_cast<int>(begin) + 1);
}

// Checks that the bracket at `open` is there and gives the place of the one that closes it.
Result<std::size_t> closing(std::string_view text, std::size_t open)
{
    if (open >= text.size() || text[open] != '(') {
        return wrong("Expected \"(\". An index map is written (n, c) -> (c, n).", std::min(open, text.size()));
    }
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0) {
            return i;
        }
    }
    return wrong("The bracket opened here is never closed.", open);
}

std::size_t pastBlanks(std::string_view text, std::size_t i)
{
    while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) {
        ++i;
    }
    return i;
}

} // namespace

IndexMap IndexMap::identity(std::size_t rank)
{
    IndexMap map;
    for (std::size_t i = 0; i < rank; ++i) {
        map.axes.push_back(format("a{}", i));
        map.out.push_back(var(map.axes.back()));
    }
    return map;
}

bool IndexMap::isIdentity() const
{
    if (axes.size() != out.size()) {
        return false;
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto* name = out[i]->as<Var>();
        if (name == nullptr || name->name != axes[i]) {
            return false;
        }
    }
    return true;
}

std::vector<Expr> IndexMap::apply(const std::vector<Expr>& indices, const Ranges& ranges) const
{
    ENSURE(indices.size() == axes.size(), "index map applied to another number of indices");
    Substitution point;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        point.emplace(axes[i], indices[i]);
    }
    std::vector<Expr> mapped;
    mapped.reserve(out.size());
    for (const Expr& e : out) {
        mapped.push_back(simplify(substitute(e, point), ranges));
    }
    return mapped;
}

std::string IndexMap::toText() const
{
    std::vector<std::string> parts;
    parts.reserve(out.size());
    for (const Expr& e : out) {
        parts.push_back(nw::toText(e));
    }
    return "(" + join(axes, ", ") + ") -> (" + join(parts, ", ") + ")";
}

Result<IndexMap> parseIndexMap(std::string_view text)
{
    const std::size_t open = pastBlanks(text, 0);
    const Result<std::size_t> close = closing(text, open);
    if (!close) {
        return close.error();
    }
    IndexMap map;
    for (const auto& [part, begin] : listParts(text.substr(open + 1, *close - open - 1), open + 1)) {
        const std::string name(trim(part));
        const std::size_t place = pastBlanks(text, begin);
        if (!isAxisName(name)) {
            return wrong(format("\"{}\" is no name of an axis.", name), place);
        }
        if (std::find(map.axes.begin(), map.axes.end(), name) != map.axes.end()) {
            return wrong(format("The axis {} is named twice.", name), place);
        }
        map.axes.push_back(name);
    }
    const std::size_t arrow = pastBlanks(text, *close + 1);
    if (text.substr(arrow, 2) != "->") {
        return wrong("Expected \"->\" after the axes.", arrow);
    }
    const std::size_t second = pastBlanks(text, arrow + 2);
    const Result<std::size_t> end = closing(text, second);
    if (!end) {
        return end.error();
    }
    if (const std::size_t rest = pastBlanks(text, *end + 1); rest != text.size()) {
        return wrong("The index map should end here.", rest);
    }
    ExprNames names;
    names.typeOfVar = [&map](const std::string& name) -> Result<DType> {
        if (std::find(map.axes.begin(), map.axes.end(), name) == map.axes.end()) {
            return refused(format("There is no axis {}. The axes are {}.", name, join(map.axes, ", ")));
        }
        return DType::I64;
    };
    names.typeOfBuffer = [](const std::string&) -> Result<DType> {
        return refused("An index map reads no buffer.");
    };
    for (const auto& [part, begin] : listParts(text.substr(second + 1, *end - second - 1), second + 1)) {
        Result<Expr> e = parseExpr(part, names);
        if (!e) {
            Error error = e.error();
            const int column = error.column + static_cast<int>(begin);
            return std::move(error).at(1, column);
        }
        if ((*e)->type() != DType::I64) {
            return wrong("A memory index must be an integer.", begin);
        }
        map.out.push_back(*std::move(e));
    }
    return map;
}

} // namespace nw
