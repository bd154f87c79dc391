#include "engine/graph/from_model.h"

#include "engine/base/text.h"
#include "engine/graph/import/finish.h"
#include "engine/graph/import/inputs.h"
#include "engine/graph/import/node_import.h"
#include "engine/graph/import/order.h"

#include <algorithm>
#include <array>

namespace nw::graph {
namespace {

using model::Model;
using model::ModelNode;

constexpr std::int64_t kNewestOpset = 25;

const Handler* findHandler(const std::string& op)
{
    static const std::map<std::string_view, Handler> handlers = [] {
        std::map<std::string_view, Handler> out;
        for (const std::span<const Handler> family : {constantHandlers(), convolutionHandlers(), elementwiseHandlers(),
                 gatherHandlers(), matmulHandlers(), moveHandlers(), normalizeHandlers(), reduceHandlers(),
                 reshapeHandlers(), sliceHandlers()}) {
            for (const Handler& handler : family) {
                out.emplace(handler.op, handler);
            }
        }
        return out;
    }();
    const auto found = handlers.find(op);
    return found == handlers.end() ? nullptr : &found->second;
}

std::int64_t opsetOf(const Model& model, const std::string& domain)
{
    const auto found = model.opsets.find(domain);
    return found == model.opsets.end() ? 0 : found->second;
}

Status checkModel(const Model& model)
{
    if (model.irVersion != 0 && model.irVersion < 3) {
        return failed(format("the model has IR version {}; 3 and newer can be imported, so export it again", model.irVersion));
    }
    if (model.outputs.empty()) {
        return failed("the model has no outputs");
    }
    return Done{};
}

// The handler, or why there is none.
Result<const Handler*> handlerOf(const ModelNode& node, std::int64_t opset)
{
    const std::string label = nodeLabel(node, opset);
    for (const auto& [name, attribute] : node.attributes) {
        const auto* subgraph = std::get_if<model::Subgraph>(&attribute);
        if (subgraph != nullptr && subgraph->what == "graph") {
            return failed(format("{}: its attribute '{}' is a graph; control flow cannot be imported", label, name));
        }
    }
    if (!node.domain.empty()) {
        return failed(format("{}: operators of the domain '{}' are not known", label, node.domain));
    }
    if (opset == 0) {
        return failed(label + ": the model does not say which opset it uses");
    }
    if (opset > kNewestOpset) {
        return failed(format("{}: opset {} is not supported; up to {} are", label, opset, kNewestOpset));
    }
    const Handler* handler = findHandler(node.opType);
    if (handler == nullptr) {
        return failed(format("{}: the operator {} is not supported", label, node.opType));
    }
    if (opset < handler->since) {
        // Either the operator is younger, or it meant something else then (Add before 7 did not broadcast).
        return failed(format("{}: {} as it is known here came with opset {}", label, node.opType, handler->since));
    }
    return handler;
}

// How often each name is still read, outputs of the model included.
std::map<std::string, int> countReaders(const Model& model, const std::vector<int>& order)
{
    std::map<std::string, int> readers;
    for (const int index : order) {
        for (const std::string& name : model.nodes[static_cast<std::size_t>(index)].inputs) {
            ++readers[name];
        }
    }
    for (const model::ValueInfo& output : model.outputs) {
        ++readers[output.name];
    }
    return readers;
}

Status importNode(Importer& importer, const ModelNode& node, int index, std::int64_t opset)
{
    const Result<const Handler*> handler = handlerOf(node, opset);
    if (!handler) {
        return handler.error();
    }
    NodeImport context(importer, node, index, opset);
    if (!importSymbolic(context)) {
        (*handler)->run(context);
    }
    return context.finish();
}

Result<Imported> importOnce(const Model& model, const std::vector<int>& order, const ImportOptions& options)
{
    Importer importer;
    Result<std::vector<std::string>> specialised = addInputs(importer, model, options);
    if (!specialised) {
        return specialised.error();
    }
    std::map<std::string, int> readers = countReaders(model, order);
    for (const int index : order) {
        const ModelNode& node = model.nodes[static_cast<std::size_t>(index)];
        const auto first = static_cast<ValueId>(importer.graph.values.size());
        if (const Status done = importNode(importer, node, index, opsetOf(model, node.domain)); !done) {
            return done.error();
        }
        std::vector<ValueId> read;
        for (const std::string& name : node.inputs) {
            if (!name.empty() && --readers[name] == 0) {
                read.push_back(importer.names.at(name));
            }
        }
        importer.dropConstants(first, read, readers);
    }
    Result<std::shared_ptr<const Graph>> graph = finishGraph(importer, model, opsetOf(model, ""));
    if (!graph) {
        return graph.error();
    }
    return Imported{*std::move(graph), *std::move(specialised), std::move(importer.notes)};
}

} // namespace

Result<Imported> importModel(const Model& model, const ImportOptions& options)
{
    if (const Status fine = checkModel(model); !fine) {
        return fine.error();
    }
    const Result<std::vector<int>> order = executionOrder(model);
    if (!order) {
        return order.error();
    }
    ImportOptions tried = options;
    std::vector<std::string> builtIn;
    for (;;) {
        Result<Imported> imported = importOnce(model, *order, tried);
        if (imported) {
            for (const std::string& name : builtIn) {
                imported->notes.push_back(format("input '{}' decides shapes, so its default is built in", name));
            }
            return imported;
        }
        // An optional input that decides shapes takes its default; every round binds one more.
        const std::string wanted = inputThatMustBeBound(imported.error());
        const auto standard = model.initializers.find(wanted);
        if (wanted.empty() || standard == model.initializers.end() || tried.boundInputs.contains(wanted)) {
            return imported;
        }
        tried.boundInputs.emplace(wanted, standard->second);
        builtIn.push_back(wanted);
    }
}

std::string inputThatMustBeBound(const Error& error)
{
    const bool isThat = error.refusal != nullptr && error.refusal->rule == kBindInputRule && !error.refusal->places.empty();
    return isThat ? error.refusal->places.front() : std::string();
}

} // namespace nw::graph
