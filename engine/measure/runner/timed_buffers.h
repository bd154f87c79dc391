#pragma once

#include "engine/measure/runner/port_data.h"
#include "engine/measure/runner/region.h"

#include <optional>
#include <vector>

namespace nw::runner {

// All buffers of the timed runs in one stretch of memory on huge pages, each aligned to 64 bytes, touched and filled.
// Their distances are no multiples of a page, so that they do not all fall into the same sets of a cache.
class TimedBuffers {
public:
    // Of kernels that run in turns: the later ones share inputs and outputs with the first and have constants and a
    // workspace of their own.
    static Result<TimedBuffers> create(RegionPool& pool, const std::vector<const LoadedSet*>& sets);
    const std::vector<void*>& pointers(std::size_t set) const { return m_pointers[set]; }
    void giveBack(RegionPool& pool) { pool.giveBack(std::move(m_region)); }

private:
    explicit TimedBuffers(Region region)
        : m_region(std::move(region))
    {}
    Region m_region;
    std::vector<std::vector<void*>> m_pointers; // of each set
};

} // namespace nw::runner
