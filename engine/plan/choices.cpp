#include "engine/base/text.h"
#include "engine/plan/plan.h"
#include "engine/plan/short_layout.h"

#include <charconv>

namespace nw::plan {
namespace {

// One line of choices with the columns of its words.
struct Line {
    std::string_view text; // without the comment
    int number = 0;
    std::vector<std::pair<std::string_view, int>> words; // word, column

    Error wrong(std::size_t word, std::string message) const
    {
        const int end = static_cast<int>(trim(text).data() - text.data() + static_cast<std::ptrdiff_t>(trim(text).size())) + 1;
        return refused(std::move(message)).at(number, word < words.size() ? words[word].second : end);
    }
    // Everything from a word on.
    std::string_view from(std::size_t word) const
    {
        return word < words.size() ? trim(text.substr(static_cast<std::size_t>(words[word].second - 1))) : std::string_view();
    }
};

Line lineOf(std::string_view text, int number)
{
    Line line{text.substr(0, text.find('#')), number, {}};
    std::size_t i = 0;
    while (true) {
        i = line.text.find_first_not_of(" \t\r", i);
        if (i == std::string_view::npos) {
            return line;
        }
        const std::size_t end = std::min(line.text.find_first_of(" \t\r", i), line.text.size());
        line.words.emplace_back(line.text.substr(i, end - i), static_cast<int>(i) + 1);
        i = end;
    }
}

Result<std::int64_t> numberAt(const Line& line, std::size_t word, std::int64_t least, const std::string& what)
{
    std::int64_t value = 0;
    if (word < line.words.size()) {
        const std::string_view text = line.words[word].first;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (code == std::errc() && end == text.data() + text.size() && value >= least) {
            return value;
        }
    }
    return line.wrong(word, format("{} is a whole number from {} on.", what, least));
}

Status noMore(const Line& line, std::size_t word)
{
    return word < line.words.size() ? Status(line.wrong(word, format("\"{}\" is too much here.", line.words[word].first)))
                                    : Status(Done{});
}

Status parseBind(const Line& line, Choices& choices)
{
    if (line.words.size() < 3 || line.words[2].first != "=") {
        return line.wrong(line.words.size() < 2 ? 1 : 2, "A binding is written: bind batch = 2.");
    }
    const Result<std::int64_t> extent = numberAt(line, 3, 0, "The extent");
    if (!extent) {
        return extent.error();
    }
    if (!choices.bind.emplace(line.words[1].first, *extent).second) {
        return line.wrong(1, format("\"{}\" is bound twice.", line.words[1].first));
    }
    return noMore(line, 4);
}

Status parseLayoutLine(const Line& line, Choices& choices)
{
    if (line.words.size() < 4) {
        return line.wrong(line.words.size(), "A layout is written: layout conv.0 X NCHW16c.");
    }
    Result<Layout> layout = parseChoiceLayout(line.from(3));
    if (!layout) {
        Error error = layout.error();
        const int column = line.words[3].second + std::max(error.column - 1, 0);
        return std::move(error).at(line.number, column);
    }
    const std::string group(line.words[1].first);
    const std::string port(line.words[2].first);
    for (const Choices::LayoutChoice& other : choices.layouts) {
        if (other.group == group && other.port == port) {
            return line.wrong(1, format("{} {} has a layout already.", group, port));
        }
    }
    choices.layouts.push_back({group, port, *std::move(layout)});
    return Done{};
}

Status parseAlgorithm(const Line& line, Choices& choices)
{
    if (line.words.size() < 3) {
        return line.wrong(line.words.size(), "An algorithm is written: algorithm conv.0 direct.");
    }
    if (!choices.algorithms.emplace(line.words[1].first, line.words[2].first).second) {
        return line.wrong(1, format("{} has an algorithm already.", line.words[1].first));
    }
    return noMore(line, 3);
}

Status parseLayouts(const Line& line, Choices& choices)
{
    const std::string_view way = line.words.size() < 2 ? std::string_view() : line.words[1].first;
    if (way == "plain") {
        choices.block = 0;
        return noMore(line, 2);
    }
    if (way != "blocked") {
        return line.wrong(1, "How activations lie is written: layouts plain, or: layouts blocked 16.");
    }
    const Result<std::int64_t> block = numberAt(line, 2, 2, "The number of channels in a block");
    if (!block) {
        return block.error();
    }
    if (*block > 1024) {
        return line.wrong(2, "Blocks of more than 1024 channels are not laid.");
    }
    choices.block = *block;
    return noMore(line, 3);
}

Status parseTarget(const Line& line, Choices& choices)
{
    if (line.words.size() < 2) {
        return line.wrong(1, "A target is written: target native.");
    }
    choices.target = line.words[1].first;
    return noMore(line, 2);
}

Status parseThreads(const Line& line, Choices& choices)
{
    const Result<std::int64_t> threads = numberAt(line, 1, 1, "The number of threads");
    if (!threads) {
        return threads.error();
    }
    if (*threads > 4096) {
        return line.wrong(1, "More than 4096 threads cannot be used.");
    }
    choices.threads = static_cast<int>(*threads);
    return noMore(line, 2);
}

Status parseLine(const Line& line, Choices& choices)
{
    const std::string verb(line.words[0].first);
    if (verb == "bind") {
        return parseBind(line, choices);
    }
    if (verb == "layout") {
        return parseLayoutLine(line, choices);
    }
    if (verb == "layouts") {
        return parseLayouts(line, choices);
    }
    if (verb == "algorithm") {
        return parseAlgorithm(line, choices);
    }
    if (verb == "target") {
        return parseTarget(line, choices);
    }
    if (verb == "threads") {
        return parseThreads(line, choices);
    }
    const std::string near = nearest(verb, {"bind", "layout", "layouts", "algorithm", "target", "threads"});
    return line.wrong(0, format("\"{}\" is no choice{}. There are bind, layout, layouts, algorithm, target and threads.", verb,
                                near.empty() ? std::string() : format("; did you mean {}?", near)));
}

} // namespace

Result<Choices> parseChoices(const std::string& text)
{
    Choices choices;
    int number = 0;
    for (const std::string& raw : splitText(text, '\n')) {
        const Line line = lineOf(raw, ++number);
        if (line.words.empty()) {
            continue;
        }
        if (const Status status = parseLine(line, choices); !status) {
            return status.error();
        }
    }
    return choices;
}

std::string toText(const Choices& choices)
{
    std::string text;
    for (const auto& [symbol, extent] : choices.bind) {
        text += format("bind {} = {}\n", symbol, extent);
    }
    if (choices.block) {
        text += *choices.block > 0 ? format("layouts blocked {}\n", *choices.block) : "layouts plain\n";
    }
    for (const Choices::LayoutChoice& choice : choices.layouts) {
        text += format("layout {} {} {}\n", choice.group, choice.port, choiceText(choice.layout));
    }
    for (const auto& [group, algorithm] : choices.algorithms) {
        text += format("algorithm {} {}\n", group, algorithm);
    }
    return text + format("target {}\nthreads {}\n", choices.target, choices.threads);
}

} // namespace nw::plan
