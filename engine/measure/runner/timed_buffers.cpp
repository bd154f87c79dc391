#include "engine/measure/runner/timed_buffers.h"

#include <algorithm>

namespace nw::runner {
namespace {

// Behind each buffer: a page and five lines more.
std::size_t stride(std::size_t bytes)
{
    return (bytes + 63) / 64 * 64 + 4096 + 5 * 64;
}

std::size_t room(const LoadedSet& set)
{
    std::size_t sum = 0;
    for (const LoadedPort& port : set) {
        sum += stride(port.bytes);
    }
    return sum;
}

bool isShared(const LoadedPort& a, const LoadedPort& b)
{
    return a.role == b.role && a.bytes == b.bytes &&
        (a.role == wire::PortRole::Output || (a.role == wire::PortRole::Input && a.contents.data() == b.contents.data()));
}

void* place(const LoadedPort& port, std::byte*& next)
{
    std::byte* const at = next;
    next += stride(port.bytes);
    std::fill(at, at + port.bytes, std::byte{0});
    std::copy(port.contents.begin(), port.contents.end(), at);
    return at;
}

} // namespace

Result<TimedBuffers> TimedBuffers::create(RegionPool& pool, const LoadedSet& set, const LoadedSet* rival)
{
    Result<Region> region = pool.take(room(set) + (rival != nullptr ? room(*rival) : 0));
    if (!region) {
        return region.error();
    }
    TimedBuffers buffers(*std::move(region));
    std::byte* next = buffers.m_region.begin();
    for (const LoadedPort& port : set) {
        buffers.m_pointers.push_back(place(port, next));
    }
    for (std::size_t i = 0; rival != nullptr && i < rival->size(); ++i) {
        const LoadedPort& port = (*rival)[i];
        const bool shared = rival == &set || (i < set.size() && isShared(set[i], port));
        buffers.m_rivalPointers.push_back(shared ? buffers.m_pointers[i] : place(port, next));
    }
    return buffers;
}

} // namespace nw::runner
