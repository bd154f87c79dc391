#include "engine/schedule/templates.h"

#include "engine/base/text.h"
#include "engine/schedule/shipped_templates.h"

#include <algorithm>
#include <map>

namespace nw::schedule {

namespace {

constexpr std::string_view kHead = "#:";

// Steps of the anchor's axes, and what the marks stand for.
class Names {
public:
    Names(const Task& task)
        : m_target(task.target)
    {
        const std::vector<compute::Stage>& stages = task.definition->stages;
        m_anchor = stages.front().name;
        if (stages.size() > 1) {
            m_epilogue = stages.back().name;
        }
        m_row = stages.front().spatial.empty() ? std::string() : stages.front().spatial.back().name;
        m_column = stages.back().spatial.empty() ? std::string() : stages.back().spatial.back().name;
        for (const auto* axes : {&stages.front().spatial, &stages.front().reduction}) {
            for (const compute::Axis& axis : *axes) {
                if (const std::optional<std::int64_t> steps = constInt(axis.extent)) {
                    m_steps[axis.name] = *steps;
                }
            }
        }
    }

    bool hasEpilogue() const { return !m_epilogue.empty(); }

    std::int64_t steps(std::string_view axis) const
    {
        const auto found = m_steps.find(axis);
        return found == m_steps.end() ? 1 : found->second;
    }

    Result<std::string> mark(std::string_view text) const
    {
        const std::vector<std::string> words = splitWords(text);
        if (words.size() == 1 && words[0] == "anchor") {
            return m_anchor;
        }
        if (words.size() == 1 && words[0] == "epilogue" && hasEpilogue()) {
            return m_epilogue;
        }
        if (words.size() == 1 && words[0] == "row" && !m_row.empty()) {
            return m_row;
        }
        if (words.size() == 1 && words[0] == "column" && !m_column.empty()) {
            return m_column;
        }
        if (words.size() == 1 && m_steps.contains(words[0])) {
            return std::to_string(steps(words[0]));
        }
        if (words.size() >= 3 && words[0] == "fit" && m_steps.contains(words[1])) {
            NumberScope scope;
            scope.target = &m_target;
            const Result<std::int64_t> most
                = evalNumber(join(std::vector<std::string>(words.begin() + 2, words.end()), " "), scope);
            if (!most) {
                return most.error();
            }
            return std::to_string(fit(steps(words[1]), *most));
        }
        return failed(format("<{}> stands for nothing here", text));
    }

