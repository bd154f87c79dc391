#pragma once

#include <compare>
#include <cstddef>
#include <functional>

namespace nw {

// An integer that names one kind of thing, so that the id of a node is no id of a value: struct NodeTag;
// using NodeId = Id<NodeTag>. Negative means none.
template <typename Tag>
struct Id {
    int value = -1;

    constexpr Id() = default;
    constexpr explicit Id(int number)
        : value(number)
    {}
    constexpr bool isValid() const { return value >= 0; }
    // Place in a vector indexed by these ids; only for a valid id.
    constexpr std::size_t index() const { return static_cast<std::size_t>(value); }
    auto operator<=>(const Id&) const = default;
};

} // namespace nw

template <typename Tag>
struct std::hash<nw::Id<Tag>> {
    std::size_t operator()(const nw::Id<Tag>& id) const noexcept { return std::hash<int>()(id.value); }
};
