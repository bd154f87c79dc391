// The words of a step, dealt out to the primitive's parameters.

#include "engine/schedule/script_line.h"

#include "engine/base/text.h"
#include "engine/schedule/script_number.h"

#include <algorithm>
#include <iterator>

namespace nw::schedule {

namespace {

using Word = ScriptStep::Word;

// The arguments of one step from its words.
class StepReader {
public:
    StepReader(const Primitive& primitive, std::vector<Word> words, int endColumn)
        : m_primitive(primitive)
        , m_words(std::move(words))
        , m_endColumn(endColumn)
        , m_given(primitive.params.size())
    {}

    Result<std::vector<std::vector<Word>>> read()
    {
        while (m_next < m_words.size()) {
            const Status taken = takeParam();
            if (!taken) {
                return taken.error();
            }
        }
        for (std::size_t i = 0; i < m_given.size(); ++i) {
            const Param& param = m_primitive.params[i];
            if (m_given[i].empty() && !param.optional) {
                return refused(format("{} needs {}{}", m_primitive.name,
                                      param.keyword.empty() ? "" : format("\"{}\" and ", param.keyword), what(param)))
                    .at(0, m_endColumn);
            }
        }
        return std::move(m_given);
    }

private:
    static std::string what(const Param& param)
    {
        switch (param.kind) {
        case ParamKind::Loop: return "the name of a loop (" + param.name + ")";
        case ParamKind::Loops: return "the names of loops (" + param.name + ")";
        case ParamKind::Block: return "the name of a block";
        case ParamKind::Buffer: return "the name of a buffer";
        case ParamKind::Parts: return "the new loops, such as \"i.o:_ i.i:4\"";
        case ParamKind::NewName: return "a new name";
        case ParamKind::ScopeName: return "registers, stack or heap";
        case ParamKind::Map: return "an index map, such as \"(k, n) -> (n / 16, k, n % 16)\"";
        case ParamKind::Choice: return join(param.choices, " or ");
        case ParamKind::Number: return "a number (" + param.name + ")";
        }
        return "an argument";
    }

    std::size_t paramOfKeyword(std::string_view word) const
    {
        for (std::size_t i = 0; i < m_primitive.params.size(); ++i) {
            if (m_primitive.params[i].keyword == word) {
                return i;
            }
        }
        return m_primitive.params.size();
    }
    bool isKeyword(std::string_view word) const { return paramOfKeyword(word) < m_primitive.params.size(); }

    Status takeParam()
    {
        const Word& word = m_words[m_next];
        const std::size_t positional = nextPositional();
        std::size_t index = paramOfKeyword(word.text);
        if (index < m_given.size()) {
            if (!m_given[index].empty()) {
                return refused(format("\"{}\" stands twice", word.text)).at(0, word.column);
            }
            ++m_next;
            if (m_next == m_words.size()) {
                return refused(format("\"{}\" must be followed by {}", word.text, what(m_primitive.params[index])))
                    .at(0, m_endColumn);
            }
        } else if (positional < m_given.size()) {
            index = positional;
        } else {
            return surplus(word);
        }
        return takeWords(index);
    }

    std::size_t nextPositional() const
    {
        for (std::size_t i = 0; i < m_given.size(); ++i) {
            if (m_primitive.params[i].keyword.empty() && m_given[i].empty()) {
                return i;
            }
        }
        return m_given.size();
    }

    Status surplus(const Word& word) const
    {
        std::vector<std::string> keywords;
        for (const Param& param : m_primitive.params) {
            if (!param.keyword.empty()) {
                keywords.push_back(param.keyword);
            }
        }
        const std::string near = nearest(word.text, keywords);
        return refused(format("{} has no use for \"{}\"{}", m_primitive.name, word.text,
                              near.empty() ? "" : format("; did you mean \"{}\"?", near)))
            .at(0, word.column);
    }

    Status takeWords(std::size_t index)
    {
        const Param& param = m_primitive.params[index];
        std::vector<Word>& given = m_given[index];
        const bool many = param.kind == ParamKind::Loops || param.kind == ParamKind::Parts || param.kind == ParamKind::Map;
        do {
            given.push_back(m_words[m_next++]);
        } while (many && m_next < m_words.size() && !isKeyword(m_words[m_next].text));
        if (param.kind == ParamKind::Map) {
            return joinMap(given);
        }
        for (const Word& word : given) {
            const Status fine = checkWord(param, word);
            if (!fine) {
                return fine;
            }
        }
        return Done{};
    }

    static Status joinMap(std::vector<Word>& words)
    {
        std::string text;
        for (const Word& word : words) {
            text += (text.empty() ? "" : " ") + word.text;
        }
        // Whether the numbers make sense is told where they are evaluated; here only the form counts.
        const Result<std::string> filled = fillMapNumbers(text, [](std::string_view, int) { return Result<std::int64_t>(1); });
        const Result<IndexMap> map = parseIndexMap(filled ? *filled : text);
        if (!map) {
            return refused(map.error().message).at(0, words.front().column);
        }
        words = {{text, words.front().column}};
        return Done{};
    }

