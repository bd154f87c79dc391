#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace nw::runner {

// Memory between two stretches that nobody may touch: [guard][body][guard]. The body is whole pages, huge ones where it
// is large enough to make their first touch worth it.
class Region {
public:
    static constexpr std::size_t kGuardBytes = std::size_t{1} << 20;

    // Body of at least `bytes`. Failed "out of memory" when the system gives none.
    static Result<Region> create(std::size_t bytes);
    ~Region();
    Region(Region&& other) noexcept;
    Region& operator=(Region&& other) noexcept;
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

    std::byte* begin() const { return m_begin; }
    std::byte* end() const { return m_begin + m_bytes; }
    std::size_t size() const { return m_bytes; }

private:
    Region(void* mapping, std::size_t mapped, std::byte* begin, std::size_t bytes);

    void* m_mapping = nullptr;
    std::size_t m_mapped = 0;
    std::byte* m_begin = nullptr;
    std::size_t m_bytes = 0;
};

// Regions are kept between jobs, since the first touch of a page costs more than many a kernel. Not thread-safe.
class RegionPool {
public:
    // The smallest kept region with room for `bytes`, or a new one.
    Result<Region> take(std::size_t bytes);
    void giveBack(Region region);

private:
    static constexpr std::size_t kKeptBytes = std::size_t{512} << 20;
    std::vector<Region> m_free;
    std::size_t m_freeBytes = 0;
};

} // namespace nw::runner
