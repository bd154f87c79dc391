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
    // `rival`: the second of a pair; it shares inputs and outputs with the first and has its own constants and workspace.
    static Result<TimedBuffers> create(RegionPool& pool, const LoadedSet& set, const LoadedSet* rival);
    const std::vector<void*>& pointers() const { return m_pointers; }
    const std::vector<void*>& rivalPointers() const { return m_rivalPointers; }
    void giveBack(RegionPool& pool) { pool.giveBack(std::move(m_region)); }

private:
    explicit TimedBuffers(Region region)
        : m_region(std::move(region))
    {}
    Region m_region;
    std::vector<void*> m_pointers, m_rivalPointers;
};

} // namespace nw::runner
