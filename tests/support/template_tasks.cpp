#include "tests/support/template_tasks.h"

#include "engine/base/text.h"
#include "engine/plan/algorithms.h"
#include "engine/plan/short_layout.h"
#include "tests/support/graph_text.h"

#include <algorithm>

namespace nw::schedule::test {

namespace {

// One group's model text, and in which blocks its tensors of four axes lie.
struct Drawn {
    std::string graph;      // empty: `definition`
    std::string definition; // of a change of layout, which no operator stands for
    int width = 0;          // 0: plain
    std::vector<std::string> layouts; // of the definition's ports
    std::string algorithm;  // empty: direct
    bool last = false;      // channels last
};

std::int64_t oneOf(Random& random, std::initializer_list<std::int64_t> values)
{
    return *(values.begin() + static_cast<std::ptrdiff_t>(random.below(values.size())));
}

std::string shapeText(const std::vector<std::int64_t>& extents)
{
    std::vector<std::string> parts;
    for (const std::int64_t extent : extents) {
        parts.push_back(std::to_string(extent));
    }
    return join(parts, ",");
}

std::string unknownShape(std::size_t rank)
{
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < rank; ++i) {
        parts.push_back(format("q{}", i));
    }
    return join(parts, ",");
}

std::string model(const std::string& inputs, std::size_t outputRank, const std::string& body)
{
    return format("g ({}) => (float[{}] y) {{\n{}\n}}", inputs, unknownShape(outputRank), body);
}

struct Convolution {
    std::int64_t n = 1, ic = 1, oc = 1, height = 1, width = 1, kernel = 3, stride = 1, dilation = 1, group = 1;
    bool pads = true;
    int epilogue = 0; // 0 none, 1 bias, 2 bias and relu, 3 a second tensor and relu
};

std::string convolution(const Convolution& c)
{
    const std::int64_t pad = c.pads ? (c.kernel - 1) * c.dilation / 2 : 0;
    const auto outOf = [&](std::int64_t in) { return (in + 2 * pad - (c.kernel - 1) * c.dilation - 1) / c.stride + 1; };
    std::string inputs = format("float[{}] x", shapeText({c.n, c.ic, c.height, c.width}));
    std::string body = zeros("w", shapeText({c.oc, c.ic / c.group, c.kernel, c.kernel}), 4);
    body += c.epilogue == 0 ? "" : zeros("b", shapeText({c.oc}), 1);
    body += format("{} = Conv <group = {}, pads = [{}], strides = [{}], dilations = [{}]> (x, w{})\n", c.epilogue < 2 ? "y" : "a", c.group,
                   shapeText({pad, pad, pad, pad}), shapeText({c.stride, c.stride}), shapeText({c.dilation, c.dilation}), c.epilogue == 0 ? "" : ", b");
    if (c.epilogue == 3) {
        inputs += format(", float[{}] z", shapeText({c.n, c.oc, outOf(c.height), outOf(c.width)}));
        body += "s = Add(a, z)\ny = Relu(s)\n";
    } else if (c.epilogue == 2) {
        body += "y = Relu(a)\n";
    }
    return model(inputs, 4, body);
}

Drawn drawConvolution(const Template& from, Random& random)
{
    Convolution c;
    c.n = random.between(1, 2);
    c.ic = oneOf(random, {1, 3, 4, 7, 8, 16, 17, 32});
    c.oc = oneOf(random, {1, 5, 8, 13, 16, 24, 32, 35});
    c.kernel = oneOf(random, {1, 3, 3, 5});
    c.stride = random.between(1, 2);
    c.dilation = c.kernel > 1 && random.below(4) == 0 ? 2 : 1;
    c.height = random.between(c.kernel * c.dilation, c.kernel * c.dilation + 4);
    c.width = random.between(c.kernel * c.dilation, 19);
    c.pads = random.below(3) != 0;
    c.epilogue = static_cast<int>(random.below(4));
    if (from.name.starts_with("depthwise") || random.below(8) == 0) {
        c.group = c.oc = c.ic = oneOf(random, {2, 7, 8, 16, 17, 24, 32, 48});
    } else if (random.below(6) == 0) {
        c.group = 2;
        c.ic += c.ic % 2;
        c.oc += c.oc % 2;
    }
    return {convolution(c), {}, from.blocked.empty() ? 0 : static_cast<int>(oneOf(random, {8, 16})), {}, {}, !from.last.empty()};
}

// By tiles of two or four rows and columns.
Drawn drawTiles(Random& random)
{
    Convolution c;
    c.n = random.between(1, 2);
    c.ic = oneOf(random, {16, 17, 20, 32});
    c.oc = oneOf(random, {32, 32, 35, 40, 16});
    c.height = random.between(3, 13);
    c.width = random.between(5, 19);
    c.pads = random.below(3) != 0;
    c.epilogue = static_cast<int>(random.below(4));
    return {convolution(c), {}, static_cast<int>(oneOf(random, {0, 8, 16})), {}, random.below(2) == 0 ? "winograd2" : "winograd4"};
}

// b x m x k times k x n, or b x k x n.
std::string product(std::int64_t b, std::int64_t m, std::int64_t k, std::int64_t n, bool isConstant, bool epilogue)
{
    const std::string matrix = shapeText(isConstant ? std::vector{k, n} : std::vector{b, k, n});
    std::string inputs = format("float[{}] x", shapeText({b, m, k}));
    inputs += isConstant ? "" : format(", float[{}] w", matrix);
    std::string body = isConstant ? zeros("w", matrix, 2) : "";
    body += format("{} = MatMul(x, w)\n", epilogue ? "a" : "y");
    if (epilogue) {
        inputs += format(", float[{}] z", n);
        body += "s = Add(a, z)\ny = Relu(s)\n";
    }
    return model(inputs, 3, body);
}

std::string layer(std::int64_t m, std::int64_t k, std::int64_t n, bool isTurned, bool epilogue)
{
    std::string body = zeros("w", shapeText(isTurned ? std::vector{n, k} : std::vector{k, n}), 2) + zeros("c", shapeText({n}), 1);
    body += format("{} = Gemm <transB = {}> (x, w, c)\n", epilogue ? "a" : "y", isTurned ? 1 : 0);
    body += epilogue ? "y = Relu(a)\n" : "";
    return model(format("float[{}] x", shapeText({m, k})), 2, body);
}

std::string pool(const std::string& op, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, std::int64_t kernel, std::int64_t stride,
                 std::int64_t pad)
{
    return model(format("float[{}] x", shapeText({n, c, h, w})), 4,
                 format("y = {} <kernel_shape = [{}], strides = [{}], pads = [{}]> (x)\n", op, shapeText({kernel, kernel}), shapeText({stride, stride}),
                        shapeText({pad, pad, pad, pad})));
}

bool isOf(const Template& from, std::string_view kind)
{
    return std::find(from.kinds.begin(), from.kinds.end(), kind) != from.kinds.end();
}

bool normalizesRows(const Template& from)
{
    return isOf(from, "softmax") || isOf(from, "layernormalization") || isOf(from, "rmsnormalization");
}

std::string ofRows(const Template& from, const std::vector<std::int64_t>& shape, std::int64_t axis = -1)
{
    const std::string width = std::to_string(shape.back());
    const std::string x = format("float[{}] x", shapeText(shape));
    if (isOf(from, "layernormalization")) {
        return model(x, shape.size(), zeros("s", width, 1) + zeros("b", width, 1) + "y = LayerNormalization <axis = -1> (x, s, b)\n");
    }
    return isOf(from, "softmax") ? model(x, shape.size(), format("y = Softmax <axis = {}> (x)\n", axis))
                                 : model(x, shape.size(), zeros("s", width, 1) + "y = RMSNormalization <axis = -1> (x, s)\n");
}

std::string normalized(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, std::int64_t size)
{
    return model(format("float[{}] x", shapeText({n, c, h, w})), 4, format("y = LRN <size = {}> (x)\n", size));
}

std::string reduced(const std::string& op, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& axes, bool keeps)
{
    const bool isSum = op == "ReduceSum"; // its axes are a tensor
    return model(format("float[{}] x", shapeText(shape)), keeps ? shape.size() : shape.size() - axes.size(),
                 isSum ? format("d = Constant <value = int64[{}] {{{}}}> ()\ny = ReduceSum <keepdims = {}> (x, d)\n", axes.size(), shapeText(axes), keeps ? 1 : 0)
                       : format("y = {} <axes = [{}], keepdims = {}> (x)\n", op, shapeText(axes), keeps ? 1 : 0));
}

std::string ints(const std::string& name, const std::vector<std::int64_t>& values)
{
    return format("{} = Constant <value = int64[{}] {{{}}}> ()\n", name, values.size(), shapeText(values));
}

// Copies between a plain tensor and one in blocks, either way.
Drawn layoutChange(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, const std::string& from, const std::string& to)
{
    const std::string shape = shapeText({n, c, h, w});
    return {{},
            format("definition copy\ninput X f32 [{0}]\noutput Y f32 [{0}]\nstage copy -> Y f32 [n:{1}, c:{2}, h:{3}, w:{4}] = X[n, c, h, w]\n", shape, n, c, h, w),
            0,
            {from, to}};
}

Drawn drawMap(Random& random)
{
    const std::int64_t n = random.between(1, 2);
    const std::int64_t c = oneOf(random, {1, 3, 7, 8, 16, 17, 32, 40, 48});
    const std::int64_t h = oneOf(random, {1, 2, 5, 7, 8});
    const std::int64_t w = oneOf(random, {1, 3, 7, 8, 9, 14, 19, 33});
    const std::string x = format("float[{}] x", shapeText({n, c, h, w}));
    const std::string scales = format("{0}, float[{1},1,1] s, float[{1},1,1] t", x, c);
    const int width = static_cast<int>(oneOf(random, {0, 0, 8, 16}));
    switch (random.below(13)) {
    case 0: return {model(x, 4, "y = Relu(x)\n"), {}, width, {}};
    case 1: return {model(x, 4, "a = Sigmoid(x)\ny = Mul(a, x)\n"), {}, width, {}};
    case 2: return {model(scales, 4, "a = Mul(x, s)\nb = Add(a, t)\ny = Relu(b)\n"), {}, width, {}};
    case 3: return {model(format("{}, float[{}] z", x, shapeText({n, c, h, w})), 4, "a = Add(x, z)\ny = Relu(a)\n"), {}, width, {}};
    case 4: {
        const std::int64_t second = oneOf(random, {1, 8, 16, 24});
        return {model(format("{}, float[{}] z", x, shapeText({n, second, h, w})), 4, "y = Concat <axis = 1> (x, z)\n"), {}, width, {}};
    }
    case 5: return {model(format("{}, float[{}] z", x, shapeText({n, c, h, w + 2})), 4, "y = Concat <axis = 3> (x, z)\n"), {}, width, {}};
    case 6: {
        const std::string whole = format("float[{}] x", shapeText({n, c + 1, h, w + 2}));
        return {model(whole, 4, ints("b", {0, 1}) + ints("e", {c, w + 1}) + ints("a", {1, 3}) + "y = Slice(x, b, e, a)\n"), {}, width, {}};
    }
    case 7: return {model(format("float[{}] x, int64[{}] i", shapeText({c, h * w}), shapeText({n, h})), 3, "y = Gather <axis = 0> (x, i)\n"), {}, 0, {}};
    case 8: return {model(x, 4, ints("p", {0, 0, 1, 1, 0, 0, 1, 2}) + "y = Pad(x, p)\n"), {}, width, {}};
    case 9: {
        const std::vector<std::vector<std::int64_t>> orders{{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 2, 1, 3}, {0, 1, 3, 2}, {3, 2, 1, 0}};
        return {model(x, 4, format("y = Transpose <perm = [{}]> (x)\n", shapeText(orders[random.below(orders.size())]))), {}, 0, {}};
    }
    case 10: {
        const std::int64_t groups = oneOf(random, {2, 3, 4});
        return {model(format("float[{}] x", shapeText({n, groups * c, h, w})), 4,
                      ints("f", {n, groups, c, h, w}) + ints("g", {n, groups * c, h, w}) +
                          "a = Reshape(x, f)\nb = Transpose <perm = [0, 2, 1, 3, 4]> (a)\ny = Reshape(b, g)\n"),
                {}, 0, {}};
    }
    case 11: return {model(format("float[{}] x, float[{}] s", shapeText({n, h, w}), w), 3, "a = Add(x, s)\nb = Erf(a)\ny = Mul(a, b)\n"), {}, 0, {}};
    default: {
        const std::string blocked = random.below(2) == 0 ? "NCHW8c" : "NCHW16c border 1 1";
        const bool inwards = random.below(2) == 0;
        return layoutChange(n, c, h, w, inwards ? "plain" : blocked, inwards ? blocked : "plain");
    }
    }
}

Result<Task> taskOf(const Drawn& drawn, const Target& target)
{
    Task task;
    task.target = target;
    if (!drawn.definition.empty()) {
        Result<compute::Definition> parsed = compute::parseDefinition(drawn.definition);
        if (!parsed) {
            return parsed.error();
        }
        task.definition = std::make_shared<const compute::Definition>(*std::move(parsed));
        for (const std::string& text : drawn.layouts) {
            const Result<Layout> layout = plan::parseChoiceLayout(text);
            if (!layout) {
                return layout.error();
            }
            task.layouts.push_back(*layout);
        }
        return task;
    }
    const bool isNew = drawn.graph.find("RMSNormalization") != std::string::npos;
    const auto graph = isNew ? graphOf(drawn.graph, 23) : graphOf(drawn.graph);
    if (!graph) {
        return graph.error();
    }
    const Result<std::vector<plan::Group>> groups = plan::fuseGroups(**graph);
    if (!groups) {
        return groups.error();
    }
    if (groups->size() != 1) {
        return failed(format("{} groups, not one, from {}", groups->size(), drawn.graph));
    }
    using Algorithms = std::map<std::string, std::string>;
    const auto computed = plan::withAlgorithms(*graph, *groups, drawn.algorithm.empty() ? Algorithms() : Algorithms{{groups->front().name, drawn.algorithm}});
    if (!computed) {
        return computed.error();
    }
    Result<compute::Definition> defined = compute::defineGroup(*computed->graph, computed->groups.front());
    if (!defined) {
        return defined.error();
    }
    task.definition = std::make_shared<const compute::Definition>(*std::move(defined));
    for (const compute::Port& port : task.definition->ports) {
        const bool isPlain = (drawn.width == 0 && !drawn.last) || port.shape.size() != 4 || port.kind == compute::PortKind::Constant;
        const Result<IndexMap> map = isPlain ? IndexMap() : plan::parseShortMap(drawn.last ? "NHWC" : format("NCHW{}c", drawn.width));
        if (!map) {
            return map.error();
        }
        task.layouts.push_back({*map, {}});
    }
    return task;
}

Drawn draw(const Template& from, Random& random)
{
    const int width = from.blocked.empty() ? 0 : static_cast<int>(oneOf(random, {8, 16}));
    if (isOf(from, "conv")) {
        return drawConvolution(from, random);
    }
    if (isOf(from, "winograd")) {
        Convolution c{random.between(1, 2), oneOf(random, {4, 8, 17, 32}), oneOf(random, {8, 16, 19, 32, 40}), random.between(4, 12), random.between(4, 17), 3, 1, 1, 1,
                      random.below(4) != 0, static_cast<int>(random.below(4))};
        return {convolution(c), {}, 0, {}, random.below(2) == 0 ? "winograd2" : "winograd4"};
    }
    if (isOf(from, "winograd")) {
        return drawTiles(random);
    }
    if (isOf(from, "matmul")) {
        const bool isConstant = from.name != "matmul_batched" && from.name != "matmul_near";
        if (from.name == "matmul_whole") { // of every target
            return {product(random.between(1, 3), 4 * random.between(1, 13), random.between(1, 40), 96 * random.between(1, 3), true, random.below(2) == 0), {}, 0, {}};
        }
        return {product(random.between(1, 3), oneOf(random, {1, 1, 4, 7, 13, 18}), random.between(1, 40), oneOf(random, {4, 8, 17, 31, 64, 70, 131}), isConstant,
                        random.below(2) == 0),
                {}, 0, {}};
    }
    if (isOf(from, "gemm")) {
        return {layer(oneOf(random, {1, 1, 2, 5, 13}), random.between(1, 40), oneOf(random, {4, 8, 17, 31, 64, 70, 131}), random.below(4) != 0, random.below(2) == 0),
                {}, 0, {}};
    }
    if (isOf(from, "maxpool") || isOf(from, "averagepool")) {
        const bool isMax = isOf(from, "maxpool") && (!isOf(from, "averagepool") || random.below(2) == 0);
        const std::int64_t kernel = random.between(2, 3);
        const std::int64_t stride = from.name == "pool_strided" ? 2 : random.between(1, 2);
        return {pool(isMax ? "MaxPool" : "AveragePool", random.between(1, 2), oneOf(random, {1, 3, 8, 16, 17, 24, 32}), random.between(3, 8), random.between(3, 29), kernel,
                     stride, random.between(0, 1)),
                {}, width, {}, {}, !from.last.empty()};
    }
    if (normalizesRows(from)) {
        std::vector<std::int64_t> shape{random.between(1, 3), random.between(from.name == "softmax_across" ? 2 : 1, 9), oneOf(random, {2, 5, 9, 17, 32, 33, 49, 70, 128})};
        return {ofRows(from, shape, from.name == "softmax_across" ? 1 : -1), {}, 0, {}};
    }
    if (isOf(from, "lrn")) {
        return {normalized(random.between(1, 2), oneOf(random, {1, 3, 8, 16, 17, 32}), random.between(1, 4), random.between(1, 21), oneOf(random, {1, 3, 5})), {}, width, {}};
    }
    if (isOf(from, "reducemean")) {
        const char* const ops[] = {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceL2"};
        const bool isAcross = from.name == "reduce_across";
        const std::vector<std::int64_t> shape{random.between(1, 2), oneOf(random, {2, 3, 8, 16, 17, 32, 70}), random.between(1, 9), random.between(1, 19)};
        const bool overPlane = !from.blocked.empty() || random.below(2) == 0;
        const std::vector<std::int64_t> axes = overPlane ? std::vector<std::int64_t>{2, 3} : std::vector<std::int64_t>{isAcross ? random.between(0, 2) : 3};
        const bool keeps = !from.blocked.empty() || (isAcross && overPlane) || random.below(2) == 0; // one axis the less has no channels
        return {reduced(ops[random.below(4)], shape, axes, keeps), {}, width, {}, {}, isAcross && overPlane};
    }
    return drawMap(random);
}

// Activations in blocks of one vector, as the planner lays them out.
Drawn usual(const Template& from, int lanes)
{
    const int width = from.blocked.empty() ? 0 : lanes;
    Convolution c{1, 64, 64, 28, 28, 3, 1, 1, 1, true, 2};
    c.kernel = from.name.starts_with("conv_pixels") ? 1 : 3;
    if (from.name.starts_with("depthwise")) {
        c.group = c.ic = c.oc = 144;
    }
    if (isOf(from, "conv")) {
        return {convolution(c), {}, width, {}, {}, !from.last.empty()};
    }
    if (isOf(from, "winograd")) {
        return {convolution(c), {}, 16, {}, "winograd4"};
    }
    if (isOf(from, "winograd")) {
        return {convolution(c), {}, 0, {}, "winograd4"};
    }
    if (isOf(from, "matmul")) {
        const bool isVariable = from.name == "matmul_near" || from.name == "matmul_batched";
        return {product(isVariable ? 12 : 1, from.name == "matvec_packed" ? 1 : 128, 64, from.name == "matmul_near" ? 64 : from.name == "matmul_whole" ? 768 : 512, !isVariable, true), {}, 0, {}};
    }
    if (isOf(from, "gemm")) {
        return {layer(from.name == "gemm_row" ? 1 : 16, 512, 1000, true, true), {}, 0, {}};
    }
    if (isOf(from, "maxpool") || isOf(from, "averagepool")) {
        return {pool(isOf(from, "maxpool") ? "MaxPool" : "AveragePool", 1, 64, 29, 29, 3, from.name == "pool_strided" ? 2 : 1, 1), {}, width, {}, {}, !from.last.empty()};
    }
    if (normalizesRows(from)) {
        return {ofRows(from, {1, from.name.ends_with("_row") ? 1 : 128, 768}, from.name == "softmax_across" ? 1 : -1), {}, 0, {}};
    }
    if (isOf(from, "lrn")) {
        return {normalized(1, 64, 27, 27, 5), {}, width, {}};
    }
    if (isOf(from, "reducemean")) {
        return {reduced("ReduceMean", {1, 256, 7, 7}, {2, 3}, true), {}, width, {}, {}, from.name == "reduce_across"};
    }
    if (from.name == "map_turned") {
        return layoutChange(1, 64, 28, 28, "plain", "NCHW16c");
    }
    return {model("float[1,64,28,28] x, float[64,1,1] s, float[64,1,1] t", 4, "a = Mul(x, s)\nb = Add(a, t)\ny = Relu(b)\n"), {}, 16, {}};
}

} // namespace

Result<Task> drawTask(const Template& from, Random& random, const Target& target)
{
    return taskOf(draw(from, random), target);
}

Result<Task> usualTask(const Template& from, const Target& target)
{
    return taskOf(usual(from, target.lanes(DType::F32)), target);
}

} // namespace nw::schedule::test
