#include "engine/base/index_map.h"

#include "engine/base/injective.h"
#include "engine/base/int_math.h"
#include "engine/base/text.h"

#include <algorithm>
#include <charconv>
#include <iterator>

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

namespace {

// The values of each memory index. They begin at 0 or, where the map goes below, at its least: (a, b) -> (a - b, b).
// Nothing lies where the map leads from no element.
Result<std::vector<Interval>> memoryBox(const Layout& layout, const std::vector<std::int64_t>& logical)
{
    const Result<std::vector<std::int64_t>> bordered = borderedShape(layout, logical);
    if (!bordered) {
        return bordered.error();
    }
    const IndexMap& map = layout.map;
    std::vector<Interval> box;
    if (map.axes.empty()) {
        std::transform(bordered->begin(), bordered->end(), std::back_inserter(box), &Interval::ofExtent);
        return box;
    }
    if (std::find(bordered->begin(), bordered->end(), 0) != bordered->end()) {
        return std::vector<Interval>(map.out.size(), Interval::ofExtent(0));
    }
    Ranges ranges;
    for (std::size_t i = 0; i < map.axes.size(); ++i) {
        ranges.emplace(map.axes[i], Interval::ofExtent((*bordered)[i]));
    }
    for (const Expr& e : map.out) {
        const Expr widened = withFullBlocks(e, ranges);
        const Interval bounds = boundsOf(widened, ranges);
        const std::int64_t low = std::min<std::int64_t>(bounds.low, 0);
        const std::optional<std::int64_t> width = checkedSub(bounds.high, low);
        if (low <= Interval::kMinusInf || bounds.high >= Interval::kPlusInf - 1 || !width || *width >= Interval::kPlusInf - 1) {
            return refused(format("The layout {} gives memory indices without a limit ({}) for the shape {}.",
                                  layout.toText(), nw::toText(e), shapeText(logical)));
        }
        box.push_back({low, bounds.high});
    }
    return box;
}

} // namespace

Result<std::vector<std::int64_t>> Layout::memoryShape(const std::vector<std::int64_t>& logical) const
{
    const Result<std::vector<Interval>> box = memoryBox(*this, logical);
    if (!box) {
        return box.error();
    }
    std::vector<std::int64_t> shape;
    shape.reserve(box->size());
    for (const Interval& index : *box) {
        shape.push_back(index.high - index.low + 1);
    }
    return shape;
}

Expr Layout::offset(const std::vector<Expr>& indices, const std::vector<std::int64_t>& logical,
                    const Ranges& ranges) const
{
    ENSURE(indices.size() == logical.size(), "layout: another number of indices than of axes");
    const Result<std::vector<Interval>> box = memoryBox(*this, logical);
    ENSURE(box.has_value(), "layout: offset in a shape that the layout refuses");
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
        const auto [low, high] = (*box)[i];
        if (high <= low) {
            continue; // one place
        }
        sum = (low == 0 ? memory[i] : memory[i] - low) * stride + sum;
        const std::optional<std::int64_t> next = checkedMul(stride, high - low + 1);
        ENSURE(next.has_value(), "layout: the memory has more elements than can be counted");
        stride = *next;
    }
    return simplify(sum, ranges);
}

Status Layout::checkInvertible(const std::vector<std::int64_t>& logical) const
{
    const Result<std::vector<Interval>> memory = memoryBox(*this, logical);
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
