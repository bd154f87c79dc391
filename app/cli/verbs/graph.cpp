#include "app/cli/command.h"

#include "engine/base/text.h"
#include "engine/graph/op_table.h"

#include <memory>

namespace nw::app {
namespace {

std::string typeText(const graph::Graph& graph, graph::ValueId id)
{
    const graph::TensorType& type = graph.values[static_cast<std::size_t>(id)].type;
    std::vector<std::string> extents;
    for (const Expr& extent : type.shape) {
        extents.push_back(toText(extent));
    }
    return format("{}[{}]", toText(type.type), join(extents, ", "));
}

std::string_view kindText(plan::PortKind kind)
{
    switch (kind) {
    case plan::PortKind::Input:
        return "input";
    case plan::PortKind::Constant:
        return "constant";
    case plan::PortKind::Output:
        return "output";
    }
    return "input";
}

void printGroup(const Session& session, const graph::Graph& graph, const plan::Group& group)
{
    std::vector<std::string> ops;
    for (const graph::NodeId node : group.nodes) {
        ops.emplace_back(graph.nodes[static_cast<std::size_t>(node)].op->name);
    }
    Json object{{"group", group.name}, {"operators", ops}};
    session.say(format("{}: {}", group.name, ops.empty() ? "layout conversion" : join(ops, " + ")));
    for (const plan::GroupPort& port : group.ports) {
        const std::string type = typeText(graph, port.value);
        session.say(format("  {:<8} {:<12} {}{}  ({})", kindText(port.kind), port.name, type,
                           port.layout.isPlain() ? "" : " as " + port.layout.toText(),
                           graph.values[static_cast<std::size_t>(port.value)].name));
        object["ports"].push_back({{"name", port.name}, {"kind", std::string(kindText(port.kind))}, {"type", type},
                                   {"layout", port.layout.toText()},
                                   {"value", graph.values[static_cast<std::size_t>(port.value)].name}});
    }
    session.emit(std::move(object));
}

int showGraph(const CommonOptions& options, bool nodes, bool rules)
{
    Session session(options);
    const Result<session::Project*> opened = session.project(true);
    if (!opened) {
        return session.fail(opened.error());
    }
    session::Project& project = **opened;
    if (rules) {
        for (const graph::Firing& firing : project.firings()) {
            session.say(format("{}: {}", firing.rule, firing.where));
            session.emit({{"rule", firing.rule}, {"where", firing.where}});
        }
        return Fine;
    }
    if (nodes) {
        session.say(toText(*project.graph()));
        session.emit({{"graph", toText(*project.graph())}});
        return Fine;
    }
    // While a dimension is unbound the groups can be seen, but not yet placed in memory.
    if (!project.graph()->symbols.empty()) {
        const Result<std::vector<plan::Group>> groups = plan::fuseGroups(*project.graph());
        if (!groups) {
            return session.fail(groups.error());
        }
        for (const plan::Group& group : *groups) {
            printGroup(session, *project.graph(), group);
        }
        session.say(format("Unbound dimensions: {}.", join(project.graph()->symbols, ", ")));
        return Fine;
    }
    const Result<const plan::Plan*> plan = project.plan();
    if (!plan) {
        return session.fail(plan.error());
    }
    for (const plan::Group& group : (*plan)->groups) {
        printGroup(session, *project.graph(), group);
    }
    session.say(format("{} groups, arena {}", (*plan)->groups.size(), bytesText((*plan)->arenaBytes)));
    session.emit({{"groups", (*plan)->groups.size()}, {"arena_bytes", (*plan)->arenaBytes}});
    return Fine;
}

} // namespace

void addGraph(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("graph", "the fused groups with their ports, shapes and layouts");
    addCommon(verb, options);
    const auto nodes = std::make_shared<bool>(false);
    const auto rules = std::make_shared<bool>(false);
    verb.flag("--nodes", *nodes, "the graph's nodes instead of groups");
    verb.flag("--rules", *rules, "which rewrite rules fired, and where");
    verb.run([&options, &exitCode, nodes, rules] { exitCode = showGraph(options, *nodes, *rules); });
}

} // namespace nw::app
