#include "engine/base/index_map.h"

#include "engine/base/injective.h"
#include "engine/base/int_math.h"
#include "engine/base/text.h"

#include <algorithm>
#include <charconv>

namespace nw {
namespace {

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    return format("[{}]", fmt::join(shape, ", "));
}

// Extents of the logical box with its border, which are the ranges of the map's axes.
Result<std::vector<std::int64_t>> borderedShape(const Layout& layout, const std::vector<std::int64_t>& logical)
{
    if (!layout.map.axes.empty() && layout.map.axes.size() != logical.size()) {
        return refused(format("The layout {} is for {} axes, but the shape {} has {}.", layout.toText(),
                              layout.map.axes.size(), shapeText(logical), logical.size()));
    }
    if (!layout.border.empty() && layout.border.size() != logical.size()) {
        return refused(format("The layout {} gives a border for {} axes, but the shape {} has {}.", layout.toText(),
                              layout.border.size(), shapeText(logical), logical.size()));
    }
    std::vector<std::int64_t> shape = logical;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto [before, after] = layout.border.empty() ? std::pair<std::int64_t, std::int64_t>() : layout.border[i];
        const std::optional<std::int64_t> more = checkedAdd(before, after);
        const std::optional<std::int64_t> extent = more ? checkedAdd(shape[i], *more) : std::nullopt;
        if (shape[i] < 0 || before < 0 || after < 0 || !extent) {
            return refused(format("The shape {} with the border of the layout {} is no shape.", shapeText(logical),
                                  layout.toText()));
        }
        shape[i] = *extent;
    }
    return shape;
}

// `e` with every modulo by a literal replaced by a variable that takes all its values: a block keeps its full width
// in memory also where the extent is smaller than the block.
Expr withFullBlocks(const Expr& e, Ranges& ranges)
{
    return rewriteExpr(e, [&ranges](const Expr& node) {
        const auto* modulo = node->as<Binary>();
        const std::optional<std::int64_t> width
            = modulo != nullptr && modulo->op == BinaryOp::FloorMod ? constInt(modulo->b) : std::nullopt;
        if (!width || *width <= 0) {
            return node;
        }
        // Not a name that can be written, so it meets no axis.
        const std::string name = "%" + toText(node);
        ranges.insert_or_assign(name, Interval::ofExtent(*width));
        return var(name);
    });
}

std::string borderText(const std::vector<std::pair<std::int64_t, std::int64_t>>& border)
{
    std::string text = " border";
    for (const auto& [before, after] : border) {
        text += before == after ? format(" {}", before) : format(" {}:{}", before, after);
    }
    return text;
}

std::optional<std::int64_t> parseCount(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || code != std::errc() || end != text.data() + text.size() || value < 0) {
        return std::nullopt;
    }
    return value;
}

} // namespace

Result<std::vector<std::int64_t>> Layout::memoryShape(const std::vector<std::int64_t>& logical) const
{
    const Result<std::vector<std::int64_t>> bordered = borderedShape(*this, logical);
    if (!bordered || map.axes.empty()) {
        return bordered;
    }
    if (std::find(bordered->begin(), bordered->end(), 0) != bordered->end()) {
        return std::vector<std::int64_t>(map.out.size(), 0);
    }
    Ranges ranges;
    for (std::size_t i = 0; i < map.axes.size(); ++i) {
        ranges.emplace(map.axes[i], Interval::ofExtent((*bordered)[i]));
    }
    std::vector<std::int64_t> shape;
    shape.reserve(map.out.size());
    for (const Expr& e : map.out) {
        const Expr widened = withFullBlocks(e, ranges);
        const Interval bounds = boundsOf(widened, ranges);
        if (bounds.low < 0) {
            return refused(format("The layout {} gives negative memory indices ({}) for the shape {}.", toText(),
                                  nw::toText(e), shapeText(logical)));
        }
        if (bounds.high >= Interval::kPlusInf - 1) {
            return refused(format("The layout {} gives memory indices without a limit ({}) for the shape {}.", toText(),
                                  nw::toText(e), shapeText(logical)));
        }
        shape.push_back(bounds.high + 1);
    }
    return shape;
}

