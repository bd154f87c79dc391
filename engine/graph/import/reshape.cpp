#include "engine/base/text.h"
#include "engine/graph/import/node_import.h"

#include <algorithm>
#include <array>

namespace nw::graph {
namespace {

using Ints = std::vector<std::int64_t>;

// The target with its zeros and its -1 resolved against the input's shape; nothing after a failure.
std::optional<Extents> resolveTarget(NodeImport& n, const Extents& input, const Extents& target, bool allowZero)
{
    Extents out;
    std::optional<std::size_t> open;
    for (std::size_t i = 0; i < target.size(); ++i) {
        const auto value = constInt(target[i]);
        if (value == 0 && !allowZero) {
            if (i >= input.size()) {
                n.fail(format("its target {} copies extent {} of an input of shape {}", shapeText(target), i,
                    shapeText(input)));
                return std::nullopt;
            }
            out.push_back(input[i]);
        } else if (value == -1 && !open) {
            open = i;
            out.push_back(intImm(1));
        } else if (value && *value < 0) {
            n.fail(format("its target {} is not possible", shapeText(target)));
            return std::nullopt;
        } else {
            out.push_back(target[i]);
        }
    }
    if (!open) {
        return out;
    }
    const bool literalZero = std::any_of(target.begin(), target.end(), [](const Expr& e) { return isConst(e, 0); });
    if (allowZero && literalZero) {
        n.fail(format("its target {} has both 0 and -1, which allowzero does not allow", shapeText(target)));
        return std::nullopt;
    }
    const auto solved = quotientOf(input, out);
    if (solved) {
        out[*open] = *solved;
        return out;
    }
    const bool divides = std::none_of(out.begin(), out.end(), [](const Expr& e) { return isConst(e, 0); });
    const std::string symbols = symbolsText(input) + (symbolsText(out).empty() ? "" : ", " + symbolsText(out));
    if (!divides) {
        n.fail(format("the -1 of its target {} is 0 / 0 for an input of shape {}", shapeText(target), shapeText(input)));
    } else if (literalsOf(input) && literalsOf(out)) {
        n.fail(format("an input of shape {} does not divide into the target {}", shapeText(input), shapeText(target)));
    } else {
        n.fail(format("the -1 of its target {} cannot be solved for an input of shape {}; bind {}", shapeText(target),
            shapeText(input), symbols));
    }
    return std::nullopt;
}

void importReshape(NodeImport& n)
{
    const ValueId x = n.in(0);
    const ValueId target = n.in(1);
    const bool allowZero = n.opset() >= 14 && n.integer("allowzero", 0) != 0;
    const Extents wanted = n.extents(target, "target shape");
    if (n.failed()) {
        return;
    }
    if (const auto shape = resolveTarget(n, n.shape(x), wanted, allowZero)) {
        n.bind(0, n.reshape(x, *shape));
    }
}

void importFlatten(NodeImport& n)
{
    const ValueId x = n.in(0);
    const Extents shape = n.shape(x);
    const std::int64_t given = n.integer("axis", 1);
    const auto rank = static_cast<std::int64_t>(shape.size());
    if (given < -rank || given > rank) {
        n.fail(format("axis {} is outside the rank {} of its input", given, rank));
    }
    if (n.failed()) {
        return;
    }
    const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
    const auto rows = productOf(std::span(shape).first(axis));
    const auto columns = productOf(std::span(shape).subspan(axis));
    if (rows && columns) {
        n.bind(0, n.reshape(x, {*rows, *columns}));
    } else {
        n.fail("its input is too large");
    }
}

Ints axesOf(NodeImport& n)
{
    if (n.opset() < 13) {
        return n.integerList("axes");
    }
    const ValueId axes = n.optional(1);
    return axes == kNoValue ? Ints{} : n.integers(axes, "axes");
}

bool holds(const Ints& axes, std::size_t axis)
{
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
}

void importSqueeze(NodeImport& n)
{
    const ValueId x = n.in(0);
    const Extents shape = n.shape(x);
    const bool all = !(n.opset() < 13 ? n.given("axes") : n.has(1));
    const Ints axes = n.axes(axesOf(n), shape.size());
    Extents out;
    for (std::size_t i = 0; i < shape.size() && !n.failed(); ++i) {
        const auto value = constInt(shape[i]);
        if (all ? !value : holds(axes, i) && value != 1) {
            n.fail(format("it removes axis {} of shape {}, which is not known to be 1", i, shapeText(shape)));
        }
        if (all ? value != 1 : !holds(axes, i)) {
            out.push_back(shape[i]);
        }
    }
    n.bind(0, n.reshape(x, out));
}

void importUnsqueeze(NodeImport& n)
{
    const ValueId x = n.in(0);
    const Extents shape = n.shape(x);
    if (n.opset() < 13) {
        n.require("axes");
    } else {
        n.in(1);
    }
    const Ints given = axesOf(n);
    const std::size_t rank = shape.size() + given.size();
    const Ints axes = n.axes(given, rank);
    if (n.failed()) {
        return;
    }
    Extents out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < rank; ++i) {
        out.push_back(holds(axes, i) ? intImm(1) : shape[next++]);
    }
    n.bind(0, n.reshape(x, out));
}

void importExpand(NodeImport& n)
{
    const ValueId x = n.in(0);
    const Extents target = n.extents(n.in(1), "target shape");
    if (n.failed()) {
        return;
    }
    for (const Expr& extent : target) {
        if (constInt(extent).value_or(0) < 0) {
            n.fail(format("its target {} is not possible", shapeText(target)));
        }
    }
    const Result<Extents> shape = broadcastExtents(n.shape(x), target);
    if (!shape) {
        n.fail(shape.error());
        return;
    }
    n.bind(0, n.expand(x, *shape));
}

void importShape(NodeImport& n)
{
    const Extents shape = n.shape(n.in(0));
    const auto rank = static_cast<std::int64_t>(shape.size());
    std::int64_t start = n.opset() >= 15 ? n.integer("start", 0) : 0;
    std::int64_t end = n.opset() >= 15 ? n.integer("end", rank) : rank;
    start = std::clamp<std::int64_t>(start < 0 && start >= -rank ? start + rank : start, 0, rank);
    end = std::clamp<std::int64_t>(end < 0 && end >= -rank ? end + rank : end, start, std::max(start, rank));
    const Extents part(shape.begin() + start, shape.begin() + end);
    n.bind(0, n.symbolicInts(DType::I64, {{end - start}, part}));
}

void importSize(NodeImport& n)
{
    const auto size = productOf(n.shape(n.in(0)));
    if (!size) {
        n.fail("its input is too large");
        return;
    }
    n.bind(0, n.symbolicInts(DType::I64, {{}, {*size}}));
}

void importIdentity(NodeImport& n)
{
    n.bind(0, n.make("Identity", {n.in(0)}));
}

} // namespace

std::span<const Handler> reshapeHandlers()
{
    static constexpr std::array kHandlers = {Handler{"Reshape", 5, &importReshape}, Handler{"Flatten", 1, &importFlatten},
        Handler{"Squeeze", 1, &importSqueeze}, Handler{"Unsqueeze", 1, &importUnsqueeze}, Handler{"Expand", 8, &importExpand},
        Handler{"Shape", 1, &importShape}, Handler{"Size", 1, &importSize}, Handler{"Identity", 1, &importIdentity}};
    return kHandlers;
}

} // namespace nw::graph
