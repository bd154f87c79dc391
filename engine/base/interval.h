#pragma once

#include "engine/base/simplify.h"

#include <optional>

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

} // namespace nw
