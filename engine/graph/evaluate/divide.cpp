#include "engine/graph/evaluate/divide.h"

#include <algorithm>
#include <bit>

namespace nw::graph {
namespace {

enum class Wanted { Quotient, TruncatedRemainder, FlooredRemainder };

std::uint64_t magnitude(std::int64_t value)
{
    return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

// One divisor for all elements, by multiplication.
Result<Tensor> byOneDivisor(const Tensor& a, const Tensor& b, Wanted wanted)
{
    const std::int64_t divisor = b.data<std::int64_t>()[0];
    const std::uint64_t absolute = magnitude(divisor);
    const Reciprocal reciprocal(absolute);
    const auto divide = [=](std::int64_t value) {
        const std::uint64_t q = reciprocal.quotient(magnitude(value));
        return static_cast<std::int64_t>((value < 0) != (divisor < 0) ? std::uint64_t{0} - q : q);
    };
    const auto remainder = [=](std::int64_t value) {
        const std::uint64_t n = magnitude(value);
        const std::uint64_t r = n - reciprocal.quotient(n) * absolute;
        return static_cast<std::int64_t>(value < 0 ? std::uint64_t{0} - r : r);
    };
    using I = std::int64_t;
    Result<Tensor> made = [&] {
        switch (wanted) {
        case Wanted::Quotient:
            return mapUnary<I, I>(a, DType::I64, divide);
        case Wanted::TruncatedRemainder:
            return mapUnary<I, I>(a, DType::I64, remainder);
        case Wanted::FlooredRemainder:
            break;
        }
        return mapUnary<I, I>(a, DType::I64, [=](I value) {
            if (value >= 0 && divisor > 0) { // the usual case, by a branch that is predicted
                const auto n = static_cast<std::uint64_t>(value);
                return static_cast<I>(n - reciprocal.quotient(n) * absolute);
            }
            const I r = remainder(value);
            return r != 0 && (r < 0) != (divisor < 0) ? r + divisor : r;
        });
    }();
    if (!made) {
        return made;
    }
    const auto shape = broadcastShape(a.shape(), b.shape()); // the divisor may bring axes of extent 1
    return shape ? Result<Tensor>(made->reshaped(*shape)) : Result<Tensor>(shape.error());
}

template <typename T>
Result<Tensor> divideTyped(const Tensor& a, const Tensor& b, Wanted wanted)
{
    const DType type = a.type();
    switch (wanted) {
    case Wanted::Quotient:
        return mapBinary<T, T>(a, b, type, [](T x, T y) {
            if constexpr (std::is_integral_v<T>) {
                return truncatedQuotient(x, y);
            } else {
                return x / y;
            }
        });
    case Wanted::TruncatedRemainder:
        return mapBinary<T, T>(a, b, type, [](T x, T y) { return truncatedRemainder(x, y); });
    case Wanted::FlooredRemainder:
        break;
    }
    return mapBinary<T, T>(a, b, type, [](T x, T y) { return flooredRemainder(x, y); });
}

Outputs divide(const Node& node, Inputs inputs, Wanted wanted)
{
    const Result<Operands> operands = operandsOf(node, inputs);
    if (!operands) {
        return operands.error();
    }
    const auto run = [&](auto tag) -> Result<Tensor> {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_integral_v<T>) {
            const std::span<const T> divisors = operands->b.template data<T>();
            if (operands->a.count() != 0 && std::ranges::find(divisors, T{0}) != divisors.end()) {
                return cannotFold(node, "an integer is divided by zero");
            }
            if constexpr (std::is_same_v<T, std::int64_t>) {
                if (divisors.size() == 1) {
                    return byOneDivisor(operands->a, operands->b, wanted);
                }
            }
        }
        return divideTyped<T>(operands->a, operands->b, wanted);
    };
    const Result<Tensor> result = withWorkingType(operands->type, run);
    return result ? single(convert(*result, operands->type)) : Outputs(result.error());
}

} // namespace

Reciprocal::Reciprocal(std::uint64_t divisor)
{
    const auto bits = static_cast<unsigned>(std::bit_width(divisor - 1)); // ceil(log2(divisor))
    const std::uint64_t rest = (bits == 64 ? 0 : std::uint64_t{1} << bits) - divisor;
    m_multiplier = static_cast<std::uint64_t>((static_cast<Wide>(rest) << 64) / divisor) + 1;
    m_firstShift = std::min(bits, 1U);
    m_secondShift = bits - m_firstShift;
}

Outputs evaluateDiv(const Node& node, Inputs inputs, Types)
{
    return divide(node, inputs, Wanted::Quotient);
}

Outputs evaluateMod(const Node& node, Inputs inputs, Types)
{
    const bool truncated = node.attributes.integer("fmod", 0) != 0;
    return divide(node, inputs, truncated ? Wanted::TruncatedRemainder : Wanted::FlooredRemainder);
}

} // namespace nw::graph
