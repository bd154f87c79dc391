#pragma once

#include "engine/schedule/script.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nw::schedule {

// What one line of a script says on its own. Independent of its number and of the other lines, so that a cache can
// keep it by the line's text.
struct ParsedLine {
    std::optional<ScriptStep> step; // `line` still 0
    std::optional<Knob> knob;       // a declaration; `line` still 0
    std::optional<KnobConstraint> constraint; // `line` still 0
    struct Use {
        std::string name;
        int column = 0;
    };
    std::vector<Use> uses; // ?name, and the knobs of a constraint
    struct Choice {
        std::vector<std::int64_t> values;
        int column = 0;
    };
    std::vector<Choice> choices; // {4, 8, 16}; of {kh kw | kw kh} the places 0 and 1
};
// Errors carry the column and no line.
Result<ParsedLine> parseLine(std::string_view line, std::span<const Primitive* const> primitives, const Context& context);
// Puts lines together: numbers, names of inline knobs, and the checks that need the whole script. The lines are
// parallel to `script.lines`.
Result<Script> assembleScript(std::vector<std::string> lines, const std::vector<const ParsedLine*>& parsed);

// Deals words to the primitive's parameters; `endColumn` is where something missing is reported.
Result<std::vector<std::vector<ScriptStep::Word>>> readArguments(const Primitive& primitive,
                                                                 std::vector<ScriptStep::Word> words, int endColumn);

// Alternatives within a list of loops, "{kh kw ic | ic kh kw}". Refused with a column when one of them is no list of names.
bool isAlternatives(const ScriptStep::Word& word);
std::vector<ScriptStep::Word> alternativeWords(const ScriptStep& step);
Result<std::vector<std::vector<std::string>>> readAlternatives(const ScriptStep::Word& word);

// The number expressions of a step in order, without the parts that are inferred.
struct NumberWord {
    std::string_view text; // into the step's words
    int column = 0;        // in the line
};
std::vector<NumberWord> numberWords(const ScriptStep& step);

// The words of a line at white space outside of brackets; words around an operator are one. Column is 1-based.
Result<std::vector<ScriptStep::Word>> splitLine(std::string_view line);
// Without the comment and the white space around; `column` becomes the place of its first character.
std::string_view stripLine(std::string_view line, int& column);

std::string canonicalStep(const ScriptStep& step);
std::string canonicalKnobLine(std::string_view line);
std::string canonicalRequireLine(std::string_view line);

std::string inlineKnobName(int line, int column);

// Knobs of a script at given values.
class KnobLookup {
public:
    // Refused when `values` names an unknown knob or a value that is no choice, and where a constraint does not hold.
    static Result<KnobLookup> create(const Script& script, const KnobValues& values);
    Result<std::int64_t> value(const std::string& name) const;
    bool isOn(const ScriptStep& step) const;

private:
    Status check(const KnobConstraint& constraint) const;

    KnobValues m_values;
};
// The arguments of a step for the target and knobs. Errors carry line and column.
Result<Args> evaluateArgs(const ScriptStep& step, const KnobLookup& knobs, const Context& context);
bool usesKnobs(const ScriptStep& step);

} // namespace nw::schedule
