// One line of a script: words, the primitive, and the words of each of its arguments.

#include "engine/schedule/script_line.h"

#include "engine/base/text.h"
#include "engine/schedule/script_number.h"

#include <algorithm>
#include <numeric>

namespace nw::schedule {

namespace {

using Word = ScriptStep::Word;

constexpr std::string_view kRequire = "require";

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

bool startsWithOperator(std::string_view word)
{
    return word.front() == '*' || word.front() == '/' || word.front() == '+' || word.front() == ':'
        || word.starts_with("..") || (word.front() == '-' && !word.starts_with("->"));
}
bool endsWithOperator(std::string_view word)
{
    const char last = word.back();
    return last == '*' || last == '/' || last == '+' || last == '-' || last == ':' || word.ends_with("..");
}

// Evaluates the step's numbers with knobs at 1 and lists at their first value, collecting both, and alternatives.
Status collectKnobs(const ScriptStep& step, const Context& context, ParsedLine& parsed)
{
    if (!step.condition.empty()) {
        const int column = step.column + static_cast<int>(step.text.rfind('?'));
        parsed.uses.push_back({step.condition, column});
    }
    for (const Word& word : alternativeWords(step)) {
        std::vector<std::int64_t> places(readAlternatives(word)->size());
        std::iota(places.begin(), places.end(), 0);
        parsed.choices.push_back({std::move(places), word.column});
    }
    for (const NumberWord& number : numberWords(step)) {
        const NumberScope scope{context.target,
                                [&](int column, std::string_view name) {
                                    parsed.uses.push_back({std::string(name), number.column + column - 1});
                                    return Result<std::int64_t>(std::int64_t{1});
                                },
                                [&](int column, const std::vector<std::int64_t>& values) {
                                    parsed.choices.push_back({distinct(values), number.column + column - 1});
                                    return Result<std::int64_t>(values.front());
                                }};
        const Result<std::int64_t> value = evalNumber(number.text, scope);
        // A knob's own value may well make the divisor something else than zero; replaying tells.
        const bool varies = number.text.find_first_of("?{") != std::string_view::npos;
        if (!value && !(varies && value.error().message == "division by zero")) {
            return Error(value.error()).at(0, number.column + value.error().column - 1);
        }
    }
    return Done{};
}

std::string canonicalWord(ParamKind kind, const Word& word)
{
    if (kind == ParamKind::Map) {
        const Result<IndexMap> map = mapNumbers(word.text).empty() ? parseIndexMap(word.text) : failed("not plain");
        return map ? map->toText() : word.text;
    }
    if (kind == ParamKind::Loops && isAlternatives(word)) {
        std::vector<std::string> texts;
        for (const std::vector<std::string>& names : *readAlternatives(word)) {
            texts.push_back(join(names, " "));
        }
        return format("{{{}}}", join(texts, " | "));
    }
    return kind == ParamKind::Number || kind == ParamKind::Parts ? canonicalNumber(word.text) : word.text;
}

Result<ParsedLine> parseKnobLine(std::string_view text, int column, const Context& context)
{
    std::size_t at = 4;
    const auto skip = [&] {
        while (at < text.size() && isSpace(text[at])) {
            ++at;
        }
    };
    const auto here = [&] { return column + static_cast<int>(at); };
    skip();
    const std::size_t nameAt = at;
    while (at < text.size() && isNameChar(text[at])) {
        ++at;
    }
    Knob knob{std::string(text.substr(nameAt, at - nameAt)), {}, 0, 0};
    if (!isName(knob.name)) {
        return refused("the name of the knob is missing: knob NAME = {4, 8} default 4")
            .at(0, column + static_cast<int>(nameAt));
    }
    skip();
    if (at == text.size() || text[at] != '=') {
        return refused(format("'=' is missing behind the name of knob {}", knob.name)).at(0, here());
    }
    ++at;
    const std::string_view rest = text.substr(at);
    Result<KnobRange> range = parseKnobRange(rest, context.target);
    if (!range) {
        return Error(range.error()).at(0, here() + range.error().column - 1);
    }
    knob.choices = std::move(range->choices);
    knob.defaultValue = range->defaultValue;
    ParsedLine parsed;
    parsed.knob = std::move(knob);
    return parsed;
}

Result<ParsedLine> parseRequireLine(std::string_view text, int column, const Context& context)
{
    std::size_t start = kRequire.size();
    while (start < text.size() && isSpace(text[start])) {
        ++start;
    }
    ParsedLine parsed;
    const int at = column + static_cast<int>(start);
    Result<KnobConstraint> constraint
        = parseConstraint(text.substr(start), context.target, [&](int place, std::string_view name) {
              parsed.uses.push_back({std::string(name), at + place - 1});
          });
    if (!constraint) {
        return Error(constraint.error()).at(0, at + constraint.error().column - 1);
    }
    constraint->column = at;
    parsed.constraint = *std::move(constraint);
    return parsed;
}

bool startsWithWord(std::string_view text, std::string_view word)
{
    return text.starts_with(word) && (text.size() == word.size() || !isNameChar(text[word.size()]));
}

// Takes "when ?NAME" off the end; empty when it is not there.
std::string takeCondition(std::vector<Word>& words)
{
    if (words.size() < 3 || words[words.size() - 2].text != "when" || words.back().text.front() != '?'
        || !isName(std::string_view(words.back().text).substr(1))) {
        return {};
    }
    const std::string name = words.back().text.substr(1);
    words.resize(words.size() - 2);
    return name;
}

Result<std::vector<std::vector<Word>>> argumentsOf(const Primitive& primitive, const std::vector<Word>& words, int endColumn)
{
    Result<std::vector<std::vector<Word>>> given = readArguments(primitive, words, endColumn);
    const bool isWhen = !given && std::any_of(words.begin(), words.end(), [&](const Word& word) {
        return word.text == "when" && word.column == given.error().column;
    });
    return isWhen ? refused("\"when\" stands at the end of a step and before a knob: when ?NAME")
                        .at(0, given.error().column)
                  : given;
}

} // namespace

std::string canonicalStep(const ScriptStep& step)
{
    std::string text = step.primitive->name;
    for (std::size_t i = 0; i < step.words.size(); ++i) {
        if (step.words[i].empty()) {
            continue;
        }
        const Param& param = step.primitive->params[i];
        text += param.keyword.empty() ? "" : " " + param.keyword;
        for (const Word& word : step.words[i]) {
            text += " " + canonicalWord(param.kind, word);
        }
    }
    return step.condition.empty() ? text : text + " when ?" + step.condition;
}

std::string canonicalKnobLine(std::string_view line)
{
    int column = 1;
    const std::string_view text = stripLine(line, column);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
        return std::string(text);
    }
    return format("{} = {}", join(splitWords(text.substr(0, equals)), " "), join(splitWords(text.substr(equals + 1)), " "));
}

