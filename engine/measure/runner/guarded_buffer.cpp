#include "engine/measure/runner/guarded_buffer.h"

#include "engine/base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace nw::runner {
namespace {

// Byte of the pattern at an address. Words differ from place to place, so that a shifted copy of the marks is noticed.
std::byte markAt(std::uintptr_t address)
{
    const std::uintptr_t word = address / 4;
    const std::uint32_t value = 0xfff00001U | (static_cast<std::uint32_t>(word * 2654435761U) & 0xffffeU);
    return static_cast<std::byte>(value >> (8 * (address % 4)) & 0xff);
}

} // namespace

std::string_view toText(Edge edge)
{
    switch (edge) {
    case Edge::Right: return "right edge";
    case Edge::Left: return "left edge";
    case Edge::Shifted: return "shifted";
    }
    return "";
}

void fillWithMarks(std::span<std::byte> bytes)
{
    std::uintptr_t address = reinterpret_cast<std::uintptr_t>(bytes.data());
    for (std::byte& byte : bytes) {
        byte = markAt(address++);
    }
}

std::size_t firstChanged(std::span<const std::byte> bytes)
{
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(bytes.data());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] != markAt(address + i)) {
            return i;
        }
    }
    return std::string::npos;
}

GuardedBuffer::GuardedBuffer(Region region, std::size_t bytes, std::size_t alignment)
    : m_region(std::move(region))
    , m_bytes(bytes)
    , m_alignment(alignment)
    , m_data(m_region.begin())
{}

Result<GuardedBuffer> GuardedBuffer::create(RegionPool& pool, std::size_t bytes, std::size_t alignment)
{
    Result<Region> region = pool.take(bytes + 2 * kMarkedBytes);
    if (!region) {
        return region.error();
    }
    return GuardedBuffer(*std::move(region), bytes, std::max<std::size_t>(alignment, 1));
}

void GuardedBuffer::place(Edge edge)
{
    const std::size_t gap = (m_alignment - m_bytes % m_alignment) % m_alignment; // only where an alignment is promised
    switch (edge) {
    case Edge::Right: m_data = m_region.end() - m_bytes - gap; break;
    case Edge::Left: m_data = m_region.begin(); break;
    case Edge::Shifted: m_data = m_region.begin() + kMarkedBytes + (m_alignment < 64 ? m_alignment : 0); break;
    }
    fillWithMarks(marksBefore());
    fillWithMarks(marksBehind());
}

std::span<std::byte> GuardedBuffer::marksBefore() const
{
    const std::size_t room = static_cast<std::size_t>(m_data - m_region.begin());
    const std::size_t count = std::min(room, kMarkedBytes);
    return {m_data - count, count};
}

std::span<std::byte> GuardedBuffer::marksBehind() const
{
    std::byte* const end = m_data + m_bytes;
    return {end, std::min(static_cast<std::size_t>(m_region.end() - end), kMarkedBytes)};
}

std::string GuardedBuffer::disturbed() const
{
    const std::span<std::byte> before = marksBefore();
    if (const std::size_t at = firstChanged(before); at != std::string::npos) {
        return format("wrote {} bytes before the start", before.size() - at);
    }
    if (const std::size_t at = firstChanged(marksBehind()); at != std::string::npos) {
        return format("wrote {} bytes behind the end", at + 1);
    }
    return "";
}

} // namespace nw::runner
