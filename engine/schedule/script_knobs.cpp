// Knobs: their values, arguments evaluated with them, scripts with numbers and loops in their place.

#include "engine/schedule/script_line.h"

#include "engine/base/text.h"
#include "engine/schedule/script_number.h"

#include <algorithm>

namespace nw::schedule {

namespace {

const Knob* findKnob(const Script& script, std::string_view name)
{
    const auto found = std::find_if(script.knobs.begin(), script.knobs.end(),
                                    [&](const Knob& knob) { return knob.name == name; });
    return found == script.knobs.end() ? nullptr : &*found;
}

NumberScope scopeOf(const ScriptStep& step, int wordColumn, const KnobLookup& knobs, const Context& context)
{
    return {context.target,
            [&knobs](int, std::string_view name) { return knobs.value(std::string(name)); },
            [&knobs, &step, wordColumn](int column, const std::vector<std::int64_t>&) {
                return knobs.value(inlineKnobName(step.line, wordColumn + column - 1));
            }};
}

Result<std::int64_t> evaluateAt(std::string_view text, int column, const ScriptStep& step, const KnobLookup& knobs,
                                const Context& context)
{
    const Result<std::int64_t> value = evalNumber(text, scopeOf(step, column, knobs, context));
    return value ? value : Error(value.error()).at(step.line, column + value.error().column - 1);
}

Result<ArgValue> evaluateParts(const ScriptStep& step, std::size_t index, const KnobLookup& knobs, const Context& context)
{
    std::vector<Part> parts;
    for (const ScriptStep::Word& word : step.words[index]) {
        const std::size_t colon = word.text.find(':');
        Part part{std::string(trim(std::string_view(word.text).substr(0, colon))), {}};
        const std::string_view rest
            = colon == std::string::npos ? std::string_view("_") : std::string_view(word.text).substr(colon + 1);
        if (trim(rest) != "_") {
            const Result<std::int64_t> extent
                = evaluateAt(rest, word.column + static_cast<int>(colon) + 1, step, knobs, context);
            if (!extent) {
                return extent.error();
            }
            part.extent = *extent;
        }
        parts.push_back(std::move(part));
    }
    return ArgValue(std::move(parts));
}

// A loop's name is itself, alternatives are those names that their knob chooses.
Result<std::vector<std::string>> loopsOf(const ScriptStep::Word& word, const ScriptStep& step, const KnobLookup& knobs)
{
    if (!isAlternatives(word)) {
        return std::vector<std::string>{word.text};
    }
    const Result<std::vector<std::vector<std::string>>> alternatives = readAlternatives(word);
    const Result<std::int64_t> place = knobs.value(inlineKnobName(step.line, word.column));
    if (!alternatives || !place) {
        return Error(alternatives ? place.error() : alternatives.error()).at(step.line, word.column);
    }
    return alternatives->at(static_cast<std::size_t>(*place));
}

Result<ArgValue> evaluateArg(const ScriptStep& step, std::size_t index, const KnobLookup& knobs, const Context& context)
{
    const std::vector<ScriptStep::Word>& words = step.words[index];
    if (words.empty()) {
        return ArgValue();
    }
    switch (step.primitive->params[index].kind) {
    case ParamKind::Loop:
    case ParamKind::Block:
    case ParamKind::Buffer:
    case ParamKind::NewName:
    case ParamKind::Choice:
    case ParamKind::ScopeName: return ArgValue(words.front().text);
    case ParamKind::Loops: {
        std::vector<std::string> names;
        for (const ScriptStep::Word& word : words) {
            const Result<std::vector<std::string>> chosen = loopsOf(word, step, knobs);
            if (!chosen) {
                return chosen.error();
            }
            names.insert(names.end(), chosen->begin(), chosen->end());
        }
        return ArgValue(std::move(names));
    }
    case ParamKind::Parts: return evaluateParts(step, index, knobs, context);
    case ParamKind::Map: {
        const int column = words.front().column;
        const Result<std::string> filled = fillMapNumbers(words.front().text, [&](std::string_view piece, int at) {
            return evaluateAt(piece, column + at - 1, step, knobs, context);
        });
        if (!filled) {
            return filled.error();
        }
        Result<IndexMap> map = parseIndexMap(*filled);
        return map ? Result<ArgValue>(ArgValue(*std::move(map)))
                   : Error(map.error()).at(step.line, words.front().column);
    }
    case ParamKind::Number: {
        const Result<std::int64_t> value = evaluateAt(words.front().text, words.front().column, step, knobs, context);
        return value ? Result<ArgValue>(ArgValue(*value)) : value.error();
    }
    }
    return ArgValue();
}

struct Replacement {
    std::size_t at = 0;
    std::size_t length = 0;
    std::string text;
};

std::string numberText(std::int64_t value)
{
    return value < 0 ? format("({})", value) : std::to_string(value);
}

// Replaces from the right, so that the places further left stay right.
void replaceInLine(std::string& line, std::vector<Replacement> replacements)
{
    std::sort(replacements.begin(), replacements.end(),
              [](const Replacement& a, const Replacement& b) { return a.at > b.at; });
    for (const Replacement& one : replacements) {
        line.replace(one.at, one.length, one.text);
    }
}

std::vector<Replacement> alternativesInStep(const ScriptStep& step, const KnobLookup& knobs)
{
    std::vector<Replacement> found;
    for (const ScriptStep::Word& word : alternativeWords(step)) {
        const Result<std::vector<std::string>> chosen = loopsOf(word, step, knobs);
        if (chosen) {
            found.push_back({static_cast<std::size_t>(word.column) - 1, word.text.size(), join(*chosen, " ")});
        }
    }
    return found;
}

// "when ?knob" with the white space before it.
Replacement conditionOf(const ScriptStep& step, const std::string& line)
{
    const std::size_t end = static_cast<std::size_t>(step.column) - 1 + step.text.size();
    const std::size_t when = line.rfind("when", line.rfind('?', end - 1));
    const std::size_t start = line.find_last_not_of(" \t\r\v\f", when - 1) + 1;
    return {start, end - start, {}};
}

std::vector<Replacement> knobsInStep(const ScriptStep& step, const std::string& line, const KnobLookup& knobs,
                                     const Context& context)
{
    std::vector<Replacement> found = alternativesInStep(step, knobs);
    if (!step.condition.empty()) {
        found.push_back(conditionOf(step, line));
    }
    for (const NumberWord& number : numberWords(step)) {
        const auto place = [&](int column) { return static_cast<std::size_t>(number.column + column) - 2; };
        const NumberScope scope{context.target,
                                [&](int column, std::string_view name) {
                                    const Result<std::int64_t> value = knobs.value(std::string(name));
                                    if (value) {
                                        const std::size_t end = line.find(name, place(column)) + name.size();
                                        found.push_back({place(column), end - place(column), numberText(*value)});
                                    }
                                    return value;
                                },
                                [&](int column, const std::vector<std::int64_t>&) {
                                    const std::size_t at = place(column);
                                    const Result<std::int64_t> value
                                        = knobs.value(inlineKnobName(step.line, static_cast<int>(at) + 1));
                                    if (value) {
                                        found.push_back({at, line.find('}', at) + 1 - at, numberText(*value)});
                                    }
                                    return value;
                                }};
        // A number that does not evaluate (a division by zero) is reported when the bound script is replayed.
        const Result<std::int64_t> ignored = evalNumber(number.text, scope);
        static_cast<void>(ignored);
    }
    return found;
}

} // namespace

Result<KnobLookup> KnobLookup::create(const Script& script, const KnobValues& values)
{
    KnobLookup lookup;
    for (const Knob& knob : script.knobs) {
        lookup.m_values.emplace(knob.name, knob.defaultValue);
    }
    for (const auto& [name, value] : values) {
        const Knob* knob = findKnob(script, name);
        if (knob == nullptr) {
            return refused(format("the script has no knob \"{}\"", name));
        }
        if (std::find(knob->choices.begin(), knob->choices.end(), value) == knob->choices.end()) {
            return refused(format("{} is no choice of knob {}", value, name)).at(knob->line, 1);
        }
        lookup.m_values[name] = value;
    }
    for (const KnobConstraint& constraint : script.constraints) {
        const Status fits = lookup.check(constraint);
        if (!fits) {
            return fits.error();
        }
    }
    return lookup;
}

Status KnobLookup::check(const KnobConstraint& constraint) const
{
    std::vector<std::int64_t> values;
    for (const std::string& name : constraint.sides.knobs) {
        const Result<std::int64_t> one = value(name);
        if (!one) {
            return Error(one.error()).at(constraint.line, constraint.column);
        }
        values.push_back(*one);
    }
    const std::optional<std::string> why = violation(constraint, values);
    return why ? Status(refused(*why).at(constraint.line, constraint.column)) : Status(Done{});
}

bool KnobLookup::isOn(const ScriptStep& step) const
{
    const auto found = m_values.find(step.condition);
    return step.condition.empty() || found == m_values.end() || found->second != 0;
}

Result<std::int64_t> KnobLookup::value(const std::string& name) const
{
    const auto found = m_values.find(name);
    if (found == m_values.end()) {
        return refused(format("there is no knob \"{}\"", name));
    }
    return found->second;
}

Result<Args> evaluateArgs(const ScriptStep& step, const KnobLookup& knobs, const Context& context)
{
    Args args;
    for (std::size_t i = 0; i < step.words.size(); ++i) {
        Result<ArgValue> value = evaluateArg(step, i, knobs, context);
        if (!value) {
            return value.error();
        }
        args.values.push_back(*std::move(value));
    }
    return args;
}

bool isOn(const ScriptStep& step, const Script& script, const KnobValues& values)
{
    const auto given = values.find(step.condition);
    const Knob* knob = findKnob(script, step.condition);
    return given != values.end() ? given->second != 0 : knob == nullptr || knob->defaultValue != 0;
}

bool usesKnobs(const ScriptStep& step)
{
    return step.text.find_first_of("?{") != std::string::npos;
}

Result<Script> bindKnobs(const Script& script, const KnobValues& values, const Context& context)
{
    const Result<KnobLookup> knobs = KnobLookup::create(script, values);
    if (!knobs) {
        return knobs.error();
    }
    const auto indexOf = [](const auto& one) { return static_cast<std::size_t>(one.line) - 1; };
    // Declarations and constraints go; an inline knob shares the line of its step, which says whether it stays.
    std::vector<bool> goes(script.lines.size(), false);
    for (const Knob& knob : script.knobs) {
        goes[indexOf(knob)] = true;
    }
    for (const KnobConstraint& constraint : script.constraints) {
        goes[indexOf(constraint)] = true;
    }
    std::vector<std::string> lines = script.lines;
    std::vector<const Primitive*> primitives;
    for (const ScriptStep& step : script.steps) {
        primitives.push_back(step.primitive);
        std::string& line = lines[indexOf(step)];
        goes[indexOf(step)] = !knobs->isOn(step);
        if (usesKnobs(step)) {
            replaceInLine(line, knobsInStep(step, line, *knobs, context));
        }
    }
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!goes[i]) {
            kept.push_back(std::move(lines[i]));
        }
    }
    return parseScript(join(kept, "\n"), primitives, context);
}

} // namespace nw::schedule