std::string canonicalRequireLine(std::string_view line)
{
    int column = 1;
    const std::string_view text = stripLine(line, column);
    return format("{} {}", kRequire, canonicalConstraint(text.substr(std::min(kRequire.size(), text.size()))));
}

std::vector<NumberWord> numberWords(const ScriptStep& step)
{
    std::vector<NumberWord> numbers;
    for (std::size_t i = 0; i < step.words.size(); ++i) {
        const ParamKind kind = step.primitive->params[i].kind;
        if (kind == ParamKind::Map && !step.words[i].empty()) {
            const Word& map = step.words[i].front();
            for (const std::string_view piece : mapNumbers(map.text)) {
                numbers.push_back({piece, map.column + static_cast<int>(piece.data() - map.text.data())});
            }
        }
        if (kind != ParamKind::Parts && kind != ParamKind::Number) {
            continue;
        }
        for (const Word& word : step.words[i]) {
            const std::size_t colon = kind == ParamKind::Parts ? word.text.find(':') : std::string::npos;
            const std::size_t start = colon == std::string::npos ? 0 : colon + 1;
            const std::string_view text = std::string_view(word.text).substr(start);
            if ((kind == ParamKind::Number || colon != std::string::npos) && trim(text) != "_") {
                numbers.push_back({text, word.column + static_cast<int>(start)});
            }
        }
    }
    return numbers;
}

