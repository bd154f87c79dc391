// Lines become a script: numbers, names of knobs, and what only the whole script can say.

#include "engine/schedule/script_line.h"

#include "engine/base/text.h"

#include <algorithm>

namespace nw::schedule {

namespace {

bool hasKnob(const Script& script, const std::string& name)
{
    return std::any_of(script.knobs.begin(), script.knobs.end(), [&](const Knob& knob) { return knob.name == name; });
}

Error unknownKnob(const Script& script, const std::string& name)
{
    std::vector<std::string> names;
    for (const Knob& knob : script.knobs) {
        names.push_back(knob.name);
    }
    const std::string near = nearest(name, names);
    return refused(near.empty() ? format("there is no knob \"{}\"; declare it: knob {} = {{4, 8}} default 4", name, name)
                                : format("there is no knob \"{}\"; did you mean \"{}\"?", name, near));
}

} // namespace

std::string inlineKnobName(int line, int column) { return format("line{}.{}", line, column); }

Result<Script> assembleScript(std::vector<std::string> lines, const std::vector<const ParsedLine*>& parsed)
{
    Script script;
    for (std::size_t i = 0; i < parsed.size(); ++i) {
        const ParsedLine& line = *parsed[i];
        const int number = static_cast<int>(i) + 1;
        if (line.step) {
            script.steps.push_back(*line.step);
            script.steps.back().line = number;
        }
        if (line.knob) {
            if (hasKnob(script, line.knob->name)) {
                return refused(format("knob {} is declared twice", line.knob->name)).at(number, 1);
            }
            script.knobs.push_back(*line.knob);
            script.knobs.back().line = number;
        }
        if (line.constraint) {
            script.constraints.push_back(*line.constraint);
            script.constraints.back().line = number;
        }
        for (const ParsedLine::Choice& choice : line.choices) {
            const std::string name = inlineKnobName(number, choice.column);
            if (hasKnob(script, name)) {
                return refused(format("knob {} is declared twice", name)).at(number, choice.column);
            }
            script.knobs.push_back({name, choice.values, choice.values.front(), number});
        }
    }
    for (std::size_t i = 0; i < parsed.size(); ++i) {
        for (const ParsedLine::Use& use : parsed[i]->uses) {
            if (!hasKnob(script, use.name)) {
                return unknownKnob(script, use.name).at(static_cast<int>(i) + 1, use.column);
            }
        }
    }
    if (!script.constraints.empty()) {
        const Result<KnobLookup> defaults = KnobLookup::create(script, {});
        if (!defaults) {
            const Error& why = defaults.error();
            return refused("with the default values, " + why.message).at(why.line, why.column);
        }
    }
    script.lines = std::move(lines);
    return script;
}

Result<Script> parseScript(std::string_view text, std::span<const Primitive* const> primitives, const Context& context)
{
    std::vector<std::string> lines = splitText(text, '\n');
    std::vector<ParsedLine> parsed;
    parsed.reserve(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        Result<ParsedLine> line = parseLine(lines[i], primitives, context);
        if (!line) {
            return Error(line.error()).at(static_cast<int>(i) + 1, line.error().column);
        }
        parsed.push_back(*std::move(line));
    }
    std::vector<const ParsedLine*> pointers;
    for (const ParsedLine& line : parsed) {
        pointers.push_back(&line);
    }
    return assembleScript(std::move(lines), pointers);
}

} // namespace nw::schedule
