#include "engine/code/emit/linear.h"

#include <algorithm>

namespace nw::code {
namespace {

std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

void widen(Interval& range, std::int64_t coefficient, const Interval& term)
{
    const auto times = [&](std::int64_t end) -> std::optional<std::int64_t> {
        std::int64_t product = 0;
        if (end == Interval::kMinusInf || end == Interval::kPlusInf || __builtin_mul_overflow(end, coefficient, &product)) {
            return std::nullopt;
        }
        return product;
    };
    const auto first = times(coefficient >= 0 ? term.low : term.high);
    const auto last = times(coefficient >= 0 ? term.high : term.low);
    if (!first || range.low == Interval::kMinusInf || __builtin_add_overflow(range.low, *first, &range.low)) {
        range.low = Interval::kMinusInf;
    }
    if (!last || range.high == Interval::kPlusInf || __builtin_add_overflow(range.high, *last, &range.high)) {
        range.high = Interval::kPlusInf;
    }
}

} // namespace

Linear add(Linear a, const Linear& b, std::int64_t factorOfB)
{
    a.constant += b.constant * factorOfB;
    a.lane += b.lane * factorOfB;
    for (const auto& [symbol, coefficient] : b.terms) {
        const std::int64_t sum = (a.terms[symbol] += coefficient * factorOfB);
        if (sum == 0) {
            a.terms.erase(symbol);
        }
    }
    for (const auto& [value, coefficient] : b.opaque) {
        const auto found = std::find_if(a.opaque.begin(), a.opaque.end(), [&](const auto& entry) { return entry.first == value; });
        if (found == a.opaque.end()) {
            a.opaque.emplace_back(value, coefficient * factorOfB);
        } else if ((found->second += coefficient * factorOfB) == 0) {
            a.opaque.erase(found);
        }
    }
    return a;
}

Linear scale(const Linear& a, std::int64_t factor)
{
    return factor == 0 ? Linear{} : add(Linear{}, a, factor);
}

Interval rangeOf(const Linear& a, const SymbolRanges& ranges, int lanes)
{
    Interval range{a.constant, a.constant};
    widen(range, a.lane, Interval::ofExtent(std::max(lanes, 1)));
    for (const auto& [symbol, coefficient] : a.terms) {
        const auto known = ranges.find(symbol);
        widen(range, coefficient, known == ranges.end() ? Interval{} : known->second);
    }
    for (const auto& [value, coefficient] : a.opaque) {
        widen(range, coefficient, Interval{});
    }
    return range;
}

std::optional<Divided> divide(const Linear& a, std::int64_t divisor, const SymbolRanges& ranges, int lanes)
{
    Divided parts;
    parts.quotient.constant = floorDivide(a.constant, divisor);
    parts.remainder.constant = a.constant - parts.quotient.constant * divisor;
    const auto place = [&](std::int64_t coefficient) { return coefficient % divisor == 0; };
    if (place(a.lane)) {
        parts.quotient.lane = a.lane / divisor;
    } else {
        parts.remainder.lane = a.lane;
    }
    for (const auto& [symbol, coefficient] : a.terms) {
        if (place(coefficient)) {
            parts.quotient.terms[symbol] = coefficient / divisor;
        } else {
            parts.remainder.terms[symbol] = coefficient;
        }
    }
    for (const auto& [value, coefficient] : a.opaque) {
        if (!place(coefficient)) {
            return std::nullopt;
        }
        parts.quotient.opaque.emplace_back(value, coefficient / divisor);
    }
    const Interval rest = rangeOf(parts.remainder, ranges, lanes);
    if (rest.low == Interval::kMinusInf || rest.high == Interval::kPlusInf) {
        return std::nullopt;
    }
    // A rest such as [13, 15] with divisor 8 moves whole multiples over to the quotient.
    const std::int64_t shift = floorDivide(rest.low, divisor);
    if (floorDivide(rest.high, divisor) != shift) {
        return std::nullopt;
    }
    parts.quotient.constant += shift;
    parts.remainder.constant -= shift * divisor;
    return parts;
}

} // namespace nw::code