    // Of the tiles of 1..most steps the cheapest: each has its own loads and stores, as dear as a quarter of the largest
    // tile's steps; steps that are no steps of the axis are done all the same, and their guards cost a tenth.
    static std::int64_t fit(std::int64_t steps, std::int64_t most)
    {
        std::int64_t best = 1;
        double least = 0;
        for (std::int64_t tile = std::clamp<std::int64_t>(most, 1, std::max<std::int64_t>(steps, 1)); tile >= 1; --tile) {
            const auto turns = static_cast<double>((steps + tile - 1) / tile);
            const double guards = steps % tile == 0 ? 1 : 1.1;
            const double cost = turns * (static_cast<double>(tile) + static_cast<double>(most) / 4) * guards;
            if (least == 0 || cost < least) {
                best = tile;
                least = cost;
            }
        }
        return best;
    }

private:
    const Target& m_target;
    std::string m_anchor, m_epilogue, m_row, m_column;
    std::map<std::string, std::int64_t, std::less<>> m_steps;
};

Result<std::string> fillLine(std::string_view line, const Names& names)
{
    std::string filled;
    while (true) {
        const std::size_t open = line.find('<');
        const std::size_t close = open == std::string_view::npos ? open : line.find('>', open);
        // "a <= b" is no mark.
        const bool isMark = close != std::string_view::npos && open + 1 < line.size() && isNameStart(line[open + 1]);
        if (!isMark) {
            const std::size_t until = open == std::string_view::npos ? line.size() : open + 1;
            filled += line.substr(0, until);
            if (until == line.size()) {
                return filled;
            }
            line.remove_prefix(until);
            continue;
        }
        const Result<std::string> word = names.mark(line.substr(open + 1, close - open - 1));
        if (!word) {
            return word.error();
        }
        filled += std::string(line.substr(0, open)) + *word;
        line.remove_prefix(close + 1);
    }
}

// Nothing: the line is not for a group like this.
std::optional<std::string_view> lineFor(std::string_view line, bool hasEpilogue)
{
    for (const auto& [mark, wanted] : {std::pair<std::string_view, bool>{"[epilogue] ", true}, {"[alone] ", false}}) {
        if (line.starts_with(mark)) {
            return wanted == hasEpilogue ? std::optional(line.substr(mark.size())) : std::nullopt;
        }
    }
    return line;
}

const Layout* layoutOf(const Task& task, const std::string& port)
{
    const std::vector<compute::Port>& ports = task.definition->ports;
    for (std::size_t i = 0; i < ports.size() && i < task.layouts.size(); ++i) {
        if (ports[i].name == port) {
            return &task.layouts[i];
        }
    }
    return nullptr;
}

Status suits(const Template& from, const Task& task, const Names& names)
{
    if (task.definition->kind != from.kind) {
        return refused({"template.kind", NW_WORDS("{0} is a template for {1}, not for {2}"), {from.name, from.kind, task.definition->kind}, {}, {}});
    }
    for (const bool plain : {true, false}) {
        for (const std::string& port : plain ? from.plain : from.blocked) {
            const Layout* layout = layoutOf(task, port);
            const bool isRowMajor = layout != nullptr && (layout->map.axes.empty() || layout->map.isIdentity());
            if (layout == nullptr || isRowMajor != plain) {
                return refused({"template.layout", NW_WORDS("{0} is for another layout of {1}"), {from.name, port}, {}, {}});
            }
        }
    }
    for (const std::string& condition : from.conditions) {
        const Result<KnobConstraint> constraint = parseConstraint(condition, &task.target, [](int, std::string_view) {});
        if (!constraint) {
            return constraint.error();
        }
        std::vector<std::int64_t> values;
        for (const std::string& axis : constraint->sides.knobs) {
            values.push_back(names.steps(axis));
        }
        if (violation(*constraint, values)) {
            return refused({"template.condition", NW_WORDS("{0} is for tasks with {1}"), {from.name, condition}, {}, {}});
        }
    }
    return Done{};
}

} // namespace

Result<Template> parseTemplate(std::string name, std::string_view text)
{
    Template made;
    made.name = std::move(name);
    int number = 0;
    for (const std::string& line : splitText(trim(text), '\n')) {
        ++number;
        if (!line.starts_with(kHead)) {
            made.text += line + "\n";
            continue;
        }
        const std::string_view rest = trim(std::string_view(line).substr(kHead.size()));
        const std::size_t space = std::min(rest.find(' '), rest.size());
        const std::string_view key = rest.substr(0, space);
        const std::string value(trim(rest.substr(space)));
        if (key == "title") {
            made.title = value;
        } else if (key == "kind") {
            made.kind = value;
        } else if (key == "plain") {
            made.plain.push_back(value);
        } else if (key == "blocked") {
            made.blocked.push_back(value);
        } else if (key == "where") {
            made.conditions.push_back(value);
        } else {
            return failed(format("{}, line {}: {} is nothing that a template says of itself", made.name, number, key));
        }
    }
    if (made.title.empty() || made.kind.empty()) {
        return failed(format("{}: a template says its title and its kind", made.name));
    }
    return made;
}

std::span<const Template> allTemplates()
{
    static const std::vector<Template> kAll = [] {
        std::vector<Template> all;
        for (const ShippedTemplate& shipped : shippedTemplates()) {
            Result<Template> parsed = parseTemplate(shipped.name, shipped.text);
            ENSURE(parsed.has_value(), parsed ? "" : parsed.error().message);
            all.push_back(*std::move(parsed));
        }
        return all;
    }();
    return kAll;
}

Result<std::string> instantiate(const Template& from, const Task& task, const LoopNest& initial)
{
    const Names names(task);
    if (const Status fits = suits(from, task, names); !fits) {
        return fits.error();
    }
    std::string text;
    for (const std::string& line : splitText(trim(from.text), '\n')) {
        if (const std::optional<std::string_view> wanted = lineFor(line, names.hasEpilogue())) {
            const Result<std::string> filled = fillLine(*wanted, names);
            if (!filled) {
                return filled.error();
            }
            text += *filled + "\n";
        }
    }
    const Context context{&task.target};
    const Result<Script> script = parseScript(text, allPrimitives(), context);
    if (!script) {
        return script.error();
    }
    const Result<Replay> replayed = replay(initial, *script, {}, context);
    if (!replayed) {
        return replayed.error();
    }
    return text;
}

std::optional<TemplateScript> templateFor(const Task& task, const LoopNest& initial, std::span<const Template> templates)
{
    for (const Template& from : templates) {
        if (Result<std::string> script = instantiate(from, task, initial)) {
            return TemplateScript{&from, *std::move(script)};
        }
    }
    return std::nullopt;
}

} // namespace nw::schedule
