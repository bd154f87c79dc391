#include "engine/base/text.h"
#include "engine/graph/import/node_import.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace nw::graph {
namespace {

using Ints = std::vector<std::int64_t>;
using Values = std::map<std::string, AttributeValue>;

ValueId transpose(NodeImport& n, ValueId x, const Ints& perm)
{
    return n.make("Transpose", {x}, {Values{{"perm", perm}}});
}

void importTranspose(NodeImport& n)
{
    const ValueId x = n.in(0);
    Ints reversed(n.rank(x));
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    n.bind(0, transpose(n, x, n.integerList("perm", reversed)));
}

void importConcat(NodeImport& n)
{
    n.require("axis");
    std::vector<ValueId> inputs;
    for (std::size_t i = 0; i < n.inputCount(); ++i) {
        inputs.push_back(n.in(i));
    }
    if (inputs.empty()) {
        n.fail("it has no inputs");
        return;
    }
    const std::int64_t axis = n.axis(n.integer("axis", 0), n.rank(inputs[0]));
    n.bind(0, n.make("Concat", std::move(inputs), {Values{{"axis", axis}}}));
}

// The value to pad with: an attribute until opset 10, then an input.
double padValue(NodeImport& n, DType type)
{
    if (n.opset() < 11) {
        return n.real("value", 0.0);
    }
    const ValueId given = n.optional(2);
    const Tensor* value = given == kNoValue ? nullptr : n.contents(given, "constant_value");
    if (value == nullptr) {
        return 0.0;
    }
    if (value->count() != 1 || value->type() != type) {
        n.fail("its constant_value must be one element of the input's type");
        return 0.0;
    }
    if (isInteger(type) && std::abs(value->asDouble(0)) > 0x1p53) {
        n.fail("its constant_value is larger than 2^53");
    }
    return value->asDouble(0);
}

// Pads for every axis: begins, then ends.
Ints padsOf(NodeImport& n, std::size_t rank)
{
    if (n.opset() < 11) {
        n.require("pads");
        return n.integerList("pads");
    }
    const Ints given = n.integers(n.in(1), "pads");
    const ValueId chosen = n.opset() >= 18 ? n.optional(3) : kNoValue;
    if (chosen == kNoValue) {
        return given;
    }
    const Ints axes = n.axes(n.integers(chosen, "axes"), rank);
    if (!n.failed() && given.size() != 2 * axes.size()) {
        n.fail(format("it has {} pads for {} axes", given.size(), axes.size()));
    }
    Ints pads(2 * rank, 0);
    for (std::size_t i = 0; i < axes.size() && !n.failed(); ++i) {
        pads[static_cast<std::size_t>(axes[i])] = given[i];
        pads[static_cast<std::size_t>(axes[i]) + rank] = given[i + axes.size()];
    }
    return pads;
}

// Negative pads cut away first; what is left only adds.
ValueId cropped(NodeImport& n, ValueId x, Ints& pads)
{
    const Extents shape = n.shape(x);
    Ints starts, ends, axes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        std::int64_t& before = pads[i];
        std::int64_t& after = pads[i + shape.size()];
        if (before >= 0 && after >= 0) {
            continue;
        }
        const auto extent = constInt(shape[i]);
        const std::int64_t start = before < 0 ? -std::max(before, -(std::int64_t{1} << 60)) : 0;
        const std::int64_t end = extent.value_or(0) + std::max(std::min<std::int64_t>(after, 0), -(std::int64_t{1} << 60));
        if (!extent || end < start) {
            n.fail(format("its negative pads do not fit the extent {} of axis {}", toText(shape[i]), i));
            return kNoValue;
        }
        starts.push_back(start);
        ends.push_back(end);
        axes.push_back(static_cast<std::int64_t>(i));
        before = std::max<std::int64_t>(before, 0);
        after = std::max<std::int64_t>(after, 0);
    }
    if (axes.empty()) {
        return x;
    }
    return n.make("Slice", {x}, {Values{{"starts", starts}, {"ends", ends}, {"axes", axes}, {"steps", Ints(axes.size(), 1)}}});
}

