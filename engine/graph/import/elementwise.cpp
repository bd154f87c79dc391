#include "engine/base/text.h"
#include "engine/graph/import/node_import.h"
#include "engine/graph/shapes/extents.h"

#include <array>
#include <random>

namespace nw::graph {
namespace {

using Values = std::map<std::string, AttributeValue>;

// One input, no attribute, the same name.
void importUnary(NodeImport& n)
{
    n.bind(0, n.make(n.op(), {n.in(0)}));
}

void importBinary(NodeImport& n)
{
    const ValueId a = n.in(0);
    n.bind(0, n.make(n.op(), {a, n.in(1)}));
}

void importAlpha(NodeImport& n)
{
    const double otherwise = n.op() == "LeakyRelu" ? 0.01 : 1.0; // Elu, Celu, ThresholdedRelu
    n.bind(0, n.make(n.op(), {n.in(0)}, {Values{{"alpha", n.real("alpha", otherwise)}}}));
}

void importSelu(NodeImport& n)
{
    const double alpha = n.real("alpha", 1.67326319217681884765625);
    const double gamma = n.real("gamma", 1.05070102214813232421875);
    n.bind(0, n.make("Selu", {n.in(0)}, {Values{{"alpha", alpha}, {"gamma", gamma}}}));
}

void importHardSigmoid(NodeImport& n)
{
    const double alpha = n.real("alpha", 0.2);
    const double beta = n.real("beta", 0.5);
    n.bind(0, n.make("HardSigmoid", {n.in(0)}, {Values{{"alpha", alpha}, {"beta", beta}}}));
}

void importGelu(NodeImport& n)
{
    const std::string approximate = n.text("approximate", "none");
    if (approximate != "none" && approximate != "tanh") {
        n.fail(format("its attribute approximate is '{}'; none and tanh are known", approximate));
    }
    n.bind(0, n.make("Gelu", {n.in(0)}, {Values{{"approximate", approximate}}}));
}

// x * sigmoid(alpha * x)
void importSwish(NodeImport& n)
{
    const ValueId x = n.in(0);
    const double alpha = n.real("alpha", 1.0);
    const ValueId scaled = alpha == 1.0 ? x : n.make("Mul", {x, n.scalar(n.dtype(x), alpha)});
    n.bind(0, n.make("Mul", {x, n.make("Sigmoid", {scaled})}));
}

void importIsInf(NodeImport& n)
{
    const std::int64_t negative = n.integer("detect_negative", 1);
    const std::int64_t positive = n.integer("detect_positive", 1);
    n.bind(0, n.make("IsInf", {n.in(0)}, {Values{{"detect_negative", negative}, {"detect_positive", positive}}}));
}

void importMod(NodeImport& n)
{
    const ValueId a = n.in(0);
    const ValueId b = n.in(1);
    const std::int64_t fmod = n.integer("fmod", 0);
    if (fmod == 0 && isFloat(n.dtype(a))) {
        n.fail("with floats fmod must be 1");
    }
    n.bind(0, n.make("Mod", {a, b}, {Values{{"fmod", fmod}}}));
}

// The result has the base's type; both sides are brought to one type that holds them.
void importPow(NodeImport& n)
{
    ValueId base = n.in(0);
    ValueId exponent = n.in(1);
    const DType type = n.dtype(base);
    if (isFloat(type) || isInteger(n.dtype(exponent))) {
        n.bind(0, n.make("Pow", {base, n.cast(exponent, type)}));
        return;
    }
    base = n.cast(base, DType::F64);
    exponent = n.cast(exponent, DType::F64);
    n.bind(0, n.cast(n.make("Pow", {base, exponent}), type));
}

// Sum, Mean, Max and Min of any number of inputs.
void importVariadic(NodeImport& n)
{
    const std::string_view step = n.op() == "Max" || n.op() == "Min" ? std::string_view(n.op()) : "Add";
    ValueId result = n.in(0);
    for (std::size_t i = 1; i < n.inputCount(); ++i) {
        result = n.make(step, {result, n.in(i)});
    }
    if (n.op() == "Mean" && n.inputCount() > 1) {
        const double count = static_cast<double>(n.inputCount());
        result = n.make("Mul", {result, n.scalar(n.dtype(result), 1.0 / count)});
    }
    n.bind(0, result);
}

void importClip(NodeImport& n)
{
    const ValueId x = n.in(0);
    std::array<ValueId, 2> limits{kNoValue, kNoValue};
    if (n.opset() < 11) {
        const std::array<const char*, 2> attributes{"min", "max"};
        for (std::size_t i = 0; i < 2; ++i) {
            limits[i] = n.given(attributes[i]) ? n.scalar(n.dtype(x), n.real(attributes[i], 0)) : kNoValue;
        }
    } else {
        for (std::size_t i = 0; i < 2; ++i) {
            limits[i] = n.optional(i + 1);
            if (limits[i] != kNoValue && n.rank(limits[i]) == 1) { // [1], which some exporters write
                limits[i] = n.reshape(limits[i], {});
            }
        }
    }
    n.bind(0, n.make("Clip", {x, limits[0], limits[1]}));
}

void importWhere(NodeImport& n)
{
    const ValueId condition = n.in(0);
    const ValueId yes = n.in(1);
    n.bind(0, n.make("Where", {condition, yes, n.in(2)}));
}

// ONNX's number of an element type.
DType elementType(NodeImport& n, std::int64_t number)
{
    static constexpr std::array kTypes{DType::Other, DType::F32, DType::U8, DType::I8, DType::U16, DType::I16, DType::I32,
        DType::I64, DType::String, DType::Bool, DType::F16, DType::F64, DType::U32, DType::U64, DType::Other, DType::Other,
        DType::BF16};
    const DType type = number > 0 && number < static_cast<std::int64_t>(kTypes.size())
                           ? kTypes[static_cast<std::size_t>(number)] : DType::Other;
    if (byteSize(type) == 0) {
        n.fail(format("it casts to ONNX element type {}, which cannot be held", number));
    }
    return type;
}

void importCast(NodeImport& n)
{
    n.require("to");
    n.ignore("saturate"); // 8-bit floats only
    n.ignore("round_mode");
    const DType to = elementType(n, n.integer("to", 1));
    n.bind(0, n.cast(n.in(0), to));
}

void importCastLike(NodeImport& n)
{
    n.ignore("saturate");
    n.ignore("round_mode");
    const ValueId x = n.in(0);
    n.bind(0, n.cast(x, n.dtype(n.in(1))));
}

// What training multiplies the values by: 0 where an element is dropped, 1 / (1 - ratio) elsewhere; and which are kept.
// The operator's reference draws from the 32-bit Mersenne twister, 53 bits an element, so an attribute `seed` says
// exactly which elements go.
struct DropoutMask {
    std::vector<double> scale;
    std::vector<std::uint8_t> kept;
};
DropoutMask dropoutMask(std::uint32_t seed, double ratio, std::int64_t count)
{
    std::mt19937 twister(seed);
    DropoutMask mask;
    for (std::int64_t i = 0; i < count; ++i) {
        const double high = static_cast<double>(twister() >> 5);
        const double low = static_cast<double>(twister() >> 6);
        const bool kept = (high * 0x1.0p26 + low) * 0x1.0p-53 >= ratio;
        mask.scale.push_back(kept ? 1 / (1 - ratio) : 0);
        mask.kept.push_back(kept ? 1 : 0);
    }
    return mask;
}

// Dropout that trains: a product with a mask that the seed decides. False when it is only the identity.
bool importTrainingDropout(NodeImport& n, ValueId x)
{
    const bool seeded = n.given("seed");
    const std::int64_t seed = n.integer("seed", 0);
    const ValueId ratio = n.optional(1);
    const ValueId mode = n.optional(2);
    const Tensor* training = mode == kNoValue ? nullptr : n.contents(mode, "training_mode");
    if (training == nullptr || training->count() != 1 || training->asInt(0) == 0) {
        return false;
    }
    const Tensor* given = ratio == kNoValue ? nullptr : n.contents(ratio, "ratio");
    const double rate = given != nullptr && given->count() == 1 ? given->asDouble(0) : 0.5;
    if (n.failed() || rate == 0) {
        return false;
    }
    if (!seeded) {
        n.fail("in training mode it drops elements at random; without the attribute seed only inference is imported");
        return false;
    }
    if (rate < 0 || rate >= 1) {
        n.fail("its ratio must lie in [0, 1)");
        return false;
    }
    const std::optional<std::vector<std::int64_t>> shape = literalsOf(n.shape(x));
    const Result<std::int64_t> count = shape ? elementCount(*shape) : failed("its input must have a known shape here");
    if (!count) {
        n.fail(count.error());
        return false;
    }
    const DropoutMask mask = dropoutMask(static_cast<std::uint32_t>(seed), rate, *count);
    const ValueId scale = n.constant(Tensor::of(DType::F64, *shape, mask.scale));
    n.bind(0, n.make("Mul", {x, n.cast(scale, n.dtype(x))}));
    if (n.wants(1)) {
        n.bind(1, n.constant(Tensor::of(DType::Bool, *shape, mask.kept)));
    }
    return true;
}

void importDropout(NodeImport& n)
{
    const ValueId x = n.in(0);
    if (n.opset() < 12) {
        n.ignore("ratio");
    } else if (importTrainingDropout(n, x)) {
        return;
    }
    n.bind(0, x);
    if (n.wants(1)) {
        n.bind(1, n.filled(n.opset() < 10 ? n.dtype(x) : DType::Bool, n.shape(x), 1));
    }
}

} // namespace

std::span<const Handler> elementwiseHandlers()
{
    static constexpr std::array kHandlers = {
        Handler{"Abs", 6, &importUnary}, Handler{"Neg", 6, &importUnary}, Handler{"Sign", 9, &importUnary},
        Handler{"Floor", 6, &importUnary}, Handler{"Ceil", 6, &importUnary}, Handler{"Round", 11, &importUnary},
        Handler{"Sqrt", 6, &importUnary}, Handler{"Reciprocal", 6, &importUnary}, Handler{"Exp", 6, &importUnary},
        Handler{"Log", 6, &importUnary}, Handler{"Sin", 7, &importUnary}, Handler{"Cos", 7, &importUnary},
        Handler{"Tan", 7, &importUnary}, Handler{"Asin", 7, &importUnary}, Handler{"Acos", 7, &importUnary},
        Handler{"Atan", 7, &importUnary}, Handler{"Sinh", 9, &importUnary}, Handler{"Cosh", 9, &importUnary},
        Handler{"Tanh", 6, &importUnary}, Handler{"Asinh", 9, &importUnary}, Handler{"Acosh", 9, &importUnary},
        Handler{"Atanh", 9, &importUnary}, Handler{"Erf", 9, &importUnary}, Handler{"Sigmoid", 6, &importUnary},
        Handler{"Relu", 6, &importUnary}, Handler{"Softplus", 1, &importUnary}, Handler{"Softsign", 1, &importUnary},
        Handler{"HardSwish", 14, &importUnary}, Handler{"Mish", 18, &importUnary}, Handler{"Not", 1, &importUnary},
        Handler{"IsNaN", 9, &importUnary}, Handler{"LeakyRelu", 6, &importAlpha}, Handler{"Elu", 6, &importAlpha},
        Handler{"Celu", 12, &importAlpha}, Handler{"ThresholdedRelu", 10, &importAlpha}, Handler{"Selu", 6, &importSelu},
        Handler{"HardSigmoid", 6, &importHardSigmoid}, Handler{"Gelu", 20, &importGelu}, Handler{"Swish", 24, &importSwish},
        Handler{"IsInf", 10, &importIsInf}, Handler{"PRelu", 7, &importBinary}, Handler{"Add", 7, &importBinary},
        Handler{"Sub", 7, &importBinary}, Handler{"Mul", 7, &importBinary}, Handler{"Div", 7, &importBinary},
        Handler{"And", 7, &importBinary}, Handler{"Or", 7, &importBinary}, Handler{"Xor", 7, &importBinary},
        Handler{"Equal", 7, &importBinary}, Handler{"Less", 7, &importBinary}, Handler{"Greater", 7, &importBinary},
        Handler{"LessOrEqual", 12, &importBinary}, Handler{"GreaterOrEqual", 12, &importBinary}, Handler{"Mod", 10, &importMod},
        Handler{"Pow", 7, &importPow}, Handler{"Sum", 6, &importVariadic}, Handler{"Mean", 6, &importVariadic},
        Handler{"Max", 6, &importVariadic}, Handler{"Min", 6, &importVariadic}, Handler{"Clip", 6, &importClip},
        Handler{"Where", 9, &importWhere}, Handler{"Cast", 6, &importCast}, Handler{"CastLike", 15, &importCastLike},
        Handler{"Dropout", 7, &importDropout}};
    return kHandlers;
}

} // namespace nw::graph
