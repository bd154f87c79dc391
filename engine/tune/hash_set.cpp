#include "engine/tune/hash_set.h"

#include "engine/base/grow.h"

#include <algorithm>

namespace nw::tune {

void HashSet::insert(std::uint64_t hash)
{
    constexpr std::size_t kLoose = 256;
    if (contains(hash)) {
        return;
    }
    reserveStep(m_hashes, 4096);
    m_hashes.push_back(hash);
    if (m_hashes.size() - m_sorted >= kLoose) {
        const auto middle = m_hashes.begin() + static_cast<std::ptrdiff_t>(m_sorted);
        std::sort(middle, m_hashes.end());
        std::inplace_merge(m_hashes.begin(), middle, m_hashes.end());
        m_sorted = m_hashes.size();
    }
}

bool HashSet::contains(std::uint64_t hash) const
{
    const auto middle = m_hashes.begin() + static_cast<std::ptrdiff_t>(m_sorted);
    return std::binary_search(m_hashes.begin(), middle, hash) || std::find(middle, m_hashes.end(), hash) != m_hashes.end();
}

} // namespace nw::tune
