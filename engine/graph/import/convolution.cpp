#include "engine/base/text.h"
#include "engine/graph/import/node_import.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace nw::graph {
namespace {

using Ints = std::vector<std::int64_t>;
using Values = std::map<std::string, AttributeValue>;

struct Window {
    Ints kernel, strides, dilations, pads;
    bool isAutomatic = false; // pads came from auto_pad
};

bool checkLengths(NodeImport& n, const Window& w, std::size_t spatial)
{
    const auto check = [&](const Ints& values, std::size_t length, const char* what) {
        if (values.size() != length) {
            n.fail(format("{} has {} entries for {} spatial axes", what, values.size(), spatial));
        }
        if (std::any_of(values.begin(), values.end(), [](std::int64_t v) { return v > (std::int64_t{1} << 40); })) {
            n.fail(format("{} [{}] is no sensible value", what, fmt::join(values, ", ")));
        }
    };
    const auto positive = [&](const Ints& values, const char* what) {
        if (std::any_of(values.begin(), values.end(), [](std::int64_t v) { return v < 1; })) {
            n.fail(format("{} [{}] must be at least 1 everywhere", what, fmt::join(values, ", ")));
        }
    };
    check(w.kernel, spatial, "kernel_shape");
    check(w.strides, spatial, "strides");
    check(w.dilations, spatial, "dilations");
    check(w.pads, 2 * spatial, "pads");
    positive(w.kernel, "kernel_shape");
    positive(w.strides, "strides");
    positive(w.dilations, "dilations");
    return !n.failed();
}

// SAME_UPPER and SAME_LOWER: out = ceil(in / stride), padding as little as that needs and never less than none; the odd
// element goes to the end or to the beginning.
void padSame(NodeImport& n, Window& w, const Extents& input, bool upper)
{
    const std::size_t spatial = w.kernel.size();
    for (std::size_t i = 0; i < spatial; ++i) {
        const std::int64_t stride = w.strides[i];
        const std::int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
        const auto extent = constInt(input[i + 2]);
        if (!extent && stride != 1) {
            n.fail(format("auto_pad with a stride of {} needs the extent {}; bind {}", stride, toText(input[i + 2]),
                symbolsText(Extents{input[i + 2]})));
            return;
        }
        const std::int64_t out = extent ? (*extent + stride - 1) / stride : 0;
        const std::int64_t total = extent ? std::max<std::int64_t>(0, (out - 1) * stride + reach - *extent) : reach - 1;
        w.pads[i] = upper ? total / 2 : total - total / 2;
        w.pads[i + spatial] = total - w.pads[i];
    }
}

// strides, dilations, pads and auto_pad; the kernel is the caller's.
std::optional<Window> readWindow(NodeImport& n, Ints kernel, const Extents& input, bool hasDilations)
{
    if (input.size() < 3) {
        n.fail(format("its input has shape {}; it takes batch, channels and at least one spatial axis", shapeText(input)));
        return std::nullopt;
    }
    const std::size_t spatial = input.size() - 2;
    Window w;
    w.kernel = std::move(kernel);
    w.strides = n.integerList("strides", Ints(spatial, 1));
    w.dilations = hasDilations ? n.integerList("dilations", Ints(spatial, 1)) : Ints(spatial, 1);
    w.pads = n.integerList("pads", Ints(2 * spatial, 0));
    const std::string automatic = n.text("auto_pad", "NOTSET");
    if (automatic != "NOTSET" && automatic != "SAME_UPPER" && automatic != "SAME_LOWER" && automatic != "VALID") {
        n.fail(format("auto_pad is '{}'; NOTSET, SAME_UPPER, SAME_LOWER and VALID are known", automatic));
    }
    if (automatic != "NOTSET") {
        w.pads.assign(2 * spatial, 0);
        w.isAutomatic = true;
    }
    if (!checkLengths(n, w, spatial)) {
        return std::nullopt;
    }
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
        padSame(n, w, input, automatic == "SAME_UPPER");
    }
    return n.failed() ? std::nullopt : std::optional(w);
}

