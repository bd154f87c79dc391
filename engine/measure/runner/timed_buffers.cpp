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

Result<TimedBuffers> TimedBuffers::create(RegionPool& pool, const std::vector<const LoadedSet*>& sets)
{
    std::size_t bytes = 0;
    for (const LoadedSet* set : sets) {
        bytes += room(*set);
    }
    Result<Region> region = pool.take(std::max<std::size_t>(bytes, 1));
    if (!region) {
        return region.error();
    }
    TimedBuffers buffers(*std::move(region));
    std::byte* next = buffers.m_region.begin();
    for (const LoadedSet* set : sets) {
        std::vector<void*>& pointers = buffers.m_pointers.emplace_back();
        for (std::size_t i = 0; i < set->size(); ++i) {
            const LoadedPort& port = (*set)[i];
            const bool isFirst = buffers.m_pointers.size() == 1;
            const bool shared =
                !isFirst && (set == sets.front() || (i < sets.front()->size() && isShared((*sets.front())[i], port)));
            pointers.push_back(shared ? buffers.m_pointers.front()[i] : place(port, next));
        }
    }
    return buffers;
}

} // namespace nw::runner
