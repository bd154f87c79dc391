#include "engine/schedule/templates.h"

#include "engine/base/text.h"
#include "engine/schedule/shipped_templates.h"
#include "engine/schedule/template_filling.h"
#include "engine/schedule/template_names.h"

#include <algorithm>

namespace nw::schedule {

namespace {

constexpr std::string_view kHead = "#:";

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

bool isRowMajor(const Layout& layout)
{
    return layout.map.axes.empty() || layout.map.isIdentity();
}

bool isBlocked(const Layout& layout)
{
    return blockedAxis(layout).has_value();
}

// Channels are the second axis.
bool hasChannelsLast(const Layout& layout)
{
    const IndexMap& map = layout.map;
    return map.axes.size() > 2 && map.out.size() == map.axes.size() && equal(map.out.back(), var(map.axes[1]));
}

bool isFor(const Template& from, const compute::Definition& definition)
{
    const auto names = [&](std::string_view kind) { return std::find(from.kinds.begin(), from.kinds.end(), kind) != from.kinds.end(); };
    const bool sums = std::any_of(definition.stages.begin(), definition.stages.end(),
                                  [](const compute::Stage& stage) { return stage.combiner != compute::Combiner::None; });
    return names(definition.kind) || (!sums && names("map"));
}

Status suits(const Template& from, const Task& task)
{
    if (!isFor(from, *task.definition)) {
        return refused({"template.kind", NW_WORDS("{0} is a template for {1}, not for {2}"), {from.name, join(from.kinds, ", "), task.definition->kind}, {}, {}});
    }
    using Way = std::pair<const std::vector<std::string>*, bool (*)(const Layout&)>;
    for (const auto& [ports, lies] : {Way(&from.plain, &isRowMajor), Way(&from.blocked, &isBlocked), Way(&from.last, &hasChannelsLast)}) {
        for (const std::string& port : *ports) {
            const Layout* layout = layoutOf(task, port);
            if (layout == nullptr || !lies(*layout)) {
                return refused({"template.layout", NW_WORDS("{0} is for another layout of {1}"), {from.name, port}, {}, {}});
            }
        }
    }
    const TaskNames names(task);
    for (const std::string& condition : from.conditions) {
        const Result<KnobConstraint> constraint = parseConstraint(condition, &task.target, [](int, std::string_view) {});
        if (!constraint) {
            return constraint.error();
        }
        std::vector<std::int64_t> values;
        for (const std::string& name : constraint->sides.knobs) {
            values.push_back(names.number(name));
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
            made.kinds = splitWords(value);
        } else if (key == "plain") {
            made.plain.push_back(value);
        } else if (key == "blocked") {
            made.blocked.push_back(value);
        } else if (key == "last") {
            made.last.push_back(value);
        } else if (key == "where") {
            made.conditions.push_back(value);
        } else {
            return failed(format("{}, line {}: {} is nothing that a template says of itself", made.name, number, key));
        }
    }
    if (made.title.empty() || made.kinds.empty()) {
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
    if (const Status fits = suits(from, task); !fits) {
        return fits.error();
    }
    return fillTemplate(from, task, initial);
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