void importPad(NodeImport& n)
{
    ValueId x = n.in(0);
    const std::string mode = n.text("mode", "constant");
    const bool known = mode == "constant" || mode == "reflect" || mode == "edge" || (mode == "wrap" && n.opset() >= 19);
    if (!known) {
        n.fail(format("its mode is '{}'; constant, reflect, edge and (since opset 19) wrap are known", mode));
    }
    const double value = padValue(n, n.dtype(x));
    Ints pads = padsOf(n, n.rank(x));
    if (!n.failed() && pads.size() != 2 * n.rank(x)) {
        n.fail(format("it has {} pads for {} axes", pads.size(), n.rank(x)));
    }
    if (n.failed()) {
        return;
    }
    x = cropped(n, x, pads);
    const bool nothing = std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad == 0; });
    n.bind(0, nothing ? n.make("Identity", {x})
                      : n.make("Pad", {x}, {Values{{"pads", pads}, {"mode", mode}, {"value", value}}}));
}

void importTile(NodeImport& n)
{
    const ValueId x = n.in(0);
    const Ints repeats = n.integers(n.in(1), "repeats");
    n.bind(0, n.make("Tile", {x}, {Values{{"repeats", repeats}}}));
}

// [N, C, H, W] and a block of b x b pixels: reshape, transpose, reshape.
void importDepthSpace(NodeImport& n)
{
    const bool toSpace = n.op() == "DepthToSpace";
    const ValueId x = n.in(0);
    const Extents s = n.shape(x);
    n.require("blocksize");
    const std::int64_t b = n.integer("blocksize", 1);
    const std::string mode = toSpace && n.opset() >= 11 ? n.text("mode", "DCR") : "DCR";
    if (mode != "DCR" && mode != "CRD") {
        n.fail(format("its mode is '{}'; DCR and CRD are known", mode));
    }
    if (n.failed()) {
        return;
    }
    if (s.size() != 4 || b < 1 || b > (std::int64_t{1} << 20)) {
        n.fail(format("its input has shape {} and its blocksize is {}", shapeText(s), b));
        return;
    }
    const Expr block = intImm(b);
    const auto deep = quotientOf(Extents{s[1]}, Extents{block, block});
    const auto low = quotientOf(Extents{s[2]}, Extents{block});
    const auto narrow = quotientOf(Extents{s[3]}, Extents{block});
    if (toSpace ? !deep : !low || !narrow) {
        n.fail(format("blocksize {} does not divide its input of shape {}", b, shapeText(s)));
        return;
    }
    if (toSpace) {
        const bool depthFirst = mode == "DCR";
        const ValueId split = n.reshape(x, depthFirst ? Extents{s[0], block, block, *deep, s[2], s[3]}
                                                      : Extents{s[0], *deep, block, block, s[2], s[3]});
        const ValueId moved = transpose(n, split, depthFirst ? Ints{0, 3, 4, 1, 5, 2} : Ints{0, 1, 4, 2, 5, 3});
        n.bind(0, n.reshape(moved, {s[0], *deep, simplifyExtent(s[2] * b), simplifyExtent(s[3] * b)}));
        return;
    }
    const ValueId split = n.reshape(x, {s[0], s[1], *low, block, *narrow, block});
    n.bind(0, n.reshape(transpose(n, split, {0, 3, 5, 1, 2, 4}), {s[0], simplifyExtent(s[1] * (b * b)), *low, *narrow}));
}

} // namespace

std::span<const Handler> moveHandlers()
{
    static constexpr std::array kHandlers = {Handler{"Transpose", 1, &importTranspose}, Handler{"Concat", 4, &importConcat},
        Handler{"Pad", 2, &importPad}, Handler{"Tile", 6, &importTile}, Handler{"DepthToSpace", 1, &importDepthSpace},
        Handler{"SpaceToDepth", 1, &importDepthSpace}};
    return kHandlers;
}

} // namespace nw::graph
