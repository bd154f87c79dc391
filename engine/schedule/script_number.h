#pragma once

#include "engine/base/result.h"
#include "engine/base/target.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nw::schedule {

// Number expressions of scripts: integers, + - * / (exact integer arithmetic, division rounds down), parentheses,
// lanes(TYPE), registers(TYPE), cache(L1|L2|L3) in bytes, threads, ?knob and choice lists {4, 8, 16}.
// Errors carry the 1-based column within the text that was given and no line.
struct NumberScope {
    const Target* target = nullptr;
    // A knob or a choice list at a column of the text.
    std::function<Result<std::int64_t>(int column, std::string_view name)> knob;
    std::function<Result<std::int64_t>(int column, const std::vector<std::int64_t>& choices)> choice;
};
Result<std::int64_t> evalNumber(std::string_view text, const NumberScope& scope);

// The target-dependent pieces of an index map's text, lanes(...), registers(...), cache(...), threads and ?knob, in order.
std::vector<std::string_view> mapNumbers(std::string_view text);
// The text with each of those pieces replaced by its value.
Result<std::string> fillMapNumbers(std::string_view text, const std::function<Result<std::int64_t>(std::string_view piece, int column)>& value);

struct KnobRange {
    std::vector<std::int64_t> choices;
    std::int64_t defaultValue = 0;
};
// What stands behind '=' of a knob line: "divisors(56) up to 28 default 14", "{4, 6, 8} default 6",
// "2..16 step 2 default 8". Without a default it is the first choice. At most 4096 choices.
Result<KnobRange> parseKnobRange(std::string_view text, const Target* target);

// No white space but one space behind a comma.
std::string canonicalNumber(std::string_view text);

bool isNameStart(char c);
bool isNameChar(char c); // letters, digits, '_' and '.'
bool isName(std::string_view text);

} // namespace nw::schedule
