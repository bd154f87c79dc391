#pragma once

#include "engine/base/dtype.h"
#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nw::runner {

// What an output must hold.
struct Expectation {
    std::span<const double> values;        // one per logical element
    std::span<const double> bounds;        // allowed |difference|, parallel to values; empty: equal
    std::span<const std::int64_t> offsets; // element offset in memory of each logical element; empty: the same index
};

// Elements of the memory that no logical element covers: padding and border, which must be zero. Failed when an offset
// lies outside, when two logical elements share one, or when the counts do not agree.
Result<std::vector<std::int64_t>> uncovered(const Expectation& expectation, std::int64_t elements);

struct Difference {
    bool correct = true;
    double maxAbs = 0;
    double maxRel = 0;   // maxAbs relative to the largest |expected value|
    std::string message; // of the first mismatch: "element 17: got 3.5, expected 4 (allowed 0.001)"
};

// Values are compared as doubles. An expected NaN asks for a NaN, an infinity for the same one; a value is also right
// when it is the expected one rounded to the element type.
Difference compareOutput(std::span<const std::byte> memory, DType type, const Expectation& expectation,
                         std::span<const std::int64_t> mustBeZero);

} // namespace nw::runner
