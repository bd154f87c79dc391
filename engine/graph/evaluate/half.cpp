#include "engine/graph/evaluate/half.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nw::graph {
namespace {

// Rounds to a format with `mantissa` explicit bits and exponent bias `bias`. The quotient by the last place is exact
// in double, so one rounding happens, and a carry out of the mantissa moves into the exponent by itself.
std::uint16_t roundTo(double value, int mantissa, int bias)
{
    const unsigned infinity = (2U * static_cast<unsigned>(bias) + 1U) << mantissa;
    const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
    if (std::isnan(value)) {
        return static_cast<std::uint16_t>(sign | infinity | (1U << (mantissa - 1)));
    }
    const double magnitude = std::abs(value);
    if (magnitude == 0.0) {
        return static_cast<std::uint16_t>(sign);
    }
    if (std::isinf(magnitude) || std::ilogb(magnitude) > bias) {
        return static_cast<std::uint16_t>(sign | infinity);
    }
    const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
    const double steps = std::nearbyint(std::ldexp(magnitude, mantissa - exponent));
    const unsigned bits =
        (static_cast<unsigned>(exponent + bias) << mantissa) + static_cast<unsigned>(steps) - (1U << mantissa);
    return static_cast<std::uint16_t>(sign | std::min(bits, infinity));
}

} // namespace

Half toHalf(double value)
{
    return {roundTo(value, 10, 15)};
}

Bfloat toBfloat(double value)
{
    return {roundTo(value, 7, 127)};
}

} // namespace nw::graph
