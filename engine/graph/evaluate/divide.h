#pragma once

#include "engine/graph/evaluate/elementwise.h"

#include <cmath>
#include <cstdint>

namespace nw::graph {

// Division of 64-bit unsigned numbers by one divisor > 0, exact, without a division instruction (Granlund and
// Montgomery 1994, figure 4.1): the hashes of seeded weights divide millions of elements by one number.
class Reciprocal {
public:
    explicit Reciprocal(std::uint64_t divisor);
    std::uint64_t quotient(std::uint64_t n) const
    {
        const auto high = static_cast<std::uint64_t>((static_cast<Wide>(m_multiplier) * n) >> 64);
        return (high + ((n - high) >> m_firstShift)) >> m_secondShift;
    }

private:
    __extension__ using Wide = unsigned __int128;
    std::uint64_t m_multiplier = 1;
    unsigned m_firstShift = 0;
    unsigned m_secondShift = 0;
};

// What an integer division gives; the divisor is never 0. The most negative number over -1 wraps.
template <typename T>
T truncatedQuotient(T a, T b)
{
    if constexpr (std::is_signed_v<T>) {
        if (b == T{-1}) {
            return wrappingSubtract(T{0}, a);
        }
    }
    return static_cast<T>(a / b);
}

// Remainder with the sign of the dividend (C's %).
template <typename T>
T truncatedRemainder(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>) {
        return std::fmod(a, b);
    } else {
        if constexpr (std::is_signed_v<T>) {
            if (b == T{-1}) {
                return T{0};
            }
        }
        return static_cast<T>(a % b);
    }
}

// Remainder with the sign of the divisor (Python's %).
template <typename T>
T flooredRemainder(T a, T b)
{
    const T remainder = truncatedRemainder(a, b);
    if constexpr (std::is_signed_v<T> || std::is_floating_point_v<T>) {
        if (remainder != T{0} && (remainder < T{0}) != (b < T{0})) {
            return static_cast<T>(remainder + b);
        }
    }
    return remainder;
}

// The evaluators of Div and Mod.
Outputs evaluateDiv(const Node& node, Inputs inputs, Types types);
Outputs evaluateMod(const Node& node, Inputs inputs, Types types);

} // namespace nw::graph
