#include "engine/base/interval.h"

#include "engine/base/int_math.h"

#include <algorithm>

namespace nw {
namespace {

// Two ends multiplied or added never leave 128 bits.
__extension__ typedef __int128 Wide;

constexpr std::int64_t kMin = Interval::kMinusInf;
constexpr std::int64_t kMax = Interval::kPlusInf;

// The nearest end that is still sound: a low end may only go down, a high end only up.
std::int64_t lowEnd(Wide value)
{
    return value <= kMin ? kMin : static_cast<std::int64_t>(std::min<Wide>(value, kMax - 1));
}

std::int64_t highEnd(Wide value)
{
    return value >= kMax ? kMax : static_cast<std::int64_t>(std::max<Wide>(value, kMin + 1));
}

// Product of two ends where an open end times zero is zero.
Wide endProduct(std::int64_t a, std::int64_t b)
{
    // Open ends count as numbers far beyond 64 bits.
    constexpr Wide kFar = static_cast<Wide>(1) << 100;
    if (a == 0 || b == 0) {
        return 0;
    }
    if (isFiniteEnd(a) && isFiniteEnd(b)) {
        return static_cast<Wide>(a) * b;
    }
    return (a < 0) == (b < 0) ? kFar : -kFar;
}

std::int64_t endQuotient(std::int64_t a, std::int64_t b)
{
    if (!isFiniteEnd(a)) {
        return b > 0 ? a : (a == kMin ? kMax : kMin);
    }
    if (!isFiniteEnd(b)) {
        return (a < 0) != (b < 0) && a != 0 ? -1 : 0;
    }
    return canDivide(a, b) ? floorDivide(a, b) : kMax;
}

} // namespace

Interval operator+(const Interval& a, const Interval& b)
{
    const bool isLowOpen = a.low == kMin || b.low == kMin;
    const bool isHighOpen = a.high == kMax || b.high == kMax;
    return {isLowOpen ? kMin : lowEnd(static_cast<Wide>(a.low) + b.low),
            isHighOpen ? kMax : highEnd(static_cast<Wide>(a.high) + b.high)};
}

Interval operator-(const Interval& a)
{
    // The smallest number has no opposite in 64 bits.
    if (a.high == kMin) {
        return {};
    }
    return {a.high == kMax ? kMin : -a.high, a.low == kMin ? kMax : -a.low};
}

Interval operator*(const Interval& a, std::int64_t factor)
{
    if (factor == 0) {
        return {0, 0};
    }
    return factor > 0 ? Interval{lowEnd(endProduct(a.low, factor)), highEnd(endProduct(a.high, factor))}
                      : Interval{lowEnd(endProduct(a.high, factor)), highEnd(endProduct(a.low, factor))};
}

Interval multiplied(const Interval& a, const Interval& b)
{
    const auto corners = {endProduct(a.low, b.low), endProduct(a.low, b.high), endProduct(a.high, b.low),
                          endProduct(a.high, b.high)};
    return {lowEnd(std::min(corners)), highEnd(std::max(corners))};
}

Interval floorDivided(const Interval& a, std::int64_t divisor)
{
    return {a.low == kMin ? kMin : floorDivide(a.low, divisor), a.high == kMax ? kMax : floorDivide(a.high, divisor)};
}

Interval floorDivided(const Interval& a, const Interval& b)
{
    if (isEmpty(a) || isEmpty(b) || (b.low <= 0 && b.high >= 0)) {
        return {};
    }
    const auto corners = {endQuotient(a.low, b.low), endQuotient(a.low, b.high), endQuotient(a.high, b.low),
                          endQuotient(a.high, b.high)};
    return {std::min(corners), std::max(corners)};
}

Interval hull(const Interval& a, const Interval& b)
{
    if (isEmpty(a)) {
        return b;
    }
    if (isEmpty(b)) {
        return a;
    }
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Interval intersected(const Interval& a, const Interval& b)
{
    return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

bool KnownRanges::narrow(const Expr& variable, const Interval& to)
{
    const std::string& name = variable->as<Var>()->name;
    const Interval* known = find(name);
    const Interval before = known != nullptr ? *known : Interval();
    const Interval after = intersected(before, to);
    if (after == before) {
        return false;
    }
    m_isContradiction = m_isContradiction || (isEmpty(after) && !isEmpty(before));
    for (auto& [narrowed, range] : m_narrowed) {
        if (narrowed->as<Var>()->name == name) {
            range = after;
            return true;
        }
    }
    m_narrowed.push_back({variable, after});
    return true;
}

std::optional<std::int64_t> commonPeriod(const Interval& a, std::int64_t width)
{
    // Far from the ends of 64 bits, so that callers can multiply the period by the width again.
    constexpr std::int64_t kFarthest = std::int64_t{1} << 62;
    if (a.low < -kFarthest || a.high > kFarthest || width > kFarthest || isEmpty(a)) {
        return std::nullopt;
    }
    const std::int64_t period = floorDivide(a.low, width);
    return period == floorDivide(a.high, width) ? std::optional(period) : std::nullopt;
}

} // namespace nw
