#pragma once

#include "engine/base/index_map.h"
#include "engine/base/index_program.h"
#include "engine/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace nw::measure {

// Where the elements of a constant logical shape lie in a layout's memory. Layouts that move each axis on its own
// (blocking, transposing, borders) are a sum of one table an axis; others are evaluated element by element.
class LayoutOffsets {
public:
    // Refused with the layout's own words when it does not fit the shape.
    static Result<LayoutOffsets> create(const Layout& layout, const std::vector<std::int64_t>& logical);

    std::int64_t memoryElements() const { return m_memoryElements; }
    std::int64_t logicalElements() const { return m_logicalElements; }
    bool isIdentity() const { return m_isIdentity; }
    // Calls visit(first, offsets, count) for runs of logical elements first .. first + count - 1, in order.
    using Visit = std::function<void(std::int64_t first, const std::int64_t* offsets, std::int64_t count)>;
    void forEachRun(const Visit& visit) const;
    // All of them, by logical element.
    std::vector<std::int64_t> all() const;

private:
    LayoutOffsets() = default;

    Layout m_layout;
    std::vector<std::int64_t> m_logical;
    std::vector<std::vector<std::int64_t>> m_tables; // one an axis; empty: not separable
    std::optional<IndexProgram> m_offset;            // of the axes, when not separable
    std::int64_t m_memoryElements = 0, m_logicalElements = 0;
    bool m_isIdentity = false;
};

} // namespace nw::measure
