#pragma once

#include <cstddef>
#include <vector>

namespace nw {

// Room for one more, `step` elements at a time: doubling would leave half of what is kept for long empty.
template <typename T>
void reserveStep(std::vector<T>& values, std::size_t step)
{
    if (values.size() == values.capacity()) {
        values.reserve(values.size() + step);
    }
}

} // namespace nw
