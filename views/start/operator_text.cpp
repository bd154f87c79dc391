#include "views/start/operator_text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace nw::views {
namespace {

using Shape = std::vector<std::int64_t>;

std::string join(const Shape& shape, const char* between)
{
    std::string text;
    for (const std::int64_t extent : shape) {
        text += (text.empty() ? "" : between) + std::to_string(extent);
    }
    return text;
}

std::string decimal(double value)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6f", value);
    return text.data();
}

class Writer {
public:
    void input(const std::string& name, const Shape& shape) { m_inputs += (m_inputs.empty() ? "float[" : ", float[") + join(shape, ",") + "] " + name; }
    void output(const Shape& shape) { m_output = "float[" + join(shape, ",") + "] Y"; }
    void line(const std::string& text) { m_lines += "  " + text + "\n"; }

    // Pseudo-random values around zero, as large as keeps sums over `fanIn` of them near one.
    void weights(const std::string& name, const Shape& shape, std::int64_t fanIn)
    {
        if (m_seed == 0) {
            for (const char* text : {"zero = Constant <value = int64 {0}> ()", "one = Constant <value = int64 {1}> ()",
                     "mul1 = Constant <value = int64 {40503}> ()", "mul2 = Constant <value = int64 {31}> ()",
                     "prime = Constant <value = int64 {65521}> ()", "half = Constant <value = float {0.5}> ()",
                     "inverse = Constant <value = float {1.5262282321698386e-05}> ()"}) {
                line(text);
            }
        }
        m_seed += 7919;
        std::int64_t count = 1;
        for (const std::int64_t extent : shape) {
            count *= extent;
        }
        line(name + "_n = Constant <value = int64 {" + std::to_string(count) + "}> ()");
        line(name + "_seed = Constant <value = int64 {" + std::to_string(m_seed) + "}> ()");
        line(name + "_shape = Constant <value = int64[" + std::to_string(shape.size()) + "] {" + join(shape, ", ") + "}> ()");
        line(name + "_scale = Constant <value = float {" + decimal(std::sqrt(12.0 / static_cast<double>(fanIn))) + "}> ()");
        for (const char* step : {"i = Range(zero, @_n, one)", "a = Mul(@_i, mul1)", "b = Add(@_a, @_seed)", "c = Mod(@_b, prime)",
                 "d = Add(@_c, mul2)", "e = Mul(@_c, @_d)", "h = Mod(@_e, prime)", "f = Cast <to = 1> (@_h)", "g = Mul(@_f, inverse)",
                 "u = Sub(@_g, half)", "w = Mul(@_u, @_scale)"}) {
            std::string text = std::string("@_") + step;
            for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + name.size())) {
                text.replace(at, 1, name);
            }
            line(text);
        }
        line(name + " = Reshape(" + name + "_w, " + name + "_shape)");
    }

    std::string model(const std::string& name) const
    {
        return "<\n  ir_version: 8,\n  opset_import: [\"\" : 17]\n>\n" + name + " (" + m_inputs + ") => (" + m_output + ")\n{\n" + m_lines + "}\n";
    }

private:
    std::string m_inputs, m_output, m_lines;
    std::int64_t m_seed = 0;
};

struct Reader {
    const OperatorFields& fields;
    std::int64_t operator()(const char* key) const
    {
        const auto found = fields.find(key);
        return found == fields.end() ? 0 : found->second;
    }
};

// The activation as it stands in the list of choices; the first is none.
constexpr std::array kActivations = {"", "Relu", "Sigmoid", "Tanh"};

void finish(Writer& writer, std::int64_t activation, const std::string& core)
{
    const char* name = kActivations.at(static_cast<std::size_t>(activation));
    if (*name == '\0') {
        writer.line("Y = " + core);
    } else {
        writer.line("sum = " + core);
        writer.line(std::string("Y = ") + name + "(sum)");
    }
}

void writeProduct(Writer& writer, const Reader& f)
{
    const Shape weight{f("k"), f("n")};
    writer.input("A", {f("m"), f("k")});
    if (f("constant") != 0) {
        writer.weights("B", weight, f("k"));
    } else {
        writer.input("B", weight);
    }
    writer.output({f("m"), f("n")});
    writer.line("Y = MatMul(A, B)");
}

void writeDense(Writer& writer, const Reader& f)
{
    writer.input("X", {f("batch"), f("inputs")});
    writer.weights("W", {f("inputs"), f("outputs")}, f("inputs"));
    if (f("bias") != 0) {
        writer.weights("B", {f("outputs")}, 300);
    }
    writer.output({f("batch"), f("outputs")});
    finish(writer, f("activation"), f("bias") != 0 ? "Gemm(X, W, B)" : "Gemm(X, W)");
}

std::int64_t outExtent(std::int64_t in, const Reader& f)
{
    return (in + 2 * f("padding") - f("kernel")) / f("stride") + 1;
}

