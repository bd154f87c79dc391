#include "engine/measure/runner/compare.h"

#include "engine/base/half.h"
#include "engine/base/text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace nw::runner {
namespace {

// How an element type is read as double, and what it makes of a double.
template <typename Stored>
struct Plain {
    static constexpr std::size_t kBytes = sizeof(Stored);
    static double read(const std::byte* from)
    {
        Stored value;
        std::memcpy(&value, from, sizeof value);
        return static_cast<double>(value);
    }
    static double round(double value)
    {
        if constexpr (std::is_same_v<Stored, float>) {
            return static_cast<double>(static_cast<float>(value));
        }
        return value;
    }
};

template <float (*Widen)(std::uint16_t), std::uint16_t (*Narrow)(float)>
struct Half {
    static constexpr std::size_t kBytes = 2;
    static double read(const std::byte* from)
    {
        std::uint16_t bits;
        std::memcpy(&bits, from, sizeof bits);
        return static_cast<double>(Widen(bits));
    }
    static double round(double value) { return static_cast<double>(Widen(Narrow(static_cast<float>(value)))); }
};

template <typename Type>
bool isRight(double got, double expected, double bound)
{
    if (got == expected) {
        return true;
    }
    if (std::isnan(expected) || std::isnan(got)) {
        return std::isnan(expected) && std::isnan(got);
    }
    if (std::abs(got - expected) <= bound && (std::isfinite(got) == std::isfinite(expected) || std::isinf(bound))) {
        return true;
    }
    return got == Type::round(expected);
}

std::string mismatch(std::size_t element, std::size_t count, double got, double expected, std::optional<double> bound)
{
    return format("element {} of {}: got {}, expected {}{}", element, count, shortestDouble(got), shortestDouble(expected),
                  bound ? format(" (allowed {:.3g})", *bound) : std::string());
}

template <typename Type>
Difference compareAs(std::span<const std::byte> memory, const Expectation& e, std::span<const std::int64_t> mustBeZero)
{
    Difference difference;
    double largest = 0;
    for (std::size_t i = 0; i < e.values.size(); ++i) {
        const std::size_t at = e.offsets.empty() ? i : static_cast<std::size_t>(e.offsets[i]);
        const double got = Type::read(memory.data() + at * Type::kBytes);
        const double expected = e.values[i];
        if (std::isfinite(expected)) {
            largest = std::max(largest, std::abs(expected));
        }
        if (got == expected) {
            continue;
        }
        const double bound = e.bounds.empty() ? 0 : e.bounds[i];
        const double distance = std::isnan(got) && std::isnan(expected) ? 0
            : std::isfinite(got) && std::isfinite(expected)             ? std::abs(got - expected)
                                                                        : std::numeric_limits<double>::infinity();
        const bool right = isRight<Type>(got, expected, bound);
        if (!right || std::isfinite(distance)) {
            difference.maxAbs = std::max(difference.maxAbs, distance);
        }
        if (!right && difference.correct) {
            difference.correct = false;
            difference.message = mismatch(i, e.values.size(), got, expected,
                                          e.bounds.empty() ? std::nullopt : std::optional<double>(bound));
        }
    }
    for (const std::int64_t at : mustBeZero) {
        const double got = Type::read(memory.data() + static_cast<std::size_t>(at) * Type::kBytes);
        if (got != 0 && difference.correct) {
            difference.correct = false;
            difference.message = format("padding at memory element {} is {}, not zero", at, shortestDouble(got));
        }
    }
    difference.maxRel = difference.maxAbs > 0 ? difference.maxAbs / std::max(largest, 1e-300) : 0;
    return difference;
}

} // namespace

Result<std::vector<std::int64_t>> uncovered(const Expectation& expectation, std::int64_t elements)
{
    const std::int64_t count = static_cast<std::int64_t>(expectation.values.size());
    if (!expectation.bounds.empty() && expectation.bounds.size() != expectation.values.size()) {
        return failed(format("{} bounds for {} expected values", expectation.bounds.size(), count));
    }
    // Of an output without elements all memory is border.
    if (expectation.offsets.empty() && count > 0) {
        if (count != elements) {
            return failed(format("{} expected values for an output of {} elements", count, elements));
        }
        return std::vector<std::int64_t>();
    }
    if (expectation.offsets.size() != expectation.values.size()) {
        return failed(format("{} places for {} expected values", expectation.offsets.size(), count));
    }
    std::vector<bool> covered(static_cast<std::size_t>(elements));
    for (const std::int64_t at : expectation.offsets) {
        if (at < 0 || at >= elements) {
            return failed(format("an output's element lies at {}, outside its {} elements", at, elements));
        }
        if (covered[static_cast<std::size_t>(at)]) {
            return failed(format("two elements of an output lie at {}", at));
        }
        covered[static_cast<std::size_t>(at)] = true;
    }
    std::vector<std::int64_t> rest;
    rest.reserve(static_cast<std::size_t>(elements - count));
    for (std::int64_t i = 0; i < elements; ++i) {
        if (!covered[static_cast<std::size_t>(i)]) {
            rest.push_back(i);
        }
    }
    return rest;
}

Difference compareOutput(std::span<const std::byte> memory, DType type, const Expectation& expectation,
                         std::span<const std::int64_t> mustBeZero)
{
    switch (type) {
    case DType::F32: return compareAs<Plain<float>>(memory, expectation, mustBeZero);
    case DType::F64: return compareAs<Plain<double>>(memory, expectation, mustBeZero);
    case DType::I64: return compareAs<Plain<std::int64_t>>(memory, expectation, mustBeZero);
    case DType::I32: return compareAs<Plain<std::int32_t>>(memory, expectation, mustBeZero);
    case DType::I16: return compareAs<Plain<std::int16_t>>(memory, expectation, mustBeZero);
    case DType::I8: return compareAs<Plain<std::int8_t>>(memory, expectation, mustBeZero);
    case DType::U64: return compareAs<Plain<std::uint64_t>>(memory, expectation, mustBeZero);
    case DType::U32: return compareAs<Plain<std::uint32_t>>(memory, expectation, mustBeZero);
    case DType::U16: return compareAs<Plain<std::uint16_t>>(memory, expectation, mustBeZero);
    case DType::U8:
    case DType::Bool: return compareAs<Plain<std::uint8_t>>(memory, expectation, mustBeZero);
    case DType::F16: return compareAs<Half<&halfToFloat, &floatToHalf>>(memory, expectation, mustBeZero);
    case DType::BF16: return compareAs<Half<&bfloatToFloat, &floatToBfloat>>(memory, expectation, mustBeZero);
    case DType::String:
    case DType::Other: break;
    }
    Difference difference;
    difference.correct = false;
    difference.message = "an output of this element type cannot be compared";
    return difference;
}

} // namespace nw::runner
