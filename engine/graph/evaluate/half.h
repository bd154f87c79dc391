#pragma once

#include "engine/base/half.h"

#include <cstdint>

namespace nw::graph {

// Storage of the two 16-bit floats. Arithmetic on them goes through float and rounds once, half to even.
struct Half {
    std::uint16_t bits;
};
struct Bfloat {
    std::uint16_t bits;
};

inline float toFloat(Half value)
{
    return halfToFloat(value.bits);
}
inline float toFloat(Bfloat value)
{
    return bfloatToFloat(value.bits);
}
inline Half toHalf(float value)
{
    return {floatToHalf(value)};
}
inline Bfloat toBfloat(float value)
{
    return {floatToBfloat(value)};
}
// From double in one rounding: through float a value just beside a tie would round twice.
Half toHalf(double value);
Bfloat toBfloat(double value);

} // namespace nw::graph
