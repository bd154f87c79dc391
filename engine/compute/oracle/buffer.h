#pragma once

#include "engine/base/dtype.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw::compute::oracle {

// A tensor while the oracle computes: floats as doubles, integers and bools as 64-bit integers, row-major.
struct Buffer {
    std::string name;
    DType type = DType::F32;
    std::vector<std::int64_t> shape;
    std::int64_t count = 0;
    std::vector<double> reals;        // of a float type
    std::vector<std::int64_t> wholes; // of an integer type or bool
    std::vector<double> bounds;       // largest error of each element; empty: all are exact
};

inline bool isReal(DType type)
{
    return isFloat(type);
}

} // namespace nw::compute::oracle
