#include "engine/session/project.h"

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/graph/op_table.h"
#include "engine/plan/algorithms.h"
#include "engine/session/project_state.h"

#include <algorithm>

namespace nw::session {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kEmbedLimit = std::uintmax_t{256} << 20;

// First opening: what the project keeps of its model and sample.
Status fillNewProject(record::Database& database, const Source& source)
{
    std::string names;
    for (const auto& [name, script] : source.samples) {
        names += name + "\n";
        const Status kept = database.setText("sample." + name, script);
        if (!kept) {
            return kept;
        }
    }
    for (const auto& [key, value] : std::map<std::string, std::string>{{"title", source.title},
                                                                        {"model.path", source.modelPath.string()},
                                                                        {"model.hash", source.modelHash},
                                                                        {"samples", names}}) {
        const Status kept = database.setText(key, value);
        if (!kept) {
            return kept;
        }
    }
    const Result<std::optional<std::string>> choices = database.text("choices");
    if (choices && !*choices) {
        const Status kept = database.setText("choices", source.choicesText);
        if (!kept) {
            return kept;
        }
    }
    std::error_code problem;
    if (fs::file_size(source.modelPath, problem) <= kEmbedLimit && !problem) {
        const Result<MappedFile> mapped = mapFile(source.modelPath);
        if (!mapped) {
            return mapped.error();
        }
        return database.setBlob("model", mapped->bytes);
    }
    return Done{};
}

Result<std::unique_ptr<record::Database>> openDatabase(const Source& source, const Folders& folders)
{
    const fs::path path = projectPathOf(source, folders);
    std::error_code problem;
    fs::create_directories(path.parent_path(), problem);
    if (problem) {
        return failed("The folder " + path.parent_path().string() + " cannot be made: " + problem.message() + ".");
    }
    Result<std::unique_ptr<record::Database>> opened = record::Database::open(path, true);
    if (!opened || source.kind == Source::Kind::ProjectFile) {
        return opened;
    }
    // A sample's text may have changed since: scripts and choices of the checkout are its defaults.
    const Status filled = fillNewProject(**opened, source);
    if (!filled) {
        return filled.error();
    }
    return opened;
}

// An algorithm that no group can be computed by is refused here; one that a named group cannot, by the plan.
Status chooseAlgorithms(const graph::Graph& graph, const std::map<std::string, std::string>& wanted, plan::Choices& choices)
{
    for (const auto& [name, algorithm] : wanted) {
        if (!name.empty()) {
            choices.algorithms[name] = algorithm;
            continue;
        }
        const Result<std::vector<plan::Group>> groups = plan::fuseGroups(graph);
        if (!groups) {
            return groups.error();
        }
        bool isFor = false;
        for (const plan::Group& group : *groups) {
            const std::vector<std::string> known = plan::algorithmsOf(graph, group);
            if (std::find(known.begin(), known.end(), algorithm) != known.end()) {
                choices.algorithms[group.name] = algorithm;
                isFor = true;
            }
        }
        if (!isFor) {
            return refused(format("No operator of this model can be computed by \"{}\": `nestw ops` lists what they are.", algorithm));
        }
    }
    return Done{};
}

} // namespace

Project::Project(std::unique_ptr<State> state)
    : m_state(std::move(state))
{}
Project::~Project() = default;

Result<std::unique_ptr<Project>> Project::open(const fs::path& path, const OpenOptions& options, const Folders& folders)
{
    Result<Source> source = readSource(path, folders);
    if (!source) {
        return source.error();
    }
    auto state = std::make_unique<State>();
    state->source = *std::move(source);
    const Result<plan::Choices> choices = plan::parseChoices(state->source.choicesText);
    if (!choices) {
        return choices.error();
    }
    state->choices = *choices;
    for (const auto& [symbol, extent] : options.bind) {
        state->choices.bind[symbol] = extent;
    }
    if (!options.target.empty()) {
        state->choices.target = options.target;
    }
    if (options.threads > 0) {
        state->choices.threads = options.threads;
    }
    const Result<Target> target = targetByName(state->choices.target);
    if (!target) {
        return target.error();
    }
    state->target = *target;

    const Result<graph::Imported> imported =
        graph::importModel(state->source.model, {state->choices.bind, options.boundInputs});
    if (!imported) {
        return imported.error();
    }
    state->imported = *imported;
    const Result<graph::Rewritten> rewritten = graph::rewrite(imported->graph, graph::allRules());
    if (!rewritten) {
        return rewritten.error();
    }
    state->graph = rewritten->graph;
    state->firings = rewritten->firings;
    if (const Status chosen = chooseAlgorithms(*state->graph, options.algorithms, state->choices); !chosen) {
        return chosen.error();
    }

    if (!options.ephemeral) {
        Result<std::unique_ptr<record::Database>> database = openDatabase(state->source, folders);
        if (!database) {
            return database.error();
        }
        state->database = *std::move(database);
    }
    return std::unique_ptr<Project>(new Project(std::move(state)));
}

