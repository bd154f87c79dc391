#pragma once

#include <bit>
#include <cstdint>

namespace nw {

// Conversions of the two 16-bit float formats. To float they are exact; from float they round half to even,
// overflow to infinity and keep a NaN a NaN.
float halfToFloat(std::uint16_t bits);
std::uint16_t floatToHalf(float value);

inline float bfloatToFloat(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}
std::uint16_t floatToBfloat(float value);

} // namespace nw
