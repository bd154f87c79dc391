#include "tests/bench/operator_cases.h"

#include "engine/base/text.h"

namespace nw::bench {
namespace {

using Dims = std::vector<std::int64_t>;

std::string listOf(const Dims& dims)
{
    std::string text;
    for (const std::int64_t dim : dims) {
        text += (text.empty() ? "" : ",") + std::to_string(dim);
    }
    return text;
}

std::string typed(const char* name, const Dims& dims)
{
    return format("float[{}] {}", listOf(dims), name);
}

// The values do not matter: a measured kernel gets data of the correctness contract.
std::string constant(const char* name, const Dims& dims)
{
    return format("  {0}_shape = Constant <value = int64[{1}] {{{2}}}> ()\n"
                  "  {0} = ConstantOfShape <value = float[1] {{0.5}}> ({0}_shape)\n",
                  name, dims.size(), listOf(dims));
}

std::string model(const std::vector<std::string>& inputs, const Dims& output, const std::string& body)
{
    return format("<ir_version: 8, opset_import: [\"\" : 17]>\nbench ({}) => ({})\n{{\n{}}}\n", join(inputs, ", "), typed("Y", output), body);
}

} // namespace

OperatorCase product(std::int64_t m, std::int64_t k, std::int64_t n, bool isConstant, Floors floors)
{
    OperatorCase made;
    made.title = format("matmul {}x{}x{}{}", m, k, n, isConstant ? "" : ", B variable");
    made.group = "matmul.0";
    made.algorithm = "direct";
    made.layout = "plain";
    std::vector<std::string> inputs{typed("A", {m, k})};
    if (!isConstant) {
        inputs.push_back(typed("B", {k, n}));
    }
    made.model = model(inputs, {m, n}, (isConstant ? constant("B", {k, n}) : std::string()) + "  Y = MatMul (A, B)\n");
    made.isProduct = true;
    made.floors = floors;
    return made;
}

OperatorCase convolution(const Conv& c, const std::string& x, const std::string& y, const std::string& algorithm, Floors floors)
{
    const std::int64_t pad = c.window / 2;
    const std::int64_t size = (c.size + 2 * pad - c.window) / c.stride + 1;
    OperatorCase made;
    made.title = format("{} {}x{} {}x{}x{}{}{}", c.isDepthwise ? "depthwise" : "conv", c.window, c.window, c.in, c.size, c.size,
                        c.isDepthwise ? std::string() : format(" -> {}", c.out), c.stride == 1 ? std::string() : format(", stride {}", c.stride));
    made.group = "conv.0";
    made.algorithm = algorithm;
    made.layout = x;
    made.choices = format("layout conv.0 X {}\nlayout conv.0 Y {}\n", x, y) +
        (algorithm == "direct" ? std::string() : format("algorithm conv.0 {}\n", algorithm));
    const std::string body = constant("W", {c.out, c.isDepthwise ? 1 : c.in, c.window, c.window}) +
        format("  Y = Conv <kernel_shape = [{0},{0}], pads = [{1},{1},{1},{1}], strides = [{2},{2}], group = {3}> (X, W)\n", c.window, pad,
               c.stride, c.isDepthwise ? c.in : 1);
    made.model = model({typed("X", {1, c.in, c.size, c.size})}, {1, c.out, size, size}, body);
    made.floors = floors;
    return made;
}

OperatorCase softmax(const std::vector<std::int64_t>& dims, Floors floors)
{
    return {format("softmax {}", join({std::to_string(dims[0]), std::to_string(dims[1]), std::to_string(dims[2])}, "x")), "softmax.0",
            "direct", "plain", model({typed("X", dims)}, dims, "  Y = Softmax <axis = -1> (X)\n"), "", false, floors};
}

namespace {

OperatorCase layerNorm(std::int64_t rows, std::int64_t columns, Floors floors)
{
    return {format("layer norm {}x{}", rows, columns), "layernormalization.0", "direct", "plain",
            model({typed("X", {rows, columns})}, {rows, columns},
                  constant("S", {columns}) + constant("B", {columns}) + "  Y = LayerNormalization <axis = -1, epsilon = 0.00001> (X, S, B)\n"),
            "", false, floors};
}

} // namespace

// The floors are a tenth or more below what was seen on a Zen 4 server with AVX2 (native, 16 registers) while other programs
// ran beside; raise them when a template gets faster. What is asked of several threads is asked where arithmetic bounds, and less
// where both kernels' data are beyond the second level, so that the library's take ours out of it in each turn.
std::vector<OperatorCase> operatorCases()
{
    const std::string blocks = "NCHW16c";
    const std::string padded = "NCHW16c border 1 1";
    return {
        product(512, 512, 512, true, {0.78, 0.89, 0.80}),
        product(1024, 1024, 1024, true, {0.68, 0.82, 0.80}),
        product(512, 512, 512, false, {0.67, 0.84, 0.80}),
        product(1024, 1024, 1024, false, {0.69, 0.81, 0.80}),
        product(128, 768, 3072, true, {0.68, 0.85, 0.80}),
        product(128, 3072, 768, true, {0.71, 0.85, 0.80}),
        product(1, 1024, 1024, true, {0.33, 1.08}),
        convolution({64, 56, 64, 3}, padded, blocks, "direct", {0.78, 0.85, 0.70}),
        convolution({128, 28, 128, 3}, padded, blocks, "direct", {0.79, 0.90, 0.80}),
        convolution({256, 14, 256, 3}, padded, blocks, "direct", {0.78, 0.88, 0.80}),
        convolution({512, 7, 512, 3}, padded, blocks, "direct", {0.65, 0.87, 0.80}),
        convolution({3, 224, 64, 7, 2}, "plain border 0 0 3 3", blocks, "direct", {0.67, 0.80, 0.80}),
        convolution({256, 56, 64, 1}, blocks, blocks, "direct", {0.75, 0.84, 0.80}),
        convolution({512, 28, 128, 1}, blocks, blocks, "direct", {0.75, 0.82, 0.80}),
        convolution({1024, 14, 256, 1}, blocks, blocks, "direct", {0.71, 0.79, 0.80}),
        convolution({144, 56, 144, 3, 1, true}, "plain", "plain", "direct", {0.36, 0.73}),
        convolution({144, 56, 144, 3, 1, true}, padded, blocks, "direct", {0.73, 1.23}),
        convolution({384, 14, 384, 3, 1, true}, "plain", "plain", "direct", {0.12, 0.29}),
        convolution({384, 14, 384, 3, 1, true}, padded, blocks, "direct", {0.55, 1.25}),
        softmax({12, 128, 128}, {0.04, 0.97}),
        layerNorm(128, 768, {0.42, 1.15}),
        convolution({64, 56, 64, 3}, blocks, blocks, "winograd2", {1.31, 1.50}),
        convolution({128, 28, 128, 3}, blocks, blocks, "winograd2", {1.57, 1.76}),
        convolution({256, 14, 256, 3}, blocks, blocks, "winograd2", {1.47, 1.66}),
        convolution({512, 7, 512, 3}, blocks, blocks, "winograd2", {0.83, 1.03}),
        convolution({64, 56, 64, 3}, blocks, blocks, "winograd4", {2.69, 2.79}),
        convolution({128, 28, 128, 3}, blocks, blocks, "winograd4", {2.55, 2.67}),
        convolution({256, 14, 256, 3}, blocks, blocks, "winograd4", {2.19, 2.36}),
        convolution({512, 7, 512, 3}, blocks, blocks, "winograd4", {0.79, 0.97}),
    };
}

} // namespace nw::bench
