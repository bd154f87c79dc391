#include "app/cli/command.h"

#include "engine/base/text.h"
#include "engine/graph/op_table.h"

#include <map>

namespace nw::app {
namespace {

std::string shapeText(const graph::TensorType& type)
{
    std::vector<std::string> extents;
    for (const Expr& extent : type.shape) {
        extents.push_back(toText(extent));
    }
    return format("{}[{}]", toText(type.type), join(extents, ", "));
}

Json valueJson(const graph::Graph& graph, graph::ValueId id)
{
    const graph::Value& value = graph.values[static_cast<std::size_t>(id)];
    Json shape = Json::array();
    for (const Expr& extent : value.type.shape) {
        const std::optional<std::int64_t> constant = constInt(extent);
        shape.push_back(constant ? Json(*constant) : Json(toText(extent)));
    }
    return {{"name", value.name}, {"type", std::string(toText(value.type.type))}, {"shape", shape},
            {"optional", graph.defaults.contains(id)}};
}

int info(const CommonOptions& options)
{
    Session session(options);
    const Result<session::Project*> opened = session.project(true);
    if (!opened) {
        return session.fail(opened.error());
    }
    session::Project& project = **opened;
    const graph::Graph& graph = *project.graph();
    std::map<std::string, int> operators;
    for (const graph::Node& node : graph.nodes) {
        ++operators[std::string(node.op->name)];
    }
    double parameterBytes = 0;
    std::vector<bool> used(graph.values.size(), false);
    for (const graph::Node& node : graph.nodes) {
        for (const graph::ValueId input : node.inputs) {
            if (input >= 0 && graph.values[static_cast<std::size_t>(input)].constant && !used[static_cast<std::size_t>(input)]) {
                used[static_cast<std::size_t>(input)] = true;
                parameterBytes += static_cast<double>(graph.values[static_cast<std::size_t>(input)].constant->bytes().size());
            }
        }
    }

    Json object{{"title", project.title()}, {"ir_version", project.model().irVersion}, {"producer", project.model().producer},
                {"nodes_in_file", project.model().nodes.size()}, {"nodes", graph.nodes.size()},
                {"constant_bytes", parameterBytes}, {"symbols", graph.symbols}};
    for (const auto& [domain, version] : project.model().opsets) {
        object["opsets"][domain.empty() ? "ai.onnx" : domain] = version;
    }
    session.say(project.title());
    std::vector<std::string> opsets;
    for (const auto& [domain, version] : project.model().opsets) {
        opsets.push_back(format("{} {}", domain.empty() ? "ai.onnx" : domain, version));
    }
    session.say(format("  IR {}, opset {}{}", project.model().irVersion, join(opsets, ", "),
                       project.model().producer.empty() ? "" : ", made by " + project.model().producer));
    session.say(format("  {} nodes in the file, {} after folding and rewriting, constants {}", project.model().nodes.size(),
                       graph.nodes.size(), bytesText(static_cast<std::int64_t>(parameterBytes))));
    object["inputs"] = Json::array();
    object["outputs"] = Json::array();
    for (const graph::ValueId id : graph.inputs) {
        const graph::Value& value = graph.values[static_cast<std::size_t>(id)];
        session.say(format("  input  {} {}{}", value.name, shapeText(value.type), graph.defaults.contains(id) ? " (optional)" : ""));
        object["inputs"].push_back(valueJson(graph, id));
    }
    for (const graph::ValueId id : graph.outputs) {
        session.say(format("  output {} {}", graph.values[static_cast<std::size_t>(id)].name,
                           shapeText(graph.values[static_cast<std::size_t>(id)].type)));
        object["outputs"].push_back(valueJson(graph, id));
    }
    if (!graph.symbols.empty()) {
        session.say(format("  unbound dimensions: {} (give them with --bind NAME=NUMBER)", join(graph.symbols, ", ")));
    }
    std::vector<std::string> counts;
    for (const auto& [name, count] : operators) {
        counts.push_back(format("{} {}", count, name));
        object["operators"][name] = count;
    }
    session.say("  operators: " + join(counts, ", "));
    for (const std::string& note : project.imported().notes) {
        session.say("  note: " + note);
    }
    object["notes"] = project.imported().notes;
    session.emit(std::move(object));
    return Fine;
}

} // namespace

void addInfo(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("info", "what a model is: inputs, outputs, opsets, operators");
    addCommon(verb, options);
    verb.run([&options, &exitCode] { exitCode = info(options); });
}

} // namespace nw::app
