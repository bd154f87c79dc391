#pragma once

#include "engine/measure/runner/region.h"

namespace nw::runner {

// The arguments of a library's operator: on huge pages, filled with small values, and placed against each other as the
// kernels' own are (timed_buffers.cpp), so that no side has them all in the same sets of the cache.
class LibraryMemory {
public:
    Result<float*> add(std::size_t bytes);

private:
    std::vector<Region> m_regions;
};

} // namespace nw::runner
