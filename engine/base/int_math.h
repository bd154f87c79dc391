#pragma once

#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>

namespace nw {

// 64-bit arithmetic that says when it overflows (or divides by zero) by giving nothing.
inline std::optional<std::int64_t> checkedAdd(std::int64_t a, std::int64_t b)
{
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::nullopt : std::optional(sum);
}

inline std::optional<std::int64_t> checkedSub(std::int64_t a, std::int64_t b)
{
    std::int64_t difference = 0;
    return __builtin_sub_overflow(a, b, &difference) ? std::nullopt : std::optional(difference);
}

inline std::optional<std::int64_t> checkedMul(std::int64_t a, std::int64_t b)
{
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::nullopt : std::optional(product);
}

// Rounded towards -infinity; b != 0 and not (smallest / -1).
constexpr std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    const std::int64_t quotient = a / b;
    return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

// Remainder with the sign of the divisor; b != 0.
constexpr std::int64_t floorModulo(std::int64_t a, std::int64_t b)
{
    if (b == -1) {
        return 0;
    }
    const std::int64_t rest = a % b;
    return rest + ((rest != 0 && (rest < 0) != (b < 0)) ? b : 0);
}

constexpr std::int64_t ceilDivide(std::int64_t a, std::int64_t b)
{
    return -floorDivide(-a, b);
}

constexpr bool canDivide(std::int64_t a, std::int64_t b)
{
    return b != 0 && !(b == -1 && a == std::numeric_limits<std::int64_t>::min());
}

} // namespace nw
