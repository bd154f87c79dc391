#pragma once

#include "engine/base/result.h"
#include "engine/measure/runner/region.h"

#include <cstddef>
#include <span>
#include <string>

namespace nw::runner {

// Where a buffer lies in its region. Right and Left: flush against memory that nobody may touch. Shifted: one element
// off every larger alignment, with marked memory on both sides.
enum class Edge { Right, Left, Shifted };
std::string_view toText(Edge edge);

// A pattern of words that are NaN as f32 and as f64: read by mistake it spoils the result, written over it shows.
void fillWithMarks(std::span<std::byte> bytes);
// Offset of the first byte that is not the mark of its place, or npos.
std::size_t firstChanged(std::span<const std::byte> bytes);

// One buffer of a checked run.
class GuardedBuffer {
public:
    static constexpr std::size_t kMarkedBytes = 4096;

    // `alignment` is all that the kernel may count on (the element's, or 64 for a workspace).
    static Result<GuardedBuffer> create(RegionPool& pool, std::size_t bytes, std::size_t alignment);

    // Moves the buffer to an edge and marks what lies around it. The contents are whatever was there.
    void place(Edge edge);
    std::span<std::byte> bytes() const { return {m_data, m_bytes}; }
    // Nothing when the marks around are whole; else where they were written over: "8 bytes before the start".
    std::string disturbed() const;

    const std::byte* guardBefore() const { return m_region.begin(); } // end of the stretch before the body
    const std::byte* guardBehind() const { return m_region.end(); }   // start of the stretch behind the body
    const std::byte* data() const { return m_data; }
    Region release() && { return std::move(m_region); }

private:
    GuardedBuffer(Region region, std::size_t bytes, std::size_t alignment);
    std::span<std::byte> marksBefore() const;
    std::span<std::byte> marksBehind() const;

    Region m_region;
    std::size_t m_bytes;
    std::size_t m_alignment;
    std::byte* m_data;
};

} // namespace nw::runner