std::string_view stripLine(std::string_view line, int& column)
{
    line = line.substr(0, line.find('#'));
    std::size_t start = 0;
    while (start < line.size() && isSpace(line[start])) {
        ++start;
    }
    std::size_t end = line.size();
    while (end > start && isSpace(line[end - 1])) {
        --end;
    }
    column = static_cast<int>(start) + 1;
    return line.substr(start, end - start);
}

Result<std::vector<Word>> splitLine(std::string_view line)
{
    std::vector<Word> words;
    std::vector<char> open;
    bool inWord = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (isSpace(c) && open.empty()) {
            inWord = false;
            continue;
        }
        if (c == '(' || c == '[' || c == '{') {
            open.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
        } else if (c == ')' || c == ']' || c == '}') {
            if (open.empty() || open.back() != c) {
                return refused(format("'{}' closes nothing", c)).at(0, static_cast<int>(i) + 1);
            }
            open.pop_back();
        }
        if (!inWord) {
            words.push_back({{}, static_cast<int>(i) + 1});
            inWord = true;
        }
        words.back().text += c;
    }
    if (!open.empty()) {
        return refused(format("'{}' is missing", open.back())).at(0, static_cast<int>(line.size()) + 1);
    }
    std::vector<Word> joined;
    for (Word& word : words) {
        if (!joined.empty() && joined.back().text != "->"
            && (startsWithOperator(word.text) || endsWithOperator(joined.back().text))) {
            const std::size_t start = static_cast<std::size_t>(joined.back().column) - 1;
            const std::size_t end = static_cast<std::size_t>(word.column) - 1 + word.text.size();
            joined.back().text = line.substr(start, end - start);
        } else {
            joined.push_back(std::move(word));
        }
    }
    return joined;
}

Result<ParsedLine> parseLine(std::string_view line, std::span<const Primitive* const> primitives, const Context& context)
{
    int column = 1;
    const std::string_view text = stripLine(line, column);
    if (text.empty()) {
        return ParsedLine{};
    }
    if (startsWithWord(text, "knob")) {
        return parseKnobLine(text, column, context);
    }
    if (startsWithWord(text, kRequire)) {
        return parseRequireLine(text, column, context);
    }
    Result<std::vector<Word>> words = splitLine(line.substr(0, line.find('#')));
    if (!words) {
        return words.error();
    }
    const std::string name = words->front().text;
    const auto found = std::find_if(primitives.begin(), primitives.end(),
                                    [&](const Primitive* primitive) { return primitive->name == name; });
    if (found == primitives.end()) {
        std::vector<std::string> known{"knob", std::string(kRequire)};
        for (const Primitive* primitive : primitives) {
            known.push_back(primitive->name);
        }
        const std::string near = nearest(name, known);
        return refused(format("there is no primitive \"{}\"{}", name,
                              near.empty() ? "" : format("; did you mean \"{}\"?", near)))
            .at(0, column);
    }
    std::string condition = takeCondition(*words);
    words->erase(words->begin());
    Result<std::vector<std::vector<Word>>> given
        = argumentsOf(**found, *words, column + static_cast<int>(text.size()));
    if (!given) {
        return given.error();
    }
    ParsedLine parsed;
    parsed.step = ScriptStep{*found, std::string(text), 0, column, *std::move(given), std::move(condition)};
    const Status numbers = collectKnobs(*parsed.step, context, parsed);
    if (!numbers) {
        return numbers.error();
    }
    return parsed;
}

} // namespace nw::schedule