std::string window(const Reader& f)
{
    const std::string kernel = std::to_string(f("kernel"));
    const std::string stride = std::to_string(f("stride"));
    const std::int64_t pad = f("padding");
    return "kernel_shape = [" + kernel + "," + kernel + "], strides = [" + stride + "," + stride + "], pads = [" + join({pad, pad, pad, pad}, ",") + "]";
}

void writeConv(Writer& writer, const Reader& f, bool isDepthwise)
{
    const std::int64_t filters = isDepthwise ? f("c") : f("filters");
    const std::int64_t channels = isDepthwise ? 1 : f("c");
    writer.input("X", {f("n"), f("c"), f("h"), f("w")});
    writer.weights("W", {filters, channels, f("kernel"), f("kernel")}, channels * f("kernel") * f("kernel"));
    if (f("bias") != 0) {
        writer.weights("B", {filters}, 300);
    }
    writer.output({f("n"), filters, outExtent(f("h"), f), outExtent(f("w"), f)});
    const std::string group = isDepthwise ? "group = " + std::to_string(filters) + ", " : "";
    finish(writer, f("activation"), "Conv <" + group + window(f) + "> (X, W" + (f("bias") != 0 ? ", B)" : ")"));
}

void writePooling(Writer& writer, const Reader& f)
{
    writer.input("X", {f("n"), f("c"), f("h"), f("w")});
    writer.output({f("n"), f("c"), outExtent(f("h"), f), outExtent(f("w"), f)});
    writer.line(std::string("Y = ") + (f("mode") == 0 ? "MaxPool" : "AveragePool") + " <" + window(f) + "> (X)");
}

void writeRows(Writer& writer, const Reader& f, OperatorKind kind)
{
    const Shape shape{f("rows"), f("columns")};
    writer.input("X", shape);
    writer.output(shape);
    if (kind == OperatorKind::Softmax) {
        writer.line("Y = Softmax <axis = -1> (X)");
        return;
    }
    writer.weights("scale", {f("columns")}, 12);
    writer.weights("shift", {f("columns")}, 300);
    writer.line("Y = LayerNormalization <axis = -1, epsilon = 0.00001> (X, scale, shift)");
}

// Choices of each of the three steps, in the order of operator_kinds.cpp.
constexpr std::array kSteps = {"", "Relu", "Sigmoid", "Tanh", "Exp", "Add", "Mul"};

void writeChain(Writer& writer, const Reader& f)
{
    const Shape shape{f("rows"), f("columns")};
    writer.input("X", shape);
    std::vector<std::string> steps;
    for (const char* key : {"first", "second", "third"}) {
        const std::string step = kSteps.at(static_cast<std::size_t>(f(key)));
        if (!step.empty()) {
            steps.push_back(step);
        }
    }
    std::string value = "X";
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::string call = steps[i] + "(" + value;
        if (steps[i] == "Add" || steps[i] == "Mul") {
            const std::string other = "T" + std::to_string(i + 1);
            writer.input(other, shape);
            call += ", " + other;
        }
        value = i + 1 == steps.size() ? "Y" : "s" + std::to_string(i + 1);
        writer.line(value + " = " + call + ")");
    }
    writer.output(shape);
}

} // namespace

std::string operatorText(OperatorKind kind, const OperatorFields& fields)
{
    const Reader f{fields};
    Writer writer;
    switch (kind) {
    case OperatorKind::MatMul:
        writeProduct(writer, f);
        break;
    case OperatorKind::Dense:
        writeDense(writer, f);
        break;
    case OperatorKind::Conv2d:
        writeConv(writer, f, false);
        break;
    case OperatorKind::DepthwiseConv2d:
        writeConv(writer, f, true);
        break;
    case OperatorKind::Pooling:
        writePooling(writer, f);
        break;
    case OperatorKind::Softmax:
    case OperatorKind::LayerNorm:
        writeRows(writer, f, kind);
        break;
    case OperatorKind::Elementwise:
        writeChain(writer, f);
        break;
    }
    return writer.model(operatorName(kind, fields));
}

std::string operatorName(OperatorKind kind, const OperatorFields& fields)
{
    const Reader f{fields};
    const auto picture = [&] { return join({f("c"), f("h"), f("w")}, "x") + "_" + join({f("kernel"), f("kernel")}, "x"); };
    switch (kind) {
    case OperatorKind::MatMul:
        return "matmul_" + join({f("m"), f("n"), f("k")}, "x");
    case OperatorKind::Dense:
        return "dense_" + join({f("batch"), f("inputs"), f("outputs")}, "x");
    case OperatorKind::Conv2d:
        return "conv2d_" + picture();
    case OperatorKind::DepthwiseConv2d:
        return "depthwise_" + picture();
    case OperatorKind::Pooling:
        return "pool_" + picture();
    case OperatorKind::Softmax:
        return "softmax_" + join({f("rows"), f("columns")}, "x");
    case OperatorKind::LayerNorm:
        return "layer_norm_" + join({f("rows"), f("columns")}, "x");
    case OperatorKind::Elementwise:
        return "elementwise_" + join({f("rows"), f("columns")}, "x");
    }
    return "operator";
}

} // namespace nw::views
