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
struct NumberProgram;
struct NumberScope {
    const Target* target = nullptr;
    // A knob or a choice list at a column of the text.
    std::function<Result<std::int64_t>(int column, std::string_view name)> knob;
    std::function<Result<std::int64_t>(int column, const std::vector<std::int64_t>& choices)> choice;
    bool bareKnobs = false; // a name that is nothing of the target is a knob without its '?'
    // When given, the expression is written down behind what stands there already, and values count for nothing: x / 0
    // and numbers beyond 64 bits are no errors.
    NumberProgram* program = nullptr;
};
// Expressions in the order in which a stack evaluates them; what the target says is a constant by then.
struct NumberProgram {
    enum class Op { Constant, Knob, Negate, Add, Subtract, Multiply, Divide };
    struct Instruction {
        Op op = Op::Constant;
        std::int64_t value = 0; // the constant, or the knob's place in `knobs`
    };
    std::vector<Instruction> instructions;
    std::vector<std::string> knobs; // each once
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
// "2..16 step 2 default 8", "switch default on" (0 and 1). Without a default it is the first choice. At most 4096
// choices, each once.
Result<KnobRange> parseKnobRange(std::string_view text, const Target* target);

// Each value where it stands first.
std::vector<std::int64_t> distinct(const std::vector<std::int64_t>& values);

// No white space but one space behind a comma.
std::string canonicalNumber(std::string_view text);

bool isNameStart(char c);
bool isNameChar(char c); // letters, digits, '_' and '.'
bool isName(std::string_view text);

} // namespace nw::schedule
