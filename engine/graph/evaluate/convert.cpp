#include "engine/graph/evaluate/convert.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace nw::graph {
namespace {

template <typename T>
auto widened(T value)
{
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
        return toFloat(value);
    } else {
        return value;
    }
}

template <typename To, typename From>
To floatToInteger(From value)
{
    if constexpr (sizeof(To) < 4) {
        return static_cast<To>(floatToInteger<std::int64_t>(value));
    } else {
        constexpr To kLowest = std::numeric_limits<To>::min();
        constexpr To kHighest = std::numeric_limits<To>::max();
        // Both ends as powers of two, exact in every float type.
        const From low = static_cast<From>(kLowest);
        const From high = static_cast<From>(std::ldexp(1.0, std::numeric_limits<To>::digits));
        if (std::isnan(value)) {
            return To{0};
        }
        if (value < low) {
            return kLowest;
        }
        return value >= high ? kHighest : static_cast<To>(value);
    }
}

template <typename To, typename From>
To convertElement(From stored)
{
    const auto value = widened(stored);
    using Wide = decltype(value);
    // A float rounds directly; integers and doubles go by double.
    using Exact = std::conditional_t<std::is_same_v<std::remove_const_t<Wide>, float>, float, double>;
    if constexpr (std::is_same_v<To, Half>) {
        return toHalf(static_cast<Exact>(value));
    } else if constexpr (std::is_same_v<To, Bfloat>) {
        return toBfloat(static_cast<Exact>(value));
    } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<std::remove_const_t<Wide>>) {
        return floatToInteger<To>(value);
    } else {
        return static_cast<To>(value);
    }
}

template <typename From>
void toBool(std::span<const From> from, std::span<std::uint8_t> to)
{
    for (std::size_t i = 0; i < from.size(); ++i) {
        to[i] = widened(from[i]) != 0 ? 1 : 0;
    }
}

} // namespace

DType workingType(DType type)
{
    switch (type) {
    case DType::F16:
    case DType::BF16:
        return DType::F32;
    case DType::I8:
    case DType::U8:
    case DType::I16:
    case DType::U16:
    case DType::U32:
    case DType::Bool:
        return DType::I64;
    case DType::F32:
    case DType::F64:
    case DType::I64:
    case DType::I32:
    case DType::U64:
    case DType::String:
    case DType::Other:
        break;
    }
    return type;
}

Result<Tensor> convert(const Tensor& tensor, DType to)
{
    if (tensor.type() == to) {
        return tensor;
    }
    Result<Tensor> made = Tensor::create(to, tensor.shape());
    if (!made) {
        return made.error();
    }
    const auto fromType = [&](auto fromTag) -> Status {
        using From = typename decltype(fromTag)::type;
        const std::span<const From> from = tensor.data<From>();
        if (to == DType::Bool) {
            toBool(from, made->mutableData<std::uint8_t>());
            return Done{};
        }
        return withType(to, [&](auto toTag) -> Status {
            using To = typename decltype(toTag)::type;
            const std::span<To> target = made->template mutableData<To>();
            for (std::size_t i = 0; i < target.size(); ++i) {
                target[i] = convertElement<To>(from[i]);
            }
            return Done{};
        });
    };
    const Status status = withType(tensor.type(), fromType);
    if (!status) {
        return status.error();
    }
    return made;
}

} // namespace nw::graph
