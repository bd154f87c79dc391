#pragma once

#include "engine/base/simplify.h"
#include "engine/base/small_vector.h"

#include <optional>
#include <string>
#include <utility>

namespace nw {

// Arithmetic on closed intervals. An end that leaves 64 bits becomes open (or, on the other side, stays the outermost
// finite number), so the result always holds every value.
Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a);
Interval operator*(const Interval& a, std::int64_t factor);
Interval multiplied(const Interval& a, const Interval& b);
Interval floorDivided(const Interval& a, std::int64_t divisor); // divisor > 0
Interval floorDivided(const Interval& a, const Interval& b);    // everything when b may be 0
Interval hull(const Interval& a, const Interval& b);
Interval intersected(const Interval& a, const Interval& b); // may be empty: low > high
inline bool isEmpty(const Interval& a)
{
    return a.low > a.high;
}
inline bool isFiniteEnd(std::int64_t end)
{
    return end != Interval::kMinusInf && end != Interval::kPlusInf;
}
// The k for which all of `a` lies in [k * width, (k + 1) * width), when there is one.
std::optional<std::int64_t> commonPeriod(const Interval& a, std::int64_t width);

// Ranges of variables with what conditions say on top, so that assuming a condition copies no map.
class KnownRanges {
public:
    explicit KnownRanges(const Ranges& ranges)
        : m_ranges(&ranges)
    {}
    const Interval* find(const std::string& name) const
    {
        for (const auto& [variable, range] : m_narrowed) {
            if (variable->as<Var>()->name == name) {
                return &range;
            }
        }
        const auto found = m_ranges->find(name);
        return found == m_ranges->end() ? nullptr : &found->second;
    }
    // Keeps only what lies in `to`; false when that is everything.
    bool narrow(const Expr& variable, const Interval& to);
    // Whether a variable that had values is left with none.
    bool isContradiction() const { return m_isContradiction; }

private:
    const Ranges* m_ranges;
    SmallVector<std::pair<Expr, Interval>, 3> m_narrowed;
    bool m_isContradiction = false;
};

} // namespace nw
