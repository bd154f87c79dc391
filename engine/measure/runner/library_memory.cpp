#include "engine/measure/runner/library_memory.h"

namespace nw::runner {

Result<float*> LibraryMemory::add(std::size_t bytes)
{
    constexpr std::size_t kStep = 4096 + 5 * 64;
    const std::size_t offset = kStep * m_regions.size();
    Result<Region> region = Region::create(offset + bytes + 64);
    if (!region) {
        return region.error();
    }
    float* const values = reinterpret_cast<float*>(region->begin() + offset);
    for (std::size_t i = 0; i < bytes / sizeof(float); ++i) {
        values[i] = static_cast<float>(static_cast<int>(i % 7) - 3) / 8;
    }
    m_regions.push_back(*std::move(region));
    return values;
}

} // namespace nw::runner
