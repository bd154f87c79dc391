#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nw::tune {

// Hashes that were seen, eight bytes each and hardly more: a search of many thousand trials remembers several times as many
// refusals. Sorted but for the last few, which are looked through one by one.
class HashSet {
public:
    void insert(std::uint64_t hash);
    bool contains(std::uint64_t hash) const;
    std::size_t size() const { return m_hashes.size(); }

private:
    std::vector<std::uint64_t> m_hashes;
    std::size_t m_sorted = 0;
};

} // namespace nw::tune
