#pragma once

#include <cstddef>

namespace nw::views {

// Nodes, edges and blocks are counted by int, where -1 is none; vectors by size_t.
constexpr std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

} // namespace nw::views