const std::string& Project::title() const
{
    return m_state->source.title;
}
const model::Model& Project::model() const
{
    return m_state->source.model;
}
const graph::Imported& Project::imported() const
{
    return m_state->imported;
}
const std::vector<graph::Firing>& Project::firings() const
{
    return m_state->firings;
}
std::shared_ptr<const graph::Graph> Project::graph() const
{
    return m_state->graph;
}
const plan::Choices& Project::choices() const
{
    return m_state->choices;
}
const Target& Project::target() const
{
    return m_state->target;
}
record::Database* Project::database()
{
    return m_state->database.get();
}

Result<const plan::Plan*> Project::plan()
{
    if (!m_state->plan) {
        Result<plan::Plan> made = plan::makePlan(m_state->graph, plannedChoices(m_state->choices, m_state->target));
        if (!made) {
            return made.error();
        }
        m_state->plan = *std::move(made);
    }
    return &*m_state->plan;
}

plan::Choices plannedChoices(const plan::Choices& choices, const Target& target)
{
    plan::Choices made = choices;
    if (!made.block) { // one vector a block: two blocks or more make a tile, and few channel counts leave a rest
        made.block = std::max(8, target.lanes(DType::F32));
    }
    return made;
}

Result<Operator> makeOperator(const plan::Plan& plan, std::size_t index, const plan::Choices& choices, const Target& target)
{
    const plan::Group& group = plan.groups[index];
    Result<compute::Definition> definition = compute::defineGroup(*plan.graph, group);
    if (!definition) {
        return definition.error();
    }
    Operator op;
    op.name = group.name;
    op.group = static_cast<int>(index);
    op.work = compute::workOf(*definition);
    op.task.definition = std::make_shared<const compute::Definition>(*std::move(definition));
    for (const plan::GroupPort& port : group.ports) {
        op.task.layouts.push_back(port.layout);
    }
    const auto algorithm = choices.algorithms.find(group.name);
    if (algorithm != choices.algorithms.end()) {
        op.task.algorithm = algorithm->second;
    }
    op.task.target = target;
    op.task.threads = choices.threads;
    op.taskId = op.task.identity();
    for (const graph::NodeId node : group.nodes) {
        op.nodeNames.emplace_back(plan.graph->nodes[static_cast<std::size_t>(node)].op->name);
    }
    return op;
}

Result<std::vector<const Operator*>> Project::operators()
{
    const Result<const plan::Plan*> planned = plan();
    if (!planned) {
        return planned.error();
    }
    std::vector<Operator>& operators = m_state->operators;
    if (operators.empty()) {
        std::map<std::string, int> counts;
        for (std::size_t i = 0; i < (*planned)->groups.size(); ++i) {
            Result<Operator> op = makeOperator(**planned, i, m_state->choices, m_state->target);
            if (!op) {
                operators.clear();
                return op.error();
            }
            ++counts[op->taskId];
            operators.push_back(*std::move(op));
        }
        for (Operator& op : operators) {
            op.count = counts[op.taskId];
        }
    }
    std::vector<const Operator*> all;
    for (const Operator& op : operators) {
        all.push_back(&op);
    }
    return all;
}

Result<const Operator*> Project::find(const std::string& group)
{
    const Result<std::vector<const Operator*>> all = operators();
    if (!all) {
        return all.error();
    }
    std::vector<std::string> names;
    for (const Operator* op : *all) {
        if (op->name == group) {
            return op;
        }
        names.push_back(op->name);
    }
    const std::string near = nearest(group, names);
    return failed("There is no operator " + group + " in this model." +
                  (near.empty() ? " `nestw ops` lists them." : " Did you mean " + near + "?"));
}

Status Project::saveAs(const fs::path& path)
{
    if (!m_state->database) {
        return failed("This project is not kept in a file, so there is nothing to save.");
    }
    return m_state->database->saveAs(path);
}

} // namespace nw::session