void importConv(NodeImport& n)
{
    const ValueId x = n.in(0);
    const ValueId weight = n.in(1);
    const ValueId bias = n.optional(2);
    const Extents shape = n.shape(weight);
    const std::int64_t group = n.integer("group", 1);
    if (n.failed()) {
        return;
    }
    if (shape.size() != n.rank(x) || shape.size() < 3) {
        n.fail(format("its input has shape {} and its weight {}; both need the same rank, at least 3",
            shapeText(n.shape(x)), shapeText(shape)));
        return;
    }
    const auto kernel = literalsOf(std::span(shape).subspan(2));
    if (!kernel) {
        n.fail(format("the kernel of its weight {} must be known; bind {}", shapeText(shape), symbolsText(shape)));
        return;
    }
    if (n.given("kernel_shape") && n.integerList("kernel_shape") != *kernel) {
        n.fail(format("kernel_shape [{}] is not that of its weight {}", fmt::join(n.integerList("kernel_shape"), ", "),
            shapeText(shape)));
    }
    const auto w = readWindow(n, *kernel, n.shape(x), true);
    if (w) {
        n.bind(0, n.make("Conv", {x, weight, bias}, {Values{{"pads", w->pads}, {"strides", w->strides},
            {"dilations", w->dilations}, {"group", group}}}));
    }
}

void importPool(NodeImport& n)
{
    const bool isMax = n.op() == "MaxPool";
    const ValueId x = n.in(0);
    n.require("kernel_shape");
    const auto w = readWindow(n, n.integerList("kernel_shape"), n.shape(x), n.opset() >= (isMax ? 10 : 19));
    std::int64_t ceil = n.opset() >= 10 ? n.integer("ceil_mode", 0) : 0;
    if (!w) {
        return;
    }
    if (w->isAutomatic) {
        ceil = 0; // auto_pad alone says the number of windows
    }
    Values attributes{{"kernel_shape", w->kernel}, {"pads", w->pads}, {"strides", w->strides}, {"dilations", w->dilations},
        {"ceil_mode", ceil != 0 ? std::int64_t{1} : std::int64_t{0}}};
    if (!isMax) {
        attributes["count_include_pad"] = n.integer("count_include_pad", 0);
        n.bind(0, n.make("AveragePool", {x}, {std::move(attributes)}));
        return;
    }
    attributes["storage_order"] = n.opset() >= 8 ? n.integer("storage_order", 0) : 0;
    const std::vector<ValueId> outputs = n.makeAll("MaxPool", {x}, {std::move(attributes)}, n.wants(1) ? 2 : 1);
    n.bind(0, outputs[0]);
    if (outputs.size() > 1) {
        n.bind(1, outputs[1]);
    }
}

void importGlobalPool(NodeImport& n)
{
    const ValueId x = n.in(0);
    if (n.rank(x) < 3) {
        n.fail(format("its input has shape {}; it takes batch, channels and at least one spatial axis",
            shapeText(n.shape(x))));
        return;
    }
    Ints axes(n.rank(x) - 2);
    std::iota(axes.begin(), axes.end(), 2);
    const char* reduce = n.op() == "GlobalMaxPool" ? "ReduceMax" : "ReduceMean";
    n.bind(0, n.make(reduce, {x}, {Values{{"axes", axes}, {"keepdims", std::int64_t{1}}}}));
}

} // namespace

std::span<const Handler> convolutionHandlers()
{
    static constexpr std::array kHandlers = {Handler{"Conv", 1, &importConv}, Handler{"MaxPool", 1, &importPool},
        Handler{"AveragePool", 7, &importPool}, Handler{"GlobalAveragePool", 1, &importGlobalPool},
        Handler{"GlobalMaxPool", 1, &importGlobalPool}};
    return kHandlers;
}

} // namespace nw::graph