Expr Layout::offset(const std::vector<Expr>& indices, const std::vector<std::int64_t>& logical,
                    const Ranges& ranges) const
{
    ENSURE(indices.size() == logical.size(), "layout: another number of indices than of axes");
    const Result<std::vector<std::int64_t>> shape = memoryShape(logical);
    ENSURE(shape.has_value(), "layout: offset in a shape that the layout refuses");
    std::vector<Expr> point = indices;
    for (std::size_t i = 0; i < border.size(); ++i) {
        if (border[i].first != 0) {
            point[i] = point[i] + border[i].first;
        }
    }
    const std::vector<Expr> memory = map.axes.empty() ? point : map.apply(point, ranges);
    Expr sum = intImm(0);
    std::int64_t stride = 1;
    for (std::size_t i = memory.size(); i-- > 0;) {
        if ((*shape)[i] <= 1) {
            continue; // the index is 0
        }
        sum = memory[i] * stride + sum;
        const std::optional<std::int64_t> next = checkedMul(stride, (*shape)[i]);
        ENSURE(next.has_value(), "layout: the memory has more elements than can be counted");
        stride = *next;
    }
    return simplify(sum, ranges);
}

Status Layout::checkInvertible(const std::vector<std::int64_t>& logical) const
{
    const Result<std::vector<std::int64_t>> memory = memoryShape(logical);
    if (!memory) {
        return memory.error();
    }
    if (map.axes.empty() || map.isIdentity()) {
        return Done{};
    }
    const Result<std::vector<std::int64_t>> bordered = borderedShape(*this, logical);
    switch (isInjective(map, *bordered, *memory)) {
    case Injective::Yes: return Done{};
    case Injective::No:
        return refused(format("The layout {} puts several elements of the shape {} in the same place. Use every axis "
                              "fully, for example c / 16 and c % 16.",
                              toText(), shapeText(logical)));
    case Injective::Unknown:
        return refused(format("The layout {} could not be proved to keep the elements of the shape {} apart: it is no "
                              "split of the axes into digits and the shape is too large to try every element.",
                              toText(), shapeText(logical)));
    }
    return Done{};
}

std::string Layout::toText() const
{
    const bool isRowMajor = map.axes.empty() || map.isIdentity();
    return (isRowMajor ? std::string("plain") : map.toText()) + (border.empty() ? std::string() : borderText(border));
}

Result<Layout> parseLayout(std::string_view text)
{
    Layout layout;
    std::string_view mapText = trim(text);
    const std::size_t at = mapText.find(" border");
    if (at != std::string_view::npos) {
        for (const std::string& word : splitWords(mapText.substr(at + 7))) {
            const std::vector<std::string> sides = splitText(word, ':');
            const std::optional<std::int64_t> before = parseCount(sides.front());
            const std::optional<std::int64_t> after = parseCount(sides.back());
            if (!before || !after || sides.size() > 2) {
                return refused(format("\"{}\" is no border. Write one number per axis, or before:after.", word));
            }
            layout.border.emplace_back(*before, *after);
        }
        if (layout.border.empty()) {
            return refused("After \"border\" stands one number per axis.");
        }
        mapText = trim(mapText.substr(0, at));
    }
    if (mapText == "plain") {
        return layout;
    }
    Result<IndexMap> map = parseIndexMap(mapText);
    if (!map) {
        return map.error();
    }
    if (!layout.border.empty() && layout.border.size() != map->axes.size()) {
        return refused(format("The border has {} numbers for {} axes.", layout.border.size(), map->axes.size()));
    }
    layout.map = *std::move(map);
    return layout;
}

} // namespace nw
