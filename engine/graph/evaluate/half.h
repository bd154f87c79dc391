#pragma once

#include <cstdint>

namespace nw::graph {

// Storage of the two 16-bit floats. Arithmetic on them goes through float and rounds once, half to even.
struct Half {
    std::uint16_t bits;
};
struct Bfloat {
    std::uint16_t bits;
};

float toFloat(Half value);
float toFloat(Bfloat value);
Half toHalf(double value);
Bfloat toBfloat(double value);

} // namespace nw::graph
