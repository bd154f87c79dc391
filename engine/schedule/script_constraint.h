#pragma once

#include "engine/base/result.h"
#include "engine/base/target.h"
#include "engine/schedule/script_number.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nw::schedule {

// What a line "require tile_a * tile_b * 4 <= cache(L1)" asks of the knobs.
struct KnobConstraint {
    enum class Comparison { Less, LessEqual, Greater, GreaterEqual, Equal, Unequal };
    std::string text; // "tile_a * tile_b * 4 <= cache(L1)"
    Comparison comparison = Comparison::LessEqual;
    NumberProgram sides; // leaves the left side and, on top of it, the right one
    int line = 0;
    int column = 1; // of the text
};

// What stands behind "require". Errors carry the column within `text`; `onKnob` hears of each use of a knob.
Result<KnobConstraint> parseConstraint(std::string_view text, const Target* target,
                                       const std::function<void(int column, std::string_view name)>& onKnob);
std::string canonicalConstraint(std::string_view text);

// A value that is known to lie in low..high.
struct Range {
    std::int64_t low = 0;
    std::int64_t high = 0;
};
enum class Holds { No, Yes, Unknown };
// Judges for knobs in `ranges` (parallel to `sides.knobs`): Yes and No are meant for all of their values. With one value
// each it is never Unknown: sides that cannot be computed (a division by zero, a number beyond 64 bits) do not hold.
// `stack` is room to work in, for callers that judge often.
Holds judge(const KnobConstraint& constraint, std::span<const Range> ranges, std::vector<Range>& stack);
// Why a constraint does not hold for these values, with the values of both sides; nothing when it does.
std::optional<std::string> violation(const KnobConstraint& constraint, std::span<const std::int64_t> values);

} // namespace nw::schedule
