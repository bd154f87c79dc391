#pragma once

#include "engine/base/expr.h"
#include "engine/base/index_program.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nw::tune {

// An index made ready to be asked at many points, the common sum of multiples without a program. One that is read from
// memory, or leaves 64 bits, has no value.
class IndexForm {
public:
    static IndexForm of(const Expr& e, std::span<const std::string> variables);

    std::optional<std::int64_t> at(std::span<const std::int64_t> point) const
    {
        if (!m_isSum) {
            return m_program ? m_program->value(point) : std::nullopt;
        }
        std::uint64_t sum = m_constant; // wraps: only differences of nearby points are looked at
        for (const auto& [variable, factor] : m_terms) {
            sum += factor * static_cast<std::uint64_t>(point[variable]);
        }
        return static_cast<std::int64_t>(sum);
    }
    bool isKnown() const { return m_isSum || m_program; }

private:
    bool add(const Expr& e, std::uint64_t factor, std::span<const std::string> variables);

    bool m_isSum = true;
    std::uint64_t m_constant = 0;
    std::vector<std::pair<std::size_t, std::uint64_t>> m_terms;
    std::optional<IndexProgram> m_program;
};

} // namespace nw::tune
