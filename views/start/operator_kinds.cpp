#include "views/start/operator_kinds.h"

#include <QCoreApplication>

#include <algorithm>
#include <vector>

namespace nw::views {
namespace {

using Kind = OperatorField::Kind;

// Weights are computed when the model is read: more than these would take seconds.
constexpr double kMostWeights = 1 << 26;
constexpr double kMostElements = 1 << 28;
constexpr std::int64_t kMostExtent = 1 << 24;

QString say(const char* text)
{
    return QCoreApplication::translate("nw::views::OperatorForm", text);
}

OperatorField number(const char* key, const char* label, std::int64_t initial, std::int64_t least = 1)
{
    return {key, say(label), Kind::Number, initial, least, {}};
}
OperatorField flag(const char* key, const char* label)
{
    return {key, say(label), Kind::Flag, 1, 0, {}};
}
OperatorField choice(const char* key, const char* label, const QStringList& choices, std::int64_t initial)
{
    return {key, say(label), Kind::Choice, initial, 0, choices};
}
OperatorField activation(std::int64_t initial)
{
    return choice("activation", "Activation", {say("none"), QStringLiteral("relu"), QStringLiteral("sigmoid"), QStringLiteral("tanh")}, initial);
}

QList<OperatorField> picture(std::int64_t channels, std::int64_t size)
{
    return {number("n", "Batch (n)", 1), number("c", "Channels (c)", channels), number("h", "Height (h)", size), number("w", "Width (w)", size)};
}
QList<OperatorField> windowFields(std::int64_t kernel, std::int64_t stride, std::int64_t padding)
{
    return {number("kernel", "Kernel", kernel), number("stride", "Stride", stride), number("padding", "Padding", padding, 0)};
}

using Keys = std::vector<const char*>;

double product(const OperatorFields& f, const Keys& keys)
{
    double all = 1;
    for (const char* key : keys) {
        const auto found = f.find(key);
        all *= found == f.end() ? 1.0 : static_cast<double>(found->second);
    }
    return all;
}

FieldProblem windowProblem(const OperatorFields& f, bool isPooling)
{
    const std::int64_t least = std::min(f.at("h"), f.at("w")) + 2 * f.at("padding");
    if (f.at("kernel") > least) {
        return {QStringLiteral("kernel"), say("The kernel is larger than the padded picture (%1).").arg(least)};
    }
    if (f.at("padding") >= f.at("kernel") && (isPooling || f.at("padding") > 0)) {
        return {QStringLiteral("padding"), say("The padding must be smaller than the kernel (%1).").arg(f.at("kernel"))};
    }
    return {};
}

} // namespace

QString kindName(OperatorKind kind)
{
    switch (kind) {
    case OperatorKind::MatMul:
        return say("Matrix product");
    case OperatorKind::Dense:
        return say("Dense layer");
    case OperatorKind::Conv2d:
        return say("Convolution 2D");
    case OperatorKind::DepthwiseConv2d:
        return say("Depthwise convolution 2D");
    case OperatorKind::Pooling:
        return say("Pooling 2D");
    case OperatorKind::Softmax:
        return say("Softmax");
    case OperatorKind::LayerNorm:
        return say("Layer normalization");
    case OperatorKind::Elementwise:
        return say("Elementwise chain");
    }
    return {};
}

QList<OperatorField> fieldsOf(OperatorKind kind)
{
    const QStringList steps{say("none"), QStringLiteral("relu"), QStringLiteral("sigmoid"), QStringLiteral("tanh"), QStringLiteral("exp"),
        say("add a tensor"), say("multiply by a tensor")};
    switch (kind) {
    case OperatorKind::MatMul:
        return {number("m", "Rows of A (m)", 512), number("n", "Columns of B (n)", 512), number("k", "Summed (k)", 512), flag("constant", "B is constant")};
    case OperatorKind::Dense:
        return {number("batch", "Batch", 1), number("inputs", "Inputs", 1024), number("outputs", "Outputs", 1000), flag("bias", "Bias"), activation(0)};
    case OperatorKind::Conv2d:
        return picture(64, 56) + QList{number("filters", "Filters", 64)} + windowFields(3, 1, 1) + QList{flag("bias", "Bias"), activation(1)};
    case OperatorKind::DepthwiseConv2d:
        return picture(144, 56) + windowFields(3, 1, 1) + QList{flag("bias", "Bias"), activation(1)};
    case OperatorKind::Pooling:
        return QList{choice("mode", "Takes the", {say("maximum"), say("average")}, 0)} + picture(64, 112) + windowFields(3, 2, 1);
    case OperatorKind::Softmax:
        return {number("rows", "Rows", 128), number("columns", "Columns", 1000)};
    case OperatorKind::LayerNorm:
        return {number("rows", "Rows", 128), number("columns", "Columns", 768)};
    case OperatorKind::Elementwise:
        return {number("rows", "Rows", 1024), number("columns", "Columns", 1024), choice("first", "First", steps, 5),
            choice("second", "Then", steps, 1), choice("third", "Then", steps, 0)};
    }
    return {};
}

OperatorFields initialFields(OperatorKind kind)
{
    OperatorFields fields;
    for (const OperatorField& field : fieldsOf(kind)) {
        fields[field.key] = field.initial;
    }
    return fields;
}

FieldProblem operatorProblem(OperatorKind kind, const OperatorFields& f)
{
    for (const OperatorField& field : fieldsOf(kind)) {
        const auto found = f.find(field.key);
        const bool isNumber = field.kind == Kind::Number;
        const std::int64_t most = isNumber ? kMostExtent : field.kind == Kind::Flag ? 1 : field.choices.size() - 1;
        if (found == f.end() || found->second < field.least || found->second > most) {
            return {QString::fromLatin1(field.key), say("%1: a whole number from %2 to %3.").arg(field.label).arg(field.least).arg(most)};
        }
    }
    const bool isConv = kind == OperatorKind::Conv2d || kind == OperatorKind::DepthwiseConv2d;
    if (isConv || kind == OperatorKind::Pooling) {
        if (const FieldProblem problem = windowProblem(f, kind == OperatorKind::Pooling)) {
            return problem;
        }
    }
    if (kind == OperatorKind::Elementwise && f.at("first") + f.at("second") + f.at("third") == 0) {
        return {QStringLiteral("first"), say("Choose at least one step.")};
    }
    const double weights = kind == OperatorKind::MatMul ? product(f, {"k", "n"})
        : kind == OperatorKind::Dense                   ? product(f, {"inputs", "outputs"})
        : kind == OperatorKind::Conv2d                  ? product(f, {"filters", "c", "kernel", "kernel"})
                                                        : 1;
    const bool isWeighed = kind != OperatorKind::MatMul || f.at("constant") != 0;
    if (isWeighed && weights > kMostWeights) {
        return {QString::fromLatin1(fieldsOf(kind).first().key), say("That is more than 64 million weights.")};
    }
    const std::vector<Keys> tensors{{"n", "c", "h", "w"}, {"n", "filters", "h", "w"}, {"rows", "columns"}, {"m", "k"}, {"k", "n"}, {"m", "n"},
        {"batch", "inputs"}, {"batch", "outputs"}};
    for (const Keys& keys : tensors) {
        if (product(f, keys) > kMostElements) {
            return {QString::fromLatin1(fieldsOf(kind).first().key), say("That is a tensor of more than 268 million elements.")};
        }
    }
    return {};
}

} // namespace nw::views
