#include "engine/base/text.h"
#include "engine/graph/import/node_import.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace nw::graph {
namespace {

using Ints = std::vector<std::int64_t>;
using Values = std::map<std::string, AttributeValue>;

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

struct Cut {
    std::int64_t axis, start, end, step;
};

ValueId cut(NodeImport& n, ValueId x, const std::vector<Cut>& cuts)
{
    if (cuts.empty()) {
        return n.make("Identity", {x});
    }
    Ints starts, ends, axes, steps;
    for (const Cut& c : cuts) {
        starts.push_back(c.start);
        ends.push_back(c.end);
        axes.push_back(c.axis);
        steps.push_back(c.step);
    }
    return n.make("Slice", {x}, {Values{{"starts", starts}, {"ends", ends}, {"axes", axes}, {"steps", steps}}});
}

// Negative positions count from the end; beyond the ends is the end.
Cut clamped(Cut c, std::int64_t extent)
{
    const auto fromEnd = [&](std::int64_t at) { return at < 0 ? std::max(at, -extent - 1) + extent : at; };
    if (extent == 0) {
        return {c.axis, 0, 0, 1};
    }
    if (c.step > 0) {
        c.start = std::clamp<std::int64_t>(fromEnd(c.start), 0, extent);
        c.end = std::clamp<std::int64_t>(fromEnd(c.end), 0, extent);
    } else {
        c.start = std::clamp<std::int64_t>(fromEnd(c.start), 0, extent - 1);
        c.end = std::clamp<std::int64_t>(fromEnd(c.end), -1, extent - 1);
    }
    return c;
}

Ints listIn(NodeImport& n, std::size_t input, const char* what, const Ints& otherwise)
{
    const ValueId value = n.optional(input);
    return value == kNoValue ? otherwise : n.integers(value, what);
}

void importSlice(NodeImport& n)
{
    const ValueId x = n.in(0);
    Ints starts, ends, axes, steps;
    if (n.opset() < 10) {
        n.require("starts");
        n.require("ends");
        starts = n.integerList("starts");
        ends = n.integerList("ends");
    } else {
        starts = n.integers(n.in(1), "starts");
        ends = n.integers(n.in(2), "ends");
    }
    Ints all(starts.size());
    std::iota(all.begin(), all.end(), 0);
    axes = n.opset() < 10 ? n.integerList("axes", all) : listIn(n, 3, "axes", all);
    steps = n.opset() < 10 ? Ints(starts.size(), 1) : listIn(n, 4, "steps", Ints(starts.size(), 1));
    if (!n.failed() && (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())) {
        n.fail("its starts, ends, axes and steps have different lengths");
    }
    const Extents shape = n.shape(x);
    axes = n.axes(axes, shape.size());
    std::vector<Cut> cuts;
    for (std::size_t i = 0; i < starts.size() && !n.failed(); ++i) {
        Cut c{axes[i], starts[i], ends[i], steps[i]};
        if (c.step == 0) {
            n.fail("a step is 0");
        }
        const auto extent = constInt(shape[static_cast<std::size_t>(c.axis)]);
        if (extent) {
            c = clamped(c, *extent);
        } else if (c.end >= std::numeric_limits<std::int32_t>::max()) {
            c.end = kEnd;
        }
        const bool whole = c.start == 0 && c.step == 1 && c.end == (extent ? *extent : kEnd);
        if (!whole) {
            cuts.push_back(c);
        }
    }
    n.bind(0, cut(n, x, cuts));
}

// The length of every part; empty after a failure.
Ints partsOf(NodeImport& n, const Expr& extent, std::size_t parts)
{
    Ints given;
    bool isGiven = false;
    if (n.opset() < 13) {
        given = n.integerList("split");
        isGiven = n.given("split");
    } else {
        const ValueId lengths = n.optional(1);
        isGiven = lengths != kNoValue;
        given = isGiven ? n.integers(lengths, "split") : Ints{};
    }
    if (n.opset() >= 18 && n.given("num_outputs")) {
        const std::int64_t wanted = n.integer("num_outputs", 0);
        if (isGiven || wanted != static_cast<std::int64_t>(parts)) {
            n.fail(format("num_outputs is {}, with {} outputs{}", wanted, parts, isGiven ? " and split given" : ""));
        }
    }
    const auto total = constInt(extent);
    if (n.failed()) {
        return {};
    }
    if (isGiven) {
        std::int64_t sum = 0;
        for (const std::int64_t length : given) {
            sum = length < 0 || length > (std::int64_t{1} << 61) || sum < 0 ? -1 : sum + length;
        }
        if (given.size() != parts || sum < 0 || (total && sum != *total)) {
            n.fail(format("it splits an extent of {} into [{}] for {} outputs", toText(extent), fmt::join(given, ", "), parts));
            return {};
        }
        return given;
    }
    if (!total) {
        n.fail(format("it splits the extent {} into equal parts; bind {}", toText(extent), symbolsText(Extents{extent})));
        return {};
    }
    const auto count = static_cast<std::int64_t>(parts);
    const std::int64_t length = (*total + count - 1) / count;
    const std::int64_t last = *total - length * (count - 1);
    if (last < 0 || (last != length && n.opset() < 18)) {
        n.fail(format("an extent of {} does not divide into {} equal parts", *total, parts));
        return {};
    }
    Ints lengths(parts, length);
    lengths.back() = last;
    return lengths;
}

void importSplit(NodeImport& n)
{
    const ValueId x = n.in(0);
    const std::int64_t axis = n.axis(n.integer("axis", 0), n.rank(x));
    if (n.failed() || n.outputCount() == 0) {
        return;
    }
    const Expr extent = n.shape(x)[static_cast<std::size_t>(axis)];
    const Ints lengths = partsOf(n, extent, n.outputCount());
    std::int64_t start = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const std::int64_t end = start + lengths[i];
        if (n.wants(i)) {
            n.bind(i, cut(n, x, lengths.size() == 1 ? std::vector<Cut>{} : std::vector<Cut>{{axis, start, end, 1}}));
        }
        start = end;
    }
}

} // namespace

std::span<const Handler> sliceHandlers()
{
    static constexpr std::array kHandlers = {Handler{"Slice", 1, &importSlice}, Handler{"Split", 2, &importSplit}};
    return kHandlers;
}

} // namespace nw::graph
