#include "engine/measure/runner/region.h"

#include "engine/base/text.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace nw::runner {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t roundUp(std::size_t value, std::size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

} // namespace

Region::Region(void* mapping, std::size_t mapped, std::byte* begin, std::size_t bytes)
    : m_mapping(mapping)
    , m_mapped(mapped)
    , m_begin(begin)
    , m_bytes(bytes)
{}

Region::~Region()
{
    if (m_mapping != nullptr) {
        ::munmap(m_mapping, m_mapped);
    }
}

Region::Region(Region&& other) noexcept
    : m_mapping(std::exchange(other.m_mapping, nullptr))
    , m_mapped(other.m_mapped)
    , m_begin(other.m_begin)
    , m_bytes(other.m_bytes)
{}

Region& Region::operator=(Region&& other) noexcept
{
    std::swap(m_mapping, other.m_mapping);
    std::swap(m_mapped, other.m_mapped);
    std::swap(m_begin, other.m_begin);
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

Result<Region> Region::create(std::size_t bytes)
{
    const bool huge = bytes >= kHugePage / 2;
    const std::size_t unit = huge ? kHugePage : kPage;
    if (bytes > std::size_t{1} << 46) {
        return failed(format("out of memory: a buffer of {} bytes", bytes));
    }
    const std::size_t body = roundUp(std::max<std::size_t>(bytes, 1), unit);
    const std::size_t mapped = body + 2 * kGuardBytes + unit;
    void* const mapping = ::mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        return failed(format("out of memory: no room for a buffer of {} bytes ({})", bytes, std::strerror(errno)));
    }
    const std::uintptr_t address = roundUp(reinterpret_cast<std::uintptr_t>(mapping) + kGuardBytes, unit);
    Region region(mapping, mapped, reinterpret_cast<std::byte*>(address), body);
    if (::mprotect(region.m_begin, body, PROT_READ | PROT_WRITE) != 0) {
        return failed(format("out of memory: no room for a buffer of {} bytes ({})", bytes, std::strerror(errno)));
    }
    if (huge) {
        ::madvise(region.m_begin, body, MADV_HUGEPAGE); // advice only: small pages are slower, not wrong
    }
    return region;
}

Result<Region> RegionPool::take(std::size_t bytes)
{
    const auto fits = [bytes](const Region& region) { return region.size() >= bytes; };
    auto best = m_free.end();
    for (auto it = m_free.begin(); it != m_free.end(); ++it) {
        if (fits(*it) && (best == m_free.end() || it->size() < best->size())) {
            best = it;
        }
    }
    // A region many times too large would be missing when a large buffer comes.
    if (best != m_free.end() && (best->size() <= 4 * bytes || best->size() <= kHugePage)) {
        Region region = std::move(*best);
        m_free.erase(best);
        m_freeBytes -= region.size();
        return region;
    }
    return Region::create(bytes);
}

void RegionPool::giveBack(Region region)
{
    if (m_freeBytes + region.size() <= kKeptBytes) {
        m_freeBytes += region.size();
        m_free.push_back(std::move(region));
    }
}

} // namespace nw::runner