    static Status checkWord(const Param& param, const Word& word)
    {
        switch (param.kind) {
        case ParamKind::Loops:
            if (isAlternatives(word)) {
                const Result<std::vector<std::vector<std::string>>> alternatives = readAlternatives(word);
                return alternatives ? Status(Done{}) : Status(alternatives.error());
            }
            [[fallthrough]];
        case ParamKind::Loop:
        case ParamKind::Block:
        case ParamKind::Buffer:
        case ParamKind::NewName:
            if (!isName(word.text)) {
                return refused(format("\"{}\" is no name; {} is expected here", word.text, what(param))).at(0, word.column);
            }
            return Done{};
        case ParamKind::ScopeName: return checkScope(word);
        case ParamKind::Choice: return checkChoice(param, word);
        case ParamKind::Parts: return checkPart(word);
        case ParamKind::Number:
        case ParamKind::Map: break;
        }
        return Done{};
    }

    static Status checkScope(const Word& word)
    {
        const std::vector<std::string> scopes{"registers", "stack", "heap"};
        if (std::find(scopes.begin(), scopes.end(), word.text) != scopes.end()) {
            return Done{};
        }
        const std::string near = nearest(word.text, scopes);
        return refused(format("there is no scope \"{}\"; {}", word.text,
                              near.empty() ? "registers, stack and heap are known" : format("did you mean \"{}\"?", near)))
            .at(0, word.column);
    }

    static Status checkChoice(const Param& param, const Word& word)
    {
        if (std::find(param.choices.begin(), param.choices.end(), word.text) != param.choices.end()) {
            return Done{};
        }
        const std::string near = nearest(word.text, param.choices);
        return refused(format("\"{}\" is no {}; {}", word.text, param.name,
                              near.empty() ? format("say {}", what(param)) : format("did you mean \"{}\"?", near)))
            .at(0, word.column);
    }

    static Status checkPart(const Word& word)
    {
        const std::size_t colon = word.text.find(':');
        const std::string name(trim(std::string_view(word.text).substr(0, colon)));
        if (!isName(name)) {
            return refused(format("\"{}\" is no name for a loop; a part is NAME, NAME:_ or NAME:NUMBER", name))
                .at(0, word.column);
        }
        if (colon == std::string::npos) {
            return Done{};
        }
        if (trim(std::string_view(word.text).substr(colon + 1)).empty()) {
            return refused(format("a number or _ is missing behind \"{}:\"", name)).at(0, word.column);
        }
        return Done{};
    }

    const Primitive& m_primitive;
    std::vector<Word> m_words;
    int m_endColumn;
    std::vector<std::vector<Word>> m_given;
    std::size_t m_next = 0;
};

} // namespace

bool isAlternatives(const Word& word) { return word.text.starts_with('{'); }

std::vector<Word> alternativeWords(const ScriptStep& step)
{
    std::vector<Word> found;
    for (std::size_t i = 0; i < step.words.size(); ++i) {
        if (step.primitive->params[i].kind == ParamKind::Loops) {
            std::copy_if(step.words[i].begin(), step.words[i].end(), std::back_inserter(found), isAlternatives);
        }
    }
    return found;
}

Result<std::vector<std::vector<std::string>>> readAlternatives(const Word& word)
{
    const std::string_view text = word.text;
    const auto columnOf = [&](std::string_view part) { return word.column + static_cast<int>(part.data() - text.data()); };
    // What is glued to the closing bracket is found as a part of a name.
    const std::size_t end = text.ends_with('}') ? text.size() - 1 : text.size();
    std::vector<std::vector<std::string>> alternatives;
    for (std::size_t at = 1; at <= end;) {
        const std::string_view part = text.substr(at, std::min(text.find('|', at), end) - at);
        const std::vector<std::string> names = splitWords(part);
        if (names.empty()) {
            return refused("an alternative needs the names of loops: {kh kw | kw kh}").at(0, columnOf(part));
        }
        for (const std::string& name : names) {
            if (!isName(name)) {
                return refused(format("\"{}\" is no name; alternatives are names of loops: {{kh kw | kw kh}}", name))
                    .at(0, columnOf(part.substr(part.find(name))));
            }
        }
        alternatives.push_back(names);
        at += part.size() + 1;
    }
    return alternatives;
}

Result<std::vector<std::vector<Word>>> readArguments(const Primitive& primitive, std::vector<Word> words, int endColumn)
{
    return StepReader(primitive, std::move(words), endColumn).read();
}

} // namespace nw::schedule
