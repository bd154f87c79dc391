#pragma once

#include <algorithm>
#include <vector>

namespace nw::bench {

// The upper of the two in the middle where their number is even; 0 of none.
inline double medianOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

} // namespace nw::bench
